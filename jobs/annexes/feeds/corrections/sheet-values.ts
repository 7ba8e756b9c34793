/** F15: the values that a row of a correction sheet gives its event, or some of its dates. */
import type { JsonObject } from '../../../../src/calendar/json.ts';
import { nameKey } from '../../../../src/calendar/text.ts';
import { whereSchema } from '../../../corrections/schemas.ts';
import { MOST_IN_TEXT, MOST_ITEMS } from '../../../validate/lengths.ts';
import { FLAG, splitCell, words } from '../csv/cells.ts';
import type { SheetColumns } from '../csv/sheet-layout.ts';
import type { AddFinding } from '../last-good.ts';
import type { ReadMoment } from '../moments.ts';
import { columnOf, FIELDS_OF_EVENT, type SheetField, textFields } from './sheet-columns.ts';
import { agesOf, imagesOf, organizersOf, type PriceCells, pricesOf, ticketsURLOf } from './sheet-details.ts';
import { timesOf } from './sheet-times.ts';

export interface SheetContext {
  readonly columns: SheetColumns<SheetField>;
  /** The language of titles and summaries whose column names none. */
  readonly language: 'nb' | 'en';
  readonly read: ReadMoment;
  readonly addFinding: AddFinding;
}

/** A row of a sheet. */
export type SheetReading = SheetContext & PriceCells;

export interface SheetValues {
  /** As in `corrections.json`. */
  readonly set: JsonObject;
  /** As in `corrections.json`. */
  readonly add: JsonObject;
  /** F17: the editor's decision on the event; null for none. */
  readonly approve: boolean | null;
  /** Ids or names of categories. */
  readonly categories: readonly string[];
  /** Ids or names of organizers. */
  readonly organizers: readonly string[];
  /** The id or the name of a venue; null for a blank cell. */
  readonly venue: string | null;
  /** Ids of other events, or addresses of their pages, that are the same event. */
  readonly same: readonly string[];
  /** Ids of other events, or addresses of their pages, that are not the same event. */
  readonly different: readonly string[];
}

/** Whether a cell says nothing. */
export function isUnset(field: SheetField, cell: SheetReading['cell']): boolean {
  const { unticked } = columnOf(field);
  if (cell(field) === '') return true;
  if (unticked === 'no') return FLAG.read(cell(field)) === false;
  return unticked === 'nothing' && UNTICKED.has(nameKey(cell(field)));
}

/** What spreadsheets write for a box that is not ticked. */
const UNTICKED = new Set(words('false|usann|0'));

/** `isForDates`: whether the row is of some dates alone. Null, after a finding, for a row that changes nothing. */
export function readValues(reading: SheetReading, isForDates: boolean): SheetValues | null {
  if (isForDates) reportValuesOfEvent(reading);
  const set = {
    ...(isForDates ? {} : eventValues(reading)),
    ...timesOf(reading, isForDates),
    ...stateOf(reading),
    ...ticketsURLOf(reading),
    ...municipalityOf(reading),
  };
  const rest = isForDates ? NOTHING_OF_EVENT : restOfEvent(reading);
  const { tags, approve, categories, organizers, same, different } = rest;
  const venue = reading.cell('venue').slice(0, MOST_IN_TEXT);
  const isUnnamed = [tags, categories, organizers, same, different].every((names) => names.length === 0);
  if (Object.keys(set).length === 0 && venue === '' && approve === null && isUnnamed) {
    reading.reportCell('id', 'a row that also says what to change');
    return null;
  }
  return {
    set,
    add: tags.length === 0 ? {} : { tags },
    approve,
    categories,
    organizers,
    venue: venue === '' ? null : venue,
    same,
    different,
  };
}

/** A date has no values of its own for these fields. */
function reportValuesOfEvent({ columns, cell, reportCell }: SheetReading): void {
  const expected = `nothing, because ${columns.nameOf('date')} selects dates, and this is the same for all of them`;
  for (const field of FIELDS_OF_EVENT) if (!isUnset(field, cell)) reportCell(field, expected);
}

/** The values of a whole event that are not in `set`. */
interface RestOfEvent
  extends Pick<SheetValues, 'approve' | 'categories' | 'organizers' | 'same' | 'different'> {
  readonly tags: readonly string[];
}

const NOTHING_OF_EVENT: RestOfEvent = {
  tags: [],
  approve: null,
  categories: [],
  organizers: [],
  same: [],
  different: [],
};

function restOfEvent(reading: SheetReading): RestOfEvent {
  return {
    // They are added to those of the event, so that several sheets can add their own.
    tags: wordsIn('tags', 'tags', reading),
    approve: approvalOf(reading),
    categories: wordsIn('category', 'categories', reading),
    organizers: organizersOf(reading),
    same: eventsIn('same', reading),
    different: eventsIn('different', reading),
  };
}

