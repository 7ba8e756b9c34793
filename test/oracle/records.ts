/** F1–F3: the records of a native source as plain objects, and which of them are sound (G2). */

import { readWritten } from './clock.ts';

export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

export interface CategoryRecord {
  readonly id: string;
  readonly name_nb: string;
  readonly name_en: string;
  readonly slug_nb?: string;
  readonly slug_en?: string;
  readonly visible?: boolean;
  readonly subcategories?: readonly CategoryRecord[];
}

export interface LicenceRecord {
  readonly id: string;
  readonly name: string;
  readonly siteUrl?: string;
  readonly portalUrl?: string;
  readonly dataLicence?: { readonly name: string; readonly url?: string };
  readonly attribution?: string;
  readonly contact?: { readonly name?: string; readonly email?: string; readonly url?: string };
  readonly specialEvent?: string;
  readonly registration?: boolean;
  readonly categories: readonly CategoryRecord[];
  readonly retiredCategories?: Readonly<Record<string, readonly string[]>>;
}

export interface VenueRecord {
  readonly id: string;
  readonly name: string;
  readonly slug?: string;
  readonly address?: string;
  readonly postalCode?: string;
  readonly municipality?: string;
  readonly latitude?: number;
  readonly longitude?: number;
  readonly mapImageURL?: unknown;
  readonly accessibility?: readonly unknown[] | null;
}

export interface OrganizerRecord {
  readonly id: string;
  readonly name: string;
  readonly slug?: string;
  readonly website?: string;
  readonly email?: unknown;
  readonly telephoneNumber?: unknown;
}

/** One line of the national register, as in `postal-codes.tsv`. */
export interface PostalCode {
  readonly code: string;
  readonly place: string;
  readonly number: string;
  readonly municipality: string;
}

export interface PriceRecord {
  readonly type: string;
  readonly price?: number | string | null;
  readonly name_nb?: string;
  readonly name_en?: string;
}

/** What a date or a repeat may have of its own (F5). */
export interface OwnValues {
  readonly startTime?: string | null;
  readonly venue?: string | null;
  readonly ticketsURL?: string | null;
  readonly eventCancelled?: boolean | null;
  readonly eventSoldOut?: boolean | null;
  readonly prices?: readonly PriceRecord[] | null;
  readonly mode?: unknown;
  readonly streamingURL?: unknown;
}

export interface DateRecord extends OwnValues {
  readonly start: string;
  readonly end?: string | null;
  readonly duration?: number | null;
}

export interface RepeatRecord extends DateRecord {
  readonly rule: string;
  readonly except?: readonly string[] | null;
}

/** A source folder in memory. Some of its events may be no events at all: G2 says what becomes of those. */
export interface Source {
  readonly licence: LicenceRecord;
  readonly venues: readonly VenueRecord[];
  readonly organizers: readonly OrganizerRecord[];
  readonly events: readonly unknown[];
  readonly postalCodes: readonly PostalCode[];
}

/** E: what older clients ask for is text; a number is one, too, and anything else is nothing. */
export function olderText(value: unknown): string | null {
  if (typeof value === 'number') return String(value);
  return typeof value === 'string' && value !== '' ? value : null;
}

/** E6: in this order, each once; written in any case. Other words are left out. */
export const ACCESSIBILITY =
  'WHEELCHAIR HEARING_LOOP SIGN_LANGUAGE SUBTITLES AUDIO_DESCRIPTION RELAXED ASSISTANCE_DOG ACCESSIBLE_TOILET'.split(
    ' ',
  );

export function accessibilityOf(
  ...lists: readonly (readonly unknown[] | null | undefined)[]
): readonly string[] {
  const said = lists.flatMap((list) => list ?? []).map((word) => String(word).toUpperCase());
  return ACCESSIBILITY.filter((word) => said.includes(word));
}

type Test<Value> = (value: unknown) => value is Value;

const isText = (value: unknown) => typeof value === 'string';
const isDatetime = (value: unknown): value is string => isText(value) && readWritten(value) !== null;
const isFlag = (value: unknown) => typeof value === 'boolean';
const isInteger = (value: unknown): value is number =>
  Number.isInteger(value) && Math.abs(Number(value)) < 2 ** 31;
