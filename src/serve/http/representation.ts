/**
 * Representations of a body (RFC 9110): one media type and one content coding, with an entity tag and all headers but `Cache-Control`,
 * which changes every second. Fixed files have them, too.
 */
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import type { IncomingHttpHeaders } from 'node:http';
import { constants, createBrotliCompress, createGzip } from 'node:zlib';
import { UNBOUNDED, type Work } from '../admission/admission.ts';
import { type HeaderList, type HttpReply, NO_BODY } from './message.ts';
import { type Coding, codingFor } from './negotiation.ts';
import { compact, lengthOf } from './reply-body.ts';

/** The representation that a request selects. */
export interface Variant {
  /** Media type with its charset. */
  readonly type: string;
  readonly coding: Coding;
}

export interface ReplyContent {
  /** In slices, if it is long. */
  readonly body: readonly Buffer[];
  /** Whether it gets an entity tag: only if a cache may store and revalidate it. */
  readonly isTagged: boolean;
  /** Headers of the representation and of its 304; `Vary` among them. */
  readonly headers: HeaderList;
  /** Headers of the representation, but not of a 304. */
  readonly bodyHeaders?: HeaderList | undefined;
}

export interface Representation {
  readonly body: readonly Buffer[];
  readonly length: number;
  readonly tag: string | undefined;
  readonly headers: HeaderList;
  readonly notModifiedHeaders: HeaderList;
}

/** Long bodies are hashed and compressed in pieces, between which others have the thread (D14). */
export async function createRepresentation(
  content: ReplyContent,
  variant: Variant,
  work: Pick<Work, 'nextTurn'> = UNBOUNDED,
): Promise<Representation> {
  const { body: plain, isTagged, bodyHeaders = [] } = content;
  const { type } = variant;
  const coding = lengthOf(plain) <= SMALLEST_TO_COMPRESS ? 'identity' : variant.coding;
  const tag = isTagged ? await entityTag(inTurns(plain, work), { type, coding }) : undefined;
  const body = coding === 'identity' ? plain : await compress(inTurns(plain, work), coding);
  const length = lengthOf(body);
  const tagHeader = tag === undefined ? [] : ['ETag', tag];
  const codingHeader = coding === 'identity' ? [] : ['Content-Encoding', coding];
  const notModifiedHeaders = [...tagHeader, ...content.headers];
  const headers = [
    'Content-Type',
    type,
    'Content-Length',
    `${length}`,
    ...codingHeader,
    ...bodyHeaders,
    ...notModifiedHeaders,
  ];
  return { body, length, tag, headers, notModifiedHeaders };
}

/** Bytes (D7): a smaller reply fits into one packet anyway. */
const SMALLEST_TO_COMPRESS = 1_024;

/** Bytes that are hashed or compressed in one piece. */
const PIECE_BYTES = 512 * 1_024;

async function* inTurns(body: readonly Buffer[], work: Pick<Work, 'nextTurn'>): AsyncGenerator<Buffer> {
  for (const slice of body) {
    for (let at = 0; at < slice.length; at += PIECE_BYTES) {
      if (at > 0 || slice !== body[0]) await work.nextTurn();
      yield slice.subarray(at, at + PIECE_BYTES);
    }
  }
}

/** In Node's thread pool, so that a large body does not delay other requests. */
async function compress(
  pieces: AsyncIterable<Buffer>,
  coding: Exclude<Coding, 'identity'>,
): Promise<readonly Buffer[]> {
  const coder = COMPRESSORS[coding]();
  const coded: Buffer[] = [];
  coder.on('data', (chunk: Buffer) => coded.push(chunk));
  const feed = async () => {
    for await (const piece of pieces) coder.write(piece);
    coder.end();
  };
  // Side by side: a fault of the coder is this answer's, also while pieces are still written.
  try {
    await Promise.all([once(coder, 'end'), feed()]);
  } catch (cause) {
    coder.destroy();
    throw cause;
  }
  return compact(coded);
}

