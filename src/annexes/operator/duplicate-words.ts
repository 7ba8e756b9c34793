/** G9: findings about duplicates, in Bokmål and Nynorsk. Each is a list of other events with reasons, which reports write in English. */
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

/** Why likely duplicates are not merged. */
export const WHYS: ReadonlyMap<string, BothNorwegian> = new Map([
  [
    'decide in a correction sheet or in duplicates.json, or set "duplicates": "merge" in licence.json',
    [
      `${IN_SHEET} Driftsansvarlig kan også avgjøre det i duplicates.json, eller skrive "duplicates": "merge" i licence.json.`,
      `${IN_NYNORSK_SHEET} Driftsansvarleg kan òg avgjere det i duplicates.json, eller skrive "duplicates": "merge" i licence.json.`,
    ],
  ],
  [
    'decide in a correction sheet or in duplicates.json; nothing else merges records of the folder itself',
    [
      `${IN_SHEET} Driftsansvarlig kan også avgjøre det i duplicates.json.`,
      `${IN_NYNORSK_SHEET} Driftsansvarleg kan òg avgjere det i duplicates.json.`,
    ],
  ],
  [
    'they are from one source, and end at different times',
    [
      `De er ikke slått sammen, fordi de kommer fra samme kilde og slutter på ulike tidspunkter. ${IN_SHEET}`,
      `Dei er ikkje slått saman, fordi dei kjem frå same kjelde og sluttar på ulike tidspunkt. ${IN_NYNORSK_SHEET}`,
    ],
  ],
  [
    'each may be the same event as several others',
    [
      `De er ikke slått sammen, fordi hvert av dem kan være det samme som flere andre. ${IN_SHEET}`,
      `Dei er ikkje slått saman, fordi kvart av dei kan vere det same som fleire andre. ${IN_NYNORSK_SHEET}`,
    ],
  ],
]);

/** Why two events are likely the same. */
export const REASONS: ReadonlyMap<string, BothNorwegian> = new Map([
  ['the same words', ['samme ord i tittelen', 'same ord i tittelen']],
  [
    'one title within the other',
    ['den ene tittelen er en del av den andre', 'den eine tittelen er ein del av den andre'],
  ],
  ['typing errors', ['nesten samme tittel', 'nesten same tittel']],
  ['the same place', ['samme sted', 'same stad']],
  [
    'one place is a part of the other',
    ['det ene stedet er en del av det andre', 'den eine staden er ein del av den andre'],
  ],
  ['one has no place', ['det ene mangler sted', 'det eine manglar stad']],
  ['listed twice in one source', ['står to ganger i samme kilde', 'står to gonger i same kjelde']],
  ['said to be the same', ['oppgitt som samme arrangement', 'oppgitt som same arrangement']],
  [
    'declared to be the same as one of them',
    ['oppgitt som det samme som ett av dem', 'oppgitt som det same som eitt av dei'],
  ],
]);