const isTexts = (value: unknown): value is readonly string[] => Array.isArray(value) && value.every(isText);
const isMode = (value: unknown) => value === 'online' || value === 'offline';
const isAnything = (_value: unknown): _value is unknown => true;
/** Their entries are looked at one by one. */
const isListOf = <Item>(value: unknown): value is readonly Item[] => Array.isArray(value);

/** G2: a value of another kind than this is left out. */
const EVENT_FIELDS = {
  ...fields(isText, 'slug eventLink title_nb title_en desc_nb desc_en venue ticketsURL superEvent'),
  ...fields(isText, 'maxBookingDate maxBookingTime paymentMethod moreInfoURL streamingURL facebookURL'),
  ...fields(isText, 'venueNote ageRestriction'),
  ...fields(isDatetime, 'publishingDate ticketsFromDate created_at updated_at'),
  ...fields(isTexts, 'categories tags organizers'),
  ...fields(isFlag, 'eventCancelled eventSoldOut isSuperEvent isFeaturedEvent isFeaturedInSpecialEvent'),
  ...fields(isFlag, 'registrationEnabled'),
  ...fields(isInteger, 'minimumAge maximumAge cancellationPeriod views availableTickets activeTickets'),
  // E: in any form.
  ...fields(isAnything, 'type author_id editableBy contact_from contact_custom videosURL'),
  mode: isMode,
  ticketsInformation: (value: unknown): value is string =>
    ['free', 'noTicketsInfo', 'ticketsInfo'].some((word) => word === value),
  images: isListOf<Readonly<Record<string, Json>>>,
  accessibility: isListOf<unknown>,
  prices: isListOf<PriceRecord>,
  dates: isListOf<DateRecord>,
  repeats: isListOf<RepeatRecord>,
};

type Kinds = typeof EVENT_FIELDS;
export type EventRecord = { readonly id: string } & {
  readonly [Name in keyof Kinds]?: (Kinds[Name] extends Test<infer Value> ? Value : never) | null;
};

/** G2: an event with an id, a title that is not blank, and a day of publishing that can be read, if any; null for no event. */
export function eventRecordOf(value: unknown): EventRecord | null {
  if (!isObject(value) || !isText(value.id)) return null;
  const kinds: Readonly<Record<string, Test<unknown>>> = EVENT_FIELDS;
  const sound = Object.entries(value).filter(
    ([field, inner]) => inner == null || (kinds[field]?.(inner) ?? true),
  );
  const record: EventRecord = { ...Object.fromEntries(sound), id: value.id };
  if (value.publishingDate !== record.publishingDate) return null;
  return isTitle(record.title_nb) || isTitle(record.title_en) ? record : null;
}

/** A title that is blank counts as none. */
export function isTitle(value: unknown): value is string {
  return isText(value) && value.trim() !== '';
}

/** G2: a date whose fields are of their kinds; whether its times exist is asked when they are read. */
export function isDateRecord(value: unknown): value is DateRecord {
  return (
    isObject(value) &&
    isText(value.start) &&
    (value.end == null || isText(value.end)) &&
    (value.duration == null || (isInteger(value.duration) && value.duration >= 0)) &&
    (value.startTime == null || /^([01]\d|2[0-3]):[0-5]\d$/.test(String(value.startTime)))
  );
}

export function isRepeatRecord(value: unknown): value is RepeatRecord {
  return isObject(value) && isText(value.rule) && isDateRecord(value);
}

/** The words of a text, as a type. */
export type Words<Text extends string> = Text extends `${infer Word} ${infer Rest}`
  ? Word | Words<Rest>
  : Text;

/** These fields, each of that kind. */
function fields<Value, Names extends string>(test: Test<Value>, names: Names) {
  const entries = names.split(' ').map((name) => [name, test] as const);
  return Object.fromEntries(entries) as Readonly<Record<Words<Names>, Test<Value>>>;
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}
