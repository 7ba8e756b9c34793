/**
 * The quota (K4): how many requests a minute one anonymous address, and one application, may send to the endpoint and the
 * feeds. A window is a minute of the clock, so that all processes agree on it without a word.
 *
 * Each process begins a window with its share of everybody's budget, and gives it out on its own. Only for a caller that has
 * used up this share does it ask the others, who hand over half of what they have left of it: so nobody gets more than the
 * budget, and nobody is refused before all of it is used, and most requests cost a look into a table.
 */
import type { IncomingMessage } from 'node:http';
import { BlockList, isIP, type Socket, SocketAddress } from 'node:net';
import { LRUCache } from 'lru-cache';
import type { Refusal } from '../graphql/refusal.ts';
import type { Attribution } from './identity.ts';
import { type HeaderList, headerOf } from './message.ts';

/** Requests a minute; null for no limit. */
export interface QuotaLimits {
  /** Of one address without a valid key. */
  readonly anonymous: number | null;
  /** Of one application. */
  readonly keyed: number | null;
}

export interface Quota {
  /** Counts a request. Waits only while other processes are asked; never rejects. */
  readonly take: (request: CountedRequest) => Verdict | Promise<Verdict>;
  /** Hands over half of what is left of a caller's budget here. */
  readonly give: (ask: BudgetAsk) => Remainder;
  /** Callers that the window has seen and that are remembered. */
  readonly callers: () => number;
}

interface CountedRequest {
  readonly message: Pick<IncomingMessage, 'socket' | 'headers'>;
  readonly caller: Pick<Attribution, 'application'>;
  /** Milliseconds since 1970. */
  readonly arrivedAt: number;
}

export interface Verdict {
  /** To be added to the reply's. */
  readonly headers: HeaderList;
  /** The same for a reply that a cache may hand to others: without what is left for this caller. */
  readonly sharedHeaders: HeaderList;
  /** Null for a request within its budget. */
  readonly refusal: Refusal | null;
}

/** The budget of one caller in one window. */
export interface BudgetAsk {
  readonly policy: PolicyName;
  readonly caller: string;
  /** Minutes since 1970. */
  readonly window: number;
}

export interface Remainder {
  /** Requests that the one who asks may now answer. */
  readonly given: number;
  /** That stay with those who gave. */
  readonly left: number;
}

export const NOTHING_LEFT: Remainder = { given: 0, left: 0 };

type PolicyName = 'anonymous' | 'application';

/** The serving processes of one machine. */
export interface QuotaPeers {
  readonly count: number;
  /** Of this process among them, from 0. */
  readonly slot: number;
  /**
   * Asks all others. `done` is called as soon as they have answered, before this process gives anything of the same budget
   * away; with null when they do not answer in time.
   */
  readonly ask: (ask: BudgetAsk, done: (remainder: Remainder | null) => void) => void;
}

/** For a server of one process. */
export const ALONE: QuotaPeers = { count: 1, slot: 0, ask: (_ask, done) => done(NOTHING_LEFT) };

interface QuotaOptions {
  readonly limits: QuotaLimits;
  readonly addressOf: CallerAddressOf;
  readonly peers: QuotaPeers;
  /** Milliseconds since 1970. */
  readonly clock: () => number;
  /** Where keys are to be had. */
  readonly portal: () => string;
}

/** Null where nothing is limited. */
export function createQuota({ limits, addressOf, ...options }: QuotaOptions): Quota | null {
  const anonymous = limits.anonymous === null ? null : createBudgets('anonymous', limits.anonymous, options);
  const application = limits.keyed === null ? null : createBudgets('application', limits.keyed, options);
  if (anonymous === null && application === null) return null;
  return {
    take: ({ message, caller, arrivedAt }) => {
      const name = caller.application;
      if (name !== undefined) return application?.take(name, arrivedAt) ?? UNLIMITED;
      return anonymous?.take(addressOf(message), arrivedAt) ?? UNLIMITED;
    },
    give: (ask) => (ask.policy === 'anonymous' ? anonymous : application)?.give(ask) ?? NOTHING_LEFT,
    callers: () => (anonymous?.callers() ?? 0) + (application?.callers() ?? 0),
  };
}

const UNLIMITED: Verdict = { headers: [], sharedHeaders: [], refusal: null };

/** Milliseconds; the interface's figures are per minute. */
const WINDOW_MS = 60_000;
const WINDOW_SECONDS = WINDOW_MS / 1_000;

/** That are remembered in a window. Beyond it, who was not seen for longest is forgotten, and begins anew. */
const MOST_CALLERS = 100_000;

interface Budget {
  /** Requests that this process may still answer. */
  left: number;
  /** What the others may have left: exact when they were asked last, before that the most there can be. */
  others: number;
  /** Resolves when they have answered: to whether they did. */
  asking: Promise<boolean> | null;
}

