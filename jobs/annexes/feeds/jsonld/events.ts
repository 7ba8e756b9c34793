/** Pages with schema.org's events as native records. Every event becomes one, or part of one, or is named in a finding. */
import type { JsonObject } from '../../../../src/calendar/json.ts';
import { excerpt } from '../../../records.ts';
import { id as idSchema } from '../../../validate/schemas.ts';
import { createCollector, type FeedEvent } from '../collector.ts';
import { textId } from '../directory.ts';
import { ownValues, sharedValues, statusFields, withDefaults, withoutBlanks } from '../event-fields.ts';
import type { AddFinding, FeedRecord, NewFinding } from '../last-good.ts';
import type { FeedReader, ParsedFeed } from '../reading.ts';
import { A_NEW_DATE, stateOfDate, titleWithoutState, withTitleState } from '../title-words.ts';
import { type FieldContext, fieldsOf, ownOf } from './fields.ts';
import { titleOf } from './linked-data.ts';
import { type Draft, draftsOf, type Node } from './nodes.ts';
import { readPages } from './pages.ts';
import { dateOf, type Note, repeatsOf } from './schedule.ts';

export const readLinkedData: FeedReader = (documents, task, emit) => {
  const { feed } = task;
  const { addFinding, addEvent, end, places, categories } = createCollector(feed, task, emit);
  const pages = readPages(documents, addFinding);
  const drafts = draftsOf(pages);
  const context: Context = { feed, ids: idsOf(drafts, feed), places, categories, addFinding };
  for (const draft of drafts) addEvent(eventOf(draft, context));
  const refused = pages.reduce((sum, page) => sum + page.refused, 0);
  const entries = drafts.reduce((sum, draft) => sum + partsOf(draft), refused);
  return { ...end(entries), isComplete: true };
};

const partsOf = ({ nodes, dates }: Draft) => nodes.length + dates.length;

interface Context extends Pick<FieldContext, 'places' | 'categories'> {
  readonly feed: ParsedFeed;
  readonly ids: ReadonlyMap<Draft, string>;
  readonly addFinding: AddFinding;
}

/** Longer addresses are not used as ids. */
const LONGEST_ID = 300;

/** By address; if events with several names share it, the second and further ones get ids with their names. */
function idsOf(drafts: readonly Draft[], feed: ParsedFeed): ReadonlyMap<Draft, string> {
  const taken = new Set<string>();
  const ids = new Map<Draft, string>();
  for (const draft of drafts) {
    const { identity, name, place } = draft;
    const own = feed.keepIds ? identity : `${feed.id}:${identity}`;
    const isUsable = identity.length <= LONGEST_ID && idSchema.safeParse(identity).success;
    const id =
      isUsable && !taken.has(own) ? own : textId(feed.id, [name, identity === '' ? place : identity]);
    taken.add(id);
    ids.set(draft, id);
  }
  return ids;
}

