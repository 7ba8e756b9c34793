/** A finished page as a reply, in whatever coding the browser likes. */
import type { IncomingHttpHeaders } from 'node:http';
import { type Coding, encode } from '../http/coding.ts';
import { entityTag, matchesTag } from '../http/conditional.ts';
import { codingFor, JSON_MEDIA } from '../http/media.ts';
import { COMMON_HEADERS, type HeaderList, type HttpReply, NO_BODY } from '../http/message.ts';
import type { Html } from './html.ts';
import type { Language } from './language.ts';

export interface PageOptions {
  readonly document: Html;
  readonly language: Language;
  readonly status?: number;
  /** Request headers besides those of language and coding that decide whether this is the page. */
  readonly vary?: readonly string[];
  readonly headers?: HeaderList;
}

export type Page = (headers: IncomingHttpHeaders, cacheControl: string) => Promise<HttpReply>;

/** Each form of it is made once. */
export function createPage(options: PageOptions): Page {
  const plain = Buffer.from(options.document.html);
  const forms = new Map<Coding, Promise<Form>>();
  return async (headers, cacheControl) => {
    const wanted = codingFor(headers['accept-encoding']);
    const making = forms.get(wanted) ?? makeForm(plain, wanted, options);
    forms.set(wanted, making);
    const { body, tag, bodyHeaders, bareHeaders } = await making;
    const always = [...bareHeaders, 'Cache-Control', cacheControl];
    const { status = 200 } = options;
    if (status === 200 && matchesTag(headers['if-none-match'], tag)) {
      return { status: 304, headers: always, body: NO_BODY };
    }
    return { status, headers: [...bodyHeaders, ...always], body };
  };
}

interface Form {
  readonly body: Buffer;
  readonly tag: string;
  readonly bodyHeaders: HeaderList;
  /** Of a 304, too. */
  readonly bareHeaders: HeaderList;
}

async function makeForm(
  plain: Buffer,
  wanted: Coding,
  { language, vary = [], headers = [] }: PageOptions,
): Promise<Form> {
  const { body, coding, headers: codingHeaders } = await encode(plain, wanted);
  const tag = entityTag(plain, coding, JSON_MEDIA);
  const bodyHeaders = [
    ...['Content-Type', 'text/html; charset=utf-8', 'Content-Length', `${body.length}`],
    ...['Content-Language', language],
    ...codingHeaders,
  ];
  const bareHeaders = [
    ...['ETag', tag],
    ...['Vary', [...vary, 'Accept-Language', 'Accept-Encoding'].join(', ')],
    ...['Content-Security-Policy', POLICY, 'Referrer-Policy', 'no-referrer'],
    ...COMMON_HEADERS,
    ...headers,
  ];
  return { body, tag, bodyHeaders, bareHeaders };
}

/** A stylesheet of this server and nothing else: no script, no style inside the page, no form, no frame. */
const POLICY = [
  "default-src 'none'",
  "style-src 'self'",
  'img-src data:',
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');
