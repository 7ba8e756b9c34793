/**
 * Representations of a body (RFC 9110): one media type and one content coding, with an entity tag and all headers but `Cache-Control`,
 * which changes every second. Fixed files have them, too.
 */
import { createHash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { pipeline } from 'node:stream/promises';
import { promisify } from 'node:util';
import { brotliCompress, constants, createBrotliCompress, createGzip, gzip } from 'node:zlib';
import { nextTurn } from '../admission/admission.ts';
import { type HeaderList, type HttpReply, lengthOf, NO_BODY } from './message.ts';
import { type Coding, codingFor } from './negotiation.ts';

/** The representation that a request selects. */
export interface Variant {
  /** Media type with its charset. */
  readonly type: string;
  readonly coding: Coding;
}

export interface Content {
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
  readonly body: Buffer;
  /** Slices that follow the first. */
  readonly more: readonly Buffer[] | undefined;
  readonly length: number;
  readonly tag: string | undefined;
  readonly headers: HeaderList;
  readonly notModifiedHeaders: HeaderList;
}

/** Long bodies are hashed and compressed in pieces, between which others have the thread (D14, bounded together). */
export async function createRepresentation(content: Content, variant: Variant): Promise<Representation> {
  const { body, isTagged } = content;
  const coding = lengthOf(body) <= SMALLEST_TO_COMPRESS ? 'identity' : variant.coding;
  const tag = isTagged ? entityTag(await hashOf(body), { type: variant.type, coding }) : undefined;
  const coded = coding === 'identity' ? body : await compress(body, coding);
  const [first = NO_BODY, ...more] = coded;
  const length = lengthOf(coded);
  const notModifiedHeaders = [...(tag === undefined ? [] : ['ETag', tag]), ...content.headers];
  const headers = [
    ...['Content-Type', variant.type, 'Content-Length', `${length}`],
    ...(coding === 'identity' ? [] : ['Content-Encoding', coding]),
    ...(content.bodyHeaders ?? []),
    ...notModifiedHeaders,
  ];
  return {
    body: first,
    more: more.length === 0 ? undefined : more,
    length,
    tag,
    headers,
    notModifiedHeaders,
  };
}

/** Bytes (D7, compression): a smaller reply fits into one packet anyway. */
const SMALLEST_TO_COMPRESS = 1_024;

/** Bytes that are hashed or compressed in one piece. */
const LONGEST_SLICE = 512 * 1_024;

async function hashOf(body: readonly Buffer[]): Promise<string> {
  const hash = createHash('sha256');
  const isShort = lengthOf(body) <= LONGEST_SLICE;
  for (const slice of shortSlices(body)) {
    hash.update(slice);
    if (!isShort) await nextTurn();
  }
  return hash.digest('base64url');
}

function* shortSlices(body: readonly Buffer[]): Generator<Buffer> {
  for (const slice of body) {
    for (let at = 0; at < slice.length; at += LONGEST_SLICE) yield slice.subarray(at, at + LONGEST_SLICE);
  }
}

/** In Node's thread pool, so that a large body does not delay other requests. */
async function compress(
  body: readonly Buffer[],
  coding: Exclude<Coding, 'identity'>,
): Promise<readonly Buffer[]> {
  if (lengthOf(body) <= LONGEST_SLICE) {
    const [only = NO_BODY, ...more] = body;
    const plain = more.length === 0 ? only : Buffer.concat(body);
    return [inOwnMemory(await COMPRESS[coding].whole(plain))];
  }
  const coded: Buffer[] = [];
  await pipeline(inTurns(body), COMPRESS[coding].stream(), async (chunks: AsyncIterable<Buffer>) => {
    for await (const chunk of chunks) coded.push(chunk);
  });
  return coded;
}

async function* inTurns(body: readonly Buffer[]): AsyncGenerator<Buffer> {
  for (const slice of shortSlices(body)) {
    yield slice;
    await nextTurn();
  }
}

/** zlib returns a view into 16 KiB, which would stay in memory as long as the answer does. */
function inOwnMemory(view: Buffer): Buffer {
  const own = Buffer.allocUnsafeSlow(view.length);
  own.set(view);
  return own;
}

const brotli = promisify(brotliCompress);
const zip = promisify(gzip);

/** Quality 4 costs about as much as gzip's default and gives smaller bodies; 5 and up cost several times that. */
const BROTLI_QUALITY = 4;
const BROTLI = {
  [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY,
  [constants.BROTLI_PARAM_MODE]: constants.BROTLI_MODE_TEXT,
};
/** Bytes, as a power of two, of the window in which the compressor of a long body looks for repeats; it holds several times as many. */
const WINDOW = 19;
/** Bytes that a compressor emits at a time. */
const CHUNK = 64 * 1_024;

const COMPRESS = {
  br: {
    whole: (plain: Buffer): Promise<Buffer> =>
      brotli(plain, { params: { ...BROTLI, [constants.BROTLI_PARAM_SIZE_HINT]: plain.length } }),
    stream: () =>
      createBrotliCompress({
        chunkSize: CHUNK,
        params: { ...BROTLI, [constants.BROTLI_PARAM_LGWIN]: WINDOW },
      }),
  },
  gzip: {
    whole: (plain: Buffer): Promise<Buffer> => zip(plain),
    stream: () => createGzip({ chunkSize: CHUNK }),
  },
};

/** A strong tag: from the bytes before coding, and distinct for each representation that the same bytes can have. */
function entityTag(hash: string, { type, coding }: Variant): string {
  const suffix = `${coding === 'identity' ? '' : `-${coding}`}${TAG_SUFFIXES[type] ?? ''}`;
  return `"${hash.slice(0, HASH_LENGTH)}${suffix}"`;
}

/** Base64url digits: 132 bits. */
const HASH_LENGTH = 22;

/** Suffixes for media types that a body may have besides its first. */
const TAG_SUFFIXES: Readonly<Record<string, string>> = {
  'application/graphql-response+json; charset=utf-8': '-r',
};

export function tagOf(body: Buffer): string {
  const hash = createHash('sha256').update(body).digest('base64url');
  return entityTag(hash, { type: '', coding: 'identity' });
}

/** Whether `If-None-Match` matches the tag: a list, compared weakly, or `*`. */
export function matchesTag(ifNoneMatch: string | undefined, tag: string): boolean {
  if (ifNoneMatch === undefined) return false;
  if (ifNoneMatch === tag) return true;
  return ifNoneMatch.split(',').some((item) => {
    const one = item.trim();
    return one === '*' || (one.startsWith('W/') ? one.slice(2) : one) === tag;
  });
}

interface ReplyOptions {
  /** `Cache-Control`, and headers that go with it. */
  readonly freshness: HeaderList;
  readonly ifNoneMatch: string | undefined;
}

export function replyWith(
  { body, more, tag, headers, notModifiedHeaders }: Representation,
  { freshness, ifNoneMatch }: ReplyOptions,
): HttpReply {
  if (tag !== undefined && matchesTag(ifNoneMatch, tag)) {
    return { status: 304, headers: [...notModifiedHeaders, ...freshness], body: NO_BODY };
  }
  return { status: 200, headers: [...headers, ...freshness], body, more };
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
  const ownHeaders = ['Vary', [...vary, 'Accept-Encoding'].join(', '), ...headers];
  const content = { body: [body], isTagged, headers: ownHeaders, bodyHeaders };
  const representations = new Map<Coding, Promise<Representation>>();
  return async ({ 'accept-encoding': acceptEncoding, 'if-none-match': ifNoneMatch }, cacheControl) => {
    const coding = codingFor(acceptEncoding);
    const representation = representations.get(coding) ?? createRepresentation(content, { type, coding });
    representations.set(coding, representation);
    return replyWith(await representation, { freshness: ['Cache-Control', cacheControl], ifNoneMatch });
  };
}

/** A resource whose bytes never change while the server runs. */
export function fixedReply(
  options: ResourceOptions & { readonly cacheControl: string },
): (request: { readonly headers: IncomingHttpHeaders }) => Promise<HttpReply> {
  const resource = createResource(options);
  return ({ headers }) => resource(headers, options.cacheControl);
}
