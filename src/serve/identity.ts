/** Whose call it is (interface, section 5). Nothing here refuses a call, and no key gets any further than this. */
import type { IncomingHttpHeaders } from 'node:http';
import { LRUCache } from 'lru-cache';
import type { KeyRing } from './key-ring.ts';

export interface Attribution {
  readonly kind: 'application' | 'anonymous' | 'operator';
  /** The application's name, or what the operator's client calls itself. */
  readonly name: string | undefined;
  /** Whose valid key the call has: without one it gets the notice (D4). The operator's calls are no exception. */
  readonly application: string | undefined;
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

export interface Caller {
  readonly attribution: Attribution;
  /** Whether the URL holds a key: then no shared cache may keep the answer (D6). */
  readonly hasKeyInUrl: boolean;
}

interface Identified {
  readonly headers: IncomingHttpHeaders;
  /** Behind the question mark. */
  readonly search: string;
}

/** Reads the interface's headers and the `key` parameter. */
export type Identify = (request: Identified) => Caller;

export function createIdentify(keys: Pick<KeyRing, 'applicationOf'>): Identify {
  const attribute = createAttribute(keys);
  return ({ headers, search }) => {
    const keyParameter = keyParameterOf(search);
    const attribution = attribute({
      keyHeader: lineOf(headers['x-api-key']),
      keyParameter,
      clientId: lineOf(headers['x-client-id']),
      pageUrl: lineOf(headers['x-page-url']),
    });
    return { attribution, hasKeyInUrl: keyParameter !== undefined };
  };
}

/** node:http joins the lines of these headers into one text. */
function lineOf(value: string | readonly string[] | undefined): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

function keyParameterOf(search: string): string | undefined {
  return MAY_HOLD_KEY.test(search) ? (new URLSearchParams(search).get('key') ?? undefined) : undefined;
}

/** A cheap check for `key=` in any spelling, because parsing a query costs more than all else; false positives are parsed. */
const MAY_HOLD_KEY = /(?:^|&)(?:k|%6b)(?:e|%65)(?:y|%79)(?:=|&|$)/i;

type Attribute = (claims: Claims) => Attribution;

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
    if (clientId) return { kind: 'operator', name: clientNameOf(clientId), application, pageHost };
    const kind = application === undefined ? 'anonymous' : 'application';
    return { kind, name: application, application, pageHost };
  };
}

const ANONYMOUS: Attribution = {
  kind: 'anonymous',
  name: undefined,
  application: undefined,
  pageHost: undefined,
};

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
