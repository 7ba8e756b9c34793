/**
 * HTTP to a URL that may come from outside, or redirect anywhere: bounded in time, bytes and redirects, and limited to public addresses.
 */
import { once } from 'node:events';
import {
  type Agent,
  type ClientRequest,
  type IncomingHttpHeaders,
  type IncomingMessage,
  request as requestHttp,
} from 'node:http';
import { request as requestHttps } from 'node:https';
import { isIP } from 'node:net';
import { PassThrough, pipeline, type Readable, type Transform } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import { systemCodeOf } from '../../src/calendar/errors.ts';
import { failureText } from '../../src/calendar/failures.ts';
import { parsedUrl } from '../../src/calendar/urls.ts';
import { canDecode, PERCENT_NOTE } from '../../src/settings/kinds.ts';
import { type Deadline, startDeadline, type TimeLimits } from './deadline.ts';
import { FetchProblem } from './fetch-problem.ts';
import { isPublicAddress, publicLookup, refusedAddress } from './public-address.ts';
import { createCookies } from './redirect-cookies.ts';

export interface FetchRequest {
  /** Its user name and password are sent to this host only, as are the headers in `SECRET`. */
  readonly url: URL;
  readonly method?: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'DELETE';
  readonly headers?: Readonly<Record<string, string>>;
  /** A function opens a stream; `Content-Length` must then be among the headers. */
  readonly body?: string | (() => Readable);
  readonly limits: FetchLimits;
  /** Whether this hop may lead to a private, loopback or link-local address. Called before each redirect too. */
  readonly mayBePrivate: (url: URL) => boolean;
  /** Whether `https` may redirect to `http`. */
  readonly mayDowngrade?: boolean;
  /** Aborts at once. */
  readonly signal?: AbortSignal;
  /**
   * Keeps connections open between requests to one endpoint. All its requests must have the same policy for addresses. They must be
   * idempotent: a request is sent again, on a connection of its own, if the server has closed the idle one.
   */
  readonly agentFor?: (protocol: string) => Agent;
}

interface FetchLimits extends TimeLimits {
  /** Bytes of a body, counted both as received and as decompressed. */
  readonly bytes: number;
  readonly redirects: number;
}

interface Reply {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** Decompressed. Throws FetchProblem while it is read. */
  readonly body: AsyncIterable<Buffer>;
}

/**
 * Passes the reply to `use`; it is valid, and the limits apply, until the promise of `use` settles. Any status that is no redirect is a
 * reply. Throws FetchProblem for any other failure, and the errors of `use`.
 */
export async function fetchBounded<Result>(
  request: FetchRequest,
  use: (reply: Reply) => Promise<Result>,
): Promise<Result> {
  const deadline = startDeadline(request);
  try {
    const { response, url } = await follow(request, deadline);
    try {
      const { statusCode: status = 0, headers } = response;
      return await use({ status, headers, body: bodyOf(response, url, { deadline, request }) });
    } finally {
      response.destroy();
    }
  } finally {
    deadline.end();
  }
}

/** Fetches the whole body into memory. */
export function fetchWhole(request: FetchRequest): Promise<WholeReply> {
  return fetchBounded(request, async ({ body, ...head }) => ({ ...head, body: await buffer(body) }));
}

export interface WholeReply extends Omit<Reply, 'body'> {
  readonly body: Buffer;
}

/** Sends the request, and follows redirects. */
async function follow(request: FetchRequest, deadline: Deadline) {
  const { redirects: mostRedirects } = request.limits;
  let url = new URL(request.url);
  url.username = '';
  url.password = '';
  let sent: FetchRequest = { ...request, headers: { ...request.headers, ...credentialsOf(request.url) } };
  const cookies = createCookies();
  for (let redirects = 0; redirects <= mostRedirects; redirects++) {
    try {
      const headers = { ...sent.headers, ...cookies.headerFor(url) };
      const response = await send(url, { ...sent, headers }, deadline);
      deadline.renew();
      const next = redirectOf(response, url);
      if (next === null) return { response, url };
      cookies.note(url, response.headers['set-cookie']);
      response.destroy();
      sent = redirected(sent, { response, from: url, to: next });
      url = next;
    } catch (thrown) {
      throw deadline.explain(thrown, url);
    }
  }
  throw new FetchProblem('redirect limit', url, failureText('manyRedirects', { redirects: mostRedirects }));
}

interface Redirect {
  readonly response: IncomingMessage;
  readonly from: URL;
  readonly to: URL;
}

/** The request for the next hop. Throws FetchProblem if the redirect leads from https to another protocol, unless the request allows that. */
function redirected(request: FetchRequest, { response, from, to }: Redirect): FetchRequest {
  const isDowngrade = from.protocol === 'https:' && to.protocol !== 'https:';
  if (isDowngrade && request.mayDowngrade !== true) {
    const found = `expected a redirect within https, found ${to.protocol}`;
    throw new FetchProblem('unreachable', from, found);
  }
  const next = becomesGet(response, request) ? asGet(request) : request;
  // A key is sent only to the host that issued it.
  return to.host !== from.host || isDowngrade ? withoutHeaders(next, SECRET) : next;
}

const SECRET = /^(?:authorization|cookie|x-api-key|x-amz-security-token)$/i;
/** Headers that describe the body of a request. */
const OF_BODY = /^(?:content-.*|expect|transfer-encoding)$/i;

/** As browsers do it (the Fetch standard, "HTTP-redirect fetch"). 307 and 308 keep the method and the body. */
function becomesGet({ statusCode }: IncomingMessage, { method = 'GET' }: FetchRequest): boolean {
  if (statusCode === 303) return method !== 'GET' && method !== 'HEAD';
  return (statusCode === 301 || statusCode === 302) && method === 'POST';
}

