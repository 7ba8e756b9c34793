/** The tool `find_events` (I14): the filter of `events` in the words that people use, and the first entries of what it finds. */
import { isEnumType } from 'graphql';
import type { InvalidArgument } from '../../calendar/arguments.ts';
import { shortened } from '../../calendar/display-text.ts';
import { parseSourceDay } from '../../calendar/input-datetime.ts';
import { formatDay } from '../../calendar/time.ts';
import type { AnswerBasis } from '../../serve/graphql/answer.ts';
import { schema } from '../../serve/graphql/schema.ts';
import { type Hint, hintsFor } from '../../serve/query/hints.ts';
import { readNodes } from '../../serve/query/nodes.ts';
import { readFilter } from '../../serve/query/plan.ts';
import type { Search } from '../../serve/query/search.ts';
import { selectNodes } from '../../serve/query/select.ts';
import { viewAt } from '../../serve/query/view.ts';
import { bitsOf } from '../../snapshot/bitmaps.ts';
import { OLDEST } from '../../snapshot/filters/who.ts';
import type { Lists } from '../../snapshot/lists.ts';
import { accessibilityNamed, FEATURES } from '../common/accessibility.ts';
import { described, listOf, objectOf, TEXT, WHOLE } from '../common/json-schema.ts';
import { norwegianIn } from '../page/menu.ts';
import { LANGUAGES } from '../page/reader.ts';
import * as take from './arguments.ts';
import { EVENT_FIELDS, entryOf } from './entry.ts';
import { type Found, wordsOf } from './find-events-words.ts';
import { categoriesNamed, municipalitiesNamed, tagsNamed, venuesNamed } from './names.ts';
import * as position from './position.ts';
import { type Tool, tool } from './tool.ts';

const MAX_LIMIT = 20;
const DEFAULT_LIMIT = 10;

const periods = schema.getType('Period');
const PERIODS = isEnumType(periods) ? periods.getValues().map(({ name }) => name) : [];

const PARAMETERS = {
  text: {
    ...take.text,
    about:
      'Words that must all occur in titles, descriptions, tags, venues, organizers or categories. Fewer words give more results.',
  },
  period: { ...take.oneOf(PERIODS), about: 'A period in Norwegian time. WEEKEND begins on Friday at 16:00.' },
  from: {
    ...position.from,
    about:
      'The first day (2026-12-05) or moment (2026-12-05 18:00), by default now; events in progress are included. Or the value of `next` in an earlier answer, for the rest.',
  },
  until: {
    ...take.text,
    about: 'The last day, inclusive, or the moment before which an event starts.',
  },
  categories: {
    ...take.texts,
    about: 'Names or ids; an event matches if it has any of them. A category includes its subcategories.',
  },
  municipality: { ...take.text, about: 'The name or number of a municipality.' },
  venue: { ...take.text, about: 'The name or slug of a venue.' },
  tag: { ...take.text, about: 'One tag.' },
  near: { ...take.circle, about: 'A point in degrees, and a radius in kilometres (10 by default).' },
  free: { ...take.flag, about: '`true` returns only free events.' },
  age: { ...take.whole(0, OLDEST), about: 'Only events that are suitable for this age.' },
  accessibility: {
    ...take.texts,
    about: `An event must have all of these features: ${Object.keys(FEATURES).join(', ')}.`,
  },
  language: {
    ...take.oneOf(LANGUAGES),
    about: 'The language of the answer; by default, the calendar’s Norwegian.',
  },
  limit: { ...take.whole(1, MAX_LIMIT), about: `Maximum number of entries; ${DEFAULT_LIMIT} by default.` },
};

export const FIND_EVENTS: Tool = tool({
  title: 'Find events',
  about:
    'Finds upcoming events in chronological order, each with its weekday and time, place, price, ages and link. With an end (period or until), ' +
    'an entry is an event on one day; otherwise it is an event with its next date. For an unknown category, municipality, venue or tag, the error names the most similar one.',
  parameters: PARAMETERS,
  outputSchema: objectOf({
    total: described('The number of all matching entries.', WHOLE),
    events: listOf(objectOf(EVENT_FIELDS)),
    next: position.NEXT_SCHEMA,
    hints: described('Filter values that no event can match.', listOf(TEXT)),
    approximate: described('No event has these words; the results have similar ones.', {
      type: 'boolean',
    }),
  }),
  answer: findEvents,
});

