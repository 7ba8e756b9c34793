/** Entries with one UID: which of them are the same thing said again, and which are dates of one event. */
import type { Complain } from '../../feeds/slice.ts';
import { excerpt } from '../../report/excerpt.ts';
import { type Entry, first } from './entry.ts';
import { instantOfMoment } from './zones.ts';

/** An event of its own: the entry that speaks for it, and those that only add or change dates. */
export interface Version {
  readonly main: Entry;
  /** Entries with the same UID and title at other times: further dates. */
  readonly further: readonly Entry[];
  /** By what date of the series they are about. */
  readonly overrides: readonly Entry[];
  /** Whether another event has the same UID, so that this one needs another id. */
  readonly isSecond: boolean;
}

export interface VersionContext {
  readonly complain: Complain;
}

/** Every entry is in exactly one version, or named in a complaint. */
export function versionsOf(entries: readonly Entry[], { complain }: VersionContext): readonly Version[] {
  const whole = entries.filter(({ recurrence }) => recurrence === null);
  const masters = latestBy(newest(whole, complain), ({ start }) => String(instantOfMoment(start)), complain);
  const overrides = latestBy(
    entries.filter(({ recurrence }) => recurrence !== null),
    ({ recurrence, isFuture }) => (recurrence === null ? '' : `${instantOfMoment(recurrence)} ${isFuture}`),
    complain,
  );
  const [orphan, ...more] = overrides;
  const series = masters.find(isRecurring) ?? masters[0];
  if (series === undefined) {
    return orphan === undefined ? [] : [{ main: orphan, further: [], overrides: more, isSecond: false }];
  }
  const byTitle = new Map<string, Entry[]>();
  for (const entry of masters) {
    const title = entry.title;
    const same = byTitle.get(title);
    if (same === undefined) byTitle.set(title, [entry]);
    else same.push(entry);
  }
  const rest = [...byTitle.keys()].filter((title) => title !== series.title);
  return [series.title, ...rest].flatMap((title, place) => {
    const same = byTitle.get(title) ?? [];
    const main = same.find(isRecurring) ?? same[0];
    if (main === undefined) return [];
    const further = same.filter((entry) => entry !== main);
    return [{ main, further, overrides: place === 0 ? overrides : [], isSecond: place > 0 }];
  });
}

function isRecurring({ component }: Entry): boolean {
  return first(component, 'RRULE') !== null || first(component, 'RDATE') !== null;
}

/** RFC 5545, 3.8.7.4: a higher SEQUENCE replaces a lower one. That the UID is the same is not enough in the wild. */
function newest(masters: readonly Entry[], complain: Complain): readonly Entry[] {
  const highest = new Map<string, number>();
  for (const entry of masters) {
    highest.set(entry.title, Math.max(highest.get(entry.title) ?? 0, entry.sequence));
  }
  return masters.filter((entry) => {
    const isNewest = entry.sequence === highest.get(entry.title);
    if (!isNewest) complainOfOlder(entry, complain);
    return isNewest;
  });
}

function latestBy(
  entries: readonly Entry[],
  keyOf: (entry: Entry) => string,
  complain: Complain,
): readonly Entry[] {
  const kept = new Map<string, Entry>();
  for (const entry of entries) {
    const key = keyOf(entry);
    const known = kept.get(key);
    const isLater =
      known === undefined ? 0 : entry.sequence - known.sequence || entry.modified - known.modified;
    if (known === undefined) kept.set(key, entry);
    // Of two that are equally new, with different titles, neither is a version of the other: the UID is not unique.
    else if (isLater === 0 && entry.title !== known.title) {
      const own = `${key} ${entry.title}`;
      if (kept.has(own)) complainOfOlder(entry, complain);
      else kept.set(own, entry);
    } else {
      complainOfOlder(isLater > 0 ? known : entry, complain);
      if (isLater > 0) kept.set(key, entry);
    }
  }
  return [...kept.values()];
}

function complainOfOlder(entry: Entry, complain: Complain): void {
  const { component, uid, sequence } = entry;
  const expected = 'a UID that no other entry with this title or start has (the latest version is taken)';
  const found = `${excerpt(uid)}, SEQUENCE ${sequence}`;
  complain({ action: 'dropped record', line: component.line, id: null, field: 'UID', expected, found });
}
