/** The name of a list: the calendar, and its whole filter in words (I9, small subscriptions). */

import type { Conditions } from '../../serve/query/plan.ts';
import type { View } from '../../serve/query/view.ts';
import { FEATURES } from '../common/accessibility.ts';
import { inEach, type Language, localized, writeMoment } from '../page/reader.ts';
import { venueLabels } from '../page/venues.ts';
import type { Feed } from './read.ts';
import { feedEventOf } from './values.ts';

/** `Hva skjer: Musikk · Trondheim · helgen`. */
export function nameOf(feed: Feed): string {
  const { name } = feed.licence;
  const words = conditionsOf(feed).map((condition) => condition.words);
  return words.length === 0 ? name : `${name}: ${words.join(' · ')}`;
}

/** A condition of a list's address. A value that the calendar lacks is written as it was given. */
export interface Condition {
  /** Of its parameter. */
  readonly name: string;
  readonly words: string;
}

export function conditionsOf(feed: Feed): readonly Condition[] {
  const { event, plan } = feed.query;
  return [
    ...(event === null ? [] : [{ name: 'event', words: shortened(titleOf(event, feed)) }]),
    ...namesIn(plan.conditions).flatMap((name) =>
      wordFor(name, plan.conditions, feed).map((words) => ({ name, words: shortened(words) })),
    ),
  ];
}

/** Characters of one condition: a search may be as long as an address. */
const LONGEST = 200;

const shortened = (word: string): string =>
  word.length > LONGEST ? `${word.slice(0, LONGEST).replace(/[\ud800-\udbff]$/, '')}…` : word;

type Given = { readonly [Name in keyof Conditions]-?: NonNullable<Conditions[Name]> };

interface Context extends Feed {
  readonly texts: Texts;
}

/** Nothing if the condition is not given. */
function wordFor<Name extends keyof Conditions>(
  name: Name,
  given: Partial<Given>,
  feed: Feed,
): readonly string[] {
  const value = given[name];
  if (value === undefined) return [];
  const word: Words[Name] = WORDS[name];
  return [word?.(value, { ...feed, texts: TEXTS[feed.language] }) ?? [value].flat().join(', ')];
}

type Words = { readonly [Name in keyof Given]?: (value: Given[Name], context: Context) => string };

/** Texts and numbers need no words: a name has them as they were given. */
type Plain = string | number | readonly string[];
type Needed = {
  readonly [Name in keyof Given as Given[Name] extends Plain ? never : Name]: unknown;
};

/** Given in words, in the order in which a name has them; those without words come last. */
const WORDS: Words = {
  categories: (ids, context) => labels(ids, context).join(', '),
  notCategories: (ids, context) => context.texts.notCategories(labels(ids, context).join(', ')),
  searchTerm: (term, { texts }) => texts.quoted(term.trim()),
  tag: (tag, { texts }) => texts.tag(tag),
  superEvent: (id, feed) => titleOf(id, feed),
  venues: (slugs, { view }) => slugs.map((slug) => venue(slug, view)).join(', '),
  venueSlug: (slug, { view }) => venue(slug, view),
  organizers: (slugs, { view }) => slugs.map((slug) => organizer(slug, view)).join(', '),
  organizerSlug: (slug, { view }) => organizer(slug, view),
  municipality: (given, { view }) => municipality(given, view),
  municipalities: (given, { view }) => given.map((name) => municipality(name, view)).join(', '),
  postalCodes: (codes) => codes.join(', '),
  near: ({ latitude, longitude, km }, { texts }) => texts.near(`${km} km`, `${latitude}, ${longitude}`),
  area: ({ south, north, west, east }, { texts }) => texts.area(`${south}, ${west} – ${north}, ${east}`),
  accessibility: (words, { language }) => words.map((word) => FEATURES[word][language]).join(', '),
  mode: (mode, { texts }) => texts[mode],
  free: (_, { texts }) => texts.free,
  period: (period, { texts }) => texts[period],
  fromDate: (instant, { texts, language }) => texts.fromDate(writeMoment(instant, language)),
  fromStartDate: (instant, { texts, language }) => texts.fromStartDate(writeMoment(instant, language)),
  untilDate: (instant, { texts, language }) => texts.untilDate(writeMoment(instant, language)),
  hoursRange: ({ from, to }) => `${clock(from)}–${clock(to)}`,
  onlyFeatured: (_, { texts }) => texts.onlyFeatured,
  onlyFeaturedSpecialEvent: (_, { texts }) => texts.onlyFeaturedSpecialEvent,
  cancelledNotIncluded: (_, { texts }) => texts.cancelledNotIncluded,
  soldOutNotIncluded: (_, { texts }) => texts.soldOutNotIncluded,
  groupRepetitionsByDay: (_, { texts }) => texts.groupRepetitionsByDay,
} satisfies Words & Needed;