function asGet({ body: _, ...request }: FetchRequest): FetchRequest {
  return { ...withoutHeaders(request, OF_BODY), method: 'GET' };
}

function withoutHeaders(request: FetchRequest, names: RegExp): FetchRequest {
  const others = Object.entries(request.headers ?? {}).filter(([name]) => !names.test(name));
  return { ...request, headers: Object.fromEntries(others) };
}

/** Sends one request; resolves to the reply once its headers have arrived. */
async function send(url: URL, request: FetchRequest, deadline: Deadline): Promise<IncomingMessage> {
  const { method = 'GET', headers, body, agentFor, mayBePrivate } = request;
  if (!/^https?:$/.test(url.protocol)) {
    throw new FetchProblem('unreachable', url, `expected an http or https URL, found ${url.protocol}`);
  }
  const isOpen = mayBePrivate(url);
  const literal = url.hostname.replace(/^\[|\]$/g, '');
  if (!isOpen && isIP(literal) !== 0 && !isPublicAddress(literal)) throw refusedAddress(url);
  const open = url.protocol === 'https:' ? requestHttps : requestHttp;
  const outgoing = open(url, {
    method,
    headers: { 'accept-encoding': 'br, gzip, deflate', ...headers },
    lookup: isOpen ? undefined : publicLookup(url),
    // Others may have opened a connection to an address that was not checked.
    agent: agentFor?.(url.protocol) ?? false,
    signal: deadline.signal,
  });
  const responded: Promise<unknown[]> = once(outgoing, 'response');
  // The first error rejects `responded`; later ones are errors of the response as well.
  outgoing.on('error', () => {});
  if (typeof body === 'function') upload(outgoing, body, deadline);
  else outgoing.end(body);
  try {
    const [response] = await responded;
    return response as IncomingMessage;
  } catch (error) {
    // A server may close an idle connection at the very moment at which it is used again (RFC 9112, 9.3.1).
    if (outgoing.reusedSocket && HANG_UPS.has(systemCodeOf(error))) {
      const { agentFor: _, ...again } = request;
      return send(url, again, deadline);
    }
    throw error;
  }
}

const HANG_UPS: ReadonlySet<string> = new Set(['ECONNRESET', 'EPIPE']);

/** Milliseconds for a server to say whether it wants the body (RFC 9110, 10.1.1); many never say so. */
const CONTINUE_MS = 1_000;

/** A refusal that arrives before the body is sent is read as the reply, not as a cut connection. */
function upload(outgoing: ClientRequest, open: () => Readable, { renew }: Deadline): void {
  const begin = () => {
    end();
    if (outgoing.destroyed) return;
    const body = open().on('data', renew);
    pipeline(body, outgoing, (cause) => cause instanceof Error && outgoing.destroy(cause));
  };
  const timer = setTimeout(begin, CONTINUE_MS);
  const end = () => {
    clearTimeout(timer);
    outgoing.off('continue', begin);
  };
  outgoing.once('continue', begin).once('response', end).once('close', end);
  outgoing.flushHeaders();
}

const REDIRECTS = new Set([301, 302, 303, 307, 308]);

function redirectOf({ statusCode = 0, headers: { location } }: IncomingMessage, from: URL): URL | null {
  if (!REDIRECTS.has(statusCode) || location === undefined) return null;
  const to = parsedUrl(location, from);
  if (to === null) throw new FetchProblem('unreachable', from, 'expected a redirect to a URL, found none');
  return to;
}

function credentialsOf(url: URL): Readonly<Record<string, string>> {
  const { username, password } = url;
  if (username === '' && password === '') return {};
  if (!canDecode(url))
    throw new FetchProblem('unreachable', url, `expected an http or https URL${PERCENT_NOTE}`);
  const text = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return { authorization: `Basic ${Buffer.from(text).toString('base64')}` };
}

/** By content coding. */
const DECODERS: ReadonlyMap<string, () => Transform> = new Map<string, () => Transform>([
  ['', () => new PassThrough()],
  ['identity', () => new PassThrough()],
  ['br', createBrotliDecompress],
  ['gzip', createGunzip],
  ['x-gzip', createGunzip],
  ['deflate', createInflate],
]);

/** Counted both as received and decompressed: compressed data may be endless but expand to little, or be short and expand to much. */
async function* bodyOf(
  response: IncomingMessage,
  url: URL,
  { request, deadline }: { readonly request: FetchRequest; readonly deadline: Deadline },
) {
  const { bytes: mostBytes } = request.limits;
  const { 'content-length': announced = '0', 'content-encoding': coding = '' } = response.headers;
  const hasBody = request.method !== 'HEAD' && response.statusCode !== 204 && response.statusCode !== 304;
  const tooLarge = () => new FetchProblem('size limit', url, failureText('tooLarge', { bytes: mostBytes }));
  if (hasBody && Number(announced) > mostBytes) throw tooLarge();
  const decoder = DECODERS.get(hasBody ? coding.trim().toLowerCase() : '');
  if (decoder === undefined) {
    const found = `expected a body in br, gzip, deflate or identity, found ${JSON.stringify(coding.slice(0, 100))}`;
    throw new FetchProblem('unknown content coding', url, found);
  }
  async function* counted(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer, void, undefined> {
    let length = 0;
    for await (const chunk of chunks) {
      length += chunk.length;
      if (length > mostBytes) throw tooLarge();
      deadline.renew();
      yield chunk;
    }
  }
  try {
    yield* counted(pipeline(response, counted, decoder(), () => {}));
  } catch (thrown) {
    throw deadline.explain(thrown, url);
  }
}
