/**
 * H7: verifies a snapshot from elsewhere to its last text. The file may have the right SHA-256 and still hold anything: a server reads
 * its texts and posting lists without looking again. Its other values are checked before any server adopts a file.
 */
import { type Holds, isText, orNull, parsedJson } from '../../../src/calendar/json.ts';
import { OLDER_DATE_FIELDS, OLDER_EVENT_FIELDS, OLDER_IMAGE_FIELDS } from '../../../src/calendar/model.ts';
import { ABSENT, type Columns } from '../../../src/snapshot/columns.ts';
import { unusable } from '../../../src/snapshot/format.ts';
import {
  ALL_IMAGE_PARTS,
  EVENT_SCALARS,
  FRAGMENT_SQL,
  FRAGMENT_HOLDS as HOLDS,
  LISTS_BEHIND,
  PRICE_PARTS,
  readFragment,
} from '../../../src/snapshot/fragments.ts';
import { eachPostingIn, type PostingLists, startOf } from '../../../src/snapshot/lexicon.ts';
import type { Snapshot } from '../../../src/snapshot/open.ts';
import type { SearchIndex } from '../../../src/snapshot/search.ts';
import { bytesOf, integerOf, textOf } from '../../../src/snapshot/sqlite.ts';
import {
  checkIntegrity,
  type Expected,
  type VerifiedFile,
  verifyFile,
} from '../../../src/snapshot/verify.ts';

/** Throws SNAPSHOT_UNUSABLE. */
export function verifyStranger(path: string, expected: Expected): Promise<VerifiedFile> {
  const check = async (snapshot: Snapshot) => {
    await checkIntegrity(snapshot);
    await checkRows(snapshot);
    await checkTexts(snapshot);
    await checkPostings(snapshot.searchIndex, snapshot.query, snapshot.meta.counts.events);
  };
  return verifyFile(path, expected, { check });
}

/** H7: there is exactly one row, of the right kind, for each number that requests use. */
async function checkRows({ query, meta }: Snapshot): Promise<void> {
  const { events } = meta.counts;
  const [found] = await query(ROWS, [2 * 4 * Math.ceil(events / 32)], (row) => ({
    events: integerOf(row, 'events'),
    wrongSets: integerOf(row, 'wrong_sets'),
  }));
  if (found?.events !== events || found.wrongSets !== 0) {
    const wanted = JSON.stringify({ events, wrongSets: 0 });
    throw new Error(`expected rows ${wanted}, found ${JSON.stringify(found)}`);
  }
  const [page] = await query(PAGE, [], (row) => integerOf(row, 'bytes'));
  if (page === undefined || page > LARGEST_PAGE) {
    throw new Error(`expected at most ${LARGEST_PAGE} bytes of a page, found ${page}`);
  }
  const values = await query('select key, value from meta', [], (row) => ({
    key: textOf(row, 'key'),
    value: textOf(row, 'value'),
  }));
  const noJson = values.find(({ key, value }) => JSON_META.has(key) && parsedJson(value) === undefined);
  if (noJson !== undefined) throw new Error(`meta.${noJson.key}: expected JSON`);
}

const ROWS = `select (select count(*) from event where ordinal >= 0) as events,
  (select count(*) from search_short where typeof(events) <> 'blob' or encoding not in ('list', 'bits')
    or (encoding = 'bits' and length(events) <> ?)) as wrong_sets`;

/** Bytes of the 1,000 longest events. */
const PAGE = `select coalesce(sum(bytes), 0) as bytes from
  (select octet_length(${FRAGMENT_SQL}) as bytes from event
    order by bytes desc limit 1000)`;

/** Bytes of a page of 1,000 events. */
const LARGEST_PAGE = 256 * 1024 * 1024;

const JSON_META: ReadonlySet<string> = new Set([
  'changes',
  'counts',
  'feeds',
  'ledger',
  'licence',
  'notices',
  'report',
]);

/** Events that are read at a time. */
const BATCH = 256;

/** H7: checks the texts, which go into answers unchanged. */
async function checkTexts({ columns, meta, eventBodies }: Snapshot): Promise<void> {
  const { events } = meta.counts;
  for (let from = 0; from < events; from += BATCH) {
    const ordinals = Array.from({ length: Math.min(BATCH, events - from) }, (_, at) => from + at);
    const bodies = await eventBodies(ordinals);
    for (const [at, body] of bodies.entries()) checkFragment(body, columns, from + at);
  }
}

