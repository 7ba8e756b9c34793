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

export interface EventRecord {
  readonly id: string;
  readonly slug?: string | null;
  readonly eventLink?: string | null;
  readonly title_nb?: string | null;
  readonly title_en?: string | null;
  readonly desc_nb?: string | null;
  readonly desc_en?: string | null;
  readonly categories?: readonly string[] | null;
  readonly tags?: readonly string[] | null;
  readonly mode?: 'online' | 'offline' | null;
  readonly venue?: string | null;
  readonly organizers?: readonly string[] | null;
  readonly images?: readonly Readonly<Record<string, Json>>[] | null;
  readonly ticketsInformation?: string | null;
  readonly prices?: readonly PriceRecord[] | null;
  readonly ticketsURL?: string | null;
  readonly eventCancelled?: boolean | null;
  readonly eventSoldOut?: boolean | null;
  readonly minimumAge?: number | null;
  readonly maximumAge?: number | null;
  readonly cancellationPeriod?: number | null;
  readonly views?: number | null;
  readonly publishingDate?: string | null;
  readonly ticketsFromDate?: string | null;
  readonly created_at?: string | null;
  readonly updated_at?: string | null;
  readonly superEvent?: string | null;
  readonly isSuperEvent?: boolean | null;
  readonly isFeaturedEvent?: boolean | null;
  readonly isFeaturedInSpecialEvent?: boolean | null;
  readonly registrationEnabled?: boolean | null;
  readonly availableTickets?: number | null;
  readonly activeTickets?: number | null;
  readonly maxBookingDate?: string | null;
  readonly maxBookingTime?: string | null;
  readonly paymentMethod?: string | null;
  readonly moreInfoURL?: string | null;
  readonly streamingURL?: string | null;
  readonly facebookURL?: string | null;
  readonly venueNote?: string | null;
  readonly ageRestriction?: string | null;
  readonly accessibility?: readonly unknown[] | null;
  readonly type?: unknown;
  readonly author_id?: unknown;
  readonly editableBy?: unknown;
  readonly contact_from?: unknown;
  readonly contact_custom?: unknown;
  readonly videosURL?: unknown;
  readonly dates?: readonly DateRecord[] | null;
  readonly repeats?: readonly RepeatRecord[] | null;
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

type Test = (value: unknown) => boolean;

const isText: Test = (value) => typeof value === 'string';
const isDatetime: Test = (value) => typeof value === 'string' && readWritten(value) !== null;
const isFlag: Test = (value) => typeof value === 'boolean';
const isInteger: Test = (value) => Number.isInteger(value) && Math.abs(Number(value)) < 2 ** 31;
const isList: Test = Array.isArray;
const isTexts: Test = (value) => Array.isArray(value) && value.every(isText);
const isOneOf =
  (...words: readonly string[]): Test =>
  (value) =>
    words.some((word) => word === value);

/** G2: a value of another kind than this is left out. */
const EVENT_FIELDS: Readonly<Record<string, Test>> = {
  ...fields(isText, 'id slug eventLink title_nb title_en desc_nb desc_en venue ticketsURL superEvent'),
  ...fields(isText, 'maxBookingDate maxBookingTime paymentMethod moreInfoURL streamingURL facebookURL'),
  ...fields(isText, 'venueNote ageRestriction'),
  ...fields(isDatetime, 'publishingDate ticketsFromDate created_at updated_at'),
  ...fields(isTexts, 'categories tags organizers'),
  ...fields(isList, 'images prices dates repeats accessibility'),
  ...fields(isFlag, 'eventCancelled eventSoldOut isSuperEvent isFeaturedEvent isFeaturedInSpecialEvent'),
  ...fields(isFlag, 'registrationEnabled'),
  ...fields(isInteger, 'minimumAge maximumAge cancellationPeriod views availableTickets activeTickets'),
  mode: isOneOf('online', 'offline'),
  ticketsInformation: isOneOf('free', 'noTicketsInfo', 'ticketsInfo'),
};

/** G2: an event with an id, a title that is not blank, and a day of publishing that can be read, if any; null for no event. */
export function eventRecordOf(value: unknown): EventRecord | null {
  if (!isObject(value) || typeof value.id !== 'string') return null;
  const sound = Object.entries(value).filter(
    ([field, inner]) => isAbsent(inner) || (EVENT_FIELDS[field]?.(inner) ?? true),
  );
  const record = Object.fromEntries(sound) as unknown as EventRecord;
  if (value.publishingDate !== record.publishingDate) return null;
  return isTitle(record.title_nb) || isTitle(record.title_en) ? record : null;
}

/** A title that is blank counts as none. */
export function isTitle(value: unknown): value is string {
  return typeof value === 'string' && value.trim() !== '';
}

/** G2: a date whose fields are of their kinds; whether its times exist is asked when they are read. */
export function isDateRecord(value: unknown): value is DateRecord {
  return (
    isObject(value) &&
    typeof value.start === 'string' &&
    (isAbsent(value.end) || isText(value.end)) &&
    (isAbsent(value.duration) || (isInteger(value.duration) && Number(value.duration) >= 0)) &&
    (isAbsent(value.startTime) || /^([01]\d|2[0-3]):[0-5]\d$/.test(String(value.startTime)))
  );
}

export function isRepeatRecord(value: unknown): value is RepeatRecord {
  return isObject(value) && typeof value.rule === 'string' && isDateRecord(value);
}

function fields(test: Test, names: string): Record<string, Test> {
  return Object.fromEntries(names.split(' ').map((name) => [name, test]));
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}

function isAbsent(value: unknown): boolean {
  return value === undefined || value === null;
}
