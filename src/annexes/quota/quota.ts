/**
 * The quota (K4): the requests a minute that one anonymous address, or one application, may send to the endpoint and the lists. They are
 * counted by their work: one for an ordinary page, and more for what weighs more. A window is a minute of the clock. Each limit is shared
 * out to the serving processes: each counts alone, up to its part.
 */
import { LRUCache } from 'lru-cache';
import type { ServeContext, ServePart } from '../../serve/annex.ts';
import type { Refusal } from '../../serve/graphql/refusal.ts';
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
  const budgetsOf = (policy: Policy, limit: number | null) =>
    limit === null ? null : createBudgets(policy, limit, options);
  const anonymous = budgetsOf('anonymous', limits.anonymous);
  const network = budgetsOf('network', limits.anonymous && NETWORK * limits.anonymous);
  const application = budgetsOf('application', limits.keyed);
  if (anonymous === null && application === null) return null;
  return ({ message, caller, arrivedAt }) => {
    const name = caller.application;
    if (name !== undefined) return application?.(name, arrivedAt) ?? UNLIMITED;
    const address = addressOf(message);
    const allowance = anonymous?.(address, arrivedAt) ?? UNLIMITED;
    const isOfSite = address.endsWith(HOUSEHOLD);
    if (allowance.refusal !== null || !isOfSite) return allowance;
    const wider = network?.(siteOf(address), arrivedAt);
    return wider === undefined ? allowance : both(allowance, wider);
  };
}

/** Addresses of IPv6 are counted by the /64 of a household, and by the /48 of a site, which may have 65,536 of those. */
const HOUSEHOLD = '::/64';
/** Requests of a site, as a multiple of those of an address. */
const NETWORK = 16;

const siteOf = (address: string): string => `${address.split(':').slice(0, 3).join(':')}::/48`;

const UNLIMITED: Allowance = {
  refusal: null,
  charge: () => null,
  headers: () => [],
  sharedHeaders: [],
};

/** Headers show a caller's own budget, until the wider one refuses the caller. */
function both(narrow: Allowance, wider: Allowance): Allowance {
  let refuser = wider.refusal === null ? narrow : wider;
  return {
    refusal: wider.refusal,
    charge: (pages) => {
      const refusal = narrow.charge(pages);
      if (refusal !== null) return refusal;
      const refusalOfSite = wider.charge(pages);
      if (refusalOfSite !== null) refuser = wider;
      return refusalOfSite;
    },
    headers: () => refuser.headers(),
    sharedHeaders: refuser.sharedHeaders,
  };
}

/** Milliseconds; the interface's figures are per minute. */
const WINDOW_MS = 60_000;

/** Callers counted in a window. Beyond it, the least recently seen one is dropped, and starts again at zero. */
const MOST_CALLERS = 100_000;

type Policy = 'anonymous' | 'network' | 'application';

type BudgetOptions = Omit<QuotaOptions, 'limits' | 'addressOf'>;

/** Takes a request from its caller's budget. `arrivedAt`: milliseconds since 1970. */
type TakeFromBudget = (caller: string, arrivedAt: number) => Allowance;

function createBudgets(policy: Policy, limit: number, options: BudgetOptions): TakeFromBudget {
  const { process, clock } = options;
  const sharedHeaders = ['RateLimit-Policy', `"${policy}";q=${limit};w=${WINDOW_MS / 1_000}`];
  const { leftOf, setLeft } = createWindow(shareOf(limit, process));

  return (caller, arrivedAt) => {
    let isRefused = false;
    let hasOverdrawn = false;
    const refuse = () => {
      isRefused = true;
      return refusalOf(wordsFor(policy, caller), limit, options);
    };
    /** Takes the first page of the request. Refuses if none is left. */
    const admit = () => {
      const left = leftOf(caller, arrivedAt);
      if (left < 1) return refuse();
      setLeft(caller, left - 1);
      return null;
    };
    /**
     * Takes further pages. One request may overdraw the budget: otherwise, a heavy request would never be answered if budgets are small. Refuses
     * if another request has already overdrawn it.
     */
    const charge = (pages: number) => {
      const left = leftOf(caller, clock());
      if (left < 0 && !hasOverdrawn) return refuse();
      hasOverdrawn = left < pages;
      setLeft(caller, left - pages);
      return null;
    };
    return {
      refusal: admit(),
      charge,
      headers: () => {
        const now = clock();
        const seconds = secondsLeft(now);
        const left = Math.max(0, leftOf(caller, now));
        const headers = [...sharedHeaders, 'RateLimit', `"${policy}";r=${left};t=${seconds}`];
        return isRefused ? [...headers, 'Retry-After', `${seconds}`] : headers;
      },
      sharedHeaders,
    };
  };
}

interface Window {
  /** Pages that this process may still answer for a caller; below 0 where the latest request weighed more than was left. */
  readonly leftOf: (caller: string, now: number) => number;
  readonly setLeft: (caller: string, pages: number) => void;
}

/** `share`: pages of each caller in a window. */
function createWindow(share: number): Window {
  // With `max`, the cache would reserve memory for all callers at once: 9 ms of CPU for each policy.
  const budgets = new LRUCache<string, number>({ maxSize: MOST_CALLERS, sizeCalculation: () => 1 });
  let window = -1;
  return {
    leftOf: (caller, now) => {
      const current = Math.floor(now / WINDOW_MS);
      // A request that began before the turn of the minute counts in the new minute. A clock that was set back begins anew.
      const isSetBack = current < window - 1;
      if (current > window || isSetBack) {
        window = current;
        budgets.clear();
      }
      return budgets.get(caller) ?? share;
    },
    setLeft: (caller, pages) => {
      budgets.set(caller, pages);
    },
  };
}

function refusalOf({ who, keys }: Words, limit: number, { process, portal, clock }: BudgetOptions): Refusal {
  const shared = process.count === 1 ? '' : `, or the share of one of ${process.count} processes`;
  const sentences = [
    `${who} has used all of its ${limit} requests for this minute${shared}.`,
    'A request for a lot of data counts as several.',
    `Try again in ${secondsLeft(clock())} s.`,
    // The client may not know the address that a proxy shows for it.
    `${keys} ${portal()}`,
  ];
  const message = sentences.join(' ');
  return { code: 'RATE_LIMITED', errors: [{ message, extensions: { code: 'RATE_LIMITED' } }] };
}

/** To the end of the window, at least one. */
const secondsLeft = (now: number): number => Math.max(1, Math.ceil((WINDOW_MS - (now % WINDOW_MS)) / 1_000));

interface Words {
  readonly who: string;
  /** Completed by the address of the portal. */
  readonly keys: string;
}

const GET_A_KEY = 'An application with a key has its own budget: get a key at';

const WORDS: Readonly<Record<Exclude<Policy, 'application'>, Words>> = {
  anonymous: { who: 'Your address', keys: GET_A_KEY },
  network: { who: 'Your network', keys: GET_A_KEY },
};

function wordsFor(policy: Policy, caller: string): Words {
  if (policy !== 'application') return WORDS[policy];
  return { who: `The application ${JSON.stringify(caller)}`, keys: 'Keys are available at' };
}

/** The shares of all processes add up to the limit; each has at least one, or it would refuse every request. */
function shareOf(limit: number, { slot, count }: ServeContext['process']): number {
  return Math.max(1, Math.floor(limit / count) + (slot < limit % count ? 1 : 0));
}