/** H7: throws SNAPSHOT_UNUSABLE unless each value of an event's fragment is JSON of its kind; some 10 µs. */
function checkFragment(body: string, columns: Columns, event: number): void {
  const { scalars, images, prices, ticketsURLs, priceLists, older, olderTexts } = readFragment(body);
  const refuse = (what: string, found = 'nothing'): never => {
    throw unusable(`event ${event}`, `${what} as JSON of its kind`, found.slice(0, 60));
  };
  const check = (what: string, holds: Holds, text: string | undefined) => {
    if (text === undefined || !holds(parsedJson(text))) refuse(what, text);
  };
  if (scalars.length !== HOLDS.scalars.length + LISTS_BEHIND) refuse('fields', `${scalars.length} lines`);
  for (const [at, holds] of HOLDS.scalars.entries()) check(`${EVENT_SCALARS[at]}`, holds, scalars[at]);
  for (const image of images) {
    if (image.length !== LEAST_IMAGE_PARTS && image.length !== ALL_IMAGE_PARTS.length) {
      refuse('an image', image.join());
    }
    for (const [at, part] of image.entries()) {
      check(`an image's ${ALL_IMAGE_PARTS[at]}`, HOLDS.image[at] ?? textOrNull, part);
    }
  }
  if (older.length > 0 && older.length !== OLDER_EVENT_FIELDS.length) refuse('older fields', older.join());
  for (const texts of olderTexts) {
    if (texts.length !== OLDER_DATE_FIELDS.length) refuse('older fields of a date', texts.join());
  }
  for (const text of [...older, ...olderTexts.flat()]) check('an older field', textOrNull, text);
  for (const price of [prices, ...priceLists].flat()) {
    if (price.length !== PRICE_PARTS.length) refuse('a price', price.join());
    for (const [at, name] of PRICE_PARTS.entries())
      check(`a price's ${name}`, HOLDS.price[at] ?? textOrNull, price[at]);
  }
  for (const url of ticketsURLs) check('a ticketsURL', isText, url);
  const { occurrences, occurrencesAt } = columns;
  for (const row of occurrences.subarray(occurrencesAt[event], occurrencesAt[event + 1])) {
    if (!isPlaceIn(ticketsURLs, columns.ticketsURL[row])) refuse('ticketsURL of an occurrence');
    if (!isPlaceIn(priceLists, columns.prices[row])) refuse('prices of an occurrence');
    if (!isPlaceIn(olderTexts, columns.olderTexts[row])) refuse('older fields of an occurrence');
  }
}

const textOrNull = orNull(isText);
/** Without the fields for older clients. */
const LEAST_IMAGE_PARTS = ALL_IMAGE_PARTS.length - OLDER_IMAGE_FIELDS.length;

function isPlaceIn(list: readonly unknown[], place: number | undefined): boolean {
  return place === ABSENT || (place ?? 0) < list.length;
}

/** H7: checks that every posting refers to an existing event or entry. Follows all of them: 50 ms for each 30 MB. */
async function checkPostings(
  { words, parts }: SearchIndex,
  query: Snapshot['query'],
  events: number,
): Promise<void> {
  for (const [name, lexicon] of Object.entries({ words, parts })) {
    checkLists(`${name}.events`, lexicon.events, 2 * events);
    checkLists(`${name}.trigramEntries`, lexicon.trigramEntries, lexicon.ends.length);
  }
  const lists = await query(
    "select key, encoding, events from search_short where encoding = 'list'",
    [],
    (row) => ({
      key: integerOf(row, 'key'),
      bytes: bytesOf(row, 'events'),
    }),
  );
  for (const { key, bytes } of lists) checkList(`search_short ${key}`, bytes, [0, bytes.length, 2 * events]);
}

function checkLists(name: string, { ends, bytes }: PostingLists, end: number): void {
  for (let list = 0; list < ends.length; list++) {
    checkList(name, bytes, [startOf(ends, list), ends[list] as number, end]);
  }
}

function checkList(
  name: string,
  bytes: Uint8Array,
  [from, to, end]: readonly [from: number, to: number, end: number],
): void {
  const last = bytes[to - 1] ?? 0;
  if (to > from && last > 0x7f)
    throw unusable(`search_part ${name}`, 'whole numbers', `half of one at ${to - 1}`);
  eachPostingIn(bytes, from, to, (value) => {
    if (value < 0 || value >= end) throw unusable(`search_part ${name}`, `numbers below ${end}`, value);
  });
}
