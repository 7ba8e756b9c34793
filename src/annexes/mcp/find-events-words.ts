/** What the tool `find_events` says, in words (I14). */
import { inEach, type Language } from '../page/reader.ts';
import { dotted, type EventEntry } from './entry.ts';
import type { Position } from './position.ts';

export interface Found {
  readonly entries: readonly EventEntry[];
  readonly total: number;
  /** Entries that earlier answers had. */
  readonly skip: number;
  readonly from: Partial<Position>;
  readonly hints: readonly string[];
  readonly approximate: boolean;
  readonly language: Language;
}

/** The answer for people: these entries of what was found, and how to get the rest. */
export function wordsOf(
  { total, skip, hints, approximate, language }: Found,
  entries: readonly EventEntry[],
  next: string | null,
): string {
  const texts = TEXTS[language];
  const isCut = entries.length > 0 && entries.length < total;
  const range = isCut ? ` ${texts.range(skip + 1, skip + entries.length)}` : '';
  const paragraphs = [
    total === 0 ? texts.none : `${texts.counted(total)}${range}`,
    approximate && total > 0 ? texts.similar : null,
    ...hints,
    ...entries.map((entry, index) => wordsOfEntry(entry, skip + index + 1, language)),
    next === null ? null : texts.rest(total - skip - entries.length, next),
  ];
  return paragraphs.filter((paragraph) => paragraph !== null).join('\n\n');
}

function wordsOfEntry(entry: EventEntry, number: number, language: Language): string {
  const { title, when, place, state, price, ages, summary, link, laterDates } = entry;
  const prefix = state === null ? '' : `${state.toUpperCase()}: `;
  const later = laterDates === 0 ? null : TEXTS[language].later(laterDates);
  const lines = [
    `${number}. ${prefix}${title}`,
    dotted([when, later]),
    dotted([place, price, ages]),
    summary,
    link,
  ];
  return lines.filter(Boolean).join('\n');
}

const TEXTS = inEach({
  none: [
    'Ingen treff. Fjern et filter, bruk færre ord, eller se hva som finnes med list_choices.',
    'Nothing found. Remove a filter, use fewer words, or list the available values with list_choices.',
    'Ingen treff. Fjern eit filter, bruk færre ord, eller sjå kva som finst med list_choices.',
  ],
  counted: [
    (total: number) => `${total} treff.`,
    (total: number) => `${total} found.`,
    (total: number) => `${total} treff.`,
  ],
  range: [
    (first: number, last: number) => `Her er ${first}–${last}.`,
    (first: number, last: number) => `Showing ${first}–${last}.`,
    (first: number, last: number) => `Her er ${first}–${last}.`,
  ],
  similar: [
    'Ingen har akkurat disse ordene. Disse ligner.',
    'No event contains exactly these words. These are similar.',
    'Ingen har akkurat desse orda. Desse liknar.',
  ],
  later: [
    (count: number) => (count === 1 ? '1 dato til' : `${count} datoer til`),
    (count: number) => (count === 1 ? '1 more date' : `${count} more dates`),
    (count: number) => (count === 1 ? '1 dato til' : `${count} datoar til`),
  ],
  rest: [
    (count: number, next: string) =>
      `${count} til: spør på nytt med de samme argumentene og "from": ${JSON.stringify(next)}.`,
    (count: number, next: string) =>
      `${count} more: ask again with the same arguments and "from": ${JSON.stringify(next)}.`,
    (count: number, next: string) =>
      `${count} til: spør på nytt med dei same argumenta og "from": ${JSON.stringify(next)}.`,
  ],
});
