/** Refusals of lists: JSON, or for a browser a page, or another address that it is sent to. */
import type { ServeContext } from '../../serve/annex.ts';
import type { Refusal } from '../../serve/graphql/refusal.ts';
import type { Endpoint, EndpointRequest } from '../../serve/http/endpoint.ts';
import { menuOf } from '../page/page.ts';
import type { Format } from './format.ts';
import { listParameters } from './query.ts';
import { explainList, refusalPage } from './refusal-page.ts';

type RefusalOptions = NonNullable<Endpoint<EndpointRequest>['refusalOptions']>;

/** `varied`: names of the headers that the format's answers depend on. */
export function refusalOptionsOf(
  format: Format,
  { keeper, parts, schema }: ServeContext,
  varied: readonly string[],
): RefusalOptions {
  const { type, headers = [], explain = explainList } = format;
  const isHtml = type.startsWith('text/html');
  const parameters = listParameters(schema, format);
  const variedOnRefusal = new Set([...varied, ...(isHtml ? ['Accept', 'Accept-Language'] : [])]);
  return (refusal, request) => {
    const location = locationOf(refusal);
    if (location !== undefined)
      return { status: 303, headers: ['Vary', varied.join(', '), 'Location', location], body: NOTHING };
    const retry = refusal.code === 'TIMEOUT' ? RETRY_LATER : [];
    const common = ['Vary', [...variedOnRefusal].join(', '), ...retry];
    const status = STATUS[refusal.code];
    const menu = menuOf({ parts, keeper });
    const page = isHtml ? refusalPage(refusal, request, { explain, menu, parameters }) : undefined;
    if (page === undefined) return { status, headers: common };
    return { status, headers: [...common, ...headers], type, body: page };
  };
}

/** The format of a list has no place for errors, so its readers see them in the status. */
export const STATUS: Partial<Readonly<Record<Refusal['code'], number>>> = {
  BAD_USER_INPUT: 400,
  TIMEOUT: 503,
};

/** A query that took too long may succeed once the server has less to do: seconds. */
export const RETRY_LATER = ['Retry-After', '5'];

const NOTHING = Buffer.alloc(0);

/** A reader who is sent elsewhere gets no page here: a refusal, with the address. */
export const redirectTo = (location: string): Refusal => ({
  code: 'NOT_FOUND',
  errors: [{ message: 'This page is at another address.', extensions: { location } }],
});

function locationOf({ errors }: Refusal): string | undefined {
  const { location } = errors[0]?.extensions ?? {};
  return typeof location === 'string' ? location : undefined;
}
