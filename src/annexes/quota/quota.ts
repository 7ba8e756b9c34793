/**
 * The quota (K4, quota): the requests a minute that one anonymous address, or one application, may send to the endpoint and the feeds. A
 * window is a minute of the clock. Each limit is shared out to the serving processes: each counts alone, up to its part.
 */
import { LRUCache } from 'lru-cache';
import type { ServeContext, ServePart } from '../../serve/annex.ts';
import type { Allowance, CallerAddressOf, Quota } from '../../serve/http/caller.ts';
import type { CallerLimits } from '../facts/facts.ts';

export function create(
  context: ServeContext<{ readonly [Name in 'quota' | 'quotaKeyed']: number | null }>,
): ServePart {
  const { settings, keeper, clock, process, addressOf } = context;
  const limits: CallerLimits = { anonymous: settings.quota, keyed: settings.quotaKeyed };
  const quota = createQuota({
    limits,
    addressOf,
    process,
    clock,
    portal: () => keeper.state().current?.lists.licence.portalUrl ?? settings.publicUrl?.href ?? '/',
  });
  return quota === null ? {} : { quota, limits };
}

interface QuotaOptions extends Pick<ServeContext, 'process' | 'clock'> {
  readonly limits: CallerLimits;
  readonly addressOf: CallerAddressOf;
  readonly portal: () => string;
}

/** Null if there are no limits. */
export function createQuota({ limits, addressOf, ...options }: QuotaOptions): Quota | null {
  const anonymous = limits.anonymous === null ? null : createBudgets('anonymous', limits.anonymous, options);
  const network =
    limits.anonymous === null ? null : createBudgets('network', NETWORK * limits.anonymous, options);
  const application = limits.keyed === null ? null : createBudgets('application', limits.keyed, options);
  if (anonymous === null && application === null) return null;
  return ({ message, caller, arrivedAt }) => {
    const name = caller.application;
    if (name !== undefined) return application?.(name, arrivedAt) ?? UNLIMITED;
    const address = addressOf(message);
    const verdict = anonymous?.(address, arrivedAt) ?? UNLIMITED;
    if (verdict.refusal !== null || !address.endsWith(HOUSEHOLD)) return verdict;
    const wider = network?.(siteOf(address), arrivedAt);
    return wider?.refusal ? wider : verdict;
  };
}

/** Addresses of IPv6 are counted by the /64 of a household, and by the /48 of a site, which may have 65,536 of those. */
const HOUSEHOLD = '::/64';
/** Requests of a site, as a multiple of those of an address. */
const NETWORK = 16;

const siteOf = (address: string): string => `${address.split(':').slice(0, 3).join(':')}::/48`;

const UNLIMITED: Allowance = { headers: [], sharedHeaders: [], refusal: null };

/** Milliseconds; the interface's figures are per minute. */
const WINDOW_MS = 60_000;

/** Callers counted in a window. Beyond it, the least recently seen is dropped, and begins anew. */
const MOST_CALLERS = 100_000;

function createBudgets(
  policy: 'anonymous' | 'network' | 'application',
  limit: number,
  { process, portal }: Omit<QuotaOptions, 'limits' | 'addressOf'>,
) {
  const share = shareOf(limit, process);
  const sharedHeaders = ['RateLimit-Policy', `"${policy}";q=${limit};w=${WINDOW_MS / 1_000}`];
  /** By caller: requests that this process may still answer. */
  const budgets = new LRUCache<string, number>({ max: MOST_CALLERS });
  let window = -1;

  return (caller: string, now: number): Allowance => {
    const current = Math.floor(now / WINDOW_MS);
    // A request that began before the turn of the minute counts in the new minute.
    if (current > window || current < window - 1) {
      window = current;
      budgets.clear();
    }
    const before = budgets.get(caller) ?? share;
    const left = Math.max(0, before - 1);
    // To the end of the window, at least one.
    const seconds = Math.max(1, Math.ceil((WINDOW_MS - (now % WINDOW_MS)) / 1_000));
    const headers = [...sharedHeaders, 'RateLimit', `"${policy}";r=${left};t=${seconds}`];
    if (before > 0) {
      budgets.set(caller, left);
      return { headers, sharedHeaders, refusal: null };
    }
    // The client may not know the address that a proxy shows for it.
    const [who, keys] =
      policy === 'application'
        ? [`The application ${JSON.stringify(caller)}`, 'Keys are to be had at']
        : [WHO[policy], 'An application with a key has a budget of its own: get one at'];
    const shared = process.count === 1 ? '' : `, or the share of one of ${process.count} processes`;
    const sent = `${who} has sent the ${limit} requests of this minute that it has${shared}`;
    const message = `${sent}. Try again in ${seconds} s. ${keys} ${portal()}`;
    return {
      headers: [...headers, 'Retry-After', `${seconds}`],
      sharedHeaders,
      refusal: { code: 'RATE_LIMITED', errors: [{ message, extensions: { code: 'RATE_LIMITED' } }] },
    };
  };
}

const WHO = { anonymous: 'Your address', network: 'Your network' };

/** The shares of all processes add up to the limit; each has at least one, or it would refuse every request. */
function shareOf(limit: number, { slot, count }: ServeContext['process']): number {
  return Math.max(1, Math.floor(limit / count) + (slot < limit % count ? 1 : 0));
}
