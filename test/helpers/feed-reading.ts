/**
 * Reads documents of feeds in the test's own process, and writes cases of them as plain text. The marks in such texts:
 *
 * | mark | meaning | example |
 * | --- | --- | --- |
 * | `# ` | a case: the title of its test; JSON in it is the document, where no other follows | `# L1: should read an event` |
 * | `@ ` | settings of the feed | `@ {"language":"en"}` |
 * | `< ` | the path of the document, in place of its lines | `< fixtures/feed.ics` |
 * | none | a line of the document | `SUMMARY:Kor` |
 * | `= ` | an event that is read, in words (`wordsOf`) | `= Kor \| 2027-02-14 19:00` |
 * | `\|` | the next field of that event; at the beginning of a line, the event goes on | `\| venue: Brygga` |
 * | `+` | the next value of a field with several | `tags: Quiz + Kor` |
 * | `⏎` | a line break in a text of that event | `desc_nb: Kort ⏎ Langt` |
 * | `! ` | a finding: line, id, column, action, `expected` and `found` | `! 2 "f:1" Start: dropped record, …` |
 *
 * A line of a document that looks like a part of an expected event is an error: its `= ` was forgotten (`EVENT_FIELD`).
 */
import { readFileSync } from 'node:fs';
import type { Test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Feed } from '../../jobs/annexes/feeds/config.ts';
import { FeedProblem } from '../../jobs/annexes/feeds/feed-problem.ts';
import type { FeedLine } from '../../jobs/annexes/feeds/last-good.ts';
import type { FeedReader, ReadTask } from '../../jobs/annexes/feeds/reading.ts';
import { NOW } from './calendar.ts';

type Value = Readonly<Record<string, unknown>>;

export interface FeedContents {
  readonly counts: ReturnType<FeedReader>['counts'];
  readonly isComplete: boolean;
  readonly events: readonly Value[];
  readonly venues: readonly Value[];
  readonly organizers: readonly Value[];
  readonly feeds: readonly Value[];
  /** `2 "f:a" Start: dropped record, expected …, found …` */
  readonly findings: readonly string[];
}

/** Reads documents as those of feed `f`. Throws FeedProblem where the feed cannot be taken. */
export function readDocuments(
  reader: FeedReader,
  documents: string | Buffer | readonly { readonly origin: string | null; readonly bytes: Buffer | null }[],
  feed: Partial<Feed> = {},
): FeedContents {
  const lines: FeedLine[] = [];
  const task = taskOf(feed);
  const isOne = typeof documents === 'string' || Buffer.isBuffer(documents);
  const given = isOne ? [{ origin: null, bytes: Buffer.from(documents) }] : documents;
  const summary = reader(given, task, (line) => lines.push(line));
  const valuesOf = (list: string) =>
    lines.flatMap((line) => (line.list === list && 'value' in line ? [line.value] : []));
  return {
    ...summary,
    events: valuesOf('events'),
    venues: valuesOf('venues'),
    organizers: valuesOf('organizers'),
    feeds: valuesOf('feeds'),
    findings: lines.flatMap((line) => {
      if (line.list !== 'findings') return [];
      const { line: at, id, field, action, expected, found } = line;
      const where = [at, id === null ? null : JSON.stringify(id), field].filter((part) => part !== null);
      return [`${where.join(' ')}: ${action}, expected ${expected}, found ${found}`];
    }),
  };
}

/** The work of a reader of feed `f`; its documents are given to the reader itself. */
export function taskOf(feed: Partial<Feed> = {}): ReadTask {
  const settings = {
    language: 'nb' as const,
    defaults: {},
    map: {},
    categoryNames: {},
    keepIds: false,
    needsApproval: false,
    series: null,
    columns: {},
    format: null,
    sheet: null,
    timeZone: null,
    municipalities: null,
  };
  return {
    kind: 'csv',
    feed: { id: 'f', ...settings, ...feed },
    documents: [],
    now: NOW,
    horizonDay: 21_000,
    notes: [],
  };
}

interface Case {
  readonly title: string;
  readonly feed: Partial<Feed>;
  readonly document: string | Buffer;
  readonly words: readonly string[];
  readonly findings: readonly string[];
}

