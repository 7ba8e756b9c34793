/** The name of a list: the calendar, and its whole filter in words (I9, small subscriptions). */

import { shortened } from '../../calendar/text.ts';
import type { Names } from '../../snapshot/filters/filter.ts';
import { givenIn } from '../../snapshot/filters.ts';
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
  const names = namesIn(feed);
  const given = givenIn(plan.conditions).map(({ name, value, filter }) => {
    const words = filter.words(value, names);
    return { name, words: typeof words === 'string' ? words : words[LANGUAGES.indexOf(feed.language)] };
  });
  const all = event === null ? given : [{ name: 'event', words: names.event(event) }, ...given];
  return all.map(({ name, words = '' }) => ({ name, words: shortened(words, LONGEST) }));
}

/** Characters of one condition: a search may be as long as an address. */
const LONGEST = 200;

function namesIn({ view: { lists, directory }, events, containers, language }: Feed): Names {
  return {
    event: (id) => {
      const container = containers.get(id);
      const nodes = container === undefined ? events : [container];
      const found = nodes.map((node) => feedEventOf(node, language)).find((event) => event.id === id);
      return found?.title.text ?? id;
    },
    category: (id) => {
      const category = lists.categories[directory.categoryById.get(id) ?? -1];
      const label = category && localized({ nb: category.name_nb, en: category.name_en }, language);
      return label?.text ?? id;
    },
    venue: (slug) => {
      const venue = lists.venues[directory.venueBySlug.get(slug) ?? -1];
      return (venue && venueLabels(lists).get(venue)) ?? slug;
    },
    organizer: (slug) => lists.organizers[directory.organizerBySlug.get(slug) ?? -1]?.name ?? slug,
    municipality: (given) => directory.municipalities.find(({ number }) => number === given)?.name ?? given,
    accessibility: (word) => FEATURES[word][language],
    moment: (instant) => writeMoment(instant, language),
  };
}
