/** Refusals of lists: JSON, or a page for a browser. */
import type { ServeContext } from '../../serve/annex.ts';
import type { Refusal } from '../../serve/graphql/refusal.ts';
import type { Endpoint, EndpointRequest } from '../../serve/http/endpoint.ts';
import { RETRY_LATER, type RefusalOptions } from '../../serve/http/replies.ts';
import { menuOf } from '../page/menu.ts';
import type { Format } from './format.ts';
import { listParameters } from './query.ts';
import { explainList, refusalPage } from './refusal-page.ts';

/** `varied`: names of the headers that the format's answers depend on. */
export function refusalOptionsOf(
  format: Format,
  { keeper, parts, schema }: ServeContext,
  varied: readonly string[],
): Endpoint<EndpointRequest>['refusalOptions'] {
  const { type, page } = format;
  if (page === undefined) return (refusal) => plainRefusalOptions(refusal, varied);
  const { headers, explain = explainList } = page;
  const parameters = listParameters(schema, format);
  const variedOnRefusal = [...new Set([...varied, 'Accept', 'Accept-Language'])];
  return (refusal, request) => {
    const plain = plainRefusalOptions(refusal, variedOnRefusal);
    const menu = menuOf({ parts, keeper });
    const body = refusalPage(refusal, request, { explain, menu, parameters });
    if (body === undefined) return plain;
    return { ...plain, type, headers: [...plain.headers, ...headers()], body };
  };
}

/** For JSON at an address whose format has no place for errors: its readers see them in the status. `varied`: names of headers. */
export function plainRefusalOptions(
  { code }: Refusal,
  varied: readonly string[],
): Required<Pick<RefusalOptions, 'status' | 'headers'>> {
  // It may succeed once the server has less to do.
  const retry = code === 'TIMEOUT' ? RETRY_LATER : [];
  return { status: STATUS[code], headers: ['Vary', varied.join(', '), ...retry] };
}

const STATUS: Partial<Readonly<Record<Refusal['code'], number>>> = {
  BAD_USER_INPUT: 400,
  TIMEOUT: 503,
};
