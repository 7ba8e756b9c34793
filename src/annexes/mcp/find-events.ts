/** The tool `find_events` (I14): the filter of `events` in the words that people use, and the first entries of what it finds. */
import { isEnumType } from 'graphql';
import { shortened } from '../../calendar/display-text.ts';
import { formatDay, parseSourceDay } from '../../calendar/time.ts';
import { schema } from '../../serve/graphql/schema.ts';
import { type Hint, hintsFor } from '../../serve/query/hints.ts';
import { planEvents } from '../../serve/query/plan.ts';
import type { Search } from '../../serve/query/search.ts';
import { readNodes, selectNodes } from '../../serve/query/select.ts';
import { viewAt } from '../../serve/query/view.ts';
import { bitsOf } from '../../snapshot/bitmaps.ts';
import type { Lists } from '../../snapshot/lists.ts';
import { accessibilityNamed, FEATURES } from '../common/accessibility.ts';
import { inEach, LANGUAGES } from '../page/reader.ts';
import { circle, flag, from, nextOf, oneOf, text, texts, type ValuesOf, whole } from './arguments.ts';
import { dotted, type Entry, EVENT_FIELDS, entryOf } from './entry.ts';
import { categoriesNamed, venuesNamed } from './names.ts';
import { described, listOf, NEXT, objectOf, type Tool, tool, WHOLE } from './tool.ts';

const MOST = 20;
const USUAL = 10;

const periods = schema.getType('Period');
const PERIODS = isEnumType(periods) ? periods.getValues().map(({ name }) => name) : [];

const TAKES = {
  text: {
    ...text,
    about:
      'Words that must all be in titles, descriptions, tags, venues, organizers or categories. Few words find more.',
  },
  period: { ...oneOf(PERIODS), about: 'A period of Norwegian time. WEEKEND begins on Friday at 16:00.' },
  from: {
    ...from,
    about:
      'The first day (2026-12-05) or moment (2026-12-05 18:00), else now; events already under way are included. Or the `next` of an answer, for the rest of it.',
  },
  until: { ...text, about: 'The last day, itself included, or the moment before which an event starts.' },
  categories: { ...texts, about: 'Labels or ids; any of them matches, a category with its subcategories.' },
  municipality: { ...text, about: 'Its name or number.' },
  venue: { ...text, about: 'Its name or slug.' },
  tag: { ...text, about: 'One tag.' },
  near: { ...circle, about: 'Degrees, and kilometres around them (10 by default).' },
  free: { ...flag, about: 'true: only what is free.' },
  age: { ...whole(0, 130), about: 'Only what is for somebody of this age.' },
  accessibility: { ...texts, about: `All of them hold: ${Object.keys(FEATURES).join(', ')}.` },
  language: { ...oneOf(LANGUAGES), about: 'Of the answer; nb by default.' },
  limit: { ...whole(1, MOST), about: `Entries at most; ${USUAL} by default.` },
};

export const FIND_EVENTS: Tool = tool({
  title: 'Find events',
  about:
    'Finds upcoming events, in the order of time: each with weekday and time, place, price, ages and link. With an end (period or until) ' +
    'an entry is an event and a day, else an event with its next date. An unknown category, municipality, venue or tag is an error that names the nearest one.',
  takes: TAKES,
  gives: objectOf({
    total: described('Of all entries that match.', WHOLE),
    events: listOf(objectOf(EVENT_FIELDS)),
    next: NEXT,
    hints: described('Filter values that no event can match.', listOf({ type: 'string' })),
    approximate: described('No event has these words: those with similar words are shown.', {
      type: 'boolean',
    }),
  }),
  answer: async (values, basis) => {
    const { snapshot, now } = basis;
    const view = viewAt(snapshot, now);
    const { filter, faults } = filterOf(values, view.lists);
    if (faults.length > 0) return { faults };
    const { conditions } = planEvents({ filter });
    const hints = hintsFor(conditions, view);
    const wrong = hints.filter(({ argument }) => CHOICES.has(argument));
    if (wrong.length > 0) return { faults: wrong.map(sentenceOf) };
    const search: Search = (step, terms) => view.search(step, terms, basis.work);
    const set = await selectNodes({ ...view, search }, conditions, now);
    const { language = 'nb', limit = USUAL, from } = values;
    const skip = from?.skip ?? 0;
    const rows = [...bitsOf(set.rows, skip, limit)];
    const entries = (await readNodes(view, rows, set)).map((node) => entryOf(node, { language, now }));
    const found = { entries, total: set.total, skip, language, approximate: set.isApproximate };
    return {
      most: entries.length,
      write: (shown) => {
        const next = skip + shown < set.total ? nextOf(from ?? {}, skip + shown) : null;
        const all = {
          ...found,
          entries: entries.slice(0, shown),
          next,
          hints: hints.slice(0, MOST_HINTS).map(sentenceOf),
        };
        return { words: wordsOf(all), structure: structureOf(all) };
      },
    };
  },
});

