/** The heading of the list, as a person would say what is chosen: `Konsert og musikk fredag 4. desember`, `Nær deg`. */
import type { Conditions } from '../../../snapshot/filters.ts';
import type { EventList } from '../../events/event-list.ts';
import { conditionsOf } from '../../events/name.ts';
import { capitalized, inEach } from '../../page/reader.ts';

export function siteHeading(list: EventList): string {
  const { heading } = list.values;
  if (typeof heading === 'string') return heading;
  const { subject, place, when, canBegin, others } = partsIn(list);
  const chosen = [subject, place, when].filter((part) => part !== undefined);
  const isOpen = subject !== undefined || (chosen.length === 1 && canBegin);
  const sentence = isOpen ? chosen : [TEXTS[list.language].all, ...chosen];
  const parts = chosen.length === 0 && others.length > 0 ? others : [sentence.join(' '), ...others];
  const text = parts.join(' · ');
  // A category is named as the calendar writes it.
  return subject === undefined ? capitalized(text) : text;
}

/** The words of the conditions; undefined for those that are not chosen. */
interface HeadingParts {
  /** The categories. */
  readonly subject: string | undefined;
  readonly place: string | undefined;
  readonly when: string | undefined;
  /** Whether a place or a time alone is a heading, such as "Near you" or a day; "in Lillevik" and "today" need a subject. */
  readonly canBegin: boolean;
  /** Those that have no place in the sentence. */
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
    when: period === undefined ? words.get(day ?? '') : texts[period],
    canBegin: near !== undefined || day !== undefined,
    others: others.map(([, text]) => text),
  };
}

/** Conditions that name days, of which the first is in the sentence. */
const DAYS = ['fromStartDate', 'fromDate', 'untilDate'];

/** Conditions that the sentence names. Rows are dates wherever the window has an end: the reader did not choose that. */
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
