/**
 * Selects nodes: the window picks the occurrences, and each filter field puts a condition on what they show (A4). Look-ups without a
 * filter use T = now, and find no event without a valid occurrence (A7).
 */
import { fold } from '../../calendar/text.ts';
import { type Bitmap, countBits, keepCommon, placesOf, removeBits } from '../../snapshot/bitmaps.ts';
import type { Counts } from './facets.ts';
import { type AreaPlan, type Selection, withoutPeriod } from './plan.ts';
import { searchEvents } from './search.ts';
import type { NodeSet, View } from './view.ts';
import type { Window } from './window.ts';

/** The node set of a selection. */
export async function selectNodes(view: View, wanted: Selection, now: number): Promise<NodeSet> {
  const selection = withoutPeriod(wanted, now);
  const { searchTerm } = selection;
  const found = searchTerm === undefined ? null : await searchEvents(view, searchTerm, now);
  const rows = view.shown(selection);
  if (found !== null) keepCommon(rows, view.rowIndex.ofEvents(found.events));
  for (const name of Object.keys(selection)) {
    if (isConditionName(name)) applyCondition(rows, name, selection, view);
  }
  const isUnfiltered = Object.keys(selection).length === 0;
  let counts: Counts | undefined;
  return {
    rows,
    total: countBits(rows),
    validAt: Math.max(now, selection.fromDate ?? now),
    byDay: selection.groupRepetitionsByDay ?? false,
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
type Values = Required<Omit<Selection, Selected>>;
type ConditionName = keyof Values;

/** Each filter field as the condition it puts on nodes. */
const CONDITIONS: { readonly [Name in ConditionName]: Condition<Values[Name]> } = {
  categories: (rows, ids, { rowIndex, directory }) =>
    keepCommon(rows, rowIndex.carrying('categories', places(ids, directory.categoryById))),
  notCategories: (rows, ids, { rowIndex, directory }) =>
    removeBits(rows, rowIndex.carrying('categories', places(ids, directory.categoryById))),
  venues: keepVenues,
  venueSlug: (rows, slug, view) => keepVenues(rows, [slug], view),
  organizers: keepOrganizers,
  organizerSlug: (rows, slug, view) => keepOrganizers(rows, [slug], view),
  tag: (rows, tag, { rowIndex, directory }) =>
    keepCommon(rows, rowIndex.carrying('tags', places([fold(tag)], directory.tagByFold))),
  free: (rows, _, { rowIndex }) => keepCommon(rows, rowIndex.flagged('free')),
  mode: (rows, mode, { rowIndex }) =>
    (mode === 'online' ? keepCommon : removeBits)(rows, rowIndex.flagged('online')),
  superEvent: (rows, id, { rowIndex, directory }) =>
    keepCommon(rows, rowIndex.carrying('containers', places([id], directory.containerById))),
  onlyFeatured: (rows, _, { rowIndex }) => keepCommon(rows, rowIndex.flagged('featured')),
  onlyFeaturedSpecialEvent: (rows, _, { rowIndex }) =>
    keepCommon(rows, rowIndex.flagged('featuredInSpecialEvent')),
  cancelledNotIncluded: (rows, _, { rowIndex }) => removeBits(rows, rowIndex.flagged('cancelled')),
  soldOutNotIncluded: (rows, _, { rowIndex }) => removeBits(rows, rowIndex.flagged('soldOut')),
  municipality: (rows, name, { rowIndex, directory }) =>
    keepCommon(rows, rowIndex.carrying('venues', directory.venuesByMunicipality.get(fold(name)) ?? [])),
  municipalities: (rows, names, { rowIndex, directory: { venuesByMunicipality } }) => {
    const venues = names.flatMap((name) => venuesByMunicipality.get(fold(name)) ?? []);
    keepCommon(rows, rowIndex.carrying('venues', [...new Set(venues)]));
  },
  postalCodes: (rows, codes, { rowIndex, directory: { venuesByPostalCode } }) => {
    const venues = codes.flatMap((code) => venuesByPostalCode.get(code) ?? []);
    keepCommon(rows, rowIndex.carrying('venues', venues));
  },
  hoursRange: (rows, hours, { rowIndex }) => keepCommon(rows, rowIndex.startingIn(hours)),
  near: (rows, near, view) => keepPlaces(rows, view.positions.near(near), view),
  accessibility: (rows, words, { rowIndex }) => {
    for (const word of words) keepCommon(rows, rowIndex.flagged(word));
  },
  area: (rows, area, view) => keepPlaces(rows, view.positions.inside(area), view),
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

function keepVenues(rows: Bitmap, slugs: readonly string[], { rowIndex, directory }: View): void {
  keepCommon(rows, rowIndex.carrying('venues', places(slugs, directory.venueBySlug)));
}

function keepOrganizers(rows: Bitmap, slugs: readonly string[], { rowIndex, directory }: View): void {
  keepCommon(rows, rowIndex.carrying('organizers', places(slugs, directory.organizerBySlug)));
}

/** B9, B13: online events have no place. */
function keepPlaces(rows: Bitmap, venues: readonly number[], { rowIndex }: View): void {
  keepCommon(rows, rowIndex.carrying('venues', venues));
  removeBits(rows, rowIndex.flagged('online'));
}

/** B2: texts that the calendar does not have match nothing. */
function places(texts: readonly string[], known: ReadonlyMap<string, number>): readonly number[] {
  return texts.flatMap((text) => known.get(text) ?? []);
}

/** The row that an event shows at `now`; null if it is not published (A9) or has no valid occurrence. */
export function shownRow(view: View, ordinal: number, now: number): number | null {
  const { publishing, occurrences, occurrencesAt, over } = view.columns;
  if ((publishing[ordinal] ?? Number.POSITIVE_INFINITY) > now) return null;
  const end = occurrencesAt[ordinal + 1] ?? 0;
  for (let place = occurrencesAt[ordinal] ?? end; place < end; place++) {
    const row = occurrences[place];
    if (row !== undefined && (over[row] ?? 0) > now) return row;
  }
  return null;
}

/** A8: in serving order, which is the order of the row numbers. */
export function shownRowsOf(view: View, ordinals: readonly number[], now: number): readonly number[] {
  return ordinals
    .map((ordinal) => shownRow(view, ordinal, now))
    .filter((row) => row !== null)
    .sort((left, right) => left - right);
}

/** Containers that have not ended. */
export function containerRows(view: View): readonly number[] {
  const rows = view.shown({});
  keepCommon(rows, view.rowIndex.flagged('container'));
  return placesOf(rows);
}

/** B9: events whose shown venue lies in the box, edges included; never online events or venues without a position. */
export function areaRows(view: View, area: AreaPlan): readonly number[] {
  const rows = view.shown({});
  keepPlaces(rows, view.positions.inside(area), view);
  return placesOf(rows);
}
