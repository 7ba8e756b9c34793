/**
 * Selects nodes: the window picks the occurrences, and each filter field puts a condition on what they show (A4, the window picks the
 * occurrence). Look-ups without a filter use T = now, and find no event without a valid occurrence (A7, look-ups). A node is an event as
 * one of its occurrences shows it: its ready-made JSON is read once it is selected.
 */
import { fold } from '../../calendar/text.ts';
import {
  type Bitmap,
  bitsOf,
  type Columns,
  countBits,
  countUpTo,
  emptyBitmap,
  keepCommon,
  listAt,
  removeBits,
  rowsFlagged,
  setBit,
} from '../../snapshot/columns.ts';
import { type EventFragment, readFragment } from '../../snapshot/fragments.ts';
import type { Counts } from './facets.ts';
import { type AreaPlan, type Conditions, type HoursRange, withoutPeriod } from './plan.ts';
import { venuesInside, venuesNear } from './positions.ts';
import { searchEvents } from './search.ts';
import type { NodeSet, View, Window } from './view.ts';

/** The nodes that meet all conditions. */
export async function selectNodes(view: View, wanted: Conditions, now: number): Promise<NodeSet> {
  const conditions = withoutPeriod(wanted, now);
  const { searchTerm } = conditions;
  const found = searchTerm === undefined ? null : await searchEvents(view, searchTerm, now);
  const rows = view.shown(conditions);
  if (found !== null) keepCommon(rows, rowsOfEvents(view.columns, found.events));
  for (const name of Object.keys(conditions)) {
    if (isConditionName(name)) applyCondition(rows, name, conditions, view);
  }
  const isUnfiltered = Object.keys(conditions).length === 0;
  let counts: Counts | undefined;
  return {
    rows,
    total: countBits(rows),
    validAt: Math.max(now, conditions.fromDate ?? now),
    byDay: conditions.groupRepetitionsByDay ?? false,
    isApproximate: found?.isApproximate ?? false,
    counts: () => {
      counts ??= isUnfiltered ? view.unfilteredCounts() : view.facets.count(rows);
      return counts;
    },
  };
}

/** Removes rows whose nodes do not meet the condition. */
type Condition<Value> = (rows: Bitmap, value: Value, view: View) => void;

/** Fields that the window and the search have applied. */
type Selected = keyof Window | 'period' | 'searchTerm';
type Values = Required<Omit<Conditions, Selected>>;
type ConditionName = keyof Values;

/** Each filter field as the condition it puts on nodes. */
const CONDITIONS: { readonly [Name in ConditionName]: Condition<Values[Name]> } = {
  categories: (rows, ids, { columns, directory }) =>
    keepCommon(rows, rowsCarrying(columns, 'category', knownIn(directory.categoryById, ids))),
  notCategories: (rows, ids, { columns, directory }) =>
    removeBits(rows, rowsCarrying(columns, 'category', knownIn(directory.categoryById, ids))),
  venues: (rows, slugs, { columns, directory }) =>
    keepCommon(rows, rowsCarrying(columns, 'venue', knownIn(directory.venueBySlug, slugs))),
  venueSlug: (rows, slug, view) => CONDITIONS.venues(rows, [slug], view),
  organizers: (rows, slugs, { columns, directory }) =>
    keepCommon(rows, rowsCarrying(columns, 'organizer', knownIn(directory.organizerBySlug, slugs))),
  organizerSlug: (rows, slug, view) => CONDITIONS.organizers(rows, [slug], view),
  tag: (rows, tag, { columns, directory }) =>
    keepCommon(rows, rowsCarrying(columns, 'tag', knownIn(directory.tagByFold, [fold(tag)]))),
  free: (rows, _, { columns }) => keepCommon(rows, rowsFlagged(columns, 'free')),
  mode: (rows, mode, { columns }) =>
    (mode === 'online' ? keepCommon : removeBits)(rows, rowsFlagged(columns, 'online')),
  superEvent: (rows, id, { columns, directory }) =>
    keepCommon(rows, rowsCarrying(columns, 'container', knownIn(directory.containerById, [id]))),
  onlyFeatured: (rows, _, { columns }) => keepCommon(rows, rowsFlagged(columns, 'featured')),
  onlyFeaturedSpecialEvent: (rows, _, { columns }) =>
    keepCommon(rows, rowsFlagged(columns, 'featuredInSpecialEvent')),
  cancelledNotIncluded: (rows, _, { columns }) => removeBits(rows, rowsFlagged(columns, 'cancelled')),
  soldOutNotIncluded: (rows, _, { columns }) => removeBits(rows, rowsFlagged(columns, 'soldOut')),
  municipality: (rows, name, view) => CONDITIONS.municipalities(rows, [name], view),
  municipalities: (rows, names, { columns, directory }) => {
    const venues = names.flatMap((name) => directory.venuesByMunicipality.get(fold(name)) ?? []);
    keepCommon(rows, rowsCarrying(columns, 'venue', venues));
  },
  postalCodes: (rows, codes, { columns, directory }) => {
    const venues = codes.flatMap((code) => directory.venuesByPostalCode.get(code) ?? []);
    keepCommon(rows, rowsCarrying(columns, 'venue', venues));
  },
  hoursRange: (rows, hours, { columns }) => keepCommon(rows, rowsStartingIn(rows, hours, columns)),
  near: (rows, near, view) => keepPlaces(rows, venuesNear(view.lists.venues, near), view),
  accessibility: (rows, words, { columns }) => {
    for (const word of words) keepCommon(rows, rowsFlagged(columns, word));
  },
  area: (rows, area, view) => keepPlaces(rows, venuesInside(view.lists.venues, area), view),
};

