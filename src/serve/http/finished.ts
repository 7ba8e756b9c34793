/** A finished answer in all the forms that clients want it in. Each form is made when the first one asks, and kept. */
import { CODINGS, type Coding, encode } from './coding.ts';
import { entityTag, matchesTag } from './conditional.ts';
import { MEDIA, type Media } from './media.ts';
import { COMMON_HEADERS, type HeaderList, type HttpReply, NO_BODY, type Told } from './message.ts';

/** What of a request picks the form. */
export interface FormWish {
  /** D4. */
  readonly withNotice: boolean;
  readonly media: Media;
  readonly coding: Coding;
}

/**
 * A form: all but `Cache-Control`, which changes by the second. This and what else is kept with large memory behind it is
 * of a class: object literals that are kept while a store fills are learned to be long-lived, and every later one would
 * then hold on to its memory until the next full garbage collection.
 */
export class Form {
  readonly body: Buffer;
  /** Only for what a cache may keep and ask for again: GET. */
  readonly tag: string | undefined;
  readonly headers: HeaderList;
  /** Of a 304 in place of the form. */
  readonly bareHeaders: HeaderList;

  constructor(body: Buffer, tag: string | undefined, { headers, bareHeaders }: FormHeaders) {
    this.body = body;
    this.tag = tag;
    this.headers = headers;
    this.bareHeaders = bareHeaders;
  }
}

interface FormHeaders {
  readonly headers: HeaderList;
  readonly bareHeaders: HeaderList;
}

export interface FinishedOptions {
  /** JSON of an object with at least one member. */
  readonly body: Buffer;
  /** Bytes behind it that are free: it may grow there. */
  readonly room: number;
  /** JSON of the notice's text; null where the answer must not carry it (D4). */
  readonly notice: string | null;
  readonly hasTag: boolean;
  /** Whether the answer is exact for its whole epoch: status 200, no errors. */
  readonly isKept: boolean;
  readonly operationName: string | undefined;
  readonly rootField: string | undefined;
}

export class Finished {
  readonly isKept: boolean;
  readonly #operationName: string | undefined;
  readonly #rootField: string | undefined;
  /** The body, with or without the notice: all but its last byte serves both. */
  #base: Buffer;
  /** Of the body without the notice. */
  readonly #length: number;
  readonly #room: number;
  /** Whether somebody has the body without the notice. */
  #isUsedPlain = false;
  readonly #notice: string | null;
  readonly #hasTag: boolean;
  /** By place; a promise while it is being made. */
  readonly #forms = new Map<number, Form | Promise<Form>>();
  #bytes: number;

  constructor({ body, room, notice, hasTag, isKept, operationName, rootField }: FinishedOptions) {
    this.#base = body;
    this.#length = body.length;
    this.#room = room;
    this.#notice = notice;
    this.#hasTag = hasTag;
    this.isKept = isKept;
    this.#operationName = operationName;
    this.#rootField = rootField;
    this.#bytes = body.length;
  }

  /** All forms so far. */
  get bytes(): number {
    return this.#bytes;
  }

  told(reused: boolean): Told {
    return {
      operationName: this.#operationName,
      rootField: this.#rootField,
      reused,
      failed: !this.isKept,
    };
  }

  /** The form, if somebody asked for it before. */
  ready(wish: FormWish): Form | undefined {
    const form = this.#forms.get(placeOf(wish));
    return form instanceof Form ? form : undefined;
  }

  async form(wish: FormWish): Promise<Form> {
    const place = placeOf(wish);
    const known = this.#forms.get(place);
    if (known !== undefined) return known;
    const making = this.#make(wish);
    this.#forms.set(place, making);
    try {
      const form = await making;
      this.#forms.set(place, form);
      if (form.body !== this.#base) this.#bytes += form.body.length;
      return form;
    } catch (thrown) {
      this.#forms.delete(place);
      throw thrown;
    }
  }

  async #make({ withNotice, media, coding }: FormWish): Promise<Form> {
    const plain = withNotice ? this.#noticed() : this.#plain();
    const { body, coding: used, headers: codingHeaders } = await encode(plain, coding);
    const tag = this.#hasTag ? entityTag(plain, used, media) : undefined;
    const bareHeaders = [...(tag === undefined ? [] : ['ETag', tag]), 'Vary', VARY, ...COMMON_HEADERS];
    const headers = [
      ...['Content-Type', `${media}; charset=utf-8`, 'Content-Length', `${body.length}`],
      ...codingHeaders,
      ...bareHeaders,
    ];
    return new Form(body, tag, { headers, bareHeaders });
  }

  #plain(): Buffer {
    if (this.#base.length === this.#length) {
      this.#isUsedPlain = true;
      return this.#base;
    }
    return Buffer.concat([this.#base.subarray(0, this.#length - 1), CLOSING]);
  }

  /** Takes the place of the body, unless somebody has that already: nearly all calls of a server are of one kind. */
  #noticed(): Buffer {
    if (this.#notice === null) return this.#plain();
    if (this.#base.length !== this.#length) return this.#base;
    const noticed = withEnding(this.#base, endingOf(this.#notice), this.#isUsedPlain ? 0 : this.#room);
    if (!this.#isUsedPlain) {
      this.#base = noticed;
      this.#bytes += noticed.length - this.#length;
    }
    return noticed;
  }
}

const endingOf = (notice: string): string => `,"extensions":{"notice":${notice}}}`;

/** Bytes of a body as it goes to a client that gets the notice. */
export function lengthWith(notice: string | null, body: Buffer): number {
  return notice === null ? body.length : body.length - 1 + Buffer.byteLength(endingOf(notice));
}

/** With another ending in place of the last byte, in the same memory if there is room enough behind it. */
function withEnding(body: Buffer, ending: string, room: number): Buffer {
  const kept = body.length - 1;
  const length = kept + Buffer.byteLength(ending);
  if (length > body.length + room) return Buffer.concat([body.subarray(0, kept), Buffer.from(ending)]);
  const whole = Buffer.from(body.buffer, body.byteOffset, length);
  const written = whole.write(ending, kept);
  if (kept + written !== length) {
    throw new Error(`expected to write ${length - kept} bytes behind a body, wrote ${written}`);
  }
  return whole;
}

/** One request header each that an answer of the endpoint depends on: type or sandbox, coding, CSRF rule, notice. */
export const VARY = 'Accept, Accept-Encoding, Gateway-Require-Preflight, X-Api-Key';

export interface ReplyOptions {
  readonly cacheControl: string;
  readonly ifNoneMatch: string | undefined;
}

export function replyWith(form: Form, { cacheControl, ifNoneMatch }: ReplyOptions): HttpReply {
  if (form.tag !== undefined && matchesTag(ifNoneMatch, form.tag)) {
    return { status: 304, headers: [...form.bareHeaders, 'Cache-Control', cacheControl], body: NO_BODY };
  }
  return { status: 200, headers: [...form.headers, 'Cache-Control', cacheControl], body: form.body };
}

const CLOSING = Buffer.from('}');

function placeOf({ withNotice, media, coding }: FormWish): number {
  return (
    (Number(withNotice) * MEDIA.length + MEDIA.indexOf(media)) * CODINGS.length + CODINGS.indexOf(coding)
  );
}
