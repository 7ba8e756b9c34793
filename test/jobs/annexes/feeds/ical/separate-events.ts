/** L4 a second time, by its definition: the events that entries without RECURRENCE-ID are, of one title. */

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

/** `UID DAY place` of each event, in small letters. */
export function separateEvents(entries: readonly WrittenEntry[]): readonly string[] {
  const events = entries.filter((entry) => {
    const { uid, sequence = 0 } = entry;
    return !entries.some((other) => other.uid === uid && (other.sequence ?? 0) > sequence);
  });
  return [...new Set(events.map(({ uid, day, place }) => `${uid} ${day} ${place}`.toLowerCase().trim()))];
}