const isConditionName = (name: string): name is ConditionName => Object.hasOwn(CONDITIONS, name);

function applyCondition<Name extends ConditionName>(
  rows: Bitmap,
  name: Name,
  given: Partial<Values>,
  view: View,
): void {
  const value = given[name];
  if (value !== undefined) CONDITIONS[name](rows, value, view);
}

/** B9, areas; B13, near, area, accessibility: online events have no place. */
function keepPlaces(rows: Bitmap, venues: readonly number[], { columns }: View): void {
  keepCommon(rows, rowsCarrying(columns, 'venue', venues));
  removeBits(rows, rowsFlagged(columns, 'online'));
}

/** B2, ids and slugs: texts that the calendar does not have match nothing. */
function knownIn(ordinals: ReadonlyMap<string, number>, texts: readonly string[]): readonly number[] {
  return texts.flatMap((text) => ordinals.get(text) ?? []);
}

/** Rows whose nodes carry any of these. B3, categories: the build lists the rows of subcategories under their parents, too. */
function rowsCarrying(
  columns: Columns,
  what: 'venue' | 'organizer' | 'category' | 'tag' | 'container',
  ordinals: readonly number[],
): Bitmap {
  const { [`${what}RowsAt` as const]: at, [`${what}Rows` as const]: rows } = columns;
  const carrying = emptyBitmap(columns.event.length);
  for (const ordinal of ordinals) {
    const end = at[ordinal + 1] as number;
    for (let index = at[ordinal] as number; index < end; index++) setBit(carrying, rows[index] as number);
  }
  return carrying;
}

/** B5, hours: those of the rows that start in the range, both ends included; one that ends before it begins spans midnight. */
function rowsStartingIn(rows: Bitmap, { from, to }: HoursRange, { minute }: Columns): Bitmap {
  const starting = emptyBitmap(minute.length);
  const isWrapped = from > to;
  for (const row of bitsOf(rows)) {
    const found = minute[row] as number;
    if (isWrapped ? found >= from || found <= to : found >= from && found <= to) setBit(starting, row);
  }
  return starting;
}

function rowsOfEvents({ event, occurrences, occurrencesAt }: Columns, events: Bitmap): Bitmap {
  const rows = emptyBitmap(event.length);
  for (const ordinal of bitsOf(events)) {
    const end = occurrencesAt[ordinal + 1] as number;
    for (let index = occurrencesAt[ordinal] as number; index < end; index++)
      setBit(rows, occurrences[index] as number);
  }
  return rows;
}