interface Budgets {
  readonly take: (caller: string, now: number) => Verdict | Promise<Verdict>;
  readonly give: (ask: BudgetAsk) => Remainder;
  readonly callers: () => number;
}

function createBudgets(
  policy: PolicyName,
  limit: number,
  options: Omit<QuotaOptions, 'limits' | 'addressOf'>,
): Budgets {
  const { peers, clock, portal } = options;
  const { count, slot } = peers;
  const share = Math.floor(limit / count) + (slot < limit % count ? 1 : 0);
  const policyText = `"${policy}";q=${limit};w=${WINDOW_SECONDS}`;
  const sharedHeaders = ['RateLimit-Policy', policyText];
  const limitText = createLimitText(policy, limit);
  const budgets = new LRUCache<string, Budget>({ max: MOST_CALLERS });
  let window = -1;

  const budgetOf = (caller: string, wanted: number): Budget => {
    // A request that was on its way at the turn of the minute counts in the one that has begun.
    if (wanted > window || wanted < window - 1) {
      window = wanted;
      budgets.clear();
    }
    let budget = budgets.get(caller);
    if (budget === undefined) {
      budget = { left: share, others: limit - share, asking: null };
      budgets.set(caller, budget);
    }
    return budget;
  };

  const askOthers = (budget: Budget, ask: BudgetAsk): Promise<boolean> =>
    new Promise((resolve) => {
      peers.ask(ask, (remainder) => {
        budget.asking = null;
        if (remainder !== null) {
          budget.left += remainder.given;
          // Who has something gives at least one: nothing given is nothing left.
          budget.others = remainder.given === 0 ? 0 : remainder.left;
        }
        resolve(remainder !== null);
      });
    });

  const take: Budgets['take'] = (caller, now) => {
    const current = Math.floor(now / WINDOW_MS);
    const budget = budgetOf(caller, current);
    if (budget.left > 0) {
      budget.left--;
      return { headers: headersOf(budget, now), sharedHeaders, refusal: null };
    }
    if (budget.others === 0) return refused(caller, budget, now);
    budget.asking ??= askOthers(budget, { policy, caller, window: current });
    // Rather one request too many than a calendar that waits for a process that has no time to answer.
    return budget.asking.then((isAnswered) => (isAnswered ? take(caller, clock()) : UNLIMITED));
  };

  const headersOf = ({ left, others }: Budget, now: number): HeaderList => [
    'RateLimit-Policy',
    policyText,
    'RateLimit',
    limitText(left + others, secondsLeft(now)),
  ];

  const refused = (caller: string, budget: Budget, now: number): Verdict => {
    const seconds = secondsLeft(now);
    const message = WORDS[policy]({ limit, seconds, caller, portal: portal() });
    return {
      headers: [...headersOf(budget, now), 'Retry-After', `${seconds}`],
      sharedHeaders,
      refusal: { code: 'RATE_LIMITED', errors: [{ message, extensions: { code: 'RATE_LIMITED' } }] },
    };
  };

  return {
    take,
    give: (ask) => {
      if (ask.window < Math.floor(clock() / WINDOW_MS)) return NOTHING_LEFT;
      const budget = budgetOf(ask.caller, ask.window);
      const given = Math.ceil(budget.left / 2);
      budget.left -= given;
      budget.others += given;
      return { given, left: budget.left };
    },
    callers: () => budgets.size,
  };
}

/** A text that was made before costs a third of a new one, which node:http has to look through. */
function createLimitText(policy: PolicyName, limit: number): (left: number, seconds: number) => string {
  const make = (left: number, seconds: number) => `"${policy}";r=${left};t=${seconds}`;
  if (limit > MOST_CACHED) return make;
  const texts = new Map<number, string>();
  return (left, seconds) => {
    const place = left * (WINDOW_SECONDS + 1) + seconds;
    let text = texts.get(place);
    if (text === undefined) {
      text = make(left, seconds);
      texts.set(place, text);
    }
    return text;
  };
}

/** Requests a minute up to which all texts that there can be are kept: some 5 MB at most. */
const MOST_CACHED = 1_000;

/** To the end of the window, and at least one. */
function secondsLeft(now: number): number {
  return Math.max(1, Math.ceil((WINDOW_MS - (now % WINDOW_MS)) / 1_000));
}

interface Refused {
  readonly limit: number;
  readonly seconds: number;
  readonly caller: string;
  readonly portal: string;
}

