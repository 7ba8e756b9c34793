/** The name of a list (I9): the calendar, and its whole filter in words; and the list's other texts. */
import { shortened } from '../../calendar/display-text.ts';
import { osloDay, startOfDay } from '../../calendar/time.ts';
import { elementAt } from '../../snapshot/columns.ts';
import type { EachLanguage, Names } from '../../snapshot/filters/filter.ts';
import { type Conditions, givenIn } from '../../snapshot/filters.ts';
import { FEATURES } from '../common/accessibility.ts';
import { writeMoment } from '../page/dates.ts';
import { inEach, LANGUAGES, type Language } from '../page/reader.ts';
import { venueLabels } from '../page/venues.ts';
import type { EventList } from './event-list.ts';
import { municipalityNamed } from './municipalities.ts';
import { labelOf, listedEventOf } from './values.ts';
import { writeDayNear } from './words.ts';

/** `Hva skjer: Musikk · Trondheim · i helgen`. */
export function nameOf(list: EventList): string {
  const { name } = list.licence;
  const words = conditionsOf(list).map((condition) => condition.words);
  return words.length === 0 ? name : `${name}: ${words.join(' · ')}`;
}

/** The conditions of a list's address by their parameters. A value that the calendar lacks is written as it was given. */
export function conditionsOf(list: EventList): readonly WordedCondition[] {
  const { event, plan } = list.query;
  const names = namesIn(list);
  const days = daysOf(plan.conditions, list);
  const given = givenIn(plan.conditions).flatMap(({ name, value, filter }): readonly WordedCondition[] => {
    if (days?.names[0] === name) return [days];
    if (days?.names.includes(name)) return [];
    const words = WHOLE_DAYS[name]?.(value, list) ?? filter.words(value, names);
    return [{ names: [name], words: typeof words === 'string' ? words : inLanguage(words, list) }];
  });
  const all = event === null ? given : [{ names: ['event'], words: names.event(event) }, ...given];
  return all.map((one) => ({ ...one, words: shortened(one.words, LONGEST) }));
}

const inLanguage = (words: readonly string[], { language }: EventList): string =>
  words[LANGUAGES.indexOf(language)] ?? '';

export interface WordedCondition {
  /** Names of the parameters that it puts into words. */
  readonly names: readonly string[];
  readonly words: string;
}

/** A window that begins and ends with a day, as a person says it: `lørdag 28. november`, or its first and its last day. */
function daysOf(
  { fromDate, fromStartDate = fromDate, untilDate }: Conditions,
  list: EventList,
): WordedCondition | null {
  if (fromStartDate === undefined || untilDate === undefined || untilDate <= fromStartDate) return null;
  if (!isMidnight(fromStartDate) || !isMidnight(untilDate)) return null;
  const first = osloDay(fromStartDate);
  const last = osloDay(untilDate) - 1;
  const from = writeDayNear(first, list);
  return {
    names: [fromStartDate === fromDate ? 'fromDate' : 'fromStartDate', 'untilDate'],
    words: first === last ? from : `${from} – ${writeDayNear(last, list)}`,
  };
}

const isMidnight = (instant: number): boolean => startOfDay(osloDay(instant)) === instant;

/** Moments at which a day begins have no clock. The day before `untilDate` belongs to the window, and that midnight does not. */
const WHOLE_DAYS: Readonly<Record<string, (value: unknown, list: EventList) => string | undefined>> = {
  fromDate: (value, list) => wholeDay(value, list, { words: ['fra', 'from', 'frå'], ahead: 0 }),
  fromStartDate: (value, list) =>
    wholeDay(value, list, { words: ['begynner tidligst', 'starting from', 'byrjar tidlegast'], ahead: 0 }),
  untilDate: (value, list) =>
    wholeDay(value, list, { words: ['til og med', 'until', 'til og med'], ahead: -1 }),
};

interface WholeDay {
  readonly words: EachLanguage;
  /** Days from the moment to the day that is named. */
  readonly ahead: number;
}

function wholeDay(value: unknown, list: EventList, { words, ahead }: WholeDay): string | undefined {
  if (typeof value !== 'number' || !isMidnight(value)) return undefined;
  return `${inLanguage(words, list)} ${writeDayNear(osloDay(value) + ahead, list)}`;
}

/** Characters of one condition: a search may be as long as an address. */
const LONGEST = 200;

function namesIn({ view, events, containers, language }: EventList): Names {
  const { lists, directory } = view;
  return {
    event: (id) => {
      const container = containers.get(id);
      const nodes = container === undefined ? events : [container];
      const found = nodes.map((node) => listedEventOf(node, language)).find((event) => event.id === id);
      return found?.title.text ?? id;
    },
    category: (id) => {
      const category = elementAt(lists.categories, directory.categoryById.get(id));
      return (category && labelOf(category, language)) || id;
    },
    venue: (slug) => {
      const venue = elementAt(lists.venues, directory.venueBySlug.get(slug));
      return (venue && venueLabels(lists).get(venue)) ?? slug;
    },
    organizer: (slug) => elementAt(lists.organizers, directory.organizerBySlug.get(slug))?.name ?? slug,
    municipality: (given) => municipalityNamed(given, view)?.name ?? given,
    accessibility: (word) => FEATURES[word][language],
    moment: (instant) => writeMoment(instant, language),
  };
}

/** A description of a list, for search results and previews. */
export const describe = ({ licence, language }: EventList): string => TEXTS[language].about(licence.name);

/** The text of an empty list. */
export const writeNone = (language: Language): string => TEXTS[language].none;

const TEXTS = inEach({
  about: [
    (name: string) => `Kommende arrangementer fra ${name}.`,
    (name: string) => `Upcoming events from ${name}.`,
    (name: string) => `Kommande arrangement frå ${name}.`,
  ],
  none: ['Ingen kommende arrangementer.', 'No upcoming events.', 'Ingen kommande arrangement.'],
});
