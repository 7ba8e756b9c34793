/** The name of a list: the calendar, and its whole filter in words (I9, small subscriptions). */

import { formatMinute } from '../../calendar/time.ts';
import type { Conditions } from '../../serve/query/plan.ts';
import { FEATURES } from '../common/accessibility.ts';
import { LANGUAGES, localized, writeMoment } from '../page/reader.ts';
import { venueLabels } from '../page/venues.ts';
import type { Feed } from './read.ts';
import { feedEventOf } from './values.ts';

/** `Hva skjer: Musikk · Trondheim · helgen`. */
export function nameOf(feed: Feed): string {
  const { name } = feed.licence;
  const words = conditionsOf(feed).map((condition) => condition.words);
  return words.length === 0 ? name : `${name}: ${words.join(' · ')}`;
}

/** The conditions of a list's address by their parameters. A value that the calendar lacks is written as it was given. */
export function conditionsOf(feed: Feed) {
  const { event, plan } = feed.query;
  const given: Partial<Given> = plan.conditions;
  // The order of the table, and those without an entry behind.
  const names = Object.keys({ ...WORDS, ...given }) as readonly (keyof Given)[];
  const words = names.flatMap((name) => {
    const value = given[name];
    return value === undefined ? [] : [{ name, words: wordFor(name, value, feed) }];
  });
  const all = event === null ? words : [{ name: 'event', words: titleOf(event, feed) }, ...words];
  return all.map(({ name, words }) => ({ name, words: shortened(words) }));
}

/** Characters of one condition: a search may be as long as an address. */
const LONGEST = 200;

const shortened = (word: string): string =>
  word.length > LONGEST ? `${word.slice(0, LONGEST).replace(/[\ud800-\udbff]$/, '')}…` : word;

type Given = { readonly [Name in keyof Conditions]-?: NonNullable<Conditions[Name]> };
type Said = string | readonly [nb: string, en: string];
/** By condition: what a name says of its value; of others the value as it is given. */
type Words = { readonly [Name in keyof Given]?: (value: Given[Name], feed: Feed) => Said };

function wordFor<Name extends keyof Given>(name: Name, value: Given[Name], feed: Feed): string {
  const table: Words = WORDS;
  const word: Words[Name] = table[name];
  const said = word?.(value, feed) ?? [value].flat().join(', ');
  return typeof said === 'string' ? said : (said[LANGUAGES.indexOf(feed.language)] ?? '');
}

/** Texts and numbers need no words: a name has them as they were given. */
type Plain = string | number | readonly string[];
type Needed = {
  readonly [Name in keyof Given as Given[Name] extends Plain ? never : Name]: unknown;
};

function label(id: string, { view, language }: Feed): string {
  const category = view.lists.categories[view.directory.categoryById.get(id) ?? -1];
  return (category && localized({ nb: category.name_nb, en: category.name_en }, language)?.text) ?? id;
}

function venue(slug: string, { view: { lists, directory } }: Feed): string {
  const found = lists.venues[directory.venueBySlug.get(slug) ?? -1];
  return (found && venueLabels(lists).get(found)) ?? slug;
}

const municipality = (given: string, { view: { directory } }: Feed): string =>
  directory.municipalities.find(({ number }) => number === given)?.name ?? given;

const organizer = (slug: string, { view: { lists, directory } }: Feed): string =>
  lists.organizers[directory.organizerBySlug.get(slug) ?? -1]?.name ?? slug;

const each = (word: (value: string, feed: Feed) => string) => (values: readonly string[], feed: Feed) =>
  values.map((value) => word(value, feed)).join(', ');

const labels = each(label);

const moment = (nb: string, en: string) => (instant: number) =>
  [`${nb} ${writeMoment(instant, 'nb')}`, `${en} ${writeMoment(instant, 'en')}`] as const;

/** In the order in which a name has them; those without an entry come last. */
const WORDS = {
  categories: labels,
  notCategories: (ids, feed) => [`uten ${labels(ids, feed)}`, `without ${labels(ids, feed)}`],
  searchTerm: (term) => [`«${term.trim()}»`, `“${term.trim()}”`],
  tag: (tag) => [`merket «${tag}»`, `tagged “${tag}”`],
  superEvent: titleOf,
  venues: each(venue),
  venueSlug: venue,
  organizers: each(organizer),
  organizerSlug: organizer,
  municipality,
  municipalities: each(municipality),
  postalCodes: (codes) => codes.join(', '),
  near: ({ latitude, longitude, km }) => [
    `innen ${km} km fra ${latitude}, ${longitude}`,
    `within ${km} km of ${latitude}, ${longitude}`,
  ],
  area: ({ minLatitude: south, maxLatitude: north, minLongitude: west, maxLongitude: east }) => [
    `området ${south}, ${west} – ${north}, ${east}`,
    `the area ${south}, ${west} – ${north}, ${east}`,
  ],
  accessibility: (words, { language }) => words.map((word) => FEATURES[word][language]).join(', '),
  mode: (mode) => (mode === 'online' ? ['på nett', 'online'] : ['fysisk', 'in person']),
  free: () => ['gratis', 'free'],
  period: (period) => PERIODS[period],
  fromDate: moment('fra', 'from'),
  fromStartDate: moment('begynner fra', 'starting from'),
  untilDate: moment('til', 'until'),
  hoursRange: ({ from, to }) => [from, to].map(formatMinute).join('–'),
  onlyFeatured: () => ['framhevet', 'featured'],
  onlyFeaturedSpecialEvent: () => ['framhevet i hovedarrangementet', 'featured in the special event'],
  cancelledNotIncluded: () => ['uten avlyste', 'without cancelled ones'],
  soldOutNotIncluded: () => ['uten utsolgte', 'without sold-out ones'],
  groupRepetitionsByDay: () => ['dag for dag', 'day by day'],
} satisfies Words & Needed;

function titleOf(id: string, { events, containers, language }: Feed): string {
  const container = containers.get(id);
  const nodes = container === undefined ? events : [container];
  return nodes.map((node) => feedEventOf(node, language)).find((found) => found.id === id)?.title.text ?? id;
}

const PERIODS = {
  TODAY: ['i dag', 'today'],
  TOMORROW: ['i morgen', 'tomorrow'],
  WEEKEND: ['helgen', 'weekend'],
  WEEK: ['denne uken', 'this week'],
} as const;
