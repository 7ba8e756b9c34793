/** F13, F15: the event that a correction or a row of a sheet names, by its id or by the address of its page. */
import { readDateText } from '../../src/calendar/date-address.ts';
import { decodedPart, isTracking, parsedUrl } from '../../src/calendar/urls.ts';
import { type PreviousSlugs, survivorsIn } from '../slugs/ledger.ts';
import { placeOfPages } from '../slugs/links.ts';
import { pageReader, type ReadPage, templateText } from '../validate/page-template.ts';

/** What `where.id` of a correction names. */
export interface NamedEvent {
  /** The text itself and, for the address of a page, the id of the page's event. */
  readonly ids: readonly string[];
  /** The ids that the slug of the page leads to; null if it names no known slug. */
  readonly slug: SlugIds | null;
  /** For comparison with the `eventLink` of records (`pageKeyOf`); null for a text that is no address. */
  readonly page: string | null;
  /** The address on one of the calendar's sites, if no snapshot has had this page; else null. */
  readonly unknownPage: string | null;
}

interface SlugIds {
  /** The event that the slug was given to. */
  readonly owner: string;
  /** The event that the owner was merged into; the owner itself if it was not merged. */
  readonly survivor: string;
}

/** The ids that a name gives, and those of the events that its slug leads to. */
export function idsNamed({ ids, slug }: Pick<NamedEvent, 'ids' | 'slug'>): readonly string[] {
  return slug === null ? ids : [...ids, slug.owner, slug.survivor];
}

export type ReadEventName = (written: string) => NamedEvent;

export interface EventNames {
  readonly readName: ReadEventName;
  /** A text that is no address may be a slug as well. */
  readonly readNameOrSlug: ReadEventName;
  /** Whether an address was read that no snapshot has had. */
  readonly hasUnknownPage: () => boolean;
}

interface Sites {
  /** As `siteUrl` in a licence: slugs of other hosts are those of other calendars. */
  readonly sites: readonly string[];
  /** As `eventPages` in a licence. */
  readonly eventPages: readonly string[];
}

interface NameOptions extends Sites {
  /** A17: the slugs of the previous snapshot, and their owners. */
  readonly slugs: PreviousSlugs;
}

/** Creates the reader of `where.id`. The ledger is only searched if a correction has an address. */
export function createEventNames({ slugs, sites, eventPages }: NameOptions): EventNames {
  const hosts = new Set(sites.map((site) => parsedUrl(site)?.host));
  const foldersOfPages = new Set(sites.map((site) => pageKeyOf(placeOfPages(site)[0])));
  const pageReaders = eventPages.flatMap((template) => pageReader(template) ?? []);
  let idsBySlug: ReadonlyMap<string, SlugIds> | undefined;
  let hasUnknownPage = false;

  function readName(written: string): NamedEvent {
    const url = IS_ADDRESS.test(written) ? parsedUrl(written) : null;
    if (url === null) return { ids: [written], slug: null, page: null, unknownPage: null };
    const isEventPage = foldersOfPages.has(folderOf(url));
    if (isEventPage) leaveDate(url);
    const page = pageAt(url);
    const named = firstOf(pageReaders, url);
    if (named?.by === 'id') return { ids: [written, named.value], slug: null, page, unknownPage: null };
    const ownSlug = hosts.has(url.host) ? slugIn(url, isEventPage) : null;
    const slugText = named?.value ?? ownSlug;
    const slug = slugText === null ? null : idsOfSlug(slugText);
    if (slug !== null) return { ids: [written, slug.survivor], slug, page, unknownPage: null };
    hasUnknownPage ||= slugText !== null;
    return { ids: [written, ...idIn(url)], slug, page, unknownPage: slugText === null ? null : page };
  }

  function idsOfSlug(slug: string): SlugIds | null {
    idsBySlug ??= idsBySlugIn(slugs);
    return idsBySlug.get(slug.replace(/\.html$/, '').toLowerCase()) ?? null;
  }

  function readNameOrSlug(written: string): NamedEvent {
    const named = readName(written);
    return named.page === null ? { ...named, slug: idsOfSlug(written) } : named;
  }

  return { readName, readNameOrSlug, hasUnknownPage: () => hasUnknownPage };
}

