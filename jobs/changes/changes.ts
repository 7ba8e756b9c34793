/**
 * G10: compares a build with the previous snapshot. It counts added, removed and changed events, and stores the changes for later builds and
 * for `changes` (E7, I7). It receives each event as it is written, ordered by id, and reads those of the previous snapshot in parallel.
 */
import { compareCodePoints } from '../../src/calendar/text.ts';
import { DAY, HOUR, isoSecond } from '../../src/calendar/time.ts';
import { type FormerState, KNOWN_DAYS } from '../../src/snapshot/changes.ts';
import { visibleFromOf } from '../../src/snapshot/visibility.ts';
import type { Previous } from '../previous.ts';
import { createChangeLists } from './change-lists.ts';
import { differenceOf } from './compare.ts';
import {
  type ChangeLists,
  type ComparedBuild,
  type Comparison,
  type ComparisonOptions,
  NO_CHANGES,
  type WrittenEvent,
} from './comparison.ts';
import {
  type ComparedRows,
  type EventChange,
  type GoneSequence,
  openPreviousContent,
  type PreviousContent,
  type PreviousEvent,
  writeRows,
} from './history.ts';
import { type PublicDate, type PublicEvent, type PublicEventOf, publicEventsOf } from './public-events.ts';

/** Compares the written events with the previous snapshot, if there is one. */
export async function compareWith(
  previous: Previous | null,
  options: ComparisonOptions,
): Promise<Comparison> {
  const content = previous && (await openPreviousContent(previous));
  if (content !== null) return new RunningComparison({ ...options, previous: content });
  return firstComparison(options, new Set(previous?.upcoming.values()));
}

/**
 * For a build without a previous snapshot, or with one whose contents cannot be read: counts events by their ids.
 * `before`: those of the previous snapshot that were not over.
 */
export function firstComparison(
  { calendar: { events }, now }: Pick<ComparisonOptions, 'calendar' | 'now'>,
  before: ReadonlySet<string> = new Set(),
): Comparison {
  const ids = new Set(events.map(({ id }) => id));
  const added = [...ids].filter((id) => !before.has(id)).length;
  const removed = [...before].filter((id) => !ids.has(id)).length;
  const build = { number: 1, id: null, builtAt: now };
  return {
    take: async () => undefined,
    finish: async () => ({
      changes: { isFirst: true, counts: { ...NO_CHANGES, added, removed }, lists: NONE },
      recentChanges: null,
      columns: { changed: new Int32Array(events.length).fill(build.number) },
      write: (writer) => writeRows(writer, { builds: [build], history: [], gone: [] }),
    }),
    close: async () => undefined,
  };
}

const NONE: ChangeLists = { added: [], changed: [], removed: [], renamed: [] };

interface RunningOptions extends ComparisonOptions {
  readonly previous: PreviousContent;
}

/** E7: limits on the builds and rows that are stored for `changes`. */
const MOST_BUILDS = 10_000;
const MOST_ROWS = 200_000;
/** I9: days for which the counts of removed occurrences are stored. */
const SEQUENCE_DAYS = 400;
/** Seconds in which a finished build is published and adopted: meanwhile the previous snapshot is still served. */
const PUBLISHING_SECONDS = HOUR;

/** The comparison with a previous snapshot. Both sides are ordered by id, and read once. */
export class RunningComparison implements Comparison {
  readonly #options: RunningOptions;
  readonly #eventOf: PublicEventOf;
  readonly #number: number;
  readonly #events: AsyncIterator<PreviousEvent>;
  readonly #lists = createChangeLists();
  /** Number of the build that changed each event last, by ordinal. */
  readonly #changed: number[] = [];
  readonly #history: FormerState[] = [];
  /** I9: how often each occurrence was changed, by row. */
  readonly #sequence: Int32Array<ArrayBuffer>;
  /** Removed occurrences that have not returned, by id. */
  readonly #returnable: Map<string, GoneSequence>;
  readonly #gone: GoneSequence[] = [];
  /** The next event of the previous snapshot; undefined before the first one is read. */
  #next: PreviousEvent | null | undefined;

  constructor(options: RunningOptions) {
    const { previous, columns, calendar, now } = options;
    const { venues, organizers } = calendar;
    this.#options = options;
    this.#eventOf = publicEventsOf({ columns, venues, organizers, isShared: !previous.isComparable });
    this.#number = (previous.builds.at(-1)?.number ?? 0) + 1;
    this.#events = previous.events()[Symbol.asyncIterator]();
    this.#sequence = new Int32Array(columns.start.length);
    const recent = previous.sequences.filter(({ held }) => now - held <= SEQUENCE_DAYS * DAY);
    this.#returnable = new Map(recent.map((gone) => [gone.occurrence, gone]));
  }

