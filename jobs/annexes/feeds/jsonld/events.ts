/** Reads pages with schema.org's events. Every event becomes a native record, or part of one, or is named in a finding. */
import { sumOf, unlessEmpty } from '../../../../src/calendar/groups.ts';
import type { JsonObject } from '../../../../src/calendar/json.ts';
import { excerpt } from '../../../findings.ts';
import { id as idSchema } from '../../../validate/schemas.ts';
import type { UnnamedCategory } from '../categories.ts';
import { createCollector, type FeedEvent } from '../collector.ts';
import type { ParsedFeed } from '../config.ts';
import {
  assembleEvent,
  type DateValues,
  holdLostDates,
  ownFields,
  type SharedValues,
  sharedValues,
  statusFields,
  withTitleState,
} from '../event-assembly.ts';
import { withoutBlanks } from '../event-fields.ts';
import type { AddFinding } from '../last-good.ts';
import type { FeedReader } from '../reading.ts';
import { eventId, textId } from '../record-ids.ts';
import { stateOfDate, titleWithoutState } from '../title-words.ts';
import { dateOf, type Note } from './dates.ts';
import { dateValuesOf, type FieldContext, fieldsOfNode } from './fields.ts';
import { titleOf } from './linked-data.ts';
import { type DescribedEvent, describedEvents, type Node } from './nodes.ts';
import { readPages } from './pages.ts';
import { repeatsOf } from './repeats.ts';

/** Throws FeedProblem if no page has linked data. */
export const readLinkedData: FeedReader = (documents, task, emit) => {
  const { feed } = task;
  const { addFinding, addEvent, end, directory, categories } = createCollector(feed, task, emit);
  const pages = readPages(documents, addFinding);
  const events = describedEvents(pages);
  const ids = idsOf(events, feed);
  const context: PageContext = { feed, now: task.now, ids, directory, categories, addFinding };
  for (const event of events) addEvent(readEvent(event, context));
  const entries = sumOf(pages.map(({ unreadable }) => unreadable)) + sumOf(events.map(countDescriptions));
  return { ...end(entries), isComplete: true };
};

/** The number of descriptions of an event and its dates. */
function countDescriptions({ nodes, dates }: DescribedEvent): number {
  return nodes.length + dates.length;
}

interface PageContext extends Pick<FieldContext, 'directory' | 'categories'> {
  readonly feed: ParsedFeed;
  /** Instant of the build. */
  readonly now: number;
  readonly ids: ReadonlyMap<DescribedEvent, string>;
  readonly addFinding: AddFinding;
}

/** Characters: longer addresses are not used as ids. */
const LONGEST_ID = 300;

/** By address; if events with several names share it, the second and further ones get ids with their names. */
function idsOf(events: readonly DescribedEvent[], feed: ParsedFeed): ReadonlyMap<DescribedEvent, string> {
  const taken = new Set<string>();
  const ids = new Map<DescribedEvent, string>();
  for (const event of events) {
    const { identity, name, place } = event;
    const feedId = eventId(feed, identity);
    const isUsable = identity.length <= LONGEST_ID && idSchema.safeParse(identity).success;
    const madeId = textId(feed.id, [name, identity === '' ? place : identity]);
    const id = isUsable && !taken.has(feedId) ? feedId : madeId;
    taken.add(id);
    ids.set(event, id);
  }
  return ids;
}

/** Null, after a finding, if it has no name. */
function readEvent(event: DescribedEvent, context: PageContext): FeedEvent | null {
  const [first] = [...event.nodes, ...event.dates];
  const id = context.ids.get(event);
  if (first === undefined || id === undefined) return null;
  const { addFinding, lost } = holdLostDates(id, context.addFinding);
  const noteOf = notesOf(addFinding);
  if (titleOf(event.name) === '') {
    noteOf(first)('dropped record', 'name', 'a name', first.value.name);
    return null;
  }
  const reading = { ...context, noteOf };
  const { title, fields, unnamed } = titleAndFields(event, first, reading);
  const values = new Map(
    [...event.nodes, ...event.dates].map((node) => [node, valuesOf(node, title, reading)] as const),
  );
  const shared = sharedValues([...values.values()]);
  const record = assembleEvent(
    {
      id,
      line: first.page.label === null ? first.line : null,
      fields: { ...fields, ...shared },
      programme: programmeOf(event, { values, shared }, reading),
    },
    context,
  );
  return { record, lost, unnamed, entriesAsDates: countDescriptions(event) - 1 };
}

interface TitleAndFields {
  readonly title: string;
  readonly fields: JsonObject;
  readonly unnamed: readonly UnnamedCategory[];
}

/** By the descriptions of the event, or else by that of its first date. */
function titleAndFields({ nodes }: DescribedEvent, first: Node, reading: EventReading): TitleAndFields {
  const descriptions = nodes.length === 0 ? [first] : [...nodes].sort(byState);
  const read = descriptions.map((node) => fieldsOfNode(node, fieldContext(node, reading)));
  return {
    title: titleOf(descriptions[0]?.name ?? ''),
    fields: commonFields(read.map(({ fields }) => fields)),
    unnamed: read[0]?.unnamed ?? [],
  };
}

