/** F13: fields that an editor has emptied for all sources of an event, in records that are joined to one. */
import { isEmptiedInAll } from '../corrections/limits.ts';
import type { DateRecord, Edit, EventRecord } from '../records.ts';
import { retimed } from '../recurrence/retiming.ts';
import type { Series } from '../recurrence/series.ts';

interface Joined {
  readonly record: EventRecord;
  /** Dates by the record's rules. */
  readonly expanded: readonly DateRecord[];
}

/** The records without the values of those fields, so that none of them can fill a gap. */
export function withoutEmptied<Member extends Joined>(
  members: readonly [Member, ...Member[]],
): readonly [Member, ...Member[]] {
  const emptied = emptiedIn(members);
  if (emptied.length === 0) return members;
  const [first, ...others] = members;
  const without = (member: Member) => withoutValues(member, lostBy(member, emptied));
  return [without(first), ...others.map(without)];
}

/** The fields of which the last correction, of any of the records, is one that empties them. */
function emptiedIn(members: readonly Joined[]): readonly string[] {
  const records = members.map(({ record }) => record);
  const isOfAll = (edit: Edit) => !edit.isEmptied || isEmptiedInAll(edit, records);
  const edits = records.flatMap((record) => record.edits ?? []).filter(isOfAll);
  const lastByField = new Map<string, Edit>();
  for (const edit of edits) {
    const last = lastByField.get(edit.field);
    if (last === undefined || last.number < edit.number) lastByField.set(edit.field, edit);
  }
  return [...lastByField.values()].filter(({ isEmptied }) => isEmptied).map(({ field }) => field);
}

/** Without those that were emptied in this record: some of its dates may have later values. */
function lostBy({ record }: Joined, emptied: readonly string[]): ReadonlySet<string> {
  const own = (record.edits ?? []).filter(({ isEmptied }) => isEmptied).map(({ field }) => field);
  return new Set(emptied.filter((field) => !own.includes(field)));
}

function withoutValues<Member extends Joined>(member: Member, lost: ReadonlySet<string>): Member {
  const { record, expanded } = member;
  const without = dateWithout(lost);
  return {
    ...member,
    record: {
      ...record,
      ...blanksFor(record, lost),
      dates: record.dates.map(without),
      series: record.series.map((series) => seriesWithout(series, lost)),
    },
    expanded: expanded.map(without),
  };
}

/** The empty values of the record's own fields. */
function blanksFor(record: EventRecord, lost: ReadonlySet<string>): Partial<EventRecord> {
  const blanks = Object.entries(record)
    .filter(([name]) => lost.has(name))
    .map(([name, value]) => [name, Array.isArray(value) ? [] : null] as const);
  const losesTickets = lost.has('prices') || lost.has('ticketsInformation');
  return { ...Object.fromEntries(blanks), ...(losesTickets && NO_TICKETS) };
}

/** Ticket fields are filled together, so they are emptied together. */
const NO_TICKETS = { ticketsInformation: 'noTicketsInfo', prices: [] } as const;

function dateWithout(lost: ReadonlySet<string>): (date: DateRecord) => DateRecord {
  return (date) => {
    const ending = lost.has('end') ? { ...date, ...retimed(date, { end: null }) } : date;
    return placeless(ending, lost);
  };
}

function seriesWithout(series: Series, lost: ReadonlySet<string>): Series {
  const phases = series.phases.map((phase) => {
    const changed = { ...phase, own: placeless(phase.own, lost) };
    if (!lost.has('end')) return changed;
    const earlier = phase.retimings ?? [];
    return { ...changed, retimings: [...earlier, { end: null }] };
  });
  return { ...series, phases };
}

type Placed = Pick<DateRecord, 'venue' | 'ticketsURL'>;

function placeless<Dated extends Placed>(dated: Dated, lost: ReadonlySet<string>): Dated {
  return {
    ...dated,
    venue: lost.has('venue') ? null : dated.venue,
    ticketsURL: lost.has('ticketsURL') ? null : dated.ticketsURL,
  };
}