/** For the client, who may not know the address that a proxy shows of it. */
const WORDS: Readonly<Record<PolicyName, (refused: Refused) => string>> = {
  anonymous: ({ limit, seconds, portal }) =>
    `Your address has sent the ${limit} requests of this minute that calls without a valid key have. Try again in ${seconds} s. An application with a key has a budget of its own: get one at ${portal}`,
  application: ({ limit, seconds, caller, portal }) =>
    `The application ${JSON.stringify(caller)} has sent the ${limit} requests of this minute that it has. Try again in ${seconds} s. Keys are to be had at ${portal}`,
};

/**
 * Where a request comes from: an IPv4 address, or the /64 that an IPv6 address is in. Never logged. Empty where there is no
 * address, as on a Unix socket.
 */
type CallerAddressOf = (request: Pick<IncomingMessage, 'socket' | 'headers'>) => string;

/**
 * `X-Forwarded-For` counts only from the proxies that are named, and only as far back as they have written it: from its end
 * to the first address that is none of them. What stands before that, the caller may have made up.
 */
export function createCallerAddressOf(proxies: readonly string[]): CallerAddressOf {
  const trusted = blockListOf(proxies);
  const peers = new WeakMap<Socket, Peer>();
  const forwarded = new LRUCache<string, string>({ max: 1_000 });
  const peerOf = (socket: Socket): Peer => {
    const address = canonical(socket.remoteAddress ?? '');
    const peer = { address: address ?? '', isProxy: address !== null && isIn(trusted, address) };
    peers.set(socket, peer);
    return peer;
  };
  return ({ socket, headers }) => {
    const peer = peers.get(socket) ?? peerOf(socket);
    const chain = peer.isProxy ? headerOf(headers, 'x-forwarded-for') : undefined;
    if (chain === undefined) return quotaAddress(peer);
    let known = forwarded.get(chain);
    if (known === undefined) {
      known = firstUntrusted(chain, trusted) ?? '';
      forwarded.set(chain, known);
    }
    return known === '' ? quotaAddress(peer) : known;
  };
}

interface Peer {
  /** As it is written shortest. */
  readonly address: string;
  readonly isProxy: boolean;
  /** Made when it is first asked for. */
  quotaAddress?: string;
}

function quotaAddress(peer: Peer): string {
  peer.quotaAddress ??= networkOf(peer.address);
  return peer.quotaAddress;
}

/** Undefined where all of them are proxies, and where what one of them wrote is no address. */
function firstUntrusted(chain: string, trusted: BlockList): string | undefined {
  const hops = chain.split(',', MOST_HOPS + 1);
  if (hops.length > MOST_HOPS) return undefined;
  for (const hop of hops.reverse()) {
    const address = canonical(withoutPort(hop.trim()));
    if (address === null) return undefined;
    if (!isIn(trusted, address)) return networkOf(address);
  }
  return undefined;
}

/** Proxies in a row. */
const MOST_HOPS = 32;

/** Some write `203.0.113.7:5678` and `[2001:db8::7]:5678`. */
function withoutPort(hop: string): string {
  return hop.replace(/^\[([^\]]+)\](?::\d+)?$/, '$1').replace(/^(\d+\.\d+\.\d+\.\d+):\d+$/, '$1');
}

/** As `inet_ntop` writes it, an IPv4 address in IPv6 as that; null for what is no address. */
function canonical(text: string): string | null {
  const family = isIP(text);
  if (family === 4) return text;
  if (family === 0) return null;
  const { address } = new SocketAddress({ address: text.replace(/%.*$/, ''), family: 'ipv6' });
  return address.startsWith(MAPPED) && isIP(address.slice(MAPPED.length)) === 4
    ? address.slice(MAPPED.length)
    : address;
}

const MAPPED = '::ffff:';

/** A whole household, or a whole server, has a /64 of IPv6 to itself; single addresses of it are free to make up. */
function networkOf(address: string): string {
  if (!address.includes(':')) return address;
  const [head = '', tail] = address.split('::');
  const left = head === '' ? [] : head.split(':');
  const right = tail === undefined || tail === '' ? [] : tail.split(':');
  const zeros =
    tail === undefined ? 0 : Math.max(0, 8 - left.length - right.length - (tail.includes('.') ? 1 : 0));
  return `${[...left, ...new Array<string>(zeros).fill('0'), ...right].slice(0, 4).join(':')}::/64`;
}

function blockListOf(networks: readonly string[]): BlockList {
  const list = new BlockList();
  for (const network of networks) {
    const [address = '', bits] = network.split('/');
    const family = isIP(address) === 4 ? 'ipv4' : 'ipv6';
    if (bits === undefined) list.addAddress(address, family);
    else list.addSubnet(address, Number(bits), family);
  }
  return list;
}

function isIn(list: BlockList, address: string): boolean {
  return list.check(address, address.includes(':') ? 'ipv6' : 'ipv4');
}
