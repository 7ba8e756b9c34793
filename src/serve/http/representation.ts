/**
 * A body and its representations (RFC 9110): of one media type, each in one content coding, with its entity tag. Each is made for the
 * first client that needs it, and stays with the body. Fixed files are such bodies, too.
 */
import { createHash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { pipeline } from 'node:stream/promises';
import { promisify } from 'node:util';
import { brotliCompress, constants, createBrotliCompress, createGzip, gzip } from 'node:zlib';
import {
  CODINGS,
  type Coding,
  codingFor,
  type HeaderList,
  type HttpReply,
  lengthOf,
  NO_BODY,
} from './message.ts';

/** The representation that a request selects. */
export interface Variant {
  /** A different number for each variant of one body. */
  readonly place: number;
  /** Media type with its charset. */
  readonly type: string;
  readonly coding: Coding;
  /** Index into the body's endings. */
  readonly ending: number;
}

/**
 * All but `Cache-Control`, which changes every second. This and other cached values that hold large memory are classes: V8 would allocate
 * such object literals as long-lived once a cache is full of them, and each later one would hold its 30 KB until the next full collection
 * (68 µs of a collector's time a request instead of 20).
 */
export class Representation {
  readonly body: Buffer;
  /** Slices that follow the first: the ending of a shared body, or the rest of a long one. */
  readonly more: readonly Buffer[] | undefined;
  readonly tag: string | undefined;
  readonly headers: HeaderList;
  readonly notModifiedHeaders: HeaderList;

  constructor(parts: Pick<Representation, 'body' | 'more' | 'tag' | 'headers' | 'notModifiedHeaders'>) {
    this.body = parts.body;
    this.more = parts.more;
    this.tag = parts.tag;
    this.headers = parts.headers;
    this.notModifiedHeaders = parts.notModifiedHeaders;
  }
}

interface ContentOptions {
  /** One buffer or slices. */
  readonly body: Buffer | readonly Buffer[];
  /** Endings that may follow the body; none by default. */
  readonly endings?: readonly Buffer[];
  /** Whether it gets an entity tag: only if a cache may store and revalidate it. */
  readonly isTagged: boolean;
  /** Headers of every representation and of its 304; `Vary` among them. */
  readonly headers: HeaderList;
  /** Headers of every representation, but not of a 304. */
  readonly bodyHeaders?: HeaderList;
}

/** Pauses work on a long body after each slice, so that others have the thread. */
interface Pace {
  readonly take: (bytes: number) => Promise<void> | undefined;
  readonly pause: () => Promise<void> | undefined;
}

const UNHURRIED: Pace = { take: () => undefined, pause: () => undefined };

export class Content {
  readonly #slices: readonly Buffer[];
  readonly #endings: readonly Buffer[];
  readonly #isTagged: boolean;
  readonly #headers: HeaderList;
  readonly #bodyHeaders: HeaderList;
  /** By the variant's place; a promise while it is being made. */
  readonly #representations = new Map<number, Representation | Promise<Representation>>();
  #bytes: number;

  constructor({ body, endings = [], isTagged, headers, bodyHeaders = [] }: ContentOptions) {
    this.#slices = Buffer.isBuffer(body) ? [body] : body;
    this.#endings = endings;
    this.#isTagged = isTagged;
    this.#headers = headers;
    this.#bodyHeaders = bodyHeaders;
    this.#bytes = lengthOf(this.#slices);
  }

  /** Bytes of all representations so far. */
  get bytes(): number {
    return this.#bytes;
  }

  /** The representation, if it was made before. */
  ready({ place }: Variant): Representation | undefined {
    const known = this.#representations.get(place);
    return known instanceof Representation ? known : undefined;
  }

  /** Synchronous unless the body has to be compressed, or is long and has to be hashed. */
  representation(variant: Variant, pace = UNHURRIED): Representation | Promise<Representation> {
    const known = this.#representations.get(variant.place);
    if (known !== undefined) return known;
    const ending = this.#endings[variant.ending];
    const slices = ending === undefined ? this.#slices : [...this.#slices, ending];
    const length = lengthOf(slices);
    const coding = length <= SMALLEST_TO_COMPRESS ? 'identity' : variant.coding;
    const made =
      coding === 'identity' && (length <= LONGEST_SLICE || !this.#isTagged)
        ? this.#make(variant, slices, { coding, tag: tagIf(this.#isTagged, slices) })
        : this.#makeInSlices(variant, slices, { coding, pace });
    this.#representations.set(variant.place, made);
    return made;
  }

  async #makeInSlices(
    variant: Variant,
    slices: readonly Buffer[],
    { coding, pace }: { readonly coding: Coding; readonly pace: Pace },
  ): Promise<Representation> {
    try {
      const tag = this.#isTagged ? await hashInSlices(slices, pace) : undefined;
      const coded = coding === 'identity' ? slices : await compress(slices, coding, pace);
      const made = this.#make(variant, coded, { coding, tag });
      this.#representations.set(variant.place, made);
      if (coding !== 'identity') this.#bytes += lengthOf(coded);
      return made;
    } catch (thrown) {
      this.#representations.delete(variant.place);
      throw thrown;
    }
  }

  #make(
    { type }: Variant,
    [body = NO_BODY, ...more]: readonly Buffer[],
    { coding, tag: hash }: { readonly coding: Coding; readonly tag: string | undefined },
  ): Representation {
    const tag = hash === undefined ? undefined : entityTag(hash, { type, coding });
    const notModifiedHeaders = [...(tag === undefined ? [] : ['ETag', tag]), ...this.#headers];
    const headers = [
      ...['Content-Type', type, 'Content-Length', `${body.length + lengthOf(more)}`],
      ...(coding === 'identity' ? [] : ['Content-Encoding', coding]),
      ...this.#bodyHeaders,
      ...notModifiedHeaders,
    ];
    const rest = more.length === 0 ? undefined : more;
    return new Representation({ body, more: rest, tag, headers, notModifiedHeaders });
  }
}

/** Bytes (D7): a smaller reply fits into one packet anyway. */
const SMALLEST_TO_COMPRESS = 1_024;

/** Bytes that are hashed or compressed in one piece: some 2 ms. */
const LONGEST_SLICE = 512 * 1_024;

/** The assumed ratio of compression: texts and JSON shrink to a fifth. */
const COMPRESSED = 1 / 4;

function tagIf(isTagged: boolean, slices: readonly Buffer[]): string | undefined {
  if (!isTagged) return undefined;
  const hash = createHash('sha256');
  for (const slice of slices) hash.update(slice);
  return hash.digest('base64url');
}

async function hashInSlices(slices: readonly Buffer[], pace: Pace): Promise<string> {
  const hash = createHash('sha256');
  for await (const slice of shortSlices(slices, pace)) hash.update(slice);
  return hash.digest('base64url');
}

async function* shortSlices(slices: readonly Buffer[], pace: Pace): AsyncGenerator<Buffer> {
  for (const slice of slices) {
    for (let at = 0; at < slice.length; at += LONGEST_SLICE) {
      yield slice.subarray(at, at + LONGEST_SLICE);
      await pace.pause();
    }
  }
}

/** In Node's thread pool, so that a large body does not delay other requests. */
async function compress(
  slices: readonly Buffer[],
  coding: Exclude<Coding, 'identity'>,
  pace: Pace,
): Promise<readonly Buffer[]> {
  const length = lengthOf(slices);
  await pace.take(Math.ceil(length * COMPRESSED));
  const [only = NO_BODY] = slices;
  if (length <= LONGEST_SLICE) {
    const plain = slices.length === 1 ? only : Buffer.concat(slices, length);
    return [inOwnMemory(await COMPRESS[coding].whole(plain))];
  }
  const coded: Buffer[] = [];
  await pipeline(
    shortSlices(slices, pace),
    COMPRESS[coding].stream(),
    async (chunks: AsyncIterable<Buffer>) => {
      for await (const chunk of chunks) coded.push(chunk);
    },
  );
  return coded;
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
function entityTag(hash: string, { type, coding }: Pick<Variant, 'type' | 'coding'>): string {
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
  return entityTag(tagIf(true, [body]) ?? '', { type: '', coding: 'identity' });
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

export function createResource(options: ResourceOptions): Resource {
  const { body, type, isTagged = true, vary = [], headers = [], bodyHeaders } = options;
  const content = new Content({
    body,
    isTagged,
    headers: ['Vary', [...vary, 'Accept-Encoding'].join(', '), ...headers],
    ...(bodyHeaders !== undefined && { bodyHeaders }),
  });
  return async ({ 'accept-encoding': acceptEncoding, 'if-none-match': ifNoneMatch }, cacheControl) => {
    const coding = codingFor(acceptEncoding);
    const variant = { place: CODINGS.indexOf(coding), type, coding, ending: 0 };
    const freshness = ['Cache-Control', cacheControl];
    return replyWith(await content.representation(variant), { freshness, ifNoneMatch });
  };
}

/** A resource whose bytes never change while the server runs. */
export function fixedReply(
  options: ResourceOptions & { readonly cacheControl: string },
): (request: { readonly headers: IncomingHttpHeaders }) => Promise<HttpReply> {
  const resource = createResource(options);
  return ({ headers }) => resource(headers, options.cacheControl);
}