/** Null, after a finding, if it has no name. */
function eventOf(draft: Draft, context: Context): FeedEvent | null {
  const { nodes, dates, isContainer, container } = draft;
  const [first] = [...nodes, ...dates];
  const id = context.ids.get(draft);
  if (first === undefined || id === undefined) return null;
  const { feed, ids } = context;
  const lost: NewFinding[] = [];
  const noteOf = notesOf(id, (finding) => {
    if (finding.action === 'dropped date') lost.push(finding);
    else context.addFinding(finding);
  });
  if (titleOf(draft.name) === '') {
    noteOf(first)('dropped record', 'name', 'a name', first.value.name);
    return null;
  }
  const contextOf = (node: Node) => ({ ...context, language: feed.language, note: noteOf(node) });
  // The first description takes precedence; later ones add missing fields.
  const said: Record<string, unknown> = {};
  const named = nodes.length === 0 ? [first] : [...nodes].sort(byState);
  const title = titleOf(named[0]?.name ?? '');
  for (const node of named) {
    for (const [field, value] of Object.entries(fieldsOf(node, contextOf(node)))) said[field] ??= value;
  }
  const own = new Map(
    [...nodes, ...dates].map((node) => {
      const state = stateOfDate(titleOf(node.name), title);
      if (state.status === 'POSTPONED') noteOf(node)('changed value', 'name', A_NEW_DATE, node.name);
      return [node, withTitleState(ownOf(node, contextOf(node)), state)] as const;
    }),
  );
  const shared = sharedValues([...own.values()]);
  const repeats = nodes.flatMap((node) => repeatsOf(node.value, noteOf(node)));
  // With a schedule, or with dates, the start of a series is that of the whole.
  const dated = dates.length > 0 ? dates : repeats.length > 0 ? [] : nodes;
  const isUndated = (node: Node) => isContainer && node.value.startDate === undefined;
  const told = dated.flatMap((node) => {
    const date = isUndated(node) ? null : dateOf(node.value, noteOf(node));
    const values = own.get(node);
    if (date === null || values === undefined) return [];
    return { node, value: { ...date, ...ownValues(values, shared) } };
  });
  const states = new Set(Array.from(own.values(), ({ status }) => status));
  const [status = null] = states.size === 1 ? states : [];
  const isSoldOut = [...own.values()].every(({ eventSoldOut }) => eventSoldOut);
  const containerId = container === null ? undefined : ids.get(container);
  const record: FeedRecord = {
    list: 'events',
    line: first.page.label === null ? first.line : null,
    value: {
      id,
      ...withoutBlanks(withDefaults({ ...said, ...shared }, feed.defaults)),
      // Of a schedule's dates all have what is said of the event.
      ...(repeats.length > 0 && statusFields(status)),
      ...(repeats.length > 0 && isSoldOut && { eventSoldOut: true }),
      ...(isContainer && { isSuperEvent: true }),
      ...(containerId !== undefined && { superEvent: containerId }),
      dates: datesOf(told),
      ...(repeats.length > 0 && { repeats }),
    },
  };
  return { record, lost, merged: partsOf(draft) - 1 };
}

/** L0: of descriptions that differ in such a word alone, the one without it names the event. */
function byState(left: Node, right: Node): number {
  const hasState = ({ name }: Node) => Number(titleWithoutState(name) !== name);
  return hasState(left) - hasState(right);
}

/** The dates of an event, in the order of their first description. Several pages may each describe a part of one. */
function datesOf(told: readonly ToldDate[]): readonly JsonObject[] {
  const dates = new Set<ToldDate>();
  const byStart = new Map<unknown, ToldDate>();
  const whole = new Set<string>();
  for (const date of told) {
    const known = byStart.get(date.value.start);
    const key = JSON.stringify(date.value);
    if (known !== undefined && isSameDate(known, date)) known.value = { ...date.value, ...known.value };
    else if (!whole.has(key)) dates.add(date);
    if (known === undefined) byStart.set(date.value.start, date);
    whole.add(key);
  }
  return [...dates].map(({ value }) => value);
}

interface ToldDate {
  readonly node: Node;
  value: JsonObject;
}

/** Whether two dates with the same start do not contradict each other. One page does not describe a date twice. */
function isSameDate(known: ToldDate, other: ToldDate): boolean {
  const agrees = (field: string) =>
    known.value[field] === undefined ||
    other.value[field] === undefined ||
    known.value[field] === other.value[field];
  const isOfOnePage = known.node.page === other.node.page;
  const statusOf = ({ node: { value } }: ToldDate) => String(value.eventStatus ?? '');
  return agrees('end') && agrees('venue') && (!isOfOnePage || statusOf(known) === statusOf(other));
}

function notesOf(id: string, addFinding: AddFinding): (node: Node) => Note {
  return ({ page: { label }, line }) =>
    (action, name, expected, found) => {
      const place = label === null ? { field: name, line } : { field: `${label}.${name}` };
      addFinding({ action, id, ...place, expected, found: excerpt(found) });
    };
}
