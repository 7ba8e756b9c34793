/**
 * Each filter field as the condition it puts on a node (A4: on what the node shows). The window fields and
 * `groupRepetitionsByDay` are not here: they pick the occurrence, in window.ts.
 */
import { fold } from '../../calendar/text.ts';
import { EVENT_FLAGS, OCCURRENCE_FLAGS } from '../../snapshot/columns.ts';
import type { Selection } from '../plan.ts';
import type { View } from './view.ts';

/** Whether the node that shows this occurrence row meets the condition. */
export type Condition = (row: number) => boolean;

type Window = 'fromDate' | 'untilDate' | 'fromStartDate' | 'groupRepetitionsByDay';
/** Search reads the index, so it is awaited before the conditions are made: see select.ts. */
type Awaited = 'searchTerm';

type Values = Required<Omit<Selection, Window | Awaited>>;

type ConditionTable = { readonly [Field in keyof Values]: (value: Values[Field], view: View) => Condition };

const CONDITIONS: ConditionTable = {
  categories: (ids, view) => anyOf(view, 'categories', places(ids, view.directory.categoryById)),
  notCategories: (ids, view) => not(anyOf(view, 'categories', places(ids, view.directory.categoryById))),
  venues: (slugs, view) => atVenues(view, places(slugs, view.directory.venueBySlug)),
  venueSlug: (slug, view) => atVenues(view, places([slug], view.directory.venueBySlug)),
  organizers: (slugs, view) => anyOf(view, 'organizers', places(slugs, view.directory.organizerBySlug)),
  organizerSlug: (slug, view) => anyOf(view, 'organizers', places([slug], view.directory.organizerBySlug)),
  tag: (tag, view) => anyOf(view, 'tags', places([fold(tag)], view.directory.tagByFold)),
  mode: (mode, view) => (mode === 'online' ? eventFlag(view, 'online') : not(eventFlag(view, 'online'))),
  superEvent: (id, view) => inContainer(view, view.directory.containerById.get(id)),
  onlyFeatured: (_, view) => eventFlag(view, 'featured'),
  onlyFeaturedSpecialEvent: (_, view) => eventFlag(view, 'featuredInSpecialEvent'),
  cancelledNotIncluded: (_, view) => not(occurrenceFlag(view, 'cancelled')),
  soldOutNotIncluded: (_, view) => not(occurrenceFlag(view, 'soldOut')),
  hoursRange: ({ from, to }, { columns: { minute } }) =>
    from <= to
      ? (row) => at(minute, row) >= from && at(minute, row) <= to
      : (row) => at(minute, row) >= from || at(minute, row) <= to,
  municipality: (name, view) => atVenues(view, view.directory.venuesByMunicipality.get(fold(name)) ?? []),
  postalCodes: (codes, view) =>
    atVenues(
      view,
      codes.flatMap((code) => view.directory.venuesByPostalCode.get(code) ?? []),
    ),
};

/** The conditions that a selection puts on nodes. */
export function conditionsOf(view: View, selection: Selection): Condition[] {
  return Object.keys(selection).flatMap((name) =>
    isConditionName(name) ? conditionOf(name, selection, view) : [],
  );
}

type ConditionName = keyof ConditionTable;

function isConditionName(name: string): name is ConditionName {
  return name in CONDITIONS;
}

function conditionOf<Name extends ConditionName>(
  name: Name,
  selection: Selection,
  view: View,
): readonly Condition[] {
  const given: Partial<Values> = selection;
  const value = given[name];
  return value === undefined ? [] : [CONDITIONS[name](value, view)];
}

/** Whether the node's event is in a set of events given as one byte an event. */
export function ofEvents(view: View, mask: Uint8Array): Condition {
  const { event } = view.columns;
  return (row) => at(mask, at(event, row)) === 1;
}

/** B2: texts that nothing here has match nothing. */
function places(texts: readonly string[], known: ReadonlyMap<string, number>): readonly number[] {
  return texts.flatMap((text) => known.get(text) ?? []);
}

function not(condition: Condition): Condition {
  return (row) => !condition(row);
}

function eventFlag(view: View, name: keyof typeof EVENT_FLAGS): Condition {
  const { event, eventFlags } = view.columns;
  const bit = EVENT_FLAGS[name];
  return (row) => (at(eventFlags, at(event, row)) & bit) !== 0;
}

function occurrenceFlag(view: View, name: keyof typeof OCCURRENCE_FLAGS): Condition {
  const { occurrenceFlags } = view.columns;
  const bit = OCCURRENCE_FLAGS[name];
  return (row) => (at(occurrenceFlags, row) & bit) !== 0;
}

function inContainer(view: View, container: number | undefined): Condition {
  const { event, container: containers } = view.columns;
  return container === undefined ? () => false : (row) => at(containers, at(event, row)) === container;
}

function atVenues(view: View, ordinals: readonly number[]): Condition {
  const { venue } = view.columns;
  const mask = maskOf(ordinals, view.lists.venues.length);
  // Row's venue is -1 when there is none, which no mask holds.
  return (row) => mask[at(venue, row)] === 1;
}

/** B3: the categories column holds the parents of subcategories too, so that a category is met through its children. */
function anyOf(view: View, list: 'categories' | 'organizers' | 'tags', wanted: readonly number[]): Condition {
  const mask = maskOf(wanted, view.lists[list].length);
  const { event, [list]: values, [`${list}At` as const]: offsets } = view.columns;
  return (row) => {
    const ordinal = at(event, row);
    const end = at(offsets, ordinal + 1);
    for (let place = at(offsets, ordinal); place < end; place++)
      if (mask[at(values, place)] === 1) return true;
    return false;
  };
}

function maskOf(places: readonly number[], length: number): Uint8Array {
  const mask = new Uint8Array(length);
  for (const place of places) mask[place] = 1;
  return mask;
}

/** A column's value at a place that is known to be in it. */
function at(column: { readonly [place: number]: number }, place: number): number {
  return column[place] as number;
}
