/** L4: which of the entries with one UID are the newest. Copies are counted, and older entries are reported. */
import { groupBy } from '../../../../src/calendar/groups.ts';
import { excerpt } from '../../../findings.ts';
import type { AddFinding } from '../last-good.ts';
import type { EventComponent } from './content.ts';
import { type CalendarEntry, isCancelled } from './entries.ts';

/** Programs write an entry again for each calendar, or tag, that it is in. */
export function withoutCopies(
  entries: readonly CalendarEntry[],
  addCopy: (entry: CalendarEntry) => void,
): readonly CalendarEntry[] {
  if (entries.length < 2) return entries;
  const seen = new Map<string, CalendarEntry>();
  for (const entry of entries) {
    const key = contentOf(entry.component);
    const same = seen.get(key);
    if (same !== undefined) addCopy(entry);
    if (same === undefined || entry.modified > same.modified) seen.set(key, entry);
  }
  return [...seen.values()];
}

/** The contents of an entry, without the moments at which it was written. */
function contentOf({ properties, method }: EventComponent): string {
  const content = properties.filter(({ name }) => name !== 'LAST-MODIFIED' && name !== 'CREATED');
  const values = content.map(({ name, parameters, value }) => [name, [...parameters], value]);
  return JSON.stringify([method, values]);
}

/** RFC 5546, 3.2.5: a cancellation may omit the title of what it cancels. */
export function withTitles(masters: readonly CalendarEntry[]): readonly CalendarEntry[] {
  const titled = masters.find(({ title }) => title !== '');
  return masters.map((entry) => {
    if (titled === undefined || entry.title !== '' || !isCancelled(entry)) return entry;
    const { sequence, modified, start } = entry;
    const component = { ...titled.component, method: 'CANCEL', line: entry.component.line };
    return { ...titled, sequence, modified, start, component };
  });
}

/** RFC 5545, 3.8.7.4: a higher SEQUENCE replaces a lower one, whatever else it changes. The others are reported. */
export function withHighestSequence(
  masters: readonly CalendarEntry[],
  keyOf: (entry: CalendarEntry) => string,
  addFinding: AddFinding,
): readonly CalendarEntry[] {
  const highest = new Map<string, number>();
  for (const entry of masters)
    highest.set(keyOf(entry), Math.max(highest.get(keyOf(entry)) ?? 0, entry.sequence));
  return masters.filter((entry) => {
    const isNewest = entry.sequence === highest.get(keyOf(entry));
    if (!isNewest) reportOlder(entry, addFinding);
    return isNewest;
  });
}

/** The latest entries for each key, whatever the order of the feed. The others are reported. */
export function latestBy(
  entries: readonly CalendarEntry[],
  keyOf: (entry: CalendarEntry) => string,
  addFinding: AddFinding,
): readonly CalendarEntry[] {
  const latest = [...groupBy(entries, keyOf).values()].flatMap(latestOf);
  const isLatest = new Set(latest);
  for (const entry of entries) if (!isLatest.has(entry)) reportOlder(entry, addFinding);
  return latest;
}

/** If equally new entries have different titles, neither is a version of the other: the UID is not unique. The first of each title stays. */
function latestOf(versions: readonly CalendarEntry[]): readonly CalendarEntry[] {
  const newest = versions.reduce((latest, entry) => (compareAge(entry, latest) > 0 ? entry : latest));
  const equallyNew = versions.filter((entry) => compareAge(entry, newest) === 0);
  return [...groupBy(equallyNew, ({ title }) => title).values()].flatMap((namesakes) =>
    namesakes.slice(0, 1),
  );
}

/** Positive if the first is newer, 0 if both are equally new. */
function compareAge(left: CalendarEntry, right: CalendarEntry): number {
  return left.sequence - right.sequence || left.modified - right.modified;
}

/** Reports an entry that a later version replaces. */
export function reportOlder({ component, uid, sequence }: CalendarEntry, addFinding: AddFinding): void {
  const expected = 'a UID that no other entry has (the latest version is used)';
  const found = `${excerpt(uid)}, SEQUENCE ${sequence}`;
  addFinding({ action: 'left out', line: component.line, field: 'UID', expected, found });
}
