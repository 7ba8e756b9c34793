/** Feeds that are documents, from the web or from files: calendars, tables, pages. */
import { createHash } from 'node:crypto';
import { failureText } from '../../../src/calendar/failures.ts';
import { rulesOf } from './config.ts';
import { FeedProblem } from './feed-problem.ts';
import type { Validator, Validators } from './feed-state.ts';
import { fetchFeed, keyHeader, refusedStatus, validatorOf } from './fetch.ts';
import { type Content, contentOf, type DocumentKind, isSheet } from './kinds.ts';
import type { LastGood, NewFinding } from './last-good.ts';
import type { Readers } from './reader-pool.ts';
import type {
  Ask,
  FeedDocument,
  FetchedDocument,
  FollowedPage,
  Listing,
  ReadTask,
  Requests,
} from './reading.ts';
import type { Importer, ImportRequest } from './refresh.ts';
import { createRequestBudget } from './request-budget.ts';
import { readSourceFile } from './source-file.ts';
import { placesIn } from './venue-ids.ts';

/** The header `Accept` of requests. */
export const ACCEPT: Readonly<Record<Content, string>> = {
  calendar: 'text/calendar, */*;q=0.5',
  table:
    'text/csv, text/tab-separated-values, application/vnd.openxmlformats-officedocument.spreadsheetml.sheet, */*;q=0.5',
  page: 'text/html, application/ld+json, */*;q=0.5',
};

/** The pages of a feed that follows links. Null if nothing is new. Throws FeedProblem if they cannot be used. */
export type ReadListing = (
  page: FollowedPage,
  request: ImportRequest,
  requests: Requests,
) => Promise<Listing | null>;

/** The importer of a kind of document. `readers`: the processes that read the bytes. `readListing`: for a kind whose feeds may follow links. */
export function documentImporter(kind: DocumentKind, readers: Readers, readListing?: ReadListing): Importer {
  return async (request) => {
    const fetched = await fetchChanged(request, kind, readListing);
    if (fetched === null) return null;
    const { documents, validators } = fetched;
    refuseOtherContent(kind, documents);
    const source = hashOf(fetched);
    // Many servers ignore conditional requests.
    if (source === request.lastState?.source) return { isUnchanged: true, validators };
    const task = await taskOf(kind, fetched, request);
    await readers.read({ ...task, output: request.draft }, request.fetchContext.signal);
    const bytes = documents.reduce((sum, document) => sum + (document.bytes?.length ?? 0), 0);
    return { source, bytes, validators };
  };
}

/** The documents of a feed, as they were fetched. */
interface FetchedDocuments {
  readonly documents: readonly FetchedDocument[];
  readonly validators: Validators;
  /** Findings about documents that were not fetched, or are copies of earlier ones. */
  readonly notes: readonly NewFinding[];
}

async function taskOf(
  kind: DocumentKind,
  { documents, notes }: FetchedDocuments,
  { feed, before, now, horizonDay }: ImportRequest,
): Promise<ReadTask> {
  const hasIds = kind === 'ical' || kind === 'csv';
  const ids = hasIds && before !== null ? await before.ids() : [];
  const series = feed.series === 'title' && before !== null ? await seriesIn(before) : [];
  const places = !isSheet(kind) && before !== null ? await placesIn(feed.id, before) : [];
  return {
    kind,
    feed: rulesOf(feed),
    documents: documents.map(withoutAddress),
    notes,
    ids,
    series,
    places,
    now,
    horizonDay,
  };
}

/** The ids of the series by title. */
async function seriesIn({ mergedIds }: LastGood): Promise<readonly string[]> {
  const ids = new Set<string>();
  for await (const { survivor } of mergedIds()) ids.add(survivor);
  return [...ids];
}

/** A document without its whole address, which may be a secret. */
function withoutAddress({ url, bytes, role }: FetchedDocument): FeedDocument {
  const { origin = null, pathname } = url === null ? {} : new URL(url);
  return { origin, bytes, role, path: role === undefined ? undefined : pathname };
}

/** Null if nothing has changed, as far as servers say. */
async function fetchChanged(
  request: ImportRequest,
  kind: DocumentKind,
  readListing: ReadListing | undefined,
): Promise<FetchedDocuments | null> {
  const { feed, fetchContext, lastState } = request;
  const { follow } = feed;
  const urls = feed.url === null ? feed.pages : [feed.url];
  if (urls.length === 0) {
    const bytes = await readSourceFile(feed, fetchContext);
    return { documents: [{ url: null, bytes, validator: null }], validators: {}, notes: [] };
  }
  const budget = createRequestBudget(feed.limits);
  const accept = ACCEPT[contentOf(kind)];
  const ask: Ask = (url, validator) => fetchDocument(request, { url, validator, accept });
  if (readListing !== undefined && feed.url !== null && follow !== null)
    return documentsOf(await readListing({ url: feed.url, follow }, request, { ask, budget }));
  return fetchUrls(urls, lastState, async (url, validator) => {
    const document = await ask(url, validator);
    budget.take(document?.bytes?.length ?? 0);
    return document;
  });
}