  async take({ ordinal, cells }: WrittenEvent): Promise<void> {
    const event = this.#eventOf({ ordinal, cells, body: cells.body });
    if (this.#next === undefined) await this.#advance();
    while (this.#next && compareCodePoints(this.#next.event.id, event.id) < 0) {
      this.#recordMissing(this.#next);
      await this.#advance();
    }
    if (this.#next?.event.id !== event.id) return this.#add(ordinal, event);
    this.#pair(ordinal, event, this.#next);
    await this.#advance();
  }

  async finish(): Promise<ComparedBuild & ComparedRows> {
    if (this.#next === undefined) await this.#advance();
    while (this.#next) {
      this.#recordMissing(this.#next);
      await this.#advance();
    }
    const { previous, now } = this.#options;
    const fitsInBytes = this.#sequence.every((count) => count <= 0xff);
    const sequence = fitsInBytes ? Uint8Array.from(this.#sequence) : this.#sequence;
    const gone = [...this.#returnable.values(), ...this.#gone];
    gone.sort((left, right) => compareCodePoints(left.occurrence, right.occurrence));
    const rows = { ...this.#rowsToKeep(), gone };
    return {
      ...rows,
      changes: this.#lists.finish(),
      recentChanges: this.#lists.recentChanges(previous.recentChanges, isoSecond(now)),
      columns: { sequence, changed: Int32Array.from(this.#changed) },
      write: (writer) => writeRows(writer, rows),
    };
  }

  async close(): Promise<void> {
    await this.#options.previous.close();
  }

  async #advance(): Promise<void> {
    const { value, done } = await this.#events.next();
    this.#next = done === true ? null : value;
  }

  #add(ordinal: number, { id, title, dates }: PublicEvent): void {
    const visibleFrom = visibleFromOf(this.#options.columns, ordinal);
    this.#changed.push(this.#number);
    this.#history.push({ id, build: this.#number, seen: null, changed: this.#number });
    this.#lists.add('added', { id, title }, { isHidden: visibleFrom > this.#options.now });
    for (const date of dates) this.#restoreDate(date);
  }

  #pair(ordinal: number, event: PublicEvent, { event: before, change }: PreviousEvent): void {
    const { now, previous, columns, horizonDay } = this.#options;
    const lastDay = Math.min(previous.horizonDay, horizonDay);
    const { fields, changesAllDates, pairs, added, gone } = differenceOf(event, before, { now, lastDay });
    const { id, title } = event;
    const visibleFrom = visibleFromOf(columns, ordinal);
    // H9: callers could see it before, and can see it now.
    const isHidden = Math.max(visibleFrom, change.seen) > now;
    this.#changed.push(fields.length > 0 ? this.#number : change.changed);
    if (visibleFrom !== change.seen) this.#recordFormerState(id, change, this.#number);
    if (fields.length > 0) this.#lists.add('changed', { id, title, fields }, { isHidden });
    if (fields.includes('title_nb') || fields.includes('title_en'))
      this.#lists.add('renamed', { id, title, from: before.title }, { isHidden });
    for (const { date, previous: earlier, differs } of pairs) {
      const isChanged = changesAllDates || differs;
      this.#sequence[date.row] = (previous.sequence[earlier.row] ?? 0) + (isChanged ? 1 : 0);
    }
    for (const date of added) this.#restoreDate(date);
    for (const date of gone) this.#removeDate(date);
  }

  /** An event that is missing now: if all of it was over, only the clock has removed it. */
  #recordMissing({ event: { id, title, dates }, change }: PreviousEvent): void {
    const { now } = this.#options;
    const isOver = change.over <= now;
    this.#recordFormerState(id, change, isOver ? change.changed : this.#number);
    if (!isOver) this.#lists.add('removed', { id, title }, { isHidden: change.seen > now });
    for (const date of dates) this.#removeDate(date);
  }

  /** A9: an event that was never public leaves no trace. */
  #recordFormerState(id: string, { seen }: EventChange, changed: number): void {
    const wasSeen = seen <= this.#options.now + PUBLISHING_SECONDS;
    this.#history.push({ id, build: this.#number, seen: wasSeen ? seen : null, changed });
  }

  /** I9: a returning occurrence continues its count; its return is a change. */
  #restoreDate({ id, row }: PublicDate): void {
    const gone = this.#returnable.get(id);
    if (gone === undefined) return;
    this.#returnable.delete(id);
    this.#sequence[row] = gone.count + 1;
  }

  #removeDate({ id, row, over }: PublicDate): void {
    const { previous, now } = this.#options;
    const count = previous.sequence[row] ?? 0;
    const held = previous.builtAt;
    if ((over <= now && count === 0) || now - held > SEQUENCE_DAYS * DAY) return;
    this.#gone.push({ occurrence: id, count, held });
  }

  /** E7: the builds and rows that `changes` still needs. The oldest builds are dropped first. */
  #rowsToKeep(): Pick<ComparedRows, 'builds' | 'history'> {
    const { previous, now } = this.#options;
    const all = [...previous.history, ...this.#history];
    const builds = previous.builds
      .filter(({ builtAt }) => now - builtAt <= KNOWN_DAYS * DAY)
      .slice(-MOST_BUILDS);
    const oldestBuild = builds[0]?.number ?? this.#number;
    // If there are too many rows, the oldest build to keep is that of the first row beyond the limit, because the rows after it have all later changes.
    const latestFirst = all.map(({ build }) => build).sort((left, right) => right - left);
    const oldest = Math.max(oldestBuild, latestFirst[MOST_ROWS] ?? 0);
    return {
      builds: [
        ...builds.filter(({ number }) => number >= oldest),
        { number: this.#number, id: null, builtAt: now },
      ],
      history: all
        .filter(({ build }) => build > oldest)
        .sort((left, right) => compareCodePoints(left.id, right.id) || left.build - right.build),
    };
  }
}