function firstOf(readers: readonly ReadPage[], url: URL): ReturnType<ReadPage> {
  return readers.map((read) => read(url)).find((found) => found !== null) ?? null;
}

const IS_ADDRESS = /^https?:\/\//i;

/**
 * The page of an address, for comparison with that of another one; null for a text that is no address. Everything that can name a page
 * counts: on many sites, all events have the same path.
 */
export function pageKeyOf(address: string): string | null {
  const url = parsedUrl(address);
  return url === null ? null : pageAt(url);
}

function pageAt({ host, pathname, searchParams, hash }: URL): string {
  const naming = new URLSearchParams([...searchParams].filter(([name]) => !isTracking(name)));
  naming.sort();
  const query = naming.size === 0 ? '' : `?${naming}`;
  return host + pathname + query + hash;
}

/** `page`: that of the event's own link. */
export function isNamed(
  { id, page }: { readonly id: string; readonly page: string | null },
  named: Pick<NamedEvent, 'ids' | 'slug' | 'page'>,
): boolean {
  const isListed = named.ids.includes(id);
  if (named.page === null || page === null) return isListed;
  // F6: events whose links differ in their queries alone have their slugs from one path, so a slug does not tell which of them is meant.
  const isOtherPage = hasQuery(page) && isOnSamePath(page, named.page);
  const isOfSlug = named.slug !== null && (id === named.slug.owner || id === named.slug.survivor);
  return page === named.page || (isListed && !(isOfSlug && isOtherPage));
}

/** Whether two pages have the same host and path. */
function isOnSamePath(left: string, right: string): boolean {
  return pathIn(left) === pathIn(right);
}

/** Whether a page is named by more than its host and path. */
function hasQuery(page: string): boolean {
  return pathIn(page) !== page;
}

function pathIn(page: string): string {
  return page.replace(/[?#].*/s, '');
}

/** I12: on the page of an event, `date` names one of its dates. */
function leaveDate(url: URL): void {
  url.searchParams.delete('date');
  url.hash = '';
}

function folderOf({ host, pathname }: URL): string {
  return `${host}${pathname.replace(/[^/]+\/*$/, '')}`;
}

/** The slug that an address names, if any. On other pages than those of events, an id takes precedence. */
function slugIn(url: URL, isEventPage: boolean): string | null {
  if (isEventPage) return lastSegmentOf(url);
  if (url.searchParams.has('id')) return null;
  return url.searchParams.get('slug') ?? (isNamedByPath(url) ? lastSegmentOf(url) : null);
}

/** The id that an address names, if any. */
function idIn(url: URL): readonly string[] {
  const given = url.searchParams.get('id');
  if (given !== null) return [given];
  return isNamedByPath(url) ? [lastSegmentOf(url)] : [];
}

/** Whether nothing after the path can name another page. The embed adds dates to the addresses of events (I5). */
function isNamedByPath({ searchParams, hash }: URL): boolean {
  const isRoute = /^#!?\//.test(hash);
  return (
    !isRoute && [...searchParams].every(([name, value]) => isTracking(name) || readDateText(value) !== null)
  );
}

/** The addresses of pages, without their slugs, for a finding. */
export function addressesOf({ sites, eventPages }: Sites): string {
  const ownPages = sites.map((site) => placeOfPages(site).join('…'));
  return [...new Set([...ownPages, ...eventPages.map(templateText)])].join(' or ');
}

/** The ids of events by their present and former slugs. */
function idsBySlugIn(slugs: PreviousSlugs): ReadonlyMap<string, SlugIds> {
  const survivorOf = survivorsIn(slugs);
  return new Map(slugs.event.owned.map(({ slug, id }) => [slug, { owner: id, survivor: survivorOf(id) }]));
}

function lastSegmentOf({ pathname }: URL): string {
  return decodedPart(pathname.split('/').findLast((part) => part !== '') ?? '');
}
