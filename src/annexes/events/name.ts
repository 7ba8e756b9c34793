/** The name of a list: the calendar, and its whole filter in words (I9, small subscriptions). */

import { formatMinute } from '../../calendar/time.ts';
import type { Conditions } from '../../serve/query/plan.ts';
import { FEATURES } from '../common/accessibility.ts';
import { inEach, LANGUAGES, localized, writeMoment } from '../page/reader.ts';
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

/** Nothing if the condition is not given. */
function wordFor<Name extends keyof Conditions>(
  name: Name,
  given: Partial<Given>,
  feed: Feed,
): readonly string[] {
  const value = given[name];
  if (value === undefined) return [];
  const { of, says }: Word<Given[Name]> = WORDS[name] ?? {};
  const parts = [of === undefined ? [value].flat().join(', ') : of(value, feed)].flat();
  const text = says?.[LANGUAGES.indexOf(feed.language)] ?? GAP;
  return [text.replaceAll(GAP, () => parts.shift() ?? '')];
}

interface Word<Value> {
  /** What stands in the gaps of the text; by default the value as it is given. */
  readonly of?: (value: Value, feed: Feed) => string | readonly string[];
  /** The text with a gap for the value; by default the value alone. */
  readonly says?: readonly [nb: string, en: string];
}

const GAP = '…';

type Words = { readonly [Name in keyof Given]?: Word<Given[Name]> };

/** Texts and numbers need no words: a name has them as they were given. */
type Plain = string | number | readonly string[];
type Needed = {
  readonly [Name in keyof Given as Given[Name] extends Plain ? never : Name]: unknown;
};

const labels = (ids: readonly string[], { view, language }: Feed): string =>
  ids
    .map((id) => {
      const category = view.lists.categories[view.directory.categoryById.get(id) ?? -1];
      return (category && localized({ nb: category.name_nb, en: category.name_en }, language)?.text) ?? id;
    })
    .join(', ');

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

const moment = (instant: number, { language }: Feed): string => writeMoment(instant, language);

/** In the order in which a name has them; those without an entry come last. */
const WORDS: Words = {
  categories: { of: labels },
  notCategories: { of: labels, says: ['uten …', 'without …'] },
  searchTerm: { of: (term) => term.trim(), says: ['«…»', '“…”'] },
  tag: { says: ['merket «…»', 'tagged “…”'] },
  superEvent: { of: titleOf },
  venues: { of: each(venue) },
  venueSlug: { of: venue },
  organizers: { of: each(organizer) },
  organizerSlug: { of: organizer },
  municipality: { of: municipality },
  municipalities: { of: each(municipality) },
  postalCodes: {},
  near: {
    of: ({ latitude, longitude, km }) => [`${km} km`, `${latitude}, ${longitude}`],
    says: ['innen … fra …', 'within … of …'],
  },
  area: {
    of: ({ south, north, west, east }) => `${south}, ${west} – ${north}, ${east}`,
    says: ['området …', 'the area …'],
  },
  accessibility: { of: (words, { language }) => words.map((word) => FEATURES[word][language]).join(', ') },
  mode: { of: (mode, { language }) => TEXTS[language][mode] },
  free: { says: ['gratis', 'free'] },
  period: { of: (period, { language }) => TEXTS[language][period] },
  fromDate: { of: moment, says: ['fra …', 'from …'] },
  fromStartDate: { of: moment, says: ['begynner fra …', 'starting from …'] },
  untilDate: { of: moment, says: ['til …', 'until …'] },
  hoursRange: { of: ({ from, to }) => [from, to].map(formatMinute).join('–') },
  onlyFeatured: { says: ['framhevet', 'featured'] },
  onlyFeaturedSpecialEvent: { says: ['framhevet i hovedarrangementet', 'featured in the special event'] },
  cancelledNotIncluded: { says: ['uten avlyste', 'without cancelled ones'] },
  soldOutNotIncluded: { says: ['uten utsolgte', 'without sold-out ones'] },
  groupRepetitionsByDay: { says: ['dag for dag', 'day by day'] },
} satisfies Words & Needed;

const WORDED = Object.keys(WORDS) as readonly (keyof Conditions)[];

function namesIn(conditions: Conditions): readonly (keyof Conditions)[] {
  const given = Object.keys(conditions) as readonly (keyof Conditions)[];
  return [...new Set([...WORDED, ...given])];
}

function titleOf(id: string, { events, containers, language }: Feed): string {
  const container = containers.get(id);
  const nodes = container === undefined ? events : [container];
  return nodes.map((node) => feedEventOf(node, language)).find((found) => found.id === id)?.title.text ?? id;
}

const TEXTS = inEach({
  online: ['på nett', 'online'],
  offline: ['fysisk', 'in person'],
  TODAY: ['i dag', 'today'],
  TOMORROW: ['i morgen', 'tomorrow'],
  WEEKEND: ['helgen', 'weekend'],
  WEEK: ['denne uken', 'this week'],
});
