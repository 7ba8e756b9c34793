/** The caller of a request (interface, section 5). No request is refused here, and no key is passed on. */
import type { IncomingHttpHeaders } from 'node:http';

export interface Attribution {
  readonly kind: 'application' | 'anonymous' | 'operator';
  /** The application's name, or the name that the operator's client gives itself. */
  readonly name: string | undefined;
  /** The application that the call's valid key belongs to; undefined: the call gets the notice (D4), the operator's calls too. */
  readonly application: string | undefined;
  /** Host of the page that the call came from. */
  readonly pageHost: string | undefined;
}

export interface Caller {
  readonly attribution: Attribution;
  /** Whether the URL holds a key: then no shared cache may store the answer (D6). */
  readonly hasKeyInUrl: boolean;
}

interface Identified {
  readonly headers: IncomingHttpHeaders;
  /** The part of the URL after the question mark. */
  readonly search: string;
}

/** Reads the headers `X-Api-Key`, `X-Client-Id` and `X-Page-Url`, and the query parameter `key`. */
export type Identify = (request: Identified) => Caller;

/** The application that a key was issued to; undefined if it is unknown, revoked or no key at all. */
export type ApplicationOf = (key: string) => string | undefined;

export function createIdentify(applicationOf: ApplicationOf): Identify {
  return ({ headers, search }) => {
    const keyParameter = keyParameterOf(search);
    // D4: the header takes precedence, even with an invalid key.
    const key = lineOf(headers['x-api-key']) || keyParameter;
    const application = key ? applicationOf(key) : undefined;
    const clientId = lineOf(headers['x-client-id']);
    const pageHost = pageHostOf(lineOf(headers['x-page-url']));
    const attribution = attributionOf(clientId, application, pageHost);
    return { attribution, hasKeyInUrl: keyParameter !== undefined };
  };
}

/** node:http joins several lines of these headers into one text. */
function lineOf(value: string | readonly string[] | undefined): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

function keyParameterOf(search: string): string | undefined {
  return MAY_HOLD_KEY.test(search) ? (new URLSearchParams(search).get('key') ?? undefined) : undefined;
}

/** A cheap check for `key=` in any spelling, because parsing a query costs more than all else; false positives are parsed. */
const MAY_HOLD_KEY = /(?:^|&)(?:k|%6b)(?:e|%65)(?:y|%79)(?:=|&|$)/i;

function attributionOf(
  clientId: string | undefined,
  application: string | undefined,
  pageHost: string | undefined,
): Attribution {
  if (clientId) return { kind: 'operator', name: clientNameOf(clientId), application, pageHost };
  if (application !== undefined) return { kind: 'application', name: application, application, pageHost };
  return pageHost === undefined ? ANONYMOUS : { ...ANONYMOUS, pageHost };
}

const ANONYMOUS: Attribution = {
  kind: 'anonymous',
  name: undefined,
  application: undefined,
  pageHost: undefined,
};

const LONGEST_URL = 2_048;

function pageHostOf(pageUrl: string | undefined): string | undefined {
  if (pageUrl === undefined || pageUrl.length > LONGEST_URL || !URL.canParse(pageUrl)) return undefined;
  const { protocol, host } = new URL(pageUrl);
  return PAGE_PROTOCOLS.has(protocol) && host !== '' ? host : undefined;
}

const PAGE_PROTOCOLS: ReadonlySet<string> = new Set(['http:', 'https:']);

/** The name in `<name>/<version>`; any other text still counts as the operator's, without a name. */
function clientNameOf(clientId: string): string | undefined {
  return /^[\w.-]{1,64}\/[\w.+-]{1,32}$/.test(clientId) ? clientId : undefined;
}
