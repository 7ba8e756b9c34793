/** Feeds that are documents, from the web or from files: calendars, tables, pages. */
import { createHash } from 'node:crypto';
import { type DocumentKind, rulesOf } from './config.ts';
import type { Validator, Validators } from './feed-state.ts';
import { createBudget, fetchFeed, keyHeader, refusedStatus, validatorOf } from './fetch.ts';
import { FeedProblem } from './health.ts';
import type { LastGood, NewFinding } from './last-good.ts';
import { type Ask, readListing } from './listing.ts';
import type { Readers } from './reader-process.ts';
import type { FeedDocument, FetchedDocument } from './reading.ts';
import type { Importer, ImportRequest } from './refresh.ts';
import { readSourceFile } from './source-file.ts';

/** For each kind, the `Accept` header and the expected content. */
const KINDS = {
  ical: { accept: 'text/calendar, */*;q=0.5', expected: 'a calendar' },
  csv: { accept: 'text/csv, */*;q=0.5', expected: 'a table' },
  jsonld: { accept: 'text/html, application/ld+json, */*;q=0.5', expected: 'a page' },
} as const satisfies Readonly<Record<DocumentKind, object>>;

export function documentImporter(kind: DocumentKind, readers: Readers): Importer {
  return async (request) => {
    const { feed, world, lastState, before, draft: output, now, horizonDay } = request;
    const found = await readAll(request, kind);
    if (found === null) return null;
    const { read, validators, notes } = found;
    const present = read.flatMap(({ url, bytes }) => (bytes === null ? [] : [{ url, bytes }]));
    if (present.every(({ bytes }) => bytes.length === 0))
      throw new FeedProblem('empty', `expected ${KINDS[kind].expected}, found nothing`);
    for (const { bytes } of present) refuseOthers(kind, bytes);
    const source = hashOfDocuments(read);
    // Many servers ignore conditional requests.
    if (source === lastState?.source) return null;
    const documents = read.map(documentOf);
    const ids = kind === 'ical' ? ((await before?.ids()) ?? []) : [];
    const series = feed.series === 'title' && before !== null ? await seriesIn(before) : [];
    const task = { kind, feed: rulesOf(feed), documents, notes, ids, series, now, horizonDay };
    await readers.read({ ...task, output }, world.signal);
    const bytes = present.reduce((sum, document) => sum + document.bytes.length, 0);
    return { source, bytes, validators };
  };
}

async function seriesIn({ merged }: LastGood): Promise<readonly string[]> {
  const ids = new Set<string>();
  for await (const { survivor } of merged()) ids.add(survivor);
  return [...ids];
}

/** Without its whole address, which may be a secret. */
function documentOf({ url, bytes, role }: FetchedDocument): FeedDocument {
  const { origin = null, pathname } = url === null ? {} : new URL(url);
  return { origin, bytes, role, path: role === undefined ? undefined : pathname };
}

/** Null if nothing has changed, as far as servers say. */
async function readAll(request: ImportRequest, kind: DocumentKind): Promise<Found | null> {
  const { feed, world } = request;
  const urls = feed.url === null ? feed.pages : [feed.url];
  if (urls.length === 0) {
    const bytes = await readSourceFile(feed, world);
    return { read: [{ url: null, bytes, validator: null }], validators: {}, notes: [] };
  }
  const budget = createBudget(feed.limits);
  const ask: Ask = async (url, validator) => {
    const read = await fetchDocument(request, { url, validator, accept: KINDS[kind].accept });
    budget.take(read?.bytes?.length ?? 0);
    return read;
  };
  if (feed.follow === null) return readUrls(urls, request.lastState, ask);
  const listing = await readListing(request, ask);
  if (listing === null) return null;
  const { read, validator, notes } = listing;
  return { read, validators: { ...validatorsOf(read.slice(0, 1)), links: validator }, notes };
}

interface Found {
  readonly read: readonly FetchedDocument[];
  readonly validators: Validators;
  /** Findings about documents that were not read. */
  readonly notes: readonly NewFinding[];
}

