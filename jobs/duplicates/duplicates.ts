/**
 * G9: joins duplicates of an event. It stands between validation and materialising, and neither knows of it: records pass through, those of
 * one event joined. Likely duplicates are reported.
 */

import { createDating } from '../materialise/dating.ts';
import { openSpool, type Spool } from '../materialise/spool.ts';
import type { EventRecord, MergedId, RawEntry, Records, Reporter } from '../records.ts';
import { createAllowance } from '../recurrence/allowance.ts';
import type { Report } from '../report.ts';
import { type Comparable, momentOf, titleWords } from './alike.ts';
import { readDecisions } from './decisions.ts';
import { withDoublesReported } from './doubles.ts';
import { groupEvents } from './groups.ts';
import { isSingle, type Member, mergeRecords } from './merge.ts';
import { createPartFinder, placeKey } from './places.ts';
import { createGroupReporter } from './report-groups.ts';

const ORIGIN = { file: 'duplicates.json' };
const CONTRADICTION = { action: 'changed value', origin: ORIGIN, id: null, field: 'same' } as const;

interface JoinOptions {
  /** Instant, whole seconds. */
  readonly now: number;
  /** A11: day number. */
  readonly horizonDay: number;
  readonly report: Pick<Report, 'addFinding' | 'countIgnored' | 'countFate' | 'addDuplicates'>;
  /** `duplicates.json` (F12); null if it does not exist. */
  readonly decisions: RawEntry | null;
  /** Whether the source has feeds besides the folder itself. */
  readonly hasFeeds: boolean;
  /** Path of a file that may be created, and that the build removes. */
  readonly scratch: string;
}

/** Throws INVALID_SOURCE for an invalid `duplicates.json`. */
export function joinDuplicates(records: Records, options: JoinOptions): Records {
  const { decisions: entry, hasFeeds, report, scratch } = options;
  if (entry === null && !hasFeeds) return withDoublesReported(records, options);
  const decisions = readDecisions(entry, report);
  const survivors = new Map<string, string>();
  const survivorOf = (id: string) => survivors.get(id) ?? id;
  const isPart = createPartFinder(records.venues);

  async function* events(): AsyncGenerator<EventRecord, void, undefined> {
    const spool = openSpool(scratch);
    try {
      const read = await readAll(records, spool, options);
      decisions.check((id) => read.entries.has(id));
      const { entries, comparables } = read;
      const found = groupEvents(comparables, { ...decisions, entries, isPart });
      for (const pair of found.contradictions) {
        const [one, other] = pair.map((entry) => JSON.stringify(read.ids[entry]));
        const expected = `${one} and ${other} to be the same or different, not both`;
        report.addFinding({ ...CONTRADICTION, expected, found: 'both: they stay two' });
      }
      const merging = records.mergesDuplicates === true ? found.all : found.decided;
      const { now } = options;
      const reportGroup = createGroupReporter({ ...read, venues: records.venues, now, report });
      for (const group of merging) reportGroup(group, null);
      const mergedGroups = new Set(merging.map(({ members }) => `${members}`));
      for (const group of found.all) if (!mergedGroups.has(`${group.members}`)) reportGroup(group, UNDECIDED);
      for (const group of found.apart) reportGroup(group, group.why);
      const groupOf = new Map(merging.flatMap((group) => group.members.map((entry) => [entry, group])));
      for (const [entry, id] of read.ids.entries()) {
        const [first = entry] = groupOf.get(entry)?.members ?? [];
        if (first !== entry) survivors.set(id, read.ids[first] ?? '');
      }
      for (const [entry, id] of read.ids.entries())
        if (!survivors.has(id))
          yield withSurvivor(mergedOf(groupOf.get(entry)?.members ?? [entry], read), survivorOf);
    } finally {
      spool.close();
    }
  }

  function* merged(): Generator<MergedId & { readonly kind: 'event' | 'venue' | 'organizer' }> {
    yield* records.merged?.() ?? [];
    for (const [id, survivor] of survivors) yield { kind: 'event', id, survivor };
  }

  return {
    ...records,
    events,
    merged,
    references: () => {
      const { superEvent, specialEvent } = records.references();
      return {
        superEvent: ({ id, super_event }) => {
          const container = superEvent({ id, super_event });
          return container === null || survivorOf(container) === id ? null : survivorOf(container);
        },
        specialEvent: specialEvent === null ? null : survivorOf(specialEvent),
      };
    },
  };
}

function withSurvivor(record: EventRecord, survivorOf: (id: string) => string): EventRecord {
  const { super_event } = record;
  return super_event === null ? record : { ...record, super_event: survivorOf(super_event) };
}

const UNDECIDED = 'decide in duplicates.json, or say "duplicates": "merge" in licence.json';

type Read = Awaited<ReturnType<typeof readAll>>;

async function readAll(records: Records, spool: Spool, options: JoinOptions) {
  const date = createDating({ ...options, allowance: createAllowance(), report: SILENT });
  const expandedOf = (record: EventRecord) =>
    record.series.length === 0 ? [] : date({ ...record, dates: [] }).upcoming;
  const recordOf = (entry: number): EventRecord => JSON.parse(spool.read(entry));
  const endsOf = (entry: number) => {
    const record = recordOf(entry);
    const dated = [...expandedOf(record), ...record.dates];
    return new Map(dated.map(({ start, end, allDay }) => [momentOf(start, allDay), end]));
  };
  const ids: string[] = [];
  const entries = new Map<string, number>();
  const comparables: Comparable[] = [];
  for await (const record of records.events()) {
    const entry = spool.add(JSON.stringify(record));
    ids.push(record.id);
    // A9: an unpublished event neither gives nor takes values.
    if ((record.publishingDate ?? options.now) > options.now) continue;
    entries.set(record.id, entry);
    comparables.push(
      comparableOf(record, entry, { expanded: expandedOf(record), ends: () => endsOf(entry) }),
    );
  }
  return { ids, entries, comparables, recordOf, expandedOf };
}

/** Rules are expanded again when records are joined and materialised: their flaws are reported there. */
const SILENT: Reporter = { addFinding: () => {}, countIgnored: () => {}, countFate: () => {} };

function comparableOf(
  record: EventRecord,
  entry: number,
  { expanded, ends }: { readonly expanded: Member['expanded']; readonly ends: Comparable['ends'] },
): Comparable {
  const { feed, title_nb, title_en, dates, isSuperEvent } = record;
  const dated = [...expanded, ...dates];
  return {
    entry,
    feed,
    titles: [titleWords(title_nb), titleWords(title_en)].filter((words) => words.length > 0),
    places: new Map(
      dated.map(({ start, allDay, venue }) => [momentOf(start, allDay), placeKey(venue, record.rooms)]),
    ),
    isContainer: isSuperEvent,
    form: formOf(record),
    ends,
  };
}

/** Two listed dates are an evening and its repeat; more are a series. */
const MOST_REPEATS = 2;

function formOf(record: EventRecord): Comparable['form'] {
  if (isSingle(record)) return 'single';
  return record.series.length > 0 || record.dates.length > MOST_REPEATS ? 'series' : null;
}

function mergedOf([first = -1, ...others]: readonly number[], { recordOf, expandedOf }: Read): EventRecord {
  if (others.length === 0) return recordOf(first);
  const memberOf = (entry: number): Member => {
    const record = recordOf(entry);
    return { entry, record, expanded: expandedOf(record) };
  };
  return mergeRecords([memberOf(first), ...others.map(memberOf)]);
}