/** The row that an event shows at `now`; null if it is not published (A9, scheduled events) or has no valid occurrence. */
export function shownRow(view: View, ordinal: number, now: number): number | null {
  const { publishing, over, occurrences, occurrencesAt } = view.columns;
  if ((publishing[ordinal] ?? Number.POSITIVE_INFINITY) > now) return null;
  return listAt(occurrences, occurrencesAt, ordinal).find((row) => (over[row] ?? 0) > now) ?? null;
}

/** A8, order of lists: in serving order, which is the order of the row numbers. */
export function shownRowsOf(view: View, ordinals: readonly number[], now: number): readonly number[] {
  return ordinals
    .map((ordinal) => shownRow(view, ordinal, now))
    .filter((row) => row !== null)
    .sort((left, right) => left - right);
}

/** Containers that have not ended. */
export function containerRows(view: View): readonly number[] {
  const rows = view.shown({});
  keepCommon(rows, rowsFlagged(view.columns, 'container'));
  return [...bitsOf(rows)];
}

/** B9: events whose shown venue lies in the box, edges included; never online events or venues without a position. */
export function areaRows(view: View, area: AreaPlan): readonly number[] {
  const rows = view.shown({});
  keepPlaces(rows, venuesInside(view.lists.venues, area), view);
  return [...bitsOf(rows)];
}

export interface EventNode {
  readonly view: View;
  /** The occurrence row that is shown. */
  readonly row: number;
  readonly fragment: EventFragment;
  /** A5, repetitions: repetitions are those valid at this second. */
  readonly validAt: number;
  /** A6, grouping by day: repetitions are of the shown day only. */
  readonly byDay: boolean;
}

/** A later occurrence of a node's event. */
export interface RepetitionNode {
  readonly view: View;
  readonly row: number;
  readonly fragment: EventFragment;
}

/** Reads the events of these rows; the nodes have the order of the rows. */
export async function readNodes(
  view: View,
  rows: readonly number[],
  { validAt, byDay }: Pick<NodeSet, 'validAt' | 'byDay'>,
): Promise<readonly EventNode[]> {
  const { event } = view.columns;
  const fragments = await readFragments(
    view,
    rows.map((row) => event[row] ?? absent(row)),
  );
  return fragments.map((fragment, index) => ({
    view,
    row: rows[index] ?? absent(index),
    fragment,
    validAt,
    byDay,
  }));
}

/** A5, A6: the occurrences after the shown one, in A2's order. `first`: how many at most; null: all. */
export function repetitionsOf(node: EventNode, first: number | null = null): readonly RepetitionNode[] {
  const { view, row, fragment, validAt, byDay } = node;
  const { event, over, day, occurrences, occurrencesAt } = view.columns;
  const own = listAt(occurrences, occurrencesAt, event[row] ?? absent(row));
  const repetitions: RepetitionNode[] = [];
  for (let index = countUpTo(own, row); index < own.length; index++) {
    const later = own[index] ?? absent(index);
    if (repetitions.length === first || (byDay && day[later] !== day[row])) break;
    if ((over[later] ?? 0) > validAt) repetitions.push({ view, row: later, fragment });
  }
  return repetitions;
}

function absent(index: number): never {
  throw new RangeError(`expected a row or event at ${index}, found none`);
}

/** Bodies of one statement: passing them to JavaScript and splitting them delays other requests. */
const READ_AT_ONCE = 250;

/** In the order of the ordinals. */
export async function readFragments(
  { snapshot }: Pick<View, 'snapshot'>,
  ordinals: readonly number[],
): Promise<readonly EventFragment[]> {
  const wanted = [...new Set(ordinals)];
  const found = new Map<number, EventFragment>();
  for (let first = 0; first < wanted.length; first += READ_AT_ONCE) {
    const batch = wanted.slice(first, first + READ_AT_ONCE);
    const bodies = await snapshot.eventBodies(batch);
    for (const [index, body] of bodies.entries())
      found.set(batch[index] ?? absent(index), readFragment(body));
  }
  return ordinals.map((ordinal) => found.get(ordinal) ?? absent(ordinal));
}