function documentsOf(listing: Listing | null): FetchedDocuments | null {
  if (listing === null) return null;
  const { documents, validator, notes } = listing;
  const validators = { ...validatorsOf(documents.slice(0, 1)), links: validator };
  return { documents, validators, notes };
}

/** Null if no document has changed. If one has, the others are fetched, too: all are read together. */
async function fetchUrls(
  urls: readonly string[],
  lastState: ImportRequest['lastState'],
  ask: Ask,
): Promise<FetchedDocuments | null> {
  const answers: (FetchedDocument | null)[] = [];
  for (const [index, url] of urls.entries())
    answers.push(await ask(url, lastState?.validators[validatorName(index)]));
  if (answers.every((answer) => answer === null)) return null;
  const documents: FetchedDocument[] = [];
  for (const [index, url] of urls.entries()) {
    const document = answers[index] ?? (await ask(url, undefined));
    if (document !== null) documents.push(document);
  }
  if (documents.every(({ bytes }) => bytes === null))
    throw new FeedProblem('HTTP status', `expected at least one of ${urls.length} pages, found none`);
  return { documents, validators: validatorsOf(documents), notes: [] };
}

interface DocumentRequest {
  readonly url: string;
  readonly validator: Validator | undefined;
  readonly accept: string;
}

/** Null if the server says that nothing has changed, or that a page is still gone. */
async function fetchDocument(
  { feed, fetchContext }: ImportRequest,
  { url, validator, accept }: DocumentRequest,
): Promise<FetchedDocument | null> {
  const headers = { ...conditionsOf(validator), accept, ...keyHeader(feed, fetchContext) };
  const answer = await fetchFeed(fetchContext, { url, headers, limits: feed.limits });
  if (answer.status === 304 && validator !== undefined) return null;
  // Pages of events are removed one by one, and the others continue.
  const isOneOfMany = feed.pages.length > 1 || url !== feed.url;
  if (isOneOfMany && GONE.has(answer.status))
    return validator?.isGone === true ? null : { url, bytes: null, validator: GONE_PAGE };
  if (answer.status < 200 || answer.status > 299) throw refusedStatus(new URL(url).host, answer);
  return { url, bytes: answer.body, validator: validatorOf(answer.headers) };
}

/** The headers of a conditional request. */
export function conditionsOf(validator: Validator | undefined): Readonly<Record<string, string>> {
  const headers: Record<string, string> = {};
  if (validator?.etag) headers['if-none-match'] = validator.etag;
  if (validator?.lastModified) headers['if-modified-since'] = validator.lastModified;
  return headers;
}

/** HTTP statuses of pages that were removed. */
const GONE = new Set([404, 410]);
const GONE_PAGE: Validator = { etag: null, lastModified: null, isGone: true };

/** The key of a document's validator in the feed's state. */
function validatorName(index: number): string {
  return index === 0 ? 'feed' : `page ${index}`;
}

function validatorsOf(documents: readonly FetchedDocument[]): Validators {
  return Object.fromEntries(
    documents.flatMap(({ validator }, index) =>
      validator === null ? [] : [[validatorName(index), validator]],
    ),
  );
}

/** SHA-256 of the bytes, and of the findings. With several documents, their lengths tell where each of them ends. */
function hashOf({ documents, notes }: Pick<FetchedDocuments, 'documents' | 'notes'>): string {
  const hash = createHash('sha256');
  for (const { bytes } of documents) {
    if (documents.length > 1) hash.update(`${bytes?.length ?? 'gone'}\n`);
    hash.update(bytes ?? '');
  }
  if (notes.length > 0) hash.update(JSON.stringify(notes));
  return hash.digest('hex');
}

/** Throws FeedProblem for documents that are all empty, and for content that is certainly not of this kind. */
function refuseOtherContent(kind: DocumentKind, documents: readonly FetchedDocument[]): void {
  const content = contentOf(kind);
  const contents = documents.flatMap(({ bytes }) => bytes ?? []);
  if (contents.every((bytes) => bytes.length === 0))
    throw new FeedProblem('empty', failureText('noContent', { content }));
  if (contents.some(isMarkup)) refuseMarkup(content);
}

/** A page instead of a calendar or a table is often a login page. */
function refuseMarkup(content: Content): void {
  if (content === 'calendar') throw new FeedProblem('not a calendar', failureText('pageForCalendar'));
  if (content === 'table')
    throw new FeedProblem('unreadable answer', `${failureText('pageForTable')}; ${IS_LOGIN_NEEDED}`);
}

const IS_LOGIN_NEEDED = 'does the address return the file itself, without a login?';

function isMarkup(bytes: Buffer): boolean {
  const beginning = bytes.toString('latin1', 0, 200).replace(BYTE_ORDER_MARK, '');
  return /^\s*</.test(beginning);
}

/** The byte order mark of UTF-8, as Latin-1 reads its bytes. */
const BYTE_ORDER_MARK = /^\xef\xbb\xbf/;