async function readUrls(
  urls: readonly string[],
  lastState: ImportRequest['lastState'],
  ask: Ask,
): Promise<Found | null> {
  const answers: (FetchedDocument | null)[] = [];
  for (const [index, url] of urls.entries())
    answers.push(await ask(url, lastState?.validators[nameOf(index)]));
  if (answers.every((answer) => answer === null)) return null;
  const read: FetchedDocument[] = [];
  // Unchanged pages are needed, too, if another page has changed.
  for (const [index, url] of urls.entries()) {
    const answer = answers[index] ?? (await ask(url, undefined));
    if (answer !== null) read.push(answer);
  }
  if (read.every(({ bytes }) => bytes === null))
    throw new FeedProblem('HTTP status', `expected at least one of ${urls.length} pages, found none`);
  return { read, validators: validatorsOf(read), notes: [] };
}

interface DocumentRequest {
  readonly url: string;
  readonly validator: Validator | undefined;
  readonly accept: string;
}

/** Null if the server says that nothing has changed, or that a page is still gone. */
async function fetchDocument(
  { feed, world }: ImportRequest,
  { url, validator, accept }: DocumentRequest,
): Promise<FetchedDocument | null> {
  const headers = {
    accept,
    ...keyHeader(feed, world),
    ...(validator?.etag ? { 'if-none-match': validator.etag } : {}),
    ...(validator?.lastModified ? { 'if-modified-since': validator.lastModified } : {}),
  };
  const answer = await fetchFeed(world, { url, headers, limits: feed.limits });
  if (answer.status === 304 && validator !== undefined) return null;
  // Pages of events are removed one by one, and the others continue.
  const isOneOfMany = feed.pages.length > 1 || url !== feed.url;
  if (isOneOfMany && GONE.has(answer.status))
    return validator?.isGone === true ? null : { url, bytes: null, validator: GONE_PAGE };
  if (answer.status < 200 || answer.status > 299) throw refusedStatus(new URL(url).host, answer);
  return { url, bytes: answer.body, validator: validatorOf(answer.headers) };
}

const GONE = new Set([404, 410]);
const GONE_PAGE: Validator = { etag: null, lastModified: null, isGone: true };

function nameOf(index: number): string {
  return index === 0 ? 'feed' : `page ${index}`;
}

function validatorsOf(read: readonly FetchedDocument[]): Validators {
  return Object.fromEntries(
    read.flatMap(({ validator }, index) => (validator === null ? [] : [[nameOf(index), validator]])),
  );
}

function hashOfDocuments(read: readonly FetchedDocument[]): string {
  const hash = createHash('sha256');
  for (const { bytes } of read) {
    if (read.length > 1) hash.update(`${bytes?.length ?? 'gone'}\n`);
    hash.update(bytes ?? '');
  }
  return hash.digest('hex');
}

/** A page instead of a calendar or a table is a login page; a workbook is a table that was not saved as CSV. */
function refuseOthers(kind: DocumentKind, bytes: Buffer): void {
  const isMarkup = /^\s*</.test(bytes.toString('latin1', 0, 200).replace(/^\xef\xbb\xbf/, ''));
  if (kind === 'ical' && isMarkup)
    throw new FeedProblem('not a calendar', 'expected BEGIN:VCALENDAR, found HTML or XML');
  if (kind === 'csv' && isMarkup) throw notTable('HTML or XML; is it published as CSV?');
  if (kind === 'csv' && WORKBOOKS.has(bytes.toString('latin1', 0, 4)))
    throw notTable('a workbook; save it as CSV');
}

function notTable(found: string): FeedProblem {
  return new FeedProblem('unreadable answer', `expected a table as CSV, found ${found}`);
}

/** First bytes of .xlsx and .ods (both ZIP) and .xls files. */
const WORKBOOKS = new Set(['PK\x03\x04', '\xd0\xcf\x11\xe0']);
