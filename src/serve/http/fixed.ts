/** Replies whose bytes never change while the server runs: pages, scripts, the schema. */
import { type Coding, encode } from './coding.ts';
import { entityTag, matchesTag } from './conditional.ts';
import { codingFor, JSON_MEDIA } from './media.ts';
import { COMMON_HEADERS, type HeaderList, type HttpReply, type HttpRequest, NO_BODY } from './message.ts';

export interface FixedOptions {
  readonly body: Buffer;
  /** With its charset, where it has one. */
  readonly type: string;
  readonly cacheControl: string;
  /** Request headers besides `Accept-Encoding` that decide whether this is the reply. */
  readonly vary?: readonly string[];
  readonly headers?: HeaderList;
}

export type Fixed = (request: Pick<HttpRequest, 'headers'>) => Promise<HttpReply>;

export function fixedReply(options: FixedOptions): Fixed {
  const forms = new Map<Coding, Promise<FixedForm>>();
  return async ({ headers }) => {
    const coding = codingFor(headers['accept-encoding']);
    let making = forms.get(coding);
    if (making === undefined) {
      making = makeForm(options, coding);
      forms.set(coding, making);
    }
    const form = await making;
    if (matchesTag(headers['if-none-match'], form.tag)) {
      return { status: 304, headers: form.bareHeaders, body: NO_BODY };
    }
    return { status: 200, headers: form.headers, body: form.body };
  };
}

interface FixedForm {
  readonly body: Buffer;
  readonly tag: string;
  readonly headers: HeaderList;
  readonly bareHeaders: HeaderList;
}

async function makeForm(options: FixedOptions, wanted: Coding): Promise<FixedForm> {
  const { body, coding, headers } = await encode(options.body, wanted);
  const tag = entityTag(options.body, coding, JSON_MEDIA);
  const bareHeaders = [
    ...['ETag', tag, 'Cache-Control', options.cacheControl],
    ...['Vary', [...(options.vary ?? []), 'Accept-Encoding'].join(', ')],
    ...COMMON_HEADERS,
    ...(options.headers ?? []),
  ];
  const own = ['Content-Type', options.type, 'Content-Length', `${body.length}`];
  return { body, tag, headers: [...own, ...headers, ...bareHeaders], bareHeaders };
}