/** Bytes that a compressor emits at a time. */
const CHUNK = 64 * 1_024;

const COMPRESSORS = {
  br: () =>
    createBrotliCompress({
      chunkSize: CHUNK,
      params: {
        // 4 costs about as much as gzip's default and gives smaller bodies; 5 and up cost several times that.
        [constants.BROTLI_PARAM_QUALITY]: 4,
        [constants.BROTLI_PARAM_MODE]: constants.BROTLI_MODE_TEXT,
        // As a power of two, the bytes in which it looks for repeats; it holds several times as many.
        [constants.BROTLI_PARAM_LGWIN]: 19,
      },
    }),
  gzip: () => createGzip({ chunkSize: CHUNK }),
};

/** Distinct for each representation that the same bytes can have. */
async function entityTag(pieces: AsyncIterable<Buffer>, { type, coding }: Variant): Promise<string> {
  const hash = createHash('sha256').update(`${coding} ${type}\n`);
  for await (const piece of pieces) hash.update(piece);
  // 22 characters of Base64 are 132 bits.
  return `"${hash.digest('base64url').slice(0, 22)}"`;
}

/**
 * Whether `If-None-Match` matches the tag: a list, compared weakly, or `*`. Not by the package `fresh`, as in Koa: replies to GraphQL are
 * made before Koa has a response, and a reload with `Cache-Control: no-cache` would get the whole body again.
 */
export function matchesTag(ifNoneMatch: string | undefined, tag: string): boolean {
  if (ifNoneMatch === undefined) return false;
  if (ifNoneMatch === tag) return true;
  return ifNoneMatch.split(',').some((item) => {
    const one = item.trim();
    return one === '*' || (one.startsWith('W/') ? one.slice(2) : one) === tag;
  });
}

/** `freshness`: `Cache-Control`, and headers that go with it. */
export function replyWith(
  { body, tag, headers, notModifiedHeaders }: Representation,
  freshness: HeaderList,
  ifNoneMatch: string | undefined,
): HttpReply {
  return tag !== undefined && matchesTag(ifNoneMatch, tag)
    ? { status: 304, headers: [...notModifiedHeaders, ...freshness], body: NO_BODY }
    : { status: 200, headers: [...headers, ...freshness], body };
}

interface ResourceOptions {
  readonly body: Buffer;
  /** With its charset, if it has one. */
  readonly type: string;
  /** False for bodies that are new each time. */
  readonly isTagged?: boolean;
  /** Request headers besides `Accept-Encoding` that select this reply. */
  readonly vary?: readonly string[];
  readonly headers?: HeaderList;
  readonly bodyHeaders?: HeaderList;
}

/** A body of one media type at its own address. */
export type Resource = (headers: IncomingHttpHeaders, cacheControl: string) => Promise<HttpReply>;

/** Each representation is made for the first client that needs it. */
export function createResource(options: ResourceOptions): Resource {
  const { body, type, isTagged = true, vary = [], headers = [], bodyHeaders } = options;
  const content = {
    body: [body],
    isTagged,
    headers: ['Vary', [...vary, 'Accept-Encoding'].join(', '), ...headers],
    bodyHeaders,
  };
  const representations = new Map<Coding, Promise<Representation>>();
  return async ({ 'accept-encoding': acceptEncoding, 'if-none-match': ifNoneMatch }, cacheControl) => {
    const coding = codingFor(acceptEncoding);
    const representation = representations.get(coding) ?? createRepresentation(content, { type, coding });
    representations.set(coding, representation);
    // One that could not be made is made again for the next request.
    representation.catch(() => representations.delete(coding));
    return replyWith(await representation, ['Cache-Control', cacheControl], ifNoneMatch);
  };
}

/** A resource whose bytes never change while the server runs. */
export function fixedReply(
  options: ResourceOptions & { readonly cacheControl: string },
): (request: { readonly headers: IncomingHttpHeaders }) => Promise<HttpReply> {
  const resource = createResource(options);
  return ({ headers }) => resource(headers, options.cacheControl);
}
