/** G9: findings about duplicates, in Norwegian. Each is a list of other events with reasons, which reports write in English. */

/** Null for the finding of another kind, or of a version with other words. `found` is null if it is not disclosed. */
export function duplicatesInNorwegian(expected: string, found: string | null): string | null {
  const [, why] = /^one event once(?:: (.+))?$/s.exec(expected) ?? [];
  const isMerged = expected === 'one event once';
  const decision = why === undefined ? undefined : WHYS.get(why);
  if (!isMerged && decision === undefined) return null;
  if (found === null) return decision ?? null;
  const others = othersIn(found);
  if (others === null) return null;
  return isMerged ? `Slått sammen med ${others}.` : `Ligner på ${others}. ${decision}`;
}

const OTHER = /("(?:[^"\\]|\\.)*") \(([^()]*)\)(?:, |$)/sy;

/** `also "a:x" (listed twice in one source), "b:y" (…)`: the ids with their reasons in Norwegian. */
function othersIn(found: string): string | null {
  if (!found.startsWith(ALSO)) return null;
  const others: string[] = [];
  OTHER.lastIndex = ALSO.length;
  while (OTHER.lastIndex < found.length) {
    const [, id, reason = ''] = OTHER.exec(found) ?? [];
    const parts = reason.split(', ').map((part) => REASONS.get(part) ?? startsIn(part));
    if (id === undefined || parts.includes(null)) return null;
    others.push(`${id} (${parts.join(', ')})`);
  }
  return others.length === 0 ? null : others.join(' og ');
}

const ALSO = 'also ';

function startsIn(part: string): string | null {
  const [, count] = /^(\d+) starts? in common$/.exec(part) ?? [];
  if (count === undefined) return null;
  return `${count} ${count === '1' ? 'felles starttidspunkt' : 'felles starttidspunkter'}`;
}

/** The words that an editor writes into a correction sheet (F15). */
const IN_SHEET = 'Skriv den ene id-en i Id i rettearket, og den andre i Samme som eller i Ikke samme som.';

/** Why likely duplicates are not merged. */
export const WHYS: ReadonlyMap<string, string> = new Map([
  [
    'decide in a correction sheet or in duplicates.json, or set "duplicates": "merge" in licence.json',
    `${IN_SHEET} Driftsansvarlig kan også avgjøre det i duplicates.json, eller skrive "duplicates": "merge" i licence.json.`,
  ],
  [
    'decide in a correction sheet or in duplicates.json; nothing else merges records of the folder itself',
    `${IN_SHEET} Driftsansvarlig kan også avgjøre det i duplicates.json.`,
  ],
  [
    'they are from one source, and end at different times',
    `De er ikke slått sammen, fordi de kommer fra samme kilde og slutter på ulike tidspunkter. ${IN_SHEET}`,
  ],
  [
    'each may be the same event as several others',
    `De er ikke slått sammen, fordi hvert av dem kan være det samme som flere andre. ${IN_SHEET}`,
  ],
]);

/** Why two events are likely the same. */
export const REASONS: ReadonlyMap<string, string> = new Map([
  ['the same words', 'samme ord i tittelen'],
  ['one title within the other', 'den ene tittelen er en del av den andre'],
  ['typing errors', 'nesten samme tittel'],
  ['the same place', 'samme sted'],
  ['one place is a part of the other', 'det ene stedet er en del av det andre'],
  ['one has no place', 'det ene mangler sted'],
  ['listed twice in one source', 'står to ganger i samme kilde'],
  ['said to be the same', 'oppgitt som samme arrangement'],
  ['declared to be the same as one of them', 'oppgitt som det samme som ett av dem'],
]);
