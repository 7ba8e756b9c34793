/** A second implementation of the plain lists: their events, features and rows, from the nodes of the endpoint. */
import { getNamedType, isObjectType } from 'graphql';
import { plainLines } from '../../../../src/annexes/common/lines.ts';
import { ACCESSIBILITY } from '../../../../src/calendar/accessibility.ts';
import type { EventField } from '../../../../src/calendar/field.ts';
import { EVENT } from '../../../../src/calendar/fields.ts';
import { schema } from '../../../../src/serve/graphql/schema.ts';
import type { Client } from '../../../helpers/client.ts';

export type Language = 'nb' | 'en';

export interface ListVenue {
  readonly name: string;
  readonly address: string | null;
  readonly postalCode: string | null;
  readonly municipality: string | null;
  readonly location: { readonly latitude: number; readonly longitude: number } | null;
  readonly accessibility: readonly string[];
}

export interface ListPrice {
  readonly type: string | null;
  readonly name_nb: string | null;
  readonly name_en: string | null;
  readonly price: number | string | null;
}

export interface ListDate {
  readonly id: string;
  readonly startDate: string;
  readonly endDate: string;
  readonly startTime: string | null;
  readonly allDay: boolean;
  readonly eventCancelled: boolean;
  readonly eventSoldOut: boolean;
  readonly ticketsURL: string | null;
  readonly venue: ListVenue | null;
  readonly prices: readonly ListPrice[] | null;
}

/** A node with all fields; named are those that the lists write in a form of their own. */
export interface ListNode extends Omit<ListDate, 'prices'> {
  readonly occurrenceID: string;
  readonly title_nb: string | null;
  readonly title_en: string | null;
  readonly desc_nb: string | null;
  readonly desc_en: string | null;
  readonly summary_nb: string | null;
  readonly summary_en: string | null;
  readonly mode: string;
  readonly categories: readonly string[];
  readonly organizers: readonly { readonly name: string }[];
  readonly accessibility: readonly string[];
  readonly eventLink: string;
  readonly streamingURL: string | null;
  readonly ticketsInformation: string | null;
  readonly prices: readonly ListPrice[];
  readonly images: readonly { readonly urlLarge: string | null }[];
  readonly repetitions: readonly ListDate[];
}

/** A node as `/events.json` has it: with texts in the list's language. */
export interface ListEvent extends ListNode {
  readonly title: string | null;
  readonly description: string | null;
  readonly summary: string | null;
  readonly categoryLabels: readonly string[];
}

/** All fields of a type that are not deprecated, with those of the types below it. */
export function selectionOf(typeName: string): string {
  const type = schema.getType(typeName);
  if (!isObjectType(type)) return '';
  const fields = Object.values(type.getFields()).filter((field) => field.deprecationReason === undefined);
  return `{ ${fields.map((field) => `${field.name} ${selectionOf(getNamedType(field.type).name)}`).join(' ')} }`;
}

interface Category {
  readonly id: string;
  readonly name_nb: string;
  readonly name_en: string;
}

/** Categories and subcategories by their ids. */
export type Categories = ReadonlyMap<string, Category>;

export async function readCategories({ ask }: Pick<Client, 'ask'>): Promise<Categories> {
  const names = 'id name_nb name_en';
  const { categories } = await ask<{
    categories: readonly (Category & { readonly subcategories: readonly Category[] })[];
  }>(`{ categories { ${names} subcategories { ${names} } } }`);
  const all = categories.flatMap((category) => [category, ...category.subcategories]);
  return new Map(all.map((category) => [category.id, category]));
}

/** The prices of dates by the ids of dates. A node does not say whether its shown date has prices of its own. */
export type PricesOfDates = ReadonlyMap<string, ListDate['prices']>;

export async function readPricesOfDates({ ask }: Pick<Client, 'ask'>): Promise<PricesOfDates> {
  const { events } = await ask<{ events: { data: readonly Pick<ListNode, 'repetitions'>[] } }>(
    `{ events(pageSize: 1000) { data { repetitions ${selectionOf('Repetition')} } } }`,
  );
  const dates = events.data.flatMap(({ repetitions }) => repetitions);
  return new Map(dates.map(({ id, prices }) => [id, prices]));
}

