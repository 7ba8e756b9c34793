/** L4 a second time, by its definition: the events that entries without RECURRENCE-ID are. */

export interface WrittenEntry {
  readonly uid: string;
  /** A day of April. */
  readonly day: number;
  /** Empty for none. */
  readonly place: string;
  readonly sequence?: number;
  /** A minute of the day on which it was changed. */
  readonly modified?: number;
  readonly title?: string;
}

/** `UID DAY place` of each event, in small letters. Events that differ only in their titles have the same text. */
export function separateEvents(entries: readonly WrittenEntry[]): readonly string[] {
  const current = entries.filter((entry) => !entries.some((other) => replaces(other, entry, entries)));
  const events = new Map(
    current.map((entry) => {
      const text = `${entry.uid} ${entry.day} ${entry.place}`.toLowerCase().trim();
      return [`${text} ${titleOf(entry)}`, text];
    }),
  );
  return [...events.values()];
}

/** Whether an entry is a later version of another one. */
function replaces(later: WrittenEntry, earlier: WrittenEntry, entries: readonly WrittenEntry[]): boolean {
  if (later.uid !== earlier.uid) return false;
  // A UID with more than two titles is that of many events.
  const areOthers = titlesOf(later.uid, entries).size > 2 && titleOf(later) !== titleOf(earlier);
  if (areOthers) return false;
  const sequences = (later.sequence ?? 0) - (earlier.sequence ?? 0);
  if (sequences !== 0) return sequences > 0;
  const isSameSlot = later.day === earlier.day && later.place.toLowerCase() === earlier.place.toLowerCase();
  return isSameSlot && (later.modified ?? 0) > (earlier.modified ?? 0);
}

function titlesOf(uid: string, entries: readonly WrittenEntry[]): ReadonlySet<string> {
  return new Set(entries.filter((entry) => entry.uid === uid).map(titleOf));
}

function titleOf({ title = 'Kveld' }: Pick<WrittenEntry, 'title'>): string {
  return title;
}
