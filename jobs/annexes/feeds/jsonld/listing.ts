/** L2: a page that lists events with a page each: the links to those are followed on the same host, as far as its robots.txt allows. */
import { createHash } from 'node:crypto';
import { isoSecond } from '../../../../src/calendar/time.ts';
import { parsedUrl } from '../../../../src/calendar/urls.ts';
import { shorten } from '../../../findings.ts';
import { decodeText } from '../../../source/encodings.ts';
import { FeedProblem } from '../feed-problem.ts';
import { FEED_AGENT, fetchFeed } from '../fetch.ts';
import type { NewFinding } from '../last-good.ts';
import type { FetchedDocument, FollowedPage, Listing, Requests } from '../reading.ts';
import type { ImportRequest } from '../refresh.ts';
import { FRESH_SECONDS, isDue, RETRY_SECONDS, readLinkedPages } from './linked-pages.ts';
import { openPageCopies, type PageCopies } from './page-copies.ts';
import { linksIn, scriptsIn } from './page-parts.ts';
import { type Robots, readRobots } from './robots.ts';

/** Pages of one listing: each is one request. */
const MOST_LINKS = 200;
/** Between two pages, unless robots.txt asks for more. */
const PAUSE_SECONDS = 0.5;
/** Pauses may take five times the limit of one request: half of what all requests together may take (`request-budget.ts`). */
const PAUSES_FACTOR = 5;

/** Null if nothing is new. Throws FeedProblem if the listing cannot be fetched, or if its pages cannot be used (`readLinkedPages`). */
export async function readListing(
  page: FollowedPage,
  request: ImportRequest,
  { ask, budget }: Requests,
): Promise<Listing | null> {
  const { lastState, now } = request;
  const copies = await openPageCopies(request.copies);
  const earlier = lastState?.validators.links;
  const wasReadLately = now - Date.parse(earlier?.lastModified ?? '') / 1000 < FRESH_SECONDS;
  // If so, the listing is only requested if it has changed, and its pages only if it has other links.
  const isFresh = wasReadLately && !copies.states().some((copy) => isDue(copy, now));
  const listing = await ask(page.url, isFresh ? lastState?.validators.feed : undefined);
  if (listing === null) return null;
  budget.take(listing.bytes?.length ?? 0);
  const html = decodeText(listing.bytes ?? Buffer.alloc(0)).text;
  const links = linksOf(html, page);
  // Parts that change with each request, such as a token in a form, do not count as new.
  const etag = etagOf([...links, ...scriptsIn(html, /ld\+json/i).map(({ text }) => text)]);
  if (isFresh && etag === earlier?.etag) return null;
  const { pages, notes } = await followLinks(links, { page, request, ask, budget, copies });
  return {
    documents: [{ ...listing, role: 'listing' }, ...pages],
    validator: { etag, lastModified: isoSecond(now) },
    notes,
  };
}

interface Following extends Requests {
  readonly page: FollowedPage;
  readonly request: ImportRequest;
  readonly copies: PageCopies;
}

interface FollowedLinks {
  readonly pages: readonly FetchedDocument[];
  readonly notes: readonly NewFinding[];
}

/** Reads the pages, with pauses, as far as robots.txt and the limits allow. */
async function followLinks(links: readonly string[], following: Following): Promise<FollowedLinks> {
  const { page, request } = following;
  const { feed, fetchContext, notePages } = request;
  const robots = await robotsOf(page, request);
  const pauseSeconds = Math.max(robots.delay, fetchContext.pauseSeconds ?? PAUSE_SECONDS);
  // Tests set no pause.
  const mostPauses = (feed.limits.seconds * PAUSES_FACTOR) / Math.max(pauseSeconds, 0.001);
  const most = Math.min(MOST_LINKS, Math.floor(mostPauses));
  const { allowed, refused } = sortedBy(robots, links);
  const read = await readLinkedPages(allowed.slice(0, most), { ...following, pauseSeconds });
  notePages(read.counts);
  const notes = notesOn({ allowed, refused }, page.follow, most);
  return { pages: read.documents, notes: [...notes, ...read.notes] };
}

/** Links that robots.txt allows, and others. */
interface SortedLinks {
  readonly allowed: readonly string[];
  readonly refused: readonly string[];
}

function sortedBy(robots: Robots, links: readonly string[]): SortedLinks {
  const allowed: string[] = [];
  const refused: string[] = [];
  for (const link of links) (robots.allows(pathOf(link)) ? allowed : refused).push(link);
  return { allowed, refused };
}

/** Findings about links that are not followed. */
function notesOn({ allowed, refused }: SortedLinks, follow: string, most: number): readonly NewFinding[] {
  const notes: NewFinding[] = [];
  const addNote = (expected: string, found: string) =>
    notes.push({ action: 'left out', field: 'follow', expected, found });
  const shownPath = (link = '') => shorten(new URL(link).pathname);
  if (allowed.length + refused.length === 0)
    addNote(`links whose path begins with ${follow}`, 'none on the page');
  if (refused.length > 0)
    addNote('links that robots.txt allows', `${refused.length} others, the first ${shownPath(refused[0])}`);
  if (allowed.length > most)
    addNote(`at most ${most} links`, `${allowed.length}, the first left out ${shownPath(allowed[most])}`);
  return notes;
}

/** Each once, without its fragment, in the order of the page, without the listing itself. */
function linksOf(html: string, { url, follow }: FollowedPage): readonly string[] {
  const listing = new URL(url);
  listing.hash = '';
  const links = new Set<string>();
  for (const href of linksIn(html)) {
    const link = parsedUrl(href, url);
    if (link === null) continue;
    link.hash = '';
    const isWeb = link.protocol === 'http:' || link.protocol === 'https:';
    const isOfHost = link.host === listing.host && link.username === '';
    const isFollowed = link.pathname.startsWith(follow) && link.pathname !== follow;
    if (isWeb && isOfHost && isFollowed && link.href !== listing.href) links.add(link.href);
  }
  return [...links];
}

/** Path and query, by which rules of robots.txt apply. */
function pathOf(link: string): string {
  const { pathname, search } = new URL(link);
  return `${pathname}${search}`;
}

/** RFC 9309, 2.3.1: without the file all is allowed; while it cannot be fetched, nothing is. */
async function robotsOf({ url }: FollowedPage, { fetchContext, feed }: ImportRequest): Promise<Robots> {
  const { host, origin } = new URL(url);
  const limits = { ...feed.limits, bytes: MOST_ROBOTS_BYTES };
  const { status, body } = await fetchFeed(fetchContext, {
    url: `${origin}/robots.txt`,
    headers: {},
    limits,
  });
  if (status >= 500 || status === 429) {
    const message = `${host}: expected robots.txt, or none, found HTTP ${status}`;
    throw new FeedProblem('HTTP status', message, { retryAfter: RETRY_SECONDS });
  }
  return readRobots(status === 200 ? body.toString('utf8') : '', FEED_AGENT);
}

/** RFC 9309, 2.5: at least 500 KiB are to be read. */
const MOST_ROBOTS_BYTES = 512 * 1024;

function etagOf(parts: readonly string[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 32);
}
