/**
 * The search index of a calendar (B10). Computing it takes a sixth of a build's time, so a thread does it while the rows are written,
 * unless the calendar is small. The rows are the same.
 */
import { on } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { EventFields } from '../src/calendar/model.ts';
import { programPath } from '../src/package.ts';
import { INSERT_PART, INSERT_SHORT, PART, SEARCH_TABLES } from '../src/snapshot/search.ts';
import type { Writer } from '../src/snapshot/sqlite.ts';
import type { Calendar } from './records.ts';
import { createIndex, type EventTerms, type IndexRows } from './search/indexer.ts';

interface SearchIndexer {
  /** Events come in the order of their ordinals, one at a time. */
  readonly take: (event: number, fields: EventFields) => Promise<void>;
  /** Called once, after all events. */
  readonly write: (writer: Writer) => Promise<void>;
  readonly close: () => Promise<void>;
}

/** Events from which a thread is worth its start, which takes 40 ms. */
const MANY = 2_000;
/** Node's threads cannot load TypeScript: run from its sources, a build indexes in its own thread. */
const HAS_THREAD = !import.meta.url.endsWith('.ts');

export function createSearchIndexer(calendar: Calendar): SearchIndexer {
  const index = HAS_THREAD && calendar.events.length >= MANY ? indexBeside() : indexHere();
  const namesOf = namesIn(calendar);
  return {
    take: (event, fields) => {
      const { title_nb, title_en, desc_nb, desc_en, tags } = fields;
      return index.take({
        titles: [title_nb ?? '', title_en ?? ''],
        descriptions: [desc_nb ?? '', desc_en ?? ''],
        elsewhere: [...tags, ...namesOf(event, fields)],
      });
    },
    write: async (writer) => writeRows(writer, await index.finish()),
    close: index.close,
  };
}

type NamesOf = (event: number, fields: EventFields) => readonly string[];

/** Venues of the event's occurrences, organizers, and labels of its own categories. */
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

interface Index {
  readonly take: (terms: EventTerms) => Promise<void>;
  readonly finish: () => Promise<IndexRows>;
  readonly close: () => Promise<void>;
}

function indexHere(): Index {
  const index = createIndex();
  return {
    take: async (terms) => index.take(terms),
    finish: async () => index.finish(),
    close: async () => undefined,
  };
}

/** Messages to the thread: some events, and null after the last; and its answer to each. */
export type ToThread = readonly EventTerms[] | null;
export type FromThread = IndexRows | null;

/** UTF-16 units of a message, and how many messages may be unanswered: texts that wait take memory. */
const BATCH = 200_000;
const AHEAD = 8;

function indexBeside(): Index {
  // Texts are short-lived: V8's 48 MB for such take 15 MB more, and no less time.
  const limits = { maxYoungGenerationSizeMb: 4 };
  const thread = new Worker(programPath('jobs/search/thread'), { resourceLimits: limits });
  const answers = on(thread, 'message', { close: ['exit'] });
  let batch: EventTerms[] = [];
  let length = 0;
  let unanswered = 0;
  const answer = async (): Promise<FromThread> => {
    const { value, done } = await answers.next();
    if (done === true) throw new Error('expected an index of the texts, found its thread ended');
    unanswered--;
    return value[0];
  };
  const send = async (message: ToThread): Promise<void> => {
    if (unanswered === AHEAD) await answer();
    thread.postMessage(message);
    unanswered++;
  };
  return {
    async take(terms) {
      batch.push(terms);
      for (const texts of [terms.titles, terms.descriptions]) for (const text of texts) length += text.length;
      if (length < BATCH) return;
      const full = batch;
      batch = [];
      length = 0;
      await send(full);
    },
    async finish() {
      await send(batch);
      await send(null);
      for (let rows = await answer(); ; rows = await answer()) if (rows !== null) return rows;
    },
    async close() {
      await thread.terminate();
    },
  };
}

async function writeRows(writer: Writer, { parts, short }: IndexRows): Promise<void> {
  await writer.exec(SEARCH_TABLES);
  for (const [column, bytes] of parts) {
    // An empty column has a part, too: the reader expects every column.
    for (let at = 0; at === 0 || at < bytes.length; at += PART) {
      await writer.run(INSERT_PART, [column, at / PART, bytes.subarray(at, at + PART)]);
    }
  }
  for (const { key, encoding, bytes } of short) await writer.run(INSERT_SHORT, [key, encoding, bytes]);
}
