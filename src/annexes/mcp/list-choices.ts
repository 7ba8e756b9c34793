/** The tool `list_choices` (I14): the values that find_events takes, with the number of upcoming events of each. */
import { fold } from '../../calendar/text.ts';
import type { AnswerBasis } from '../../serve/graphql/answer.ts';
import { type View, viewAt } from '../../serve/query/view.ts';
import { described, listOf, objectOf, TEXT, WHOLE } from '../common/json-schema.ts';
import { municipalitiesWithEvents, municipalityValue } from '../events/municipalities.ts';
import { labelOf } from '../events/values.ts';
import { norwegianIn } from '../page/menu.ts';
import { inEach, LANGUAGES, type Language } from '../page/reader.ts';
import * as take from './arguments.ts';
import { offered } from './names.ts';
import * as position from './position.ts';
import { type Tool, tool } from './tool.ts';

interface Choice {
  /** The argument of find_events that takes it. */
  readonly argument: string;
  readonly value: string;
  readonly name: string;
  readonly events: number;
}

/** By the argument `kind`: the values that upcoming events have, the most frequent first. */
const KINDS = {
  categories: (view, language) =>
    view.facets.entities(view.unfilteredCounts(), 'categories').flatMap(({ ordinal, hits }) => {
      const category = view.lists.categories[ordinal];
      if (category === undefined || !category.visible) return [];
      return choiceOf('categories', { value: category.id, name: labelOf(category, language), hits });
    }),
  municipalities: (view) =>
    municipalitiesWithEvents(view).map(({ name, number, hits }) => {
      // Several municipalities can have one name, which selects all of them.
      const value = municipalityValue({ name, number }, view) ?? name;
      return choiceOf('municipality', { value, name, hits });
    }),
  venues: (view) =>
    view.facets.entities(view.unfilteredCounts(), 'venues').flatMap(({ ordinal, hits }) => {
      const venue = view.lists.venues[ordinal];
      if (venue === undefined) return [];
      const town = venue.municipality === null ? '' : ` (${venue.municipality})`;
      return choiceOf('venue', { value: venue.slug, name: `${venue.name}${town}`, hits });
    }),
  tags: (view) =>
    view.facets
      .tags(view.shownRows({}))
      .map(({ tag, hits }) => choiceOf('tag', { value: tag, name: tag, hits })),
} satisfies Readonly<Record<string, (view: View, language: Language) => readonly Choice[]>>;

interface CountedValue {
  readonly value: string;
  readonly name: string;
  /** Upcoming events. */
  readonly hits: number;
}

function choiceOf(argument: string, { value, name, hits }: CountedValue): Choice {
  return {
    argument,
    value: offered(value),
    name: offered(name),
    events: hits,
  };
}

type KindName = keyof typeof KINDS;
const KIND_NAMES = Object.keys(KINDS).filter((name): name is KindName => Object.hasOwn(KINDS, name));

const PARAMETERS = {
  kind: { ...take.oneOf(KIND_NAMES), about: 'All kinds by default.' },
  text: { ...take.text, about: 'Part of the name.' },
  from: { ...position.next, about: 'The value of `next` in an earlier answer, for the rest.' },
  language: {
    ...take.oneOf(LANGUAGES),
    about: 'The language of the labels; by default, the calendar’s Norwegian.',
  },
};

export const LIST_CHOICES: Tool = tool({
  title: 'Categories, municipalities, venues and tags',
  about:
    'Lists values for find_events, those with the most upcoming events first: all values of one kind, or those with a given text in their names.',
  parameters: PARAMETERS,
  outputSchema: objectOf({
    total: WHOLE,
    choices: listOf(
      objectOf({
        argument: described('The argument of find_events that takes the value.'),
        value: TEXT,
        name: TEXT,
        events: described('Upcoming events that have it.', WHOLE),
      }),
    ),
    next: position.NEXT_SCHEMA,
  }),
  answer: listChoices,
});

async function listChoices(values: take.ValuesOf<typeof PARAMETERS>, { snapshot, now }: AnswerBasis) {
  const { kind, text = '', from, language = norwegianIn(snapshot) } = values;
  const view = viewAt(snapshot, now);
  const kinds = kind === undefined ? KIND_NAMES : [kind];
  const all = kinds.flatMap((one) => KINDS[one](view, language)).filter(nameContains(text));
  const total = all.length;
  // An earlier answer's `next` may lie beyond the list of the present snapshot.
  const skip = Math.min(from?.skip ?? 0, total);
  const entries = all.slice(skip, skip + MOST_CHOICES);
  const write = (shown: number) => {
    const isCut = skip + shown < total;
    const next = isCut ? position.nextOf({}, skip + shown) : null;
    const choices = entries.slice(0, shown);
    return {
      words: wordsOf(choices, { next, language, total }),
      structure: { total, choices, next },
    };
  };
  return { most: entries.length, write };
}

/** Choices that are looked at for one answer: more never fit. */
const MOST_CHOICES = 150;

/** Whether the name or the value of a choice has this text, compared as B10 says. */
function nameContains(text: string): (choice: Choice) => boolean {
  const part = fold(text);
  // Most calls have no text, and need no folding of thousands of names.
  if (part === '') return () => true;
  return ({ name, value }) => fold(name).includes(part) || fold(value).includes(part);
}

interface Remainder {
  /** Choices of all answers together. */
  readonly total: number;
  /** The `from` for the rest; null without one. */
  readonly next: string | null;
  readonly language: Language;
}

function wordsOf(choices: readonly Choice[], { total, next, language }: Remainder): string {
  const texts = TEXTS[language];
  if (total === 0) return texts.none;
  if (choices.length === 0 && next === null) return texts.noMore(total);
  const lines = choices.map(({ argument, value, name, events }, index) => {
    const isFirstOfKind = choices[index - 1]?.argument !== argument;
    const heading = isFirstOfKind ? `${argument}:\n` : '';
    const label = name === value ? name : `${name} = ${value}`;
    return `${heading}- ${label}: ${events}`;
  });
  if (next !== null) lines.push(texts.rest(total, next));
  return lines.join('\n');
}

const TEXTS = inEach({
  none: [
    'Ingen valg har denne teksten i navnet.',
    'No choice has this text in its name.',
    'Ingen val har denne teksten i namnet.',
  ],
  noMore: [
    (total: number) => `Ingen flere valg: listen har bare ${total} nå.`,
    (total: number) => `No more choices: the list has only ${total} now.`,
    (total: number) => `Ingen fleire val: lista har berre ${total} no.`,
  ],
  rest: [
    (total: number, next: string) =>
      `${total} i alt. Resten: spør på nytt med de samme argumentene og "from": ${JSON.stringify(next)}, eller med "text".`,
    (total: number, next: string) =>
      `${total} in all. The rest: ask again with the same arguments and "from": ${JSON.stringify(next)}, or with "text".`,
    (total: number, next: string) =>
      `${total} i alt. Resten: spør på nytt med dei same argumenta og "from": ${JSON.stringify(next)}, eller med "text".`,
  ],
});