async function findEvents(values: Values, { snapshot, now, work }: AnswerBasis) {
  const unknown = unknownFeatures(values.accessibility);
  if (unknown.length > 0) return { faults: unknown };
  const view = viewAt(snapshot, now);
  const { values: conditions, refused } = readFilter(filterOf(values, view.lists));
  if (refused.length > 0) return { faults: refused.map(faultIn) };
  const hints = hintsFor(conditions, view, { writeSource: () => 'The tool list_choices lists them all.' });
  const wrong = hints.filter(({ argument }) => CHOICES.has(argument));
  if (wrong.length > 0) return { faults: wrong.map(sentenceOf) };
  const search: Search = (step, terms) => view.search(step, terms, work);
  const set = await selectNodes(view, conditions, { now, search });
  const { language = norwegianIn(snapshot), limit = DEFAULT_LIMIT, from } = values;
  const skip = from?.skip ?? 0;
  const nodes = await readNodes(view, [...bitsOf(set.rows, skip, limit)], set);
  const found: Found = {
    entries: nodes.map((node) => entryOf(node, { language, now })),
    total: set.total,
    skip,
    from: from ?? {},
    language,
    approximate: set.isApproximate,
    hints: hints.slice(0, MOST_HINTS).map(sentenceOf),
  };
  return { most: nodes.length, write: (shown: number) => answerOf(found, shown) };
}

type Values = take.ValuesOf<typeof PARAMETERS>;

const MOST_HINTS = 3;

/** Arguments whose unknown values are errors, by the filter's names. */
const CHOICES: ReadonlySet<string> = new Set(['categories', 'municipality', 'venues', 'tag']);

function sentenceOf({ argument, value, message }: Hint): string {
  return `${argumentOf(argument)} ${JSON.stringify(value)}: ${shortened(inOwnNames(message), 200)}`;
}

function faultIn({ name, expected, found }: InvalidArgument): string {
  return take.faultOf({ name: argumentOf(name), expected, found });
}

/** The tool's arguments by the fields of the filter, where the two have different names. */
const ARGUMENTS: ReadonlyMap<string, string> = new Map([
  ['searchTerm', 'text'],
  ['fromDate', 'from'],
  ['untilDate', 'until'],
  ['venues', 'venue'],
]);

const argumentOf = (field: string): string => ARGUMENTS.get(field) ?? field;

/** Messages of the filter name its fields. */
const inOwnNames = (message: string): string => message.replace(/\b(?:fromDate|untilDate)\b/g, argumentOf);

function unknownFeatures(names: readonly string[] = []): readonly string[] {
  const expected = Object.keys(FEATURES).join(', ');
  const unknown = names.filter((name) => accessibilityNamed(name) === undefined);
  return unknown.map(
    (name) => `accessibility: expected some of ${expected}, found ${JSON.stringify(shortened(name, 60))}`,
  );
}

/** The filter of `events` for these arguments. */
function filterOf(values: Values, lists: Lists) {
  const { period, from, until, categories = [], municipality, venue, tag, near, free, age } = values;
  return {
    searchTerm: values.text,
    period,
    fromDate: from?.moment,
    untilDate: until && endOf(until),
    categories: categories.flatMap((name) => categoriesNamed(lists, name)),
    municipality: municipality && municipalitiesNamed(lists, municipality)[0],
    venues: venue && venuesNamed(lists, venue),
    tag: tag && tagsNamed(lists, tag)[0],
    near,
    free,
    age,
    accessibility: values.accessibility?.flatMap((name) => accessibilityNamed(name) ?? []),
    groupRepetitionsByDay: period !== undefined || until !== undefined,
  };
}

/** A last day belongs to the window: it ends with the next midnight. */
function endOf(until: string): string {
  const day = parseSourceDay(until);
  return day === null ? until : formatDay(day + 1);
}

/** The answer with the first entries of all that were found. */
function answerOf(found: Found, count: number) {
  const { entries, total, skip, from, hints, approximate } = found;
  const events = entries.slice(0, count);
  const next = skip + count < total ? position.nextOf(from, skip + count) : null;
  return {
    words: wordsOf(found, events, next),
    structure: { total, events, next, hints, approximate },
  };
}
