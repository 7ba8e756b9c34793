/**
 * A body in the representations that clients want it in: of one media type, in one content coding, with its entity tag
 * (RFC 9110). Each is made when the first client asks for it, and stays with the body. And replies of such: fixed files,
 * refusals, small JSON.
 */
import { createHash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { ErrorCode } from '../../calendar/errors.ts';
import type { Refusal } from '../graphql/refusal.ts';
import {
  CODINGS,
  type Coding,
  codingFor,
  type HeaderList,
  type HttpReply,
  JSON_MEDIA,
  type Media,
  NO_BODY,
} from './message.ts';

/** What a request chooses of a body. */
export interface Variant {
  /** Different for each variant that one body may have. */
  readonly place: number;
  /** With its charset. */
  readonly type: string;
  readonly coding: Coding;
  /** Which of the body's endings. */
  readonly ending: number;
}

/**
 * All but `Cache-Control`, which changes by the second. This and what else is cached with large memory behind it is of a
 * class: V8 would allocate such object literals as long-lived once a cache has filled with them, and each later one would
 * hold on to its 30 KB until the next full collection (68 µs of a collector's time a request instead of 20).
 */
export class Representation {
  readonly body: Buffer;
  /** Of a body that others share, what stands behind it. */
  readonly ending: Buffer | undefined;
  readonly tag: string | undefined;
  readonly headers: HeaderList;
  readonly notModifiedHeaders: HeaderList;

  constructor(parts: Pick<Representation, 'body' | 'ending' | 'tag' | 'headers' | 'notModifiedHeaders'>) {
    this.body = parts.body;
    this.ending = parts.ending;
    this.tag = parts.tag;
    this.headers = parts.headers;
    this.notModifiedHeaders = parts.notModifiedHeaders;
  }
}

interface ContentOptions {
  readonly body: Buffer;
  /** What may stand behind the body; without any, nothing does. */
  readonly endings?: readonly Buffer[];
  /** Only for what a cache may keep and ask for again. */
  readonly isTagged: boolean;
  /** Of every representation, and of a 304 in its place; `Vary` among them. */
  readonly headers: HeaderList;
  /** Of every representation only. */
  readonly bodyHeaders?: HeaderList;
}

export class Content {
  readonly #body: Buffer;
  readonly #endings: readonly Buffer[];
  readonly #isTagged: boolean;
  readonly #headers: HeaderList;
  readonly #bodyHeaders: HeaderList;
  /** By place of the variant; a promise while it is being made. */
  readonly #representations = new Map<number, Representation | Promise<Representation>>();
  #bytes: number;

  constructor({ body, endings = [], isTagged, headers, bodyHeaders = [] }: ContentOptions) {
    this.#body = body;
    this.#endings = endings;
    this.#isTagged = isTagged;
    this.#headers = headers;
    this.#bodyHeaders = bodyHeaders;
    this.#bytes = body.length;
  }

  /** Of all representations so far. */
  get bytes(): number {
    return this.#bytes;
  }

  /** The representation, if somebody asked for it before. */
  ready({ place }: Variant): Representation | undefined {
    const known = this.#representations.get(place);
    return known instanceof Representation ? known : undefined;
  }

  /** At once where nothing has to be compressed. */
  representation(variant: Variant): Representation | Promise<Representation> {
    const known = this.#representations.get(variant.place);
    if (known !== undefined) return known;
    const ending = this.#endings[variant.ending];
    const parts = { body: this.#body, ending };
    const length = this.#body.length + (ending?.length ?? 0);
    const { coding } = variant;
    if (coding === 'identity' || length <= SMALLEST_TO_COMPRESS) {
      const made = this.#make(variant, parts, 'identity');
      this.#representations.set(variant.place, made);
      return made;
    }
    // The next one may find less to wait for.
    if (underWay + length > MOST_UNDER_WAY) return this.#make(variant, parts, 'identity');
    const making = this.#compressed(variant, parts, coding);
    this.#representations.set(variant.place, making);
    return making;
  }

  async #compressed(
    variant: Variant,
    parts: Parts,
    coding: Exclude<Coding, 'identity'>,
  ): Promise<Representation> {
    try {
      const body = await compress(parts, coding);
      const made = this.#make(variant, parts, coding, { body, ending: undefined });
      this.#representations.set(variant.place, made);
      this.#bytes += body.length;
      return made;
    } catch (thrown) {
      this.#representations.delete(variant.place);
      throw thrown;
    }
  }

  #make({ type }: Variant, parts: Parts, coding: Coding, coded = parts): Representation {
    const tag = this.#isTagged ? entityTag(parts, { type, coding }) : undefined;
    const notModifiedHeaders = [...(tag === undefined ? [] : ['ETag', tag]), ...this.#headers];
    const headers = [
      ...['Content-Type', type, 'Content-Length', `${coded.body.length + (coded.ending?.length ?? 0)}`],
      ...(coding === 'identity' ? [] : ['Content-Encoding', coding]),
      ...this.#bodyHeaders,
      ...notModifiedHeaders,
    ];
    // The spread comes last: an object that goes on behind one outlives its scavenge (see graphql/answer.ts).
    return new Representation({ tag, headers, notModifiedHeaders, ...coded });
  }
}

/** D7: up to here a reply fits a packet anyway. */
const SMALLEST_TO_COMPRESS = 1_024;

type Parts = Pick<Representation, 'body' | 'ending'>;

/** In Node's thread pool, so that a big body holds up nobody else. */
async function compress({ body, ending }: Parts, coding: Exclude<Coding, 'identity'>): Promise<Buffer> {
  const plain = ending === undefined ? body : Buffer.concat([body, ending]);
  underWay += plain.length;
  try {
    return inOwnMemory(await COMPRESS[coding](plain));
  } finally {
    underWay -= plain.length;
  }
}

/** zlib gives a view of the 16 KiB that it wrote into, which would be kept as a whole for as long as the answer is. */
function inOwnMemory(view: Buffer): Buffer {
  const own = Buffer.allocUnsafeSlow(view.length);
  own.set(view);
  return own;
}

/** Bytes that are being compressed, or wait for it. */
let underWay = 0;

/** D10: four of the largest answers, one for each of the pool's threads. */
const MOST_UNDER_WAY = 128 * 1_024 * 1_024;

const brotli = promisify(brotliCompress);
const zip = promisify(gzip);

/** Quality 4 costs about what gzip's default does, and gives smaller bodies; 5 and up cost several times that. */
const BROTLI_QUALITY = 4;

const COMPRESS = {
  br: (plain: Buffer): Promise<Buffer> =>
    brotli(plain, {
      params: {
        [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY,
        [constants.BROTLI_PARAM_MODE]: constants.BROTLI_MODE_TEXT,
        [constants.BROTLI_PARAM_SIZE_HINT]: plain.length,
      },
    }),
  gzip: (plain: Buffer): Promise<Buffer> => zip(plain),
};

/** Strong: from the bytes before they are coded, and distinct for each representation that the same bytes can have. */
function entityTag({ body, ending }: Parts, { type, coding }: Pick<Variant, 'type' | 'coding'>): string {
  const hash = createHash('sha256').update(body);
  if (ending !== undefined) hash.update(ending);
  const suffix = `${coding === 'identity' ? '' : `-${coding}`}${TAG_SUFFIXES[type] ?? ''}`;
  return `"${hash.digest('base64url').slice(0, HASH_LENGTH)}${suffix}"`;
}

/** 132 bits. */
const HASH_LENGTH = 22;

/** Of media types that a body may have besides another one. */
const TAG_SUFFIXES: Readonly<Record<string, string>> = {
  'application/graphql-response+json; charset=utf-8': '-r',
};

export function tagOf(body: Buffer): string {
  return entityTag({ body, ending: undefined }, { type: '', coding: 'identity' });
}

/** Whether `If-None-Match` names the tag: a list, compared weakly, or `*` for anything. */
export function matchesTag(ifNoneMatch: string | undefined, tag: string): boolean {
  if (ifNoneMatch === undefined) return false;
  if (ifNoneMatch === tag) return true;
  return ifNoneMatch.split(',').some((item) => {
    const one = item.trim();
    return one === '*' || (one.startsWith('W/') ? one.slice(2) : one) === tag;
  });
}

interface ReplyOptions {
  /** `Cache-Control`, and what goes with it. */
  readonly freshness: HeaderList;
  readonly ifNoneMatch: string | undefined;
}

export function replyWith(
  { body, ending, tag, headers, notModifiedHeaders }: Representation,
  { freshness, ifNoneMatch }: ReplyOptions,
): HttpReply {
  if (tag !== undefined && matchesTag(ifNoneMatch, tag)) {
    return { status: 304, headers: [...notModifiedHeaders, ...freshness], body: NO_BODY };
  }
  return { status: 200, headers: [...headers, ...freshness], body, ending };
}

interface ResourceOptions {
  readonly body: Buffer;
  /** With its charset, where it has one. */
  readonly type: string;
  /** Not for what is new each time. */
  readonly isTagged?: boolean;
  /** Request headers besides `Accept-Encoding` that decide whether this is the reply. */
  readonly vary?: readonly string[];
  readonly headers?: HeaderList;
  readonly bodyHeaders?: HeaderList;
}

/** A body of one media type, at an address of its own. */
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

/** The interface's error table and D1. Codes that are not here never leave the server: they read as an internal error. */
export const STATUS: Partial<Readonly<Record<ErrorCode, number>>> = {
  BAD_REQUEST: 400,
  BAD_USER_INPUT: 200,
  GRAPHQL_PARSE_FAILED: 400,
  GRAPHQL_VALIDATION_FAILED: 400,
  QUERY_TOO_COMPLEX: 400,
  PERSISTED_QUERY_NOT_FOUND: 200,
  NOT_FOUND: 404,
  METHOD_NOT_ALLOWED: 405,
  REQUEST_TIMEOUT: 408,
  PAYLOAD_TOO_LARGE: 413,
  UNSUPPORTED_MEDIA_TYPE: 415,
  RATE_LIMITED: 429,
  HEADERS_TOO_LARGE: 431,
  TIMEOUT: 200,
  INTERNAL_SERVER_ERROR: 500,
  SERVICE_UNAVAILABLE: 503,
};

/** How a refusal is sent: as the client would like it, or as plain JSON. */
export interface RefusalOptions {
  readonly media?: Media;
  readonly coding?: Coding;
  readonly headers?: HeaderList;
  /** Instead of what its code means. */
  readonly status?: number | undefined;
}

export async function refusalReply(refusal: Refusal, options: RefusalOptions = {}): Promise<HttpReply> {
  const { media = JSON_MEDIA, coding = 'identity', headers = [], status = statusOf(refusal) } = options;
  const content = new Content({
    body: bodyOf(refusal),
    isTagged: false,
    headers: ['Cache-Control', 'no-store', ...headers],
  });
  const variant = { place: 0, type: typeOf(media), coding, ending: 0 };
  const { body, headers: all } = await content.representation(variant);
  return { status, headers: all, body };
}

/** For where nothing can be waited for, and where nobody has said what they accept. */
export function plainRefusal(refusal: Refusal, options: Omit<RefusalOptions, 'coding'> = {}): HttpReply {
  const { media = JSON_MEDIA, headers = [], status = statusOf(refusal) } = options;
  return plainReply(status, bodyOf(refusal), { media, headers });
}

export function jsonReply(status: number, value: unknown): HttpReply {
  return plainReply(status, Buffer.from(`${JSON.stringify(value)}\n`), { media: JSON_MEDIA, headers: [] });
}

function plainReply(
  status: number,
  body: Buffer,
  { media, headers }: Required<Pick<RefusalOptions, 'media' | 'headers'>>,
): HttpReply {
  const entity = ['Content-Type', typeOf(media), 'Content-Length', `${body.length}`];
  return { status, headers: [...entity, 'Cache-Control', 'no-store', ...headers], body };
}

const statusOf = ({ code }: Refusal): number => STATUS[code] ?? 500;

const typeOf = (media: Media): string => `${media}; charset=utf-8`;

function bodyOf({ errors }: Refusal): Buffer {
  return Buffer.from(JSON.stringify({ errors }));
}