const WORDED = Object.keys(WORDS) as readonly (keyof Conditions)[];

function namesIn(conditions: Conditions): readonly (keyof Conditions)[] {
  const given = Object.keys(conditions) as readonly (keyof Conditions)[];
  return [...new Set([...WORDED, ...given])];
}

const clock = (minutes: number): string =>
  [Math.floor(minutes / 60), minutes % 60].map((part) => String(part).padStart(2, '0')).join(':');

function labels(ids: readonly string[], { view, language }: Context): readonly string[] {
  return ids.map((id) => {
    const category = view.lists.categories[view.directory.categoryById.get(id) ?? -1];
    if (category === undefined) return id;
    return localized({ nb: category.name_nb, en: category.name_en }, language)?.text ?? id;
  });
}

function venue(slug: string, { lists, directory }: View): string {
  const found = lists.venues[directory.venueBySlug.get(slug) ?? -1];
  return (found && venueLabels(lists).get(found)) ?? slug;
}

const municipality = (given: string, { directory }: View): string =>
  directory.municipalities.find(({ number }) => number === given)?.name ?? given;

const organizer = (slug: string, { lists, directory }: View): string =>
  lists.organizers[directory.organizerBySlug.get(slug) ?? -1]?.name ?? slug;

function titleOf(id: string, { events, containers, language }: Feed): string {
  const container = containers.get(id);
  const nodes = container === undefined ? events : [container];
  return nodes.map((node) => feedEventOf(node, language)).find((found) => found.id === id)?.title.text ?? id;
}

type Texts = (typeof TEXTS)[Language];

const TEXTS = inEach({
  online: ['på nett', 'online'],
  offline: ['fysisk', 'in person'],
  free: ['gratis', 'free'],
  onlyFeatured: ['framhevet', 'featured'],
  onlyFeaturedSpecialEvent: ['framhevet i hovedarrangementet', 'featured in the special event'],
  cancelledNotIncluded: ['uten avlyste', 'without cancelled ones'],
  soldOutNotIncluded: ['uten utsolgte', 'without sold-out ones'],
  groupRepetitionsByDay: ['dag for dag', 'day by day'],
  TODAY: ['i dag', 'today'],
  TOMORROW: ['i morgen', 'tomorrow'],
  WEEKEND: ['helgen', 'weekend'],
  WEEK: ['denne uken', 'this week'],
  quoted: [(term: string) => `«${term}»`, (term: string) => `“${term}”`],
  tag: [(tag: string) => `merket «${tag}»`, (tag: string) => `tagged “${tag}”`],
  notCategories: [(names: string) => `uten ${names}`, (names: string) => `without ${names}`],
  fromDate: [(moment: string) => `fra ${moment}`, (moment: string) => `from ${moment}`],
  fromStartDate: [
    (moment: string) => `begynner fra ${moment}`,
    (moment: string) => `starting from ${moment}`,
  ],
  untilDate: [(moment: string) => `til ${moment}`, (moment: string) => `until ${moment}`],
  near: [
    (distance: string, place: string) => `innen ${distance} fra ${place}`,
    (distance: string, place: string) => `within ${distance} of ${place}`,
  ],
  area: [(corners: string) => `området ${corners}`, (corners: string) => `the area ${corners}`],
});
