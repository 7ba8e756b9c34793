/** F13: the event that a correction names, by its id or by the address of its page. */
import { parsedUrl } from '../../src/calendar/urls.ts';
import { type PreviousSlugs, survivorsIn } from '../slug-ledger.ts';

/** What `where.id` of a correction names. */
export interface NamedEvent {
  /** The text itself and, for the address of a page, the id of the page's event. */
  readonly ids: readonly string[];
  /** For comparison with the `eventLink` of records (`pageOf`); null for a text that is no address. */
  readonly page: string | null;
  /** The address on one of the calendar's sites, if no snapshot has had this page; else null. */
  readonly unknownPage: string | null;
}

export type ReadEventName = (written: string) => NamedEvent;

interface EventNames {
  readonly read: ReadEventName;
  /** Whether an address was read that no snapshot has had. */
  readonly hasUnknownPage: () => boolean;
}

interface NameOptions {
  /** A17: the slugs of the previous snapshot, and their owners. */
  readonly slugs: PreviousSlugs;
  /** Addresses on the hosts that have pages of events: slugs of other hosts are those of other calendars. */
  readonly sites: readonly string[];
}

/** Creates the reader of `where.id`. The ledger is only searched if a correction has an address. */
export function createEventNames({ slugs, sites }: NameOptions): EventNames {
  const hosts = new Set(sites.map((site) => parsedUrl(site)?.host));
  let owners: ReadonlyMap<string, string> | undefined;
  let hasUnknownPage = false;

  function read(written: string): NamedEvent {
    const url = IS_ADDRESS.test(written) ? parsedUrl(written) : null;
    if (url === null) return { ids: [written], page: null, unknownPage: null };
    const page = pageOf(written);
    const given = url.searchParams.get('id');
    if (given !== null) return { ids: [written, given], page, unknownPage: null };
    const segment = lastSegmentOf(url);
    // An embed may link to pages of others, by the ids of events.
    if (!hosts.has(url.host)) return { ids: [written, segment], page, unknownPage: null };
    owners ??= ownersOf(slugs);
    const slug = (url.searchParams.get('slug') ?? segment.replace(/\.html$/, '')).toLowerCase();
    const owner = owners.get(slug);
    if (owner !== undefined) return { ids: [written, owner], page, unknownPage: null };
    hasUnknownPage = true;
    return { ids: [written, segment], page, unknownPage: page };
  }

  return { read, hasUnknownPage: () => hasUnknownPage };
}

const IS_ADDRESS = /^https?:\/\//i;

/** The address of a page without its query; null for a text that is no address. */
export function pageOf(address: string): string | null {
  const url = parsedUrl(address);
  return url === null ? null : `${url.host}${url.pathname}`;
}

/** The hosts of sites, for a finding. */
export function hostsOf(sites: readonly string[]): string {
  return [...new Set(sites.flatMap((site) => parsedUrl(site)?.host ?? []))].join(' or ');
}

/** The ids of events by their present and former slugs. A merged id is that of the event that it was merged into. */
function ownersOf(slugs: PreviousSlugs): ReadonlyMap<string, string> {
  const survivorOf = survivorsIn(slugs);
  return new Map(slugs.event.owned.map(({ slug, id }) => [slug, survivorOf(id)]));
}

function lastSegmentOf({ pathname }: URL): string {
  const segment = pathname.split('/').findLast((part) => part !== '') ?? '';
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}