/** Cases as a text, one after the other. */
function casesOf(text: string): readonly Case[] {
  const blocks = text
    .replace(/\n\s*\| /g, ' | ')
    .split(/^# /m)
    .slice(1);
  return blocks.map((block) => {
    const [title = '', ...lines] = block.split('\n').map((line) => line.trim());
    const marked = (mark: string) => linesMarked(lines, mark);
    const [[settings = '{}'], [path]] = [marked('@'), marked('<')];
    const written = lines.filter((line) => line !== '' && !/^[@=!] /.test(line));
    const stray = written.find((line) => EVENT_FIELD.test(line));
    if (stray !== undefined) throw new Error(`${title}: expected "= " before an event, found ${stray}`);
    const document =
      path === undefined ? written.join('\n') || title.slice(title.indexOf('{')) : readFileSync(path);
    return { title, feed: JSON.parse(settings), document, words: marked('='), findings: marked('!') };
  });
}

/** The lines that begin with a mark and a blank, without these. */
export function linesMarked(lines: readonly string[], mark: string): readonly string[] {
  return lines.filter((line) => line.startsWith(`${mark} `)).map((line) => line.slice(2));
}

/** In an event as `wordsOf` writes it: a line with it is no line of a document, but part of an expected event. */
const EVENT_FIELD = / \| (?:[a-z]+_(?:nb|en)|tags|venue): /;

/**
 * Adds a test for each case of a text. It expects the events and findings of the case, and that each entry is counted; or, where the
 * reader refuses the document, the reason as the only finding.
 */
export function testReadings(test: Test, reader: FeedReader, text: string): void {
  for (const { title, feed, document, words, findings } of casesOf(text))
    test(title, () => {
      const reading = readOrRefusal(reader, document, feed);
      if (typeof reading === 'string') {
        assert.equal({ events: [], findings: [reading] }, { events: words, findings });
        return;
      }
      assert.equal({ events: wordsOf(reading), findings: reading.findings }, { events: words, findings });
      const { entries, events, merged, dropped } = reading.counts;
      assert.is(events + merged + dropped, entries, 'entries that are counted');
    });
}

/** What is read, or `reason: message` of a refusal. */
function readOrRefusal(
  reader: FeedReader,
  document: string | Buffer,
  feed: Partial<Feed>,
): FeedContents | string {
  try {
    return readDocuments(reader, document, feed);
  } catch (thrown) {
    if (!(thrown instanceof FeedProblem)) throw thrown;
    return `${thrown.reason}: ${thrown.message}`;
  }
}

/** The reason and message with which a reader refuses documents. Throws if it reads them. */
export function refusalOf(reader: FeedReader, document: string | Buffer, feed: Partial<Feed> = {}): string {
  const reading = readOrRefusal(reader, document, feed);
  if (typeof reading !== 'string') throw new Error('expected a refusal, found that the document was read');
  return reading;
}

type Records = Pick<FeedContents, 'events'> & Partial<FeedContents>;

/** Each event in words: `Kor | 2027-02-14 19:00 to 2027-02-14 21:00 | venue: Brygga, Havnegata 2 | tags: Quiz + Kor`. */
export function wordsOf({ events, venues = [], organizers = [] }: Records): readonly string[] {
  const places = new Map(
    [...venues, ...organizers].map(({ id, ...more }) => [id, Object.values(more).join(', ')]),
  );
  const textOf = (value: unknown): string => {
    if (Array.isArray(value)) return value.map(textOf).join(' + ') || 'none';
    if (typeof value === 'object' && value !== null)
      return [...new Set(Object.values(value))].map(String).join(' ');
    return places.get(value) ?? String(value).replaceAll('\n', ' ⏎ ');
  };
  return events.map(({ id, title_nb, dates, repeats = [], ...more }) => {
    const when = [dates, repeats].flatMap((list) => dateTexts(list, textOf)).join(', ');
    const others = Object.entries(more).map(([field, value]) => `${field}: ${textOf(value)}`);
    return [...(title_nb === undefined ? [] : [title_nb]), when, ...others].join(' | ');
  });
}

/** Dates of a record in words: `2027-02-14 19:00 to 2027-02-14 21:30`, `2027-02-14 19:00 for 90 min`. */
export function datesIn({ dates }: Value): readonly string[] {
  return dateTexts(dates, JSON.stringify);
}

function dateTexts(dates: unknown, textOf: (value: unknown) => string): readonly string[] {
  if (!Array.isArray(dates)) return [];
  return dates.map(({ start, end, duration, ...more }: Value) => {
    const until = end === undefined ? '' : ` to ${end}`;
    const length = duration === undefined || end !== undefined ? '' : ` for ${duration} min`;
    const others = Object.entries(more).map(([field, value]) => ` ${field}=${textOf(value)}`);
    return `${start}${until}${length}${others.join('')}`;
  });
}
