/** Filters by who organizes an event, and for whom it is. */
import { isAccessibility } from '../../calendar/accessibility.ts';
import { text, texts, textsOf, whole } from '../../calendar/arguments.ts';
import { unlessEmpty } from '../../calendar/groups.ts';
import { intersect } from '../bitmaps.ts';
import { rowsFlagged } from '../flags.ts';
import { type FilterColumn, filter, listed, type NamedKind } from './filter.ts';
import { keepEvents, keepNamed, valuesOf } from './rows.ts';

const ORGANIZER_KIND: NamedKind = {
  find: (slug, { directory }) => listed(directory.organizerBySlug.get(slug)),
  index: 'organizer',
  values: ({ lists, directory }) =>
    lists.organizers
      .filter(({ slug }) => directory.organizerBySlug.has(slug))
      .map(({ slug, name, id }) => [slug, name, id]),
  basis: ({ directory }) => directory,
  predicate: 'organizer has this slug',
  query: 'organizers',
};

/** Years: the highest age that a filter or an event may name. */
export const OLDEST = 130;

const MINIMUM_AGE: FilterColumn = { name: 'minimumAge', of: ({ minimumAge }) => minimumAge ?? 0 };
const MAXIMUM_AGE: FilterColumn = { name: 'maximumAge', of: ({ maximumAge }) => maximumAge ?? OLDEST };

export const WHO = {
  organizers: filter({
    type: '[String]',
    en: 'Organizer slugs; any of them matches.',
    nb: 'Arrangører etter slug; én av dem er nok.',
    read: texts,
    condition: keepNamed(ORGANIZER_KIND),
    words: (slugs, { organizer }) => slugs.map(organizer).join(', '),
    named: ORGANIZER_KIND,
  }),
  organizerSlug: filter({
    type: 'String',
    en: 'One organizer slug.',
    nb: 'Slugen til én arrangør.',
    read: text,
    condition: keepNamed(ORGANIZER_KIND),
    words: (slug, { organizer }) => organizer(slug),
    named: ORGANIZER_KIND,
  }),
  accessibility: filter({
    type: '[Accessibility!]',
    en: 'Accessibility features; each of them must be recorded for the event or for its venue.',
    nb: 'Tilrettelegging, for eksempel `WHEELCHAIR` og `SIGN_LANGUAGE`; arrangementet eller stedet må ha alt du velger.',
    // An enum: the schema has refused other words.
    read: (value) => unlessEmpty(textsOf(value).filter(isAccessibility)),
    condition: (rows, words, { columns }) => {
      for (const word of words) intersect(rows, rowsFlagged(columns, word));
    },
    words: (words, { accessibility }) => words.map(accessibility).join(', '),
  }),
  age: filter({
    type: 'Int',
    en: 'Events for someone of this age: between `minimumAge` and `maximumAge`, if they are given. 0 to 130; other values are `BAD_USER_INPUT`.',
    nb: 'Arrangementer som passer for denne alderen: fra `minimumAge` til `maximumAge`, der de er oppgitt. 0 til 130, ellers `BAD_USER_INPUT`.',
    read: whole(0, OLDEST),
    columns: [MINIMUM_AGE, MAXIMUM_AGE],
    condition: (rows, age, view) => {
      const from = valuesOf(view, MINIMUM_AGE);
      const to = valuesOf(view, MAXIMUM_AGE);
      keepEvents(rows, view, (event) => (from[event] ?? 0) <= age && age <= (to[event] ?? OLDEST));
    },
    words: (age) => [`for ${age}-åringer`, `for age ${age}`, `for ${age}-åringar`],
  }),
};
