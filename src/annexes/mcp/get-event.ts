/** The tool `get_event` (I14): one event with all of its dates. */
import { readTail } from '../../calendar/date-address.ts';
import { shortened } from '../../calendar/display-text.ts';
import type { AnswerBasis } from '../../serve/graphql/answer.ts';
import { readNodes, repetitionsOf, shownRow } from '../../serve/query/select.ts';
import { viewAt } from '../../serve/query/view.ts';
import type { Snapshot } from '../../snapshot/open.ts';
import { FEATURES } from '../common/accessibility.ts';
import { plainLines } from '../common/lines.ts';
import { feedEventOf, feedOccurrenceOf } from '../events/values.ts';
import { inEach, LANGUAGES, type Language } from '../page/reader.ts';
import { address, from, nextOf, oneOf } from './arguments.ts';
import {
  DATE_FIELDS,
  type DateEntry,
  dateOf,
  dotted,
  EVENT_FIELDS,
  entryOf,
  linkText,
  priceListOf,
} from './entry.ts';
import { described, listOf, NEXT, objectOf, TEXT_OR_NULL, type Tool, tool, WHOLE } from './tool.ts';

const { laterDates: _, summary: __, ...OWN_FIELDS } = EVENT_FIELDS;

export const GET_EVENT: Tool = tool({
  title: 'One event',
  about:
    'One event with its description, prices, accessibility, organizer, tickets and all of its coming dates.',
  takes: {
    event: { ...address, about: 'Its id, its slug or its link.', isRequired: true },
    from: { ...from, about: 'The `next` of an answer, for later dates.' },
    language: { ...oneOf(LANGUAGES), about: 'Of the answer; nb by default.' },
  },
  gives: objectOf({
    ...OWN_FIELDS,
    description: TEXT_OR_NULL,
    priceList: described('Each price with its name; null: none is known.', TEXT_OR_NULL),
    accessibility: listOf({ type: 'string' }),
    organizers: listOf({ type: 'string' }),
    categories: listOf({ type: 'string' }),
    tickets: described('Where tickets are sold.', TEXT_OR_NULL),
    stream: described('Where it can be watched.', TEXT_OR_NULL),
    totalDates: WHOLE,
    dates: listOf(objectOf(DATE_FIELDS)),
    next: NEXT,
  }),
  answer: async ({ event: named = '', language = 'nb', from }, { snapshot, now }: AnswerBasis) => {
    const view = viewAt(snapshot, now);
    const ordinal = ordinalOf(named, snapshot);
    const row = ordinal === null ? null : shownRow(view, ordinal, now);
    const [node] = row === null ? [] : await readNodes(view, [row], { validAt: now, byDay: false });
    if (node === undefined) return { faults: [TEXTS[language].unknown(shortened(named, 100))] };
    const event = feedEventOf(node, language);
    const shown = feedOccurrenceOf(node, language);
    const reader = { language, now };
    const { laterDates, summary, ...own } = entryOf(node, reader);
    const skip = Math.min(from?.skip ?? 0, laterDates + 1);
    const dates = [node, ...repetitionsOf(node)].slice(skip, skip + MOST_DATES);
    const entries = dates.map((date) => dateOf(event, feedOccurrenceOf(date, language), reader));
    const about = {
      ...own,
      description: event.description && shortened(plainLines(event.description.text), LONGEST_DESCRIPTION),
      priceList: event.isFree ? own.price : priceListOf(event, language),
      accessibility: shown.accessibility.map((word) => FEATURES[word][language]),
      organizers: namesOf(event.organizers.map(({ name }) => name)),
      categories: namesOf(event.labels),
      tickets: linkText(shown.ticketsURL),
      stream: linkText(event.streamingURL),
      totalDates: laterDates + 1,
    };
    return {
      most: entries.length,
      write: (count, isBrief) => {
        const rest = about.totalDates - skip - count;
        const next = rest > 0 ? nextOf({}, skip + count) : null;
        const all = { ...about, ...(isBrief && WITHOUT_DETAILS), dates: entries.slice(0, count), next };
        return { words: wordsOf(all, language), structure: all };
      },
    };
  },
});

