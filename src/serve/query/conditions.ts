/**
 * Each filter field as the condition it puts on a node (A4: on what the node shows). The window fields and
 * `groupRepetitionsByDay` are not here: they pick the occurrence, in window.ts.
 */
import { fold } from '../../calendar/text.ts';
import { type Bitmap, keepCommon, removeBits } from '../../snapshot/bitmaps.ts';
import type { Flag } from '../../snapshot/columns.ts';
import type { Selection } from './plan.ts';
import type { IndexedList } from './row-index.ts';
import type { View } from './view.ts';

/** Takes those rows out of a set whose nodes do not meet the condition. */
export type Condition = (rows: Bitmap) => void;

type Window = 'fromDate' | 'untilDate' | 'fromStartDate' | 'period' | 'groupRepetitionsByDay';
/** Search reads the index, so it is awaited before the conditions are made: see select.ts. */
type Awaited = 'searchTerm';

type Values = Required<Omit<Selection, Window | Awaited>>;

type ConditionTable = { readonly [Field in keyof Values]: (value: Values[Field], view: View) => Condition };

const CONDITIONS: ConditionTable = {
  categories: (ids, view) =>
    only(() => carrying(view, 'categories', places(ids, view.directory.categoryById))),
  notCategories: (ids, view) =>
    not(() => carrying(view, 'categories', places(ids, view.directory.categoryById))),
  venues: (slugs, view) => only(() => carrying(view, 'venues', places(slugs, view.directory.venueBySlug))),
  venueSlug: (slug, view) => only(() => carrying(view, 'venues', places([slug], view.directory.venueBySlug))),
  organizers: (slugs, view) =>
    only(() => carrying(view, 'organizers', places(slugs, view.directory.organizerBySlug))),
  organizerSlug: (slug, view) =>
    only(() => carrying(view, 'organizers', places([slug], view.directory.organizerBySlug))),
  tag: (tag, view) => only(() => carrying(view, 'tags', places([fold(tag)], view.directory.tagByFold))),
  free: (_, view) => only(() => flagged(view, 'free')),
  mode: (mode, view) =>
    mode === 'online' ? only(() => flagged(view, 'online')) : not(() => flagged(view, 'online')),
  superEvent: (id, view) =>
    only(() => carrying(view, 'containers', places([id], view.directory.containerById))),
  onlyFeatured: (_, view) => only(() => flagged(view, 'featured')),
  onlyFeaturedSpecialEvent: (_, view) => only(() => flagged(view, 'featuredInSpecialEvent')),
  cancelledNotIncluded: (_, view) => not(() => flagged(view, 'cancelled')),
  soldOutNotIncluded: (_, view) => not(() => flagged(view, 'soldOut')),
  municipality: (name, view) =>
    only(() => carrying(view, 'venues', view.directory.venuesByMunicipality.get(fold(name)) ?? [])),
  postalCodes: (codes, view) => {
    const { venuesByPostalCode } = view.directory;
    const venues = codes.flatMap((code) => venuesByPostalCode.get(code) ?? []);
    return only(() => carrying(view, 'venues', venues));
  },
  hoursRange: (hours, view) => only(() => view.rowIndex.startingIn(hours)),
};

/** The conditions that a selection puts on nodes. */
export function conditionsOf(view: View, selection: Selection): readonly Condition[] {
  const conditions: Condition[] = [];
  for (const name of Object.keys(selection)) {
    if (isConditionName(name)) addCondition(conditions, name, selection, view);
  }
  return conditions;
}

type ConditionName = keyof ConditionTable;

const isConditionName = (name: string): name is ConditionName => Object.hasOwn(CONDITIONS, name);

function addCondition<Name extends ConditionName>(
  conditions: Condition[],
  name: Name,
  given: Partial<Values>,
  view: View,
): void {
  const value = given[name];
  if (value !== undefined) conditions.push(CONDITIONS[name](value, view));
}

/** Rows that are in a set, which is asked for when the condition is put. */
export function only(wanted: () => Bitmap): Condition {
  return (rows) => keepCommon(rows, wanted());
}

/** Rows that are not. */
export function not(unwanted: () => Bitmap): Condition {
  return (rows) => removeBits(rows, unwanted());
}

/** B2: texts that nothing here has match nothing. */
function places(texts: readonly string[], known: ReadonlyMap<string, number>): readonly number[] {
  return texts.flatMap((text) => known.get(text) ?? []);
}

function carrying(view: View, list: IndexedList, ordinals: readonly number[]): Bitmap {
  return view.rowIndex.carrying(list, ordinals);
}

function flagged(view: View, flag: Flag): Bitmap {
  return view.rowIndex.flagged(flag);
}
