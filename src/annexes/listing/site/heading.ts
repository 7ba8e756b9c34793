/**
 * The heading of the list, as a person would say what is chosen:
 *
 * | chosen | heading |
 * |---|---|
 * | nothing | What’s on |
 * | a category, and anything else | Jazz Sunday 8 February · free |
 * | a day or "near you", without another place or time | Sunday 8 February |
 * | any other place or time | What’s on in Trondheim · free |
 * | only what has no place in the sentence | Free |
 */
import type { Conditions } from '../../../snapshot/filters.ts';
import type { EventList } from '../../events/event-list.ts';
import { conditionsOf } from '../../events/name.ts';
import { capitalized, inEach } from '../../page/reader.ts';

export function siteHeading(list: EventList): string {
  const { heading } = list.values;
  if (typeof heading === 'string') return heading;
  const parts = partsIn(list);
  const sentence = isOthersOnly(parts) ? [] : [sentenceOf(parts, TEXTS[list.language].all)];
  const text = [...sentence, ...parts.others].join(' · ');
  // A category is named as the calendar writes it.
  return parts.subject === undefined ? capitalized(text) : text;
}

const isOthersOnly = (parts: HeadingParts): boolean =>
  chosenIn(parts).length === 0 && parts.others.length > 0;

/** `opening`: what the sentence begins with, unless its parts are a heading by themselves. */
function sentenceOf(parts: HeadingParts, opening: string): string {
  const chosen = chosenIn(parts);
  const needsNoOpening = parts.subject !== undefined || (chosen.length === 1 && parts.canBegin);
  return (needsNoOpening ? chosen : [opening, ...chosen]).join(' ');
}

const chosenIn = ({ subject, place, when }: HeadingParts): readonly string[] =>
  [subject, place, when].filter((part) => part !== undefined);

/** The words of the conditions; undefined for those that are not chosen. */
interface HeadingParts {
  /** The categories. */
  readonly subject: string | undefined;
  readonly place: string | undefined;
  readonly when: string | undefined;
  /** Whether a place or a time alone is a heading, such as "Near you" or a day; "in Lillevik" and "today" need a subject. */
  readonly canBegin: boolean;
  /** The conditions that have no place in the sentence. */
  readonly others: readonly string[];
}

function partsIn(list: EventList): HeadingParts {
  const texts = TEXTS[list.language];
  const words = new Map(conditionsOf(list).map((condition) => [condition.names[0] ?? '', condition.words]));
  const { period }: Partial<Conditions> = list.query.plan.conditions;
  const day = period === undefined ? DAYS.find((name) => words.has(name)) : undefined;
  const near = words.has('near') ? texts.near : undefined;
  const town = words.get('municipality');
  const places = [near, town === undefined ? undefined : texts.inTown(town)].filter(
    (place) => place !== undefined,
  );
  const others = [...words].filter(([name]) => name !== day && !IN_SENTENCE.has(name));
  return {
    subject: words.get('categories'),
    place: places.length > 0 ? places.join(' ') : undefined,
    when: period === undefined ? day && words.get(day) : texts[period],
    canBegin: near !== undefined || day !== undefined,
    others: others.map(([, text]) => text),
  };
}

/** Conditions that name days, of which the first is in the sentence. */
const DAYS = ['fromStartDate', 'fromDate', 'untilDate'];

/** Conditions that the sentence names. `groupRepetitionsByDay` is not named: the page sets it whenever the window has an end. */
const IN_SENTENCE: ReadonlySet<string> = new Set([
  'categories',
  'near',
  'municipality',
  'period',
  'groupRepetitionsByDay',
]);

const TEXTS = inEach({
  all: ['Hva skjer', 'What’s on', 'Kva skjer'],
  near: ['nær deg', 'near you', 'nær deg'],
  inTown: [(town: string) => `i ${town}`, (town: string) => `in ${town}`, (town: string) => `i ${town}`],
  TODAY: ['i dag', 'today', 'i dag'],
  TOMORROW: ['i morgen', 'tomorrow', 'i morgon'],
  WEEKEND: ['i helgen', 'this weekend', 'i helga'],
  WEEK: ['denne uken', 'this week', 'denne veka'],
});