/** The node, and one value for each pair of fields such as `desc_nb` and `desc_en`: in the list's language, or else in the other one. */
export function eventOf(node: ListNode, language: Language, categories: Categories): ListEvent {
  const other = language === 'nb' ? 'en' : 'nb';
  const textOf = (pair: string): string | null =>
    Reflect.get(node, `${pair}_${language}`) ?? Reflect.get(node, `${pair}_${other}`);
  const pairs = Object.values<EventField>(EVENT).flatMap(({ localized }) => localized ?? []);
  return {
    ...Object.fromEntries(pairs.map((pair) => [pair, textOf(pair)])),
    title: textOf('title'),
    description: textOf('desc'),
    summary: textOf('summary'),
    categoryLabels: node.categories.map((id) => `${categories.get(id)?.[`name_${language}`]}`),
    ...node,
  };
}

/** A feature of `/events.geojson`; undefined for an event without a position. */
export function featureOf(event: ListEvent): object | undefined {
  const location = event.venue?.location;
  if (!location) return undefined;
  const geometry = { type: 'Point', coordinates: [location.longitude, location.latitude] };
  return { type: 'Feature', id: event.occurrenceID, geometry, properties: event };
}

/** A row of `/events.csv`, by the names of the columns. */
export type Row = Readonly<Record<string, string>>;

/** The rows of an event: one for its shown date and one for each repetition. */
export function rowsOf(event: ListEvent, language: Language, pricesOfDates: PricesOfDates): readonly Row[] {
  const shown = {
    ...event,
    id: event.occurrenceID,
    prices: pricesOfDates.get(event.occurrenceID) ?? null,
  };
  return [shown, ...event.repetitions].map((date) => rowOf(event, date, language));
}

function rowOf(event: ListEvent, date: ListDate, language: Language): Row {
  const { venue } = date;
  const hasEnd = date.endDate !== date.startDate;
  const prices = event.ticketsInformation === 'ticketsInfo' ? (date.prices ?? event.prices) : [];
  const row = {
    id: event.id,
    occurrenceID: date.id,
    title: event.title,
    startDate: date.startDate,
    endDate: date.endDate,
    day: date.startDate.slice(0, 10),
    startTime: date.startTime,
    endTime: hasEnd ? date.endDate.slice(11, 16) : null,
    allDay: date.allDay,
    eventCancelled: date.eventCancelled,
    eventSoldOut: date.eventSoldOut,
    mode: event.mode,
    venue: venue?.name,
    address: venue?.address,
    postalCode: venue?.postalCode,
    municipality: venue?.municipality,
    latitude: venue?.location?.latitude,
    longitude: venue?.location?.longitude,
    categoryLabels: event.categoryLabels.join(', '),
    organizers: event.organizers.map(({ name }) => name).join(', '),
    eventLink: event.eventLink,
    ticketsURL: date.ticketsURL,
    streamingURL: event.streamingURL,
    free: event.ticketsInformation === 'free',
    prices: prices.map((price) => priceText(price, language)).join(', '),
    image: event.images[0]?.urlLarge,
    description: event.description && plainLines(event.description).replaceAll('\n', ' '),
    accessibility: accessibilityOf(event, date).join(', '),
    summary: event.summary,
  };
  return Object.fromEntries(
    Object.entries({ ...plainValues(event), ...row }).map(([name, value]) => [name, String(value ?? '')]),
  );
}

/** Plain fields that have a column, by its name. `rowOf` names those of the first version itself. */
function plainValues(event: ListEvent): Readonly<Record<string, unknown>> {
  const listed = Object.entries<EventField>(EVENT).filter(([, field]) => field.listed);
  const names = listed.map(([name, { localized }]) => localized ?? name);
  return Object.fromEntries(names.map((name) => [name, Reflect.get(event, name)]));
}

function priceText(price: ListPrice, language: Language): string {
  const label = price[`name_${language}`] ?? price.name_nb ?? price.name_en ?? price.type;
  return [label, price.price].filter((part) => part !== null).join(' ');
}

/** E6: an event has its own features and those of its shown venue. In the sample, no event repeats a feature of its venue. */
function accessibilityOf(event: ListEvent, date: ListDate): readonly string[] {
  const ofShownVenue = event.venue?.accessibility ?? [];
  const own = event.accessibility.filter((feature) => !ofShownVenue.includes(feature));
  const ofDate = [...own, ...(date.venue?.accessibility ?? [])];
  return ACCESSIBILITY.filter((feature) => ofDate.includes(feature));
}