interface EventReading extends PageContext {
  readonly noteOf: (node: Node) => Note;
}

function fieldContext(node: Node, { noteOf, ...context }: EventReading): FieldContext {
  return { ...context, language: context.feed.language, note: noteOf(node) };
}

/** F5, L0: the values of a node's own date, with the state that its title says. */
function valuesOf(node: Node, title: string, reading: EventReading): DateValues {
  const values = dateValuesOf(node, fieldContext(node, reading));
  const report = (expected: string) => reading.noteOf(node)('changed value', 'name', expected, node.name);
  return withTitleState(values, stateOfDate(titleOf(node.name), title), report);
}

interface EventValues {
  readonly values: ReadonlyMap<Node, DateValues>;
  readonly shared: SharedValues;
}

/** The dates and schedules of an event, and its place among other events. */
function programmeOf(
  event: DescribedEvent,
  { values, shared }: EventValues,
  { ids, noteOf }: EventReading,
): JsonObject {
  const { nodes, isContainer, container } = event;
  const repeats = nodes.flatMap((node) => repeatsOf(node.value, noteOf(node)));
  const hasSchedule = repeats.length > 0;
  const found = datedNodes(event, hasSchedule).flatMap((node) => {
    const isUndated = isContainer && node.value.startDate === undefined;
    const date = isUndated ? null : dateOf(node.value, noteOf(node));
    const dateValues = values.get(node);
    if (date === null || dateValues === undefined) return [];
    return { node, value: { ...date, ...ownFields(dateValues, shared) } };
  });
  const containerId = container === null ? undefined : ids.get(container);
  const states = hasSchedule ? stateFields([...values.values()]) : {};
  return withoutBlanks({
    ...states,
    isSuperEvent: isContainer || undefined,
    superEvent: containerId,
    dates: datesOf(found),
    repeats: unlessEmpty(repeats),
  });
}

/** The first description takes precedence; later ones add missing fields. */
function commonFields(descriptions: readonly JsonObject[]): JsonObject {
  const fields: Record<string, unknown> = {};
  for (const description of descriptions)
    for (const [field, value] of Object.entries(description)) fields[field] ??= value;
  return fields;
}

/** The nodes whose times are dates. If there are sub-events or a schedule, the start of a series is that of the whole. */
function datedNodes({ nodes, dates }: DescribedEvent, hasSchedule: boolean): readonly Node[] {
  if (dates.length > 0) return dates;
  return hasSchedule ? [] : nodes;
}

/** The state of the event applies to all dates of a schedule. */
function stateFields(values: readonly DateValues[]): JsonObject {
  const statuses = new Set(values.map(({ status }) => status));
  const [status = null] = statuses.size === 1 ? statuses : [];
  const isSoldOut = values.every(({ eventSoldOut }) => eventSoldOut);
  return withoutBlanks({ ...statusFields(status), eventSoldOut: isSoldOut || undefined });
}

/** L0: of descriptions that differ only in a word for cancelled or sold out, the one without it names the event. */
function byState(left: Node, right: Node): number {
  const hasState = ({ name }: Node) => Number(titleWithoutState(name) !== name);
  return hasState(left) - hasState(right);
}

/** The dates of an event, in the order of their first description. Several pages may each describe a part of one. */
function datesOf(found: readonly FoundDate[]): readonly JsonObject[] {
  const dates = new Set<FoundDate>();
  const firstByStart = new Map<unknown, FoundDate>();
  const seen = new Set<string>();
  for (const date of found) {
    const first = firstByStart.get(date.value.start);
    const key = JSON.stringify(date.value);
    const isFurtherDescription = first !== undefined && isSameDate(first, date);
    const isSeen = seen.has(key);
    if (isFurtherDescription) first.value = { ...date.value, ...first.value };
    else if (!isSeen) dates.add(date);
    if (first === undefined) firstByStart.set(date.value.start, date);
    seen.add(key);
  }
  return [...dates].map(({ value }) => value);
}

interface FoundDate {
  readonly node: Node;
  value: JsonObject;
}

/** Whether two dates with the same start do not contradict each other. One page does not describe a date twice. */
function isSameDate(first: FoundDate, further: FoundDate): boolean {
  const agrees = (field: string) =>
    first.value[field] === undefined ||
    further.value[field] === undefined ||
    first.value[field] === further.value[field];
  const isOfOnePage = first.node.page === further.node.page;
  const statusOf = ({ node: { value } }: FoundDate) => String(value.eventStatus ?? '');
  return agrees('end') && agrees('venue') && (!isOfOnePage || statusOf(first) === statusOf(further));
}

function notesOf(addFinding: AddFinding): (node: Node) => Note {
  return ({ page: { label }, line }) =>
    (action, name, expected, found) => {
      const where = label === null ? { field: name, line } : { field: `${label}.${name}` };
      addFinding({ action, ...where, expected, found: excerpt(found) });
    };
}
