/**
 * G9: joins duplicates of an event, between validation and materialising: it returns the same records, but one for each event. Likely
 * duplicates are reported. The stages, each in the file of this name:
 *
 *     read-events       reads all records into a spool, and keeps in memory what is compared of each (`comparable.ts`)
 *     decided           which events people have called the same, or different (`decisions.ts`, `sheet-decisions.ts`)
 *     candidates        the pairs that are worth comparing
 *     alike             whether the two are likely the same, or a double: one event that one source lists twice
 *     group-doubles     the doubles that stay apart; the first of them represents the others
 *     resolve           the groups to join, where several records are alike
 *     merging-groups    reports all groups (`report-groups.ts`), and returns those whose records are merged
 *     merge             one record of each group
 *
 * In a calendar without feeds, records are only compared (`doubles.ts`).
 */
import { openSpool } from '../materialise/spool.ts';
import type { EventRecord, EventReferences, EventsEnd, MergedRecord, Records } from '../records.ts';
import type { Report } from '../report/report.ts';
import type { RawEntry } from '../source/source.ts';
import { createStreamEnd } from '../source/stream-end.ts';
import { readDecisions } from './decisions.ts';
import { withDoublesReported } from './doubles.ts';
import type { Group } from './groups.ts';
import { mergeRecords } from './merge.ts';
import { groupsToMerge } from './merging-groups.ts';
import { type ReadEvents, readAll } from './read-events.ts';
import type { SheetDecisions } from './sheet-decisions.ts';

interface JoinOptions {
  /** Instant, whole seconds. */
  readonly now: number;
  /** A11: day number. */
  readonly horizonDay: number;
  readonly report: Pick<Report, 'addFinding' | 'countIgnored' | 'countFate' | 'addDuplicates'>;
  /** `duplicates.json` (F12); null if it does not exist. */
  readonly decisions: RawEntry | null;
  /** The decisions in correction sheets. */
  readonly sheets: SheetDecisions;
  /** Whether the source has feeds besides the folder itself. */
  readonly hasFeeds: boolean;
  /** Path of a file that may be created, and that the build removes. */
  readonly scratch: string;
}

/** Returns the records with duplicates joined. Events are read when they are requested. Throws INVALID_SOURCE for an invalid `duplicates.json`. */
export function joinDuplicates(records: Records, options: JoinOptions): Records {
  const { sheets, hasFeeds } = options;
  if (options.decisions === null && sheets.isEmpty && !hasFeeds) return withDoublesReported(records, options);
  const decisions = readDecisions(options.decisions, options.report);
  const end = createStreamEnd<EventsEnd>('events');

  async function* events(): AsyncGenerator<EventRecord, void, undefined> {
    const spool = openSpool(options.scratch);
    try {
      const read = await readAll(records, spool, options);
      decisions.check((id) => read.numbersById.has(id));
      const groups = groupsToMerge(records, read, { ...options, decisions });
      const survivors = new Map(mergersIn(groups, read));
      const survivorOf = (id: string) => survivors.get(id) ?? id;
      for (const record of joinedRecords(groups, read)) yield withSurvivor(record, survivorOf);
      const { references, merged, ...others } = records.finish();
      end.reach({
        ...others,
        references: survivingReferences(references, survivorOf),
        merged: [...merged, ...mergedEvents(survivors)],
      });
    } finally {
      spool.close();
    }
  }

  return { ...records, events, finish: end.value };
}

function mergedEvents(survivors: ReadonlyMap<string, string>): readonly MergedRecord[] {
  return [...survivors].map(([id, survivor]) => ({ kind: 'event', id, survivor }));
}

/** For each id that is merged into another, the id that stays. */
function* mergersIn(
  groups: readonly Group[],
  { ids }: ReadEvents,
): Generator<readonly [id: string, survivor: string]> {
  for (const { members } of groups) {
    const [first, ...others] = members.map((number) => ids[number] ?? '');
    for (const other of others) yield [other, first ?? ''];
  }
}

/** The records in the order of the sources, each group as one record in the place of its first member. */
function* joinedRecords(
  groups: readonly Group[],
  { ids, recordOf, memberOf }: ReadEvents,
): Generator<EventRecord> {
  const membersOf = new Map(groups.flatMap(({ members }) => members.map((number) => [number, members])));
  for (const number of ids.keys()) {
    const [first = number, ...others] = membersOf.get(number) ?? [];
    if (first !== number) continue;
    yield others.length === 0 ? recordOf(number) : mergeRecords([memberOf(first), ...others.map(memberOf)]);
  }
}

function withSurvivor(record: EventRecord, survivorOf: (id: string) => string): EventRecord {
  const { super_event } = record;
  return super_event === null ? record : { ...record, super_event: survivorOf(super_event) };
}

/** A container that was merged with the event itself is none. */
function survivingReferences(
  { superEvent, specialEvent }: EventReferences,
  survivorOf: (id: string) => string,
): EventReferences {
  return {
    superEvent: ({ id, super_event }) => {
      const container = superEvent({ id, super_event });
      const survivor = container === null ? null : survivorOf(container);
      return survivor === id ? null : survivor;
    },
    specialEvent: specialEvent === null ? null : survivorOf(specialEvent),
  };
}
