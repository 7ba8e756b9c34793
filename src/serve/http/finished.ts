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

/** A form: all but `Cache-Control`, which changes by the second. */
export interface Form {
  readonly body: Buffer;
  /** Only for what a cache may keep and ask for again: GET. */
  readonly tag: string | undefined;
  readonly headers: HeaderList;
  /** Of a 304 in place of the form. */
  readonly bareHeaders: HeaderList;
}

export interface FinishedOptions {
  /** JSON of an object with at least one member. */
  readonly body: Buffer;
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
  readonly #told: Told;
  readonly #toldAgain: Told;
  /** The body, with or without the notice: all but its last byte serves both. */
  #base: Buffer;
  /** Of the body without the notice. */
  readonly #length: number;
  readonly #notice: string | null;
  readonly #hasTag: boolean;
  readonly #forms: (Form | undefined)[] = [];
  readonly #making = new Map<number, Promise<Form>>();
  #bytes: number;

  constructor({ body, notice, hasTag, isKept, operationName, rootField }: FinishedOptions) {
    this.#base = body;
    this.#length = body.length;
    this.#notice = notice;
    this.#hasTag = hasTag;
    this.isKept = isKept;
    this.#told = { operationName, rootField, reused: false, failed: !isKept };
    this.#toldAgain = { ...this.#told, reused: true };
    this.#bytes = body.length;
  }

  /** All forms so far. */
  get bytes(): number {
    return this.#bytes;
  }

  told(reused: boolean): Told {
    return reused ? this.#toldAgain : this.#told;
  }

  /** The form, if somebody asked for it before. */
  ready(wish: FormWish): Form | undefined {
    return this.#forms[placeOf(wish)];
  }

  form(wish: FormWish): Promise<Form> {
    const place = placeOf(wish);
    const making = this.#making.get(place);
    if (making !== undefined) return making;
    const made = this.#make(wish)
      .then((form) => {
        this.#forms[place] = form;
        if (form.body !== this.#base) this.#bytes += form.body.length;
        return form;
      })
      .finally(() => this.#making.delete(place));
    this.#making.set(place, made);
    return made;
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
    return { body, tag, headers, bareHeaders };
  }

  #plain(): Buffer {
    if (this.#base.length === this.#length) return this.#base;
    return Buffer.concat([this.#base.subarray(0, this.#length - 1), CLOSING]);
  }

  /** Takes the place of the body, unless somebody has that already: nearly all calls of a server are of one kind. */
  #noticed(): Buffer {
    if (this.#notice === null) return this.#base;
    if (this.#base.length !== this.#length) return this.#base;
    const extensions = Buffer.from(`,"extensions":{"notice":${this.#notice}}}`);
    const noticed = Buffer.concat([this.#base.subarray(0, -1), extensions]);
    if (!this.#forms.some((form) => form?.body === this.#base)) {
      this.#base = noticed;
      this.#bytes += extensions.length - 1;
    }
    return noticed;
  }
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
