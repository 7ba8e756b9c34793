/**
 * G9: joins duplicates of an event, between validation and materialising: it returns the same records, but one for each event. Likely
 * duplicates are reported.
 */
import { WHY_APART } from '../../src/calendar/duplicate-reasons.ts';
import { areWithin } from '../corrections/limits.ts';
import { correctedVenues } from '../corrections/places.ts';
import { momentOf } from '../event-dates.ts';
import { openSpool, type Spool } from '../materialise/spool.ts';
import type { EventRecord, EventReferences, EventsEnd, MergedRecord, Records } from '../records.ts';
import type { Report } from '../report/report.ts';
import type { RawEntry } from '../source.ts';
import { createStreamEnd } from '../stream-end.ts';
import { type Comparable, isSingle, titlesOf } from './comparable.ts';
import type { Pair } from './decided.ts';
import { type Decisions, readDecisions } from './decisions.ts';
import { withDoublesReported } from './doubles.ts';
import { createExpander } from './expander.ts';
import { type Group, groupEvents } from './groups.ts';
import { type Member, mergeRecords } from './merge.ts';
import { createPartFinder, placeKey } from './places.ts';
import { createGroupReporter } from './report-groups.ts';
import type { SheetDecisions } from './sheet-decisions.ts';

interface JoinOptions {
  /** Instant, whole seconds. */
  readonly now: number;
  /** A11: day number. */
  readonly horizonDay: number;
  readonly report: Pick<Report, 'addFinding' | 'countIgnored' | 'countFate' | 'addDuplicates'>;
  /** `duplicates.json` (F12); null if it does not exist. */
  readonly decisions: RawEntry | null;
  /** Those of correction sheets. */
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
      decisions.check((id) => read.entries.has(id));
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

/** All events of the sources. An event's number is its place in their order. */
interface ReadEvents {
  /** By number. */
  readonly ids: readonly string[];
  /** Numbers of the published events, by id. */
  readonly entries: ReadonlyMap<string, number>;
  /** The published events. */
  readonly comparables: readonly Comparable[];
  /** F15: those that limited sheets hide. */
  readonly hidden: ReadonlySet<number>;
  readonly recordOf: (entry: number) => EventRecord;
  readonly memberOf: (entry: number) => Member;
}

/** Reads all events, and keeps in memory only what is compared. The records themselves are in the spool. */
async function readAll(records: Records, spool: Spool, options: JoinOptions): Promise<ReadEvents> {
  const expandedOf = createExpander(options);
  const recordOf = (entry: number): EventRecord => JSON.parse(spool.read(entry));
  const memberOf = (entry: number): Member => {
    const record = recordOf(entry);
    return { entry, record, expanded: expandedOf(record) };
  };
  const ids: string[] = [];
  const entries = new Map<string, number>();
  const comparables: Comparable[] = [];
  const hidden = new Set<number>();
  for await (const record of records.events()) {
    const entry = spool.add(JSON.stringify(record));
    ids.push(record.id);
    // A9: an unpublished event neither gives nor takes values.
    if ((record.publishingDate ?? options.now) > options.now) continue;
    entries.set(record.id, entry);
    options.sheets.note(record);
    if (record.hiddenBy !== undefined) hidden.add(entry);
    const member = { entry, record, expanded: expandedOf(record) };
    comparables.push(comparableOf(member, () => endsOf(memberOf(entry))));
  }
  return { ids, entries, comparables, hidden, recordOf, memberOf };
}

function comparableOf({ entry, record, expanded }: Member, ends: Comparable['ends']): Comparable {
  const dated = [...expanded, ...record.dates];
  return {
    entry,
    feed: record.feed,
    titles: titlesOf(record),
    places: new Map(
      dated.map(({ start, allDay, venue }) => [momentOf(start, allDay), placeKey(venue, record.rooms)]),
    ),
    isContainer: record.isSuperEvent,
    form: formOf(record),
    ends,
  };
}

function endsOf({ record, expanded }: Member): ReadonlyMap<number, number> {
  const dated = [...expanded, ...record.dates];
  return new Map(dated.map(({ start, end, allDay }) => [momentOf(start, allDay), end]));
}

/** Two listed dates are an evening and its repeat; more are a series. */
const MOST_REPEATS = 2;

function formOf(record: EventRecord): Comparable['form'] {
  if (isSingle(record)) return 'single';
  return record.series.length > 0 || record.dates.length > MOST_REPEATS ? 'series' : null;
}

interface Grouping extends Pick<JoinOptions, 'now' | 'report' | 'sheets'> {
  readonly decisions: Decisions;
}

/** Groups the events that are likely the same, reports all groups, and returns those whose records are merged. */
function groupsToMerge(
  { mergesDuplicates = false, ...records }: Records,
  read: ReadEvents,
  { decisions, sheets, now, report }: Grouping,
): readonly Group[] {
  const venues = correctedVenues(records.venues, records.finish());
  const found = groupEvents(read.comparables, {
    ...decisions,
    entries: read.entries,
    statements: sheets.statements(read.entries),
    isPart: createPartFinder(venues),
  });
  sheets.reportRejected(found.rejected);
  reportContradictions(found.contradictions, read, report);
  const joined = mergesDuplicates ? found.all : found.decided;
  const joinedKeys = new Set(joined.map(groupKey));
  const undecided = found.all.filter((group) => !joinedKeys.has(groupKey(group)));
  const merging = joined.flatMap((group) => {
    const left = leftIn(group, read);
    reportPartlyHidden(group, left, { ...read, report: records.reportPartlyHidden });
    return withMembers(group, left);
  });
  const reportGroup = createGroupReporter({ ...read, venues, now, report });
  for (const group of merging) reportGroup(group, null);
  for (const group of shownIn(undecided, read)) reportGroup(group, WHY_APART.undecided);
  for (const group of shownIn(found.apart, read)) reportGroup(group, group.why);
  return merging;
}

/** The groups without the events that sheets hide. */
function shownIn<Kind extends Group>(groups: readonly Kind[], { hidden }: ReadEvents): readonly Kind[] {
  return groups.flatMap((group) => {
    const shown = group.members.filter((entry) => !hidden.has(entry));
    return withMembers(group, shown);
  });
}

/** F15: the members of a joined event without those that a sheet hides, unless it hides the whole event because all of them lie within its limit. */
function leftIn({ members }: Group, { hidden, recordOf }: ReadEvents): readonly number[] {
  if (!members.some((entry) => hidden.has(entry))) return members;
  const all = members.map(recordOf);
  const isHidden = all.some(({ hiddenBy = [] }) => hiddenBy.some(({ limit }) => areWithin(all, limit)));
  return isHidden ? members : members.filter((entry) => !hidden.has(entry));
}

interface PartlyHidden extends Pick<ReadEvents, 'ids' | 'recordOf'> {
  readonly report: Records['reportPartlyHidden'];
}

function reportPartlyHidden(
  { members }: Group,
  left: readonly number[],
  { ids, recordOf, report }: PartlyHidden,
): void {
  if (left.length === 0) return;
  const others = left.map((entry) => ids[entry] ?? '');
  for (const entry of members) if (!left.includes(entry)) report?.(recordOf(entry), others);
}

/** The group with some of its members; none if it has fewer than two of them. */
function withMembers<Kind extends Group>(group: Kind, members: readonly number[]): readonly Kind[] {
  return members.length < 2 ? [] : [{ ...group, members }];
}

function groupKey({ members }: Group): string {
  return members.join();
}

/** F12: a contradiction decides nothing. */
function reportContradictions(
  pairs: readonly Pair[],
  { ids }: ReadEvents,
  report: JoinOptions['report'],
): void {
  for (const pair of pairs) {
    const [first, second] = pair.map((entry) => JSON.stringify(ids[entry]));
    report.addFinding({
      action: 'changed value',
      origin: { file: 'duplicates.json' },
      id: null,
      field: 'same',
      expected: `${first} and ${second} to be the same or different, not both`,
      found: 'both: they stay two',
    });
  }
}

/** For each id that is merged into another, the id that stays. */
function* mergersIn(
  groups: readonly Group[],
  { ids }: ReadEvents,
): Generator<readonly [id: string, survivor: string]> {
  for (const { members } of groups) {
    const [first, ...others] = members.map((entry) => ids[entry] ?? '');
    for (const other of others) yield [other, first ?? ''];
  }
}

/** The records in the order of the sources, each group as one record in the place of its first member. */
function* joinedRecords(
  groups: readonly Group[],
  { ids, recordOf, memberOf }: ReadEvents,
): Generator<EventRecord> {
  const membersOf = new Map(groups.flatMap(({ members }) => members.map((entry) => [entry, members])));
  for (const entry of ids.keys()) {
    const [first = entry, ...others] = membersOf.get(entry) ?? [];
    if (first !== entry) continue;
    yield others.length === 0 ? recordOf(entry) : mergeRecords([memberOf(first), ...others.map(memberOf)]);
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
