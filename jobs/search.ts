/**
 * The search index of a calendar (B10). Computing it takes a sixth of a build's time, so a thread does it while the rows are written,
 * unless the calendar is small. The rows are the same.
 */
import { on } from 'node:events';
import { Worker } from 'node:worker_threads';
import { programPath } from '../src/package.ts';
import { INSERT_PART, INSERT_SHORT, PART, SEARCH_TABLES } from '../src/snapshot/search.ts';
import type { Writer } from '../src/snapshot/sqlite.ts';
import type { Calendar } from './records.ts';
import { createIndex, type IndexRows, type SearchedEvents } from './search/indexer.ts';

interface SearchIndexer {
  /** A JSON list of so many rows of `event`; all come in the order of their ordinals, one list at a time. */
  readonly take: (json: Buffer, count: number) => Promise<void>;
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
  let taken = 0;
  return {
    take: (json, count) => index.take({ json, names: Array.from({ length: count }, () => namesOf(taken++)) }),
    write: async (writer) => writeRows(writer, await index.finish()),
    close: index.close,
  };
}

type NamesOf = (event: number) => readonly string[];

/** Venues of the event's occurrences, organizers, and labels of its own categories. */
function namesIn({ venues, organizers, categories, events, occurrences }: Calendar): NamesOf {
  const venuesOf = events.map((): number[] => []);
  for (const [row, venue] of occurrences.venue.entries()) {
    const known = venuesOf[occurrences.event[row] ?? -1];
    if (venue !== -1 && known?.includes(venue) === false) known.push(venue);
  }
  const labels = categories.map(({ name_nb, name_en }) => `${name_nb}\n${name_en}`);
  return (ordinal) => {
    const event = events[ordinal];
    return [
      ...(venuesOf[ordinal] ?? []).map((venue) => venues[venue]?.name ?? ''),
      ...(event?.organizers ?? []).map((organizer) => organizers[organizer]?.name ?? ''),
      ...(event?.categories.slice(0, event.ownCategories) ?? []).map((category) => labels[category] ?? ''),
    ];
  };
}

interface Index {
  readonly take: (events: SearchedEvents) => Promise<void>;
  readonly finish: () => Promise<IndexRows>;
  readonly close: () => Promise<void>;
}

function indexHere(): Index {
  const index = createIndex();
  return {
    take: async (events) => index.take(events),
    finish: async () => index.finish(),
    close: async () => undefined,
  };
}

/** Messages to the thread: some events, and null after the last; and its answer to each. */
export type ToThread = SearchedEvents | null;
export type FromThread = IndexRows | null;

/** How many messages may be unanswered: texts that wait take memory. */
const AHEAD = 8;

function indexBeside(): Index {
  // Texts are short-lived: V8's 48 MB for such take 15 MB more, and no less time.
  const limits = { maxYoungGenerationSizeMb: 4 };
  const thread = new Worker(programPath('jobs/search/thread'), { resourceLimits: limits });
  const answers = on(thread, 'message', { close: ['exit'] });
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
    take: send,
    async finish() {
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
