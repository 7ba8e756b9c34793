/**
 * Automatic persisted queries (D11), as Apollo's and urql's clients send them: a client sends the SHA-256 of its query,
 * and the text too only after a reply that the hash is unknown here. Each serving process has its own cache; a client that reaches another
 * process gets that reply once more.
 */
import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { isObject } from '../../calendar/json.ts';
import type { CacheLimit } from '../../serve/admission/budget.ts';
import type { ServeContext, ServePart } from '../../serve/annex.ts';
import { refuse } from '../../serve/graphql/refusal.ts';
import type { NamedQueries, NamedQuery } from '../../serve/http/parameters.ts';

export function create({ budget }: Pick<ServeContext, 'budget'>): ServePart {
  return { queries: createPersistedQueries(budget.cacheBytes(CACHE)) };
}

export function createPersistedQueries(maxBytes = CACHE.most): NamedQueries {
  const shares = createShares();
  const queries = new LRUCache<string, PersistedQuery>({
    maxSize: Math.max(1, maxBytes),
    sizeCalculation: bytesOf,
    dispose: (query) => shares.add(query.address, -bytesOf(query)),
  });
  return {
    resolve: ({ persistedQuery, ...sent }) => {
      const hash = hashIn(persistedQuery);
      if (hash === undefined) return WITHOUT_HASH;
      const { query } = sent;
      if (query !== undefined) {
        if (createHash('sha256').update(query).digest('hex') !== hash) return OTHER_HASH;
        return { parameters: { ...sent, query }, named: { hash, query } };
      }
      const persisted = queries.get(hash);
      if (persisted === undefined) return NOT_FOUND;
      return { parameters: { ...sent, query: persisted.query }, named: persisted };
    },
    remember: ({ hash, query }, address) => {
      if (query.length > LONGEST_PERSISTED) return;
      // `get` rather than `has`: a query that is used again is the last one to be forgotten.
      if (queries.get(hash) !== undefined) return;
      const persisted = { hash, query, address };
      const bytes = bytesOf(persisted);
      forget(queries, address, shares.of(address) + bytes - MAX_SHARE_OF_ADDRESS * maxBytes);
      queries.set(hash, persisted);
      if (queries.has(hash)) shares.add(address, bytes);
    },
  };
}

interface Shares {
  readonly of: (address: string) => number;
  readonly add: (address: string, bytes: number) => void;
}

/** The bytes of each address's queries. */
function createShares(): Shares {
  const bytesByAddress = new Map<string, number>();
  const of = (address: string) => bytesByAddress.get(address) ?? 0;
  return {
    of,
    add: (address, bytes) => {
      const sum = of(address) + bytes;
      if (sum > 0) bytesByAddress.set(address, sum);
      else bytesByAddress.delete(address);
    },
  };
}

/**
 * Forgets the least recently used queries of this address, of so many bytes at least, or all of them: a query that is larger than the share
 * of a small cache is the only one of its address.
 */
function forget(queries: LRUCache<string, PersistedQuery>, address: string, bytes: number): void {
  let excess = bytes;
  const victims: string[] = [];
  for (const hash of queries.rkeys()) {
    if (excess <= 0) break;
    const query = queries.peek(hash);
    if (query?.address !== address) continue;
    victims.push(hash);
    excess -= bytesOf(query);
  }
  for (const hash of victims) queries.delete(hash);
}

/**
 * Bytes of the texts with their overhead: at most 8,388 of them. The protocol saves requests: 64 letters in place of the 1,500 of a
 * page's query.
 */
const CACHE: CacheLimit = { part: 0.02, most: 8 * 1_024 * 1_024 };
const ENTRY_BYTES = 1_000;

/** Characters: ten times what front ends send, comments included. */
const LONGEST_PERSISTED = 64 * 1_024;

/** D14: the share of the cache that one address may fill; its further queries replace its own. */
const MAX_SHARE_OF_ADDRESS = 1 / 4;

/** A query, with the address that sent its text first. */
interface PersistedQuery extends NamedQuery {
  readonly address: string;
}

const bytesOf = ({ query }: NamedQuery): number => ENTRY_BYTES + 2 * query.length;

function hashIn(persistedQuery: unknown): string | undefined {
  if (!isObject(persistedQuery)) return undefined;
  const { version, sha256Hash } = persistedQuery;
  if (version !== 1 || typeof sha256Hash !== 'string') return undefined;
  return HASH.test(sha256Hash) ? sha256Hash : undefined;
}

const HASH = /^[\da-f]{64}$/;

/** Clients also recognise it by its message. */
const NOT_FOUND = refuse('PERSISTED_QUERY_NOT_FOUND', 'PersistedQueryNotFound');
const WITHOUT_HASH = refuse(
  'BAD_REQUEST',
  '"extensions.persistedQuery" must have "version": 1 and "sha256Hash": 64 hexadecimal digits in lower case.',
);
const OTHER_HASH = refuse(
  'BAD_REQUEST',
  '"extensions.persistedQuery.sha256Hash" is not the SHA-256 of "query".',
);