function wordsIn(
  field: 'category' | 'tags',
  what: string,
  { cell, reportCell }: SheetReading,
): readonly string[] {
  const names = splitCell(cell(field), /[,;|\n]/);
  if (names.length > MOST_ITEMS) reportCell(field, `at most ${MOST_ITEMS} ${what}`, 'changed value');
  return names.slice(0, MOST_ITEMS).map((name) => name.slice(0, MOST_IN_TEXT));
}

/** An event that waits has no page yet, so it has no address. Null, after a finding, for a cell that cannot be used. */
function approvalOf(reading: SheetReading): boolean | null {
  const { columns, cell, reportCell } = reading;
  if (isUnset('approved', cell)) return null;
  const isApproved = FLAG.read(cell('approved'));
  if (isApproved === undefined) {
    reportCell('approved', FLAG.expected);
    return null;
  }
  const isAddress = /^https?:/i.test(cell('id'));
  if (isAddress) {
    reportCell('approved', `nothing, because ${columns.nameOf('id')} has no id of an event`);
    return null;
  }
  return isApproved;
}

/** An event that a cell names. */
export const AN_EVENT = "the id of an event, or the address of the event's page";

const MOST_EVENTS = 20;
const SOME_EVENTS = `the ids or addresses of at most ${MOST_EVENTS} events, with semicolons between them`;

/** The events that a cell names. Those that no event can have as its id or address are reported, and too many of them altogether. */
function eventsIn(field: 'same' | 'different', { cell, reportCell }: SheetReading): readonly string[] {
  const names = splitCell(cell(field), BETWEEN_EVENTS);
  if (names.length > MOST_EVENTS) {
    reportCell(field, SOME_EVENTS);
    return [];
  }
  const readable = names.filter((id) => whereSchema.safeParse({ id }).success);
  if (readable.length < names.length) reportCell(field, AN_EVENT);
  return readable;
}

/** Addresses contain no spaces, but ids may. */
const BETWEEN_EVENTS = /[;\n]|(?<![,\s])[,\s]+(?=https?:\/\/)/i;

function eventValues(reading: SheetReading): JsonObject {
  const { cell, reportCell } = reading;
  const isFeatured = cell('featured') === '' ? false : FLAG.read(cell('featured'));
  if (isFeatured === undefined) reportCell('featured', FLAG.expected);
  const values = {
    ...textsOf(reading),
    ...pricesOf(reading),
    ...imagesOf(reading),
    ...agesOf(reading),
  };
  return isFeatured === true ? { ...values, isFeaturedEvent: true } : values;
}

/** A column that names the language takes precedence. */
function textsOf({ columns, cell, language, reportCell }: SheetReading): JsonObject {
  const given = textFields(language).filter(({ field }) => cell(field) !== '');
  for (const [index, { field, name }] of given.entries()) {
    const other = given.slice(index + 1).find((later) => later.name === name);
    if (other !== undefined && cell(other.field) !== cell(field))
      reportCell(field, `nothing, because ${columns.nameOf(other.field)} gives the same text`);
  }
  return Object.fromEntries(given.map(({ field, name }) => [name, cell(field)]));
}

/** The register of postal codes, which a build reads later, decides whether there is such a municipality. */
function municipalityOf({ cell }: SheetReading): JsonObject {
  const municipality = cell('municipality').slice(0, MOST_IN_TEXT);
  return municipality === '' ? {} : { municipality };
}

type State = Partial<Readonly<Record<'status' | 'eventSoldOut', string | boolean>>>;

/** The words of a status, folded, with what they set. */
const STATES: ReadonlyMap<string, State> = new Map(
  (
    [
      ['avlyst|avlyses|avlysast|kansellert|cancelled|canceled', { status: 'CANCELLED' }],
      ['utsatt|utsett|postponed', { status: 'POSTPONED' }],
      ['som planlagt|planlagt|scheduled', { status: 'SCHEDULED' }],
      ['utsolgt|utseld|utselt|sold out|soldout', { eventSoldOut: true }],
      ['ikke utsolgt|ikkje utseld|ikkje utselt|not sold out', { eventSoldOut: false }],
    ] as const
  ).flatMap(([names, values]) => words(names).map((name) => [name, values] as const)),
);

const A_STATE = 'avlyst, utsatt, utsolgt, ikke utsolgt or som planlagt';
const ONE_STATE = 'one status, not two that contradict each other';

/** A cell may say both whether the event takes place and whether it is sold out. Empty, after a finding, for a cell that is not used. */
function stateOf({ cell, reportCell }: SheetReading): State {
  const states = splitCell(cell('status'), /[,;/|\n]/).map((part) => STATES.get(nameKey(part)));
  if (states.includes(undefined)) {
    reportCell('status', A_STATE);
    return {};
  }
  const state: State = Object.assign({}, ...states);
  // Each word sets one field. A word that a later one contradicts is not in the result.
  const values = Object.values(state);
  const isContradictory = states.some(
    (part) => !Object.values(part ?? {}).every((value) => values.includes(value)),
  );
  if (!isContradictory) return state;
  reportCell('status', ONE_STATE);
  return {};
}
