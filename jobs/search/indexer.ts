/** The search index of a calendar (B10): which events hold which words, worked out ahead of time, as tables. */
import { stripMarkup } from '../../src/calendar/markup.ts';
import type { EventFields } from '../../src/calendar/model.ts';
import { fold, isWord, partsOf, wordsOf } from '../../src/calendar/text.ts';
import type { Lexicon } from '../../src/snapshot/lexicon.ts';
import { columnsOf, INSERT_PART, INSERT_SHORT, PART, SEARCH_TABLES } from '../../src/snapshot/search.ts';
import type { Writer } from '../../src/snapshot/sqlite.ts';
import type { Calendar } from '../records.ts';
import { createLexiconBuilder } from './lexicon-builder.ts';
import { shortSets } from './short-needles.ts';
import { rememberTokens } from './tokens.ts';

interface SearchIndexer {
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
    for (const { key, encoding, bytes } of shortSets({ words, parts, events: calendar.events.length })) {
      await writer.run(INSERT_SHORT, [key, encoding, bytes]);
    }
  }

  return { take, write };
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

/** Takes texts apart into entries of the two lexicons. */
interface Collector {
  /** Events come in ascending order, and the titles and descriptions of each before what is elsewhere. */
  readonly add: (text: string, event: number, elsewhere: boolean) => void;
  readonly finish: () => { readonly words: Lexicon; readonly parts: Lexicon };
}

/** Entries of a token that is more than one word. */
interface Compound {
  readonly words: readonly number[];
  readonly parts: readonly number[];
}

function createCollector(): Collector {
  const words = createLexiconBuilder();
  const parts = createLexiconBuilder();
  const compounds: Compound[] = [];
  /** By folded token. */
  const compoundOf = new Map<string, number>();

  /** An entry among the words, or the complement of a place among the compounds. */
  function entriesOf(token: string): number {
    // Folding does not reach over white space, so that each token can be folded by itself.
    const folded = fold(token);
    if (isWord(folded)) return words.entryOf(detached(folded));
    const known = compoundOf.get(folded);
    if (known !== undefined) return ~known;
    const text = detached(folded);
    const found = partsOf(text);
    compoundOf.set(text, compounds.length);
    const compound = {
      words: found.flatMap(wordsOf).map(words.entryOf),
      parts: found.filter((part) => !isWord(part)).map(parts.entryOf),
    };
    return ~(compounds.push(compound) - 1);
  }

  const eachToken = rememberTokens(entriesOf);

  function add(text: string, event: number, elsewhere: boolean): void {
    eachToken(text, (known) => {
      if (known >= 0) words.add(known, event, elsewhere);
      else addCompound(compounds[~known] as Compound, event, elsewhere);
    });
  }

  function addCompound(compound: Compound, event: number, elsewhere: boolean): void {
    for (const word of compound.words) words.add(word, event, elsewhere);
    for (const part of compound.parts) parts.add(part, event, elsewhere);
  }

  return { add, finish: () => ({ words: words.finish(), parts: parts.finish() }) };
}

/** A copy of its own: a slice may be a view that keeps the whole text in memory. */
function detached(slice: string): string {
  return Buffer.from(slice).toString();
}
