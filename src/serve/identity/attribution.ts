/** Whose call it is (interface, section 5). Nothing here refuses a call, and no key gets any further than this. */
import { LRUCache } from 'lru-cache';
import type { KeyRing } from './key-ring.ts';

export interface Attribution {
  readonly kind: 'application' | 'anonymous' | 'operator';
  /** The application's name, or what the operator's client calls itself. */
  readonly name: string | undefined;
  /** Whether the call has a valid key: without one it gets the notice (D4). The operator's calls are no exception. */
  readonly keyed: boolean;
  /** Host of the page that the call came from. */
  readonly pageHost: string | undefined;
}

/** What a call says about itself; undefined where it says nothing. */
export interface Claims {
  /** Header `X-Api-Key`. */
  readonly keyHeader: string | undefined;
  /** Query parameter `key`. */
  readonly keyParameter: string | undefined;
  /** Header `X-Client-Id`. */
  readonly clientId: string | undefined;
  /** Header `X-Page-Url`. */
  readonly pageUrl: string | undefined;
}

export type Attribute = (claims: Claims) => Attribution;

export function createAttribute(keys: Pick<KeyRing, 'applicationOf'>): Attribute {
  const hosts = new LRUCache<string, { readonly host: string | undefined }>({ max: 1_000 });
  const pageHostOf = (pageUrl: string | undefined) => {
    if (pageUrl === undefined || pageUrl.length > LONGEST_URL) return undefined;
    let known = hosts.get(pageUrl);
    if (known === undefined) {
      known = { host: hostOf(pageUrl) };
      hosts.set(pageUrl, known);
    }
    return known.host;
  };
  return ({ keyHeader, keyParameter, clientId, pageUrl }) => {
    // D4: the header wins, even with a key that is not valid.
    const key = keyHeader || keyParameter;
    const application = key ? keys.applicationOf(key) : undefined;
    const pageHost = pageHostOf(pageUrl);
    if (!clientId && application === undefined && pageHost === undefined) return ANONYMOUS;
    const keyed = application !== undefined;
    if (clientId) return { kind: 'operator', name: clientNameOf(clientId), keyed, pageHost };
    return { kind: keyed ? 'application' : 'anonymous', name: application, keyed, pageHost };
  };
}

const ANONYMOUS: Attribution = { kind: 'anonymous', name: undefined, keyed: false, pageHost: undefined };

const LONGEST_URL = 2_048;

function hostOf(text: string): string | undefined {
  if (!URL.canParse(text)) return undefined;
  const { protocol, host } = new URL(text);
  return PAGE_PROTOCOLS.has(protocol) && host !== '' ? host : undefined;
}

const PAGE_PROTOCOLS: ReadonlySet<string> = new Set(['http:', 'https:']);

/** `<name>/<version>`; anything else still counts as the operator's, under no name. */
function clientNameOf(clientId: string): string | undefined {
  return /^[\w.-]{1,64}\/[\w.+-]{1,32}$/.test(clientId) ? clientId : undefined;
}
