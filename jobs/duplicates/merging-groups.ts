/** G9: decides which events are merged, and reports all groups of events that are alike. */
import { WHY_APART } from '../../src/calendar/duplicate-reasons.ts';
import { areHiddenTogether } from '../corrections/limits.ts';
import { correctedVenues } from '../corrections/places.ts';
import type { Records } from '../records.ts';
import type { Report } from '../report/report.ts';
import type { Pair } from './decided.ts';
import type { Decisions } from './decisions.ts';
import { type Group, groupEvents } from './groups.ts';
import { createPartFinder } from './places.ts';
import type { ReadEvents } from './read-events.ts';
import { createGroupReporter } from './report-groups.ts';
import type { SheetDecisions } from './sheet-decisions.ts';

interface Grouping {
  /** Instant, whole seconds. */
  readonly now: number;
  readonly report: Pick<Report, 'addFinding' | 'countFate' | 'addDuplicates'>;
  readonly sheets: SheetDecisions;
  /** The decisions in `duplicates.json`. */
  readonly decisions: Decisions;
}

/** Groups the events that are likely the same, reports all groups, and returns those whose records are merged. */
export function groupsToMerge(
  { mergesDuplicates = false, ...records }: Records,
  read: ReadEvents,
  { decisions, sheets, now, report }: Grouping,
): readonly Group[] {
  const venues = correctedVenues(records.venues, records.finish());
  const found = groupEvents(read.comparables, {
    ...decisions,
    numbersById: read.numbersById,
    statements: sheets.statements(read.numbersById),
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
    const shown = group.members.filter((number) => !hidden.has(number));
    return withMembers(group, shown);
  });
}

/** F15: the members of a joined event without those that a sheet hides, unless it hides the whole event. */
function leftIn({ members }: Group, { hidden, recordOf }: ReadEvents): readonly number[] {
  if (!members.some((number) => hidden.has(number))) return members;
  if (areHiddenTogether(members.map(recordOf))) return members;
  return members.filter((number) => !hidden.has(number));
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
  const others = left.map((number) => ids[number] ?? '');
  for (const number of members) if (!left.includes(number)) report?.(recordOf(number), others);
}

/** The group with some of its members; none if it has fewer than two of them. */
function withMembers<Kind extends Group>(group: Kind, members: readonly number[]): readonly Kind[] {
  return members.length < 2 ? [] : [{ ...group, members }];
}

function groupKey({ members }: Group): string {
  return members.join();
}

/** F12: a contradiction decides nothing. */
function reportContradictions(pairs: readonly Pair[], { ids }: ReadEvents, report: Grouping['report']): void {
  for (const pair of pairs) {
    const [first, second] = pair.map((number) => JSON.stringify(ids[number]));
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
