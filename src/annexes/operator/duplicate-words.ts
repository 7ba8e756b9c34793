/** G9: findings about duplicates, in Bokmål and Nynorsk. Each is a list of other events with reasons, which reports write in English. */
import { PLACES_ALIKE, SAME_OTHERWISE, TITLES_ALIKE, WHY_APART } from '../../calendar/duplicate-reasons.ts';
import type { Norwegian } from '../../calendar/model.ts';

export type BothNorwegian = readonly [nb: string, nn: string];

export const textIn = ([nb, nn]: BothNorwegian, norwegian: Norwegian): string => ({ nb, nn })[norwegian];

/** Null for the finding of another kind, or of a version with other words. `found` is null if it is not disclosed. */
export function duplicatesInNorwegian(
  expected: string,
  found: string | null,
  norwegian: Norwegian,
): string | null {
  const [, why] = /^one event once(?:: (.+))?$/s.exec(expected) ?? [];
  const isMerged = expected === 'one event once';
  const known = WHYS.get(why ?? '');
  const decision = known && textIn(known, norwegian);
  if (!isMerged && decision === undefined) return null;
  if (found === null) return decision ?? null;
  const others = othersIn(found, norwegian);
  if (others === null) return null;
  const texts = TEXTS[norwegian];
  return isMerged ? `${texts.merged} ${others}.` : `${texts.alike} ${others}. ${decision}`;
}

const TEXTS = {
  nb: { merged: 'Slått sammen med', alike: 'Ligner på' },
  nn: { merged: 'Slått saman med', alike: 'Liknar på' },
};

const OTHER = /("(?:[^"\\]|\\.)*") \(([^()]*)\)(?:, |$)/sy;

/** `also "a:x" (listed twice in one source), "b:y" (…)`: the ids with their reasons in Norwegian. */
function othersIn(found: string, norwegian: Norwegian): string | null {
  if (!found.startsWith(ALSO)) return null;
  const others: string[] = [];
  OTHER.lastIndex = ALSO.length;
  while (OTHER.lastIndex < found.length) {
    const [, id, reason = ''] = OTHER.exec(found) ?? [];
    const parts = reason.split(', ').map((part) => reasonIn(part, norwegian));
    if (id === undefined || parts.includes(null)) return null;
    others.push(`${id} (${parts.join(', ')})`);
  }
  return others.length === 0 ? null : others.join(' og ');
}

const ALSO = 'also ';

function reasonIn(part: string, norwegian: Norwegian): string | null {
  const known = REASONS.get(part);
  return known === undefined ? startsIn(part, norwegian) : textIn(known, norwegian);
}

function startsIn(part: string, norwegian: Norwegian): string | null {
  const [, count] = /^(\d+) starts? in common$/.exec(part) ?? [];
  if (count === undefined) return null;
  const isPlural = count !== '1' && norwegian === 'nb';
  return `${count} ${isPlural ? 'felles starttidspunkter' : 'felles starttidspunkt'}`;
}

/** The words that an editor writes into a correction sheet (F15). */
const IN_SHEET = 'Skriv den ene id-en i Id i rettearket, og den andre i Samme som eller i Ikke samme som.';
const IN_NYNORSK_SHEET =
  'Skriv den eine id-en i Id i rettearket, og den andre i Same som eller i Ikkje same som.';

const WORDS_APART: Readonly<Record<keyof typeof WHY_APART, BothNorwegian>> = {
  undecided: [
    `${IN_SHEET} Driftsansvarlig kan også avgjøre det i duplicates.json, eller skrive "duplicates": "merge" i licence.json.`,
    `${IN_NYNORSK_SHEET} Driftsansvarleg kan også avgjere det i duplicates.json, eller skrive "duplicates": "merge" i licence.json.`,
  ],
  undecidedOfFolder: [
    `${IN_SHEET} Driftsansvarlig kan også avgjøre det i duplicates.json.`,
    `${IN_NYNORSK_SHEET} Driftsansvarleg kan også avgjere det i duplicates.json.`,
  ],
  otherEnds: [
    `De er ikke slått sammen, fordi de kommer fra samme kilde og slutter på ulike tidspunkter. ${IN_SHEET}`,
    `Dei er ikkje slått saman, fordi dei kjem frå same kjelde og sluttar på ulike tidspunkt. ${IN_NYNORSK_SHEET}`,
  ],
  severalOthers: [
    `De er ikke slått sammen, fordi hvert av dem kan være det samme som flere andre. ${IN_SHEET}`,
    `Dei er ikkje slått saman, fordi kvart av dei kan vere det same som fleire andre. ${IN_NYNORSK_SHEET}`,
  ],
};

/** Why likely duplicates are not merged. */
export const WHYS = byText(WHY_APART, WORDS_APART);

/** Why two events are likely the same. */
export const REASONS: ReadonlyMap<string, BothNorwegian> = new Map([
  ...byText(TITLES_ALIKE, {
    words: ['samme ord i tittelen', 'same ord i tittelen'],
    part: ['den ene tittelen er en del av den andre', 'den eine tittelen er ein del av den andre'],
    typing: ['nesten samme tittel', 'nesten same tittel'],
  }),
  ...byText(PLACES_ALIKE, {
    same: ['samme sted', 'same stad'],
    part: ['det ene stedet er en del av det andre', 'den eine staden er ein del av den andre'],
    missing: ['det ene mangler sted', 'det eine manglar stad'],
  }),
  ...byText(SAME_OTHERWISE, {
    listedTwice: ['står to ganger i samme kilde', 'står to gonger i same kjelde'],
    said: ['oppgitt som samme arrangement', 'oppgitt som same arrangement'],
    declared: ['oppgitt som det samme som ett av dem', 'oppgitt som det same som eitt av dei'],
  }),
]);

/** The words of each reason, by its text in reports. */
function byText<Code extends string>(
  texts: Readonly<Record<Code, string>>,
  words: Readonly<Record<Code, BothNorwegian>>,
): ReadonlyMap<string, BothNorwegian> {
  const codes = Object.keys(texts) as Code[];
  return new Map(codes.map((code) => [texts[code], words[code]]));
}
