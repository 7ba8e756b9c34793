/** The search index of a calendar (B10): which events hold which words, worked out ahead of time, as tables. */
import { stripMarkup } from '../src/calendar/markup.ts';
import type { EventFields } from '../src/calendar/model.ts';
import type { Lexicon } from '../src/snapshot/lexicon.ts';
import { columnsOf, INSERT_PART, INSERT_SHORT, PART, SEARCH_TABLES } from '../src/snapshot/search.ts';
import type { Writer } from '../src/snapshot/sqlite.ts';
import type { Calendar } from './records.ts';
import { createCollector } from './search/collector.ts';
import { shortSets } from './search/short-sets.ts';

export interface SearchIndexer {
  /** Events come in the order of their ordinals. */
  readonly take: (event: number, fields: EventFields) => void;
  /** Once, when all events have been taken. */
  readonly write: (writer: Writer) => Promise<void>;
}

export function createSearchIndexer(calendar: Calendar): SearchIndexer {
  const collector = createCollector();
  const namesOf = namesIn(calendar);

  function take(event: number, fields: EventFields): void {
    for (const text of ownTexts(fields)) collector.add(text, event, false);
    for (const text of fields.tags) collector.add(text, event, true);
    for (const text of namesOf(event, fields)) collector.add(text, event, true);
  }

  async function write(writer: Writer): Promise<void> {
    const { words, parts } = collector.finish();
    await writer.exec(SEARCH_TABLES);
    await writeLexicon(writer, 'words', words);
    await writeLexicon(writer, 'parts', parts);
    for (const { code, form, bytes } of shortSets({ words, parts, events: calendar.events.length })) {
      await writer.run(INSERT_SHORT, [code, form, bytes]);
    }
  }

  return { take, write };
}

/** For callers that do not read the events anyway. */
export async function writeSearch(writer: Writer, calendar: Calendar): Promise<void> {
  const { take, write } = createSearchIndexer(calendar);
  for (let event = 0; event < calendar.events.length; event++) take(event, calendar.read(event).fields);
  await write(writer);
}

/** What the approximate step reads as well. */
function ownTexts({ title_nb, title_en, desc_nb, desc_en }: EventFields): readonly string[] {
  return [title_nb ?? '', title_en ?? '', stripMarkup(desc_nb ?? ''), stripMarkup(desc_en ?? '')];
}

type NamesOf = (event: number, fields: EventFields) => readonly string[];

/** Venues of the event's occurrences, organizers, and labels of the categories that it carries itself. */
function namesIn({ venues, organizers, categories, events, occurrences }: Calendar): NamesOf {
  const venuesOf = events.map((): number[] => []);
  for (const [row, venue] of occurrences.venue.entries()) {
    const known = venuesOf[occurrences.event[row] ?? -1];
    if (venue !== -1 && known?.includes(venue) === false) known.push(venue);
  }
  const organizerNames = new Map(organizers.map(({ id, name }) => [id, name]));
  const labels = new Map(categories.map(({ id, name_nb, name_en }) => [id, `${name_nb}\n${name_en}`]));
  return (event, fields) => [
    ...(venuesOf[event] ?? []).map((venue) => venues[venue]?.name ?? ''),
    ...fields.organizers.map((id) => organizerNames.get(id) ?? ''),
    ...fields.categories.map((id) => labels.get(id) ?? ''),
  ];
}

async function writeLexicon(writer: Writer, name: string, lexicon: Lexicon): Promise<void> {
  for (const [column, bytes] of columnsOf(name, lexicon)) {
    // An empty column has a part, too: the reader expects every column.
    for (let at = 0; at === 0 || at < bytes.length; at += PART) {
      await writer.run(INSERT_PART, [column, at / PART, bytes.subarray(at, at + PART)]);
    }
  }
}