/** An event whose every value is as long as it may be. */
const WITHOUT_DETAILS = {
  description: null,
  priceList: null,
  organizers: [],
  categories: [],
  tickets: null,
  stream: null,
};

/** Dates that are looked at for one answer: more never fit. */
const MOST_DATES = 60;
const LONGEST_DESCRIPTION = 500;
const MOST_NAMES = 5;
const LONGEST_NAME = 60;

const namesOf = (names: readonly string[]): readonly string[] =>
  names.slice(0, MOST_NAMES).map((name) => shortened(name, LONGEST_NAME));

/** By its id, that of one of its dates, its slug, or a link whose last part is its slug. */
function ordinalOf(named: string, { ordinalById, ordinalBySlug }: Snapshot): number | null {
  const at = named.lastIndexOf('@');
  const ofDate = at > 0 && readTail(named.slice(at + 1)) !== null ? ordinalById(named.slice(0, at)) : null;
  const path = URL.canParse(named) ? new URL(named).pathname : named;
  const slug = path
    .replace(/\/$/, '')
    .replace(/^.*\//s, '')
    .replace(/\.html$/, '');
  return ordinalById(named) ?? ofDate ?? ordinalBySlug(slug);
}

interface Written extends DateEntry {
  readonly title: string;
  readonly ages: string | null;
  readonly link: string | null;
  readonly description: string | null;
  readonly priceList: string | null;
  readonly accessibility: readonly string[];
  readonly organizers: readonly string[];
  readonly tickets: string | null;
  readonly stream: string | null;
  readonly totalDates: number;
  readonly dates: readonly DateEntry[];
  readonly next: string | null;
}

function wordsOf(event: Written, language: Language): string {
  const texts = TEXTS[language];
  const { title, state, when, place, price, priceList, ages, accessibility, organizers, dates, next } = event;
  const named = (name: string, value: string | null) =>
    value === null || value === '' ? [] : [`${name}: ${value}`];
  const head = [
    `${state === null ? '' : `${state.toUpperCase()}: `}${title}`,
    when,
    dotted([place, price, ages]),
    ...named(texts.prices, priceList === price ? null : priceList),
    ...named(texts.accessibility, accessibility.join(', ')),
    ...named(texts.organizer, organizers.join(', ')),
    ...named(texts.tickets, event.tickets),
    ...named(texts.stream, event.stream),
    ...(event.link === null ? [] : [event.link]),
  ];
  const list = dates.map((date) => {
    const isElsewhere = date.place !== place;
    return `- ${dotted([date.when, date.state, isElsewhere ? date.place : null, date.price === price ? null : date.price])}`;
  });
  return [
    head.join('\n'),
    ...(event.description === null ? [] : [event.description]),
    ...(event.totalDates === 1 ? [] : [[texts.dates(event.totalDates), ...list].join('\n')]),
    ...(next === null ? [] : [texts.rest(next)]),
  ].join('\n\n');
}

const TEXTS = inEach({
  unknown: [
    (named: string) =>
      `Ingen kommende arrangementer har id-en, slugen eller lenken ${JSON.stringify(named)}. Arrangementet kan være over. Finn andre med find_events.`,
    (named: string) =>
      `No upcoming event has the id, slug or link ${JSON.stringify(named)}. It may be over. Find others with find_events.`,
  ],
  prices: ['Priser', 'Prices'],
  accessibility: ['Tilgjengelighet', 'Accessibility'],
  organizer: ['Arrangør', 'Organizer'],
  tickets: ['Billetter', 'Tickets'],
  stream: ['Direktesending', 'Stream'],
  dates: [(count: number) => `Alle ${count} datoer:`, (count: number) => `All ${count} dates:`],
  rest: [
    (next: string) => `Flere datoer: spør på nytt med "from": ${JSON.stringify(next)}.`,
    (next: string) => `More dates: ask again with "from": ${JSON.stringify(next)}.`,
  ],
});
