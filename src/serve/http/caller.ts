/**
 * The caller of a request: who it is, which address it comes from, and whether a quota leaves it an answer, which is decided before the
 * response cache. No key is passed on.
 */
import type { IncomingMessage } from 'node:http';
import { isIPv4 } from 'node:net';
import ipaddr from 'ipaddr.js';
import { parsedUrl } from '../../calendar/urls.ts';
import type { Refusal } from '../graphql/refusal.ts';
import { type HeaderList, type HttpRequest, headerOf } from './message.ts';

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

/** Reads the headers `X-Api-Key`, `X-Client-Id`, `X-Page-Url` and `Origin`, and the query parameter `key`. */
export type Identify = (request: Pick<HttpRequest, 'headers' | 'search'>) => Caller;

/** The application that a key was issued to; undefined if it is unknown, revoked or no key at all. */
export type ApplicationOf = (key: string) => string | undefined;

export function createIdentify(applicationOf: ApplicationOf): Identify {
  return ({ headers, search }) => {
    const keyParameter = keyParameterOf(search);
    // D4: the header takes precedence, even with an invalid key.
    const key = headerOf(headers, 'x-api-key') || keyParameter;
    const application = key ? applicationOf(key) : undefined;
    const clientId = headerOf(headers, 'x-client-id');
    const kindByKey = application === undefined ? 'anonymous' : 'application';
    const attribution: Attribution = {
      kind: clientId ? 'operator' : kindByKey,
      name: clientId ? clientNameOf(clientId) : application,
      application,
      // A page that sends no header of its own needs no preflight; the browser still names its origin.
      pageHost: pageHostOf(headerOf(headers, 'x-page-url')) ?? pageHostOf(headerOf(headers, 'origin')),
    };
    return { attribution, hasKeyInUrl: keyParameter !== undefined };
  };
}

function keyParameterOf(search: string): string | undefined {
  return MAY_HOLD_KEY.test(search) ? (new URLSearchParams(search).get('key') ?? undefined) : undefined;
}

/** A cheap check for `key=` in any spelling, because parsing a query costs more than all else; false positives are parsed. */
const MAY_HOLD_KEY = /(?:^|&)(?:k|%6b)(?:e|%65)(?:y|%79)(?:=|&|$)/i;

const LONGEST_URL = 2_048;

function pageHostOf(pageUrl: string | undefined): string | undefined {
  if (pageUrl === undefined || pageUrl.length > LONGEST_URL) return undefined;
  const { protocol = '', host = '' } = parsedUrl(pageUrl) ?? {};
  return PAGE_PROTOCOLS.has(protocol) && host !== '' ? host : undefined;
}

const PAGE_PROTOCOLS: ReadonlySet<string> = new Set(['http:', 'https:']);

/** The name in `<name>/<version>`; any other text still counts as the operator's, without a name. */
function clientNameOf(clientId: string): string | undefined {
  return /^[\w.-]{1,64}\/[\w.+-]{1,32}$/.test(clientId) ? clientId : undefined;
}

/**
 * Returns the caller's address: an IPv4 address, or the /64 of an IPv6 address. Never logged. Empty without an address, as on a Unix
 * socket.
 */
export type CallerAddressOf = (request: AddressedMessage) => string;

/** The parts of a request from which its caller's address is read. */
export type AddressedMessage = Pick<IncomingMessage, 'socket' | 'headers'>;

/** The address at the other end of the connection, which may be a proxy's. */
export const peerAddressOf: CallerAddressOf = ({ socket: { remoteAddress = '' } }) =>
  networkOf(remoteAddress);

/** An IPv6 household or server usually owns a whole /64, and can use any address in it. */
export function networkOf(address: string): string {
  if (isIPv4(address)) return address;
  if (!ipaddr.isValid(address)) return '';
  const parsed = ipaddr.process(address);
  if (parsed instanceof ipaddr.IPv4) return parsed.toString();
  const network = parsed.parts.slice(0, 4).map((part) => part.toString(16));
  return `${network.join(':')}::/64`;
}

/** K4: counts a request as one ordinary page, and says whether its caller may still have an answer. */
export type Quota = (request: QuotaRequest) => Allowance;

interface QuotaRequest {
  readonly message: AddressedMessage;
  readonly caller: Pick<Attribution, 'application'>;
  /** Milliseconds since 1970. */
  readonly arrivedAt: number;
}

/** The quota that is left for one request. */
export interface Allowance {
  /** Null if the request is to be answered. */
  readonly refusal: Refusal | null;
  /** Counts further pages once it is known that the request weighs more than one. Returns a refusal if the work must not go on. */
  readonly charge: (pages: number) => Refusal | null;
  /** Headers of the reply, called when that is sent: what is left by then. */
  readonly headers: () => HeaderList;
  /** Headers of a reply that a shared cache may store: without what is left for this caller. */
  readonly sharedHeaders: HeaderList;
}
