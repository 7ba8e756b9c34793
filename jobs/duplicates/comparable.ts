/** G9: what is compared of an event: the words of its titles, its starts, and its place at each of them. */
import { wordsOf } from '../../src/calendar/search-term.ts';
import { fold } from '../../src/calendar/text.ts';
import type { EventRecord } from '../records.ts';

export interface Comparable {
  /** Its number, in the order of the sources. */
  readonly number: number;
  readonly feed: string | null;
  /** For each of its titles, the folded words. */
  readonly titles: readonly (readonly string[])[];
  /** Its starts (`momentOf`), each with the place (`placeKey`); the place may be null. */
  readonly places: ReadonlyMap<number, string | null>;
  readonly isContainer: boolean;
  /** A single date, or a series; null for anything between. */
  readonly form: 'single' | 'series' | null;
  /** Its ends by their starts (`momentOf`). Read when two of one source may be listed twice. */
  readonly ends: () => ReadonlyMap<number, number>;
}

/** Whether an event has at most one date, and no rules. */
export function isSingle({ dates, series }: Pick<EventRecord, 'dates' | 'series'>): boolean {
  return series.length === 0 && dates.length <= 1;
}

/** The words of each title that an event has. */
export function titlesOf({
  title_nb,
  title_en,
}: Pick<EventRecord, 'title_nb' | 'title_en'>): readonly (readonly string[])[] {
  return [titleWords(title_nb), titleWords(title_en)].filter((words) => words.length > 0);
}

/** The first words of a title, each once, without those that only connect names, unless it has no others. */
export function titleWords(title: string | null): readonly string[] {
  const words = [...new Set(wordsOf(fold(title ?? '')))].slice(0, MOST_WORDS);
  const telling = words.filter((word) => !CONNECTING.has(word));
  return telling.length === 0 ? words : telling;
}

/** Longer titles are descriptions. */
const MOST_WORDS = 40;

/** Words that only connect two names: `m/`, `med`, `&`, `feat.` */
const CONNECTING = new Set(['og', 'and', 'med', 'm', 'with', 'w', 'feat', 'ft']);