const MOST_HINTS = 3;

/** Arguments whose unknown values are errors, by the filter's names. */
const CHOICES: ReadonlySet<string> = new Set(['categories', 'municipality', 'venues', 'tag']);

const sentenceOf = ({ argument, value, message }: Hint): string =>
  `${argument === 'venues' ? 'venue' : argument} ${JSON.stringify(value)}: ${shortened(message, 200)}`;

/** The filter of `events` for these arguments. */
function filterOf(values: ValuesOf<typeof TAKES>, lists: Lists) {
  const { period, from, until, categories = [], municipality, venue, tag, near, free, age } = values;
  const features = (values.accessibility ?? []).map((name) => ({ name, word: accessibilityNamed(name) }));
  const unknown = features.filter(({ word }) => word === undefined);
  const filter = {
    searchTerm: values.text,
    period,
    fromDate: from?.moment,
    untilDate: until === undefined ? undefined : endOf(until),
    categories: categories.flatMap((name) => categoriesNamed(lists, name)),
    municipality,
    venues: venue === undefined ? undefined : venuesNamed(lists, venue),
    tag,
    near,
    free,
    age,
    accessibility: features.flatMap(({ word }) => word ?? []),
    groupRepetitionsByDay: period !== undefined || until !== undefined,
  };
  const known = Object.keys(FEATURES).join(', ');
  return {
    filter,
    faults: unknown.map(
      ({ name }) => `accessibility: expected some of ${known}, found ${JSON.stringify(shortened(name, 60))}`,
    ),
  };
}

/** A last day belongs to the window: it ends with the next midnight. */
function endOf(until: string): string {
  const day = parseSourceDay(until);
  return day === null ? until : formatDay(day + 1);
}

interface Found {
  readonly entries: readonly Entry[];
  readonly total: number;
  readonly skip: number;
  readonly next: string | null;
  readonly hints: readonly string[];
  readonly approximate: boolean;
  readonly language: 'nb' | 'en';
}

const structureOf = ({ total, entries, next, hints, approximate }: Found): object => ({
  total,
  events: entries,
  next,
  hints,
  approximate,
});

function wordsOf({ entries, total, skip, next, hints, approximate, language }: Found): string {
  const texts = TEXTS[language];
  const lines = entries.map((entry, index) => {
    const { title, when, place: where, state, price, ages, summary, link, laterDates } = entry;
    const more = laterDates === 0 ? null : texts.later(laterDates);
    const parts = [
      `${skip + index + 1}. ${state === null ? '' : `${state.toUpperCase()}: `}${title}`,
      dotted([when, more]),
      dotted([where, price, ages]),
      summary,
      link,
    ];
    return parts.filter(Boolean).join('\n');
  });
  return [
    total === 0 ? texts.none : texts.counted(total, skip, entries.length),
    ...(approximate && total > 0 ? [texts.similar] : []),
    ...hints,
    ...lines,
    ...(next === null ? [] : [texts.rest(total - skip - entries.length, next)]),
  ].join('\n\n');
}

const TEXTS = inEach({
  none: [
    'Ingen treff. Fjern et filter, bruk færre ord, eller se hva som finnes med list_choices.',
    'Nothing found. Remove a filter, use fewer words, or see what there is with list_choices.',
  ],
  counted: [
    (total: number, skip: number, shown: number) =>
      shown === total || shown === 0
        ? `${total} treff.`
        : `${total} treff. Her er ${skip + 1}–${skip + shown}.`,
    (total: number, skip: number, shown: number) =>
      shown === total || shown === 0
        ? `${total} found.`
        : `${total} found. Here are ${skip + 1}–${skip + shown}.`,
  ],
  similar: [
    'Ingen har akkurat disse ordene. Disse ligner.',
    'No event contains exactly these words. These are similar.',
  ],
  later: [
    (count: number) => (count === 1 ? '1 dato til' : `${count} datoer til`),
    (count: number) => (count === 1 ? '1 more date' : `${count} more dates`),
  ],
  rest: [
    (count: number, next: string) =>
      `${count} til: spør på nytt med de samme argumentene og "from": ${JSON.stringify(next)}.`,
    (count: number, next: string) =>
      `${count} more: ask again with the same arguments and "from": ${JSON.stringify(next)}.`,
  ],
});
