/** Answers GraphQL requests that are not cached: reads the parameters, executes the operation, adds the notice and further extensions. */
import { hash } from 'node:crypto';
import type { ExecuteRequest, PinBasis, Result } from '../graphql/answer.ts';
import { MAX_ANSWER_BYTES, tooLarge } from '../graphql/output.ts';
import { isRefusal, type Refusal } from '../graphql/refusal.ts';
import type { Endpoint, EndpointRequest, EndpointResult } from './endpoint.ts';
import type { HeaderList } from './message.ts';
import { GRAPHQL_TYPE, typeFor } from './negotiation.ts';
import { type ParameterOptions, readParameters } from './parameters.ts';
import type { RefusalOptions } from './replies.ts';
import { compact, lengthOf } from './reply-body.ts';

export const GRAPHQL_PATH = '/graphQL';
/** A second address of the endpoint. */
export const GRAPHQL_ALIAS = '/graphql';

/** Each request header that an answer depends on: type or sandbox, coding, CSRF rule, notice. */
export const VARY: HeaderList = ['Vary', 'Accept, Accept-Encoding, Gateway-Require-Preflight, X-Api-Key'];

interface GraphQLEndpointOptions extends ParameterOptions {
  readonly executeRequest: ExecuteRequest;
  /** D4: the field of an answer's extensions, for a licence with this portal. */
  readonly notice: (portalUrl: string | null) => string;
}

export interface GraphQLHttpRequest extends EndpointRequest {
  readonly body: Buffer;
}

export type GraphQLEndpoint = Endpoint<GraphQLHttpRequest>;

export function createGraphQLEndpoint(options: GraphQLEndpointOptions): GraphQLEndpoint {
  return {
    route: GRAPHQL_PATH,
    keyOf,
    typeFor: ({ headers }) => typeFor(headers.accept),
    execute: (request, pinBasis) => answerQuery(request, pinBasis, options),
    refusalOptions,
  };
}

/** Everything that the answer depends on, as it was sent, and whether it gets the notice. */
function keyOf(request: GraphQLHttpRequest): string {
  const { method, search, body } = request;
  const notice = hasNotice(request) ? 'notice ' : '';
  if (method !== 'POST') return `${notice}GET ${search}`;
  if (body.length <= LONGEST_IN_KEY) return `${notice}POST ${search}\n${body.toString('latin1')}`;
  return `${notice}DIGEST ${search}\n${hash('sha256', body, 'base64')}`;
}

/**
 * Bytes of a body that its key contains unchanged. A longer body is replaced by its digest: a copy would be held as long as the request
 * waits or its answer is cached.
 */
const LONGEST_IN_KEY = 8 * 1_024;

/** D4: whether the call has no valid key. */
const hasNotice = ({ caller }: EndpointRequest): boolean => caller.attribution.application === undefined;

async function answerQuery(
  request: GraphQLHttpRequest,
  pinBasis: PinBasis,
  options: GraphQLEndpointOptions,
): Promise<EndpointResult | Refusal> {
  const { executeRequest, notice, queries } = options;
  const read = readParameters(request, options);
  if (isRefusal(read)) return read;
  const { parameters, named } = read;
  const result = await executeRequest(parameters, pinBasis);
  if (isRefusal(result)) return result;
  const { snapshot, work } = pinBasis();
  const { address = '' } = work ?? {};
  const remember = () => named && queries?.remember(named, address);
  remember();
  const { portalUrl } = snapshot.lists.licence;
  return {
    ...result,
    body: withExtensions(result, notice(portalUrl), hasNotice(request)),
    isTagged: request.method !== 'POST' && !result.hasErrors,
    headers: VARY,
    // A cached answer may be the last place that still knows its query.
    cacheHit: named && { call: remember, heldBytes: CHARACTER_BYTES * named.query.length },
  };
}

/** The most that V8 takes for a character. */
const CHARACTER_BYTES = 2;

/** D4: null data has no notice. D10: the size limit is the same with and without a key. */
function withExtensions(
  { body, hasData, hints = [] }: Pick<Result, 'body' | 'hasData' | 'hints'>,
  notice: string,
  isNoticed: boolean,
): readonly Buffer[] {
  const before = body.slice(0, -1);
  const last = body.at(-1) ?? EMPTY;
  const hintsOnly = hints.length === 0 ? [] : [`"hints":${JSON.stringify(hints)}`];
  const withNotice = hasData ? [...hintsOnly, notice] : hintsOnly;
  const largestBytes = lengthOf(body) - 1 + Buffer.byteLength(endingWith(withNotice));
  if (largestBytes > MAX_ANSWER_BYTES) throw tooLarge();
  const ending = endingWith(isNoticed ? withNotice : hintsOnly);
  return compact([...before, last.subarray(0, -1), Buffer.from(ending)]);
}

/** The end of an answer's JSON, after `data` and `errors`. */
function endingWith(extensions: readonly string[]): string {
  return extensions.length === 0 ? '}' : `,"extensions":{${extensions.join(',')}}}`;
}

const EMPTY = Buffer.alloc(0);

function refusalOptions({ code }: Refusal, { headers }: GraphQLHttpRequest): RefusalOptions {
  const type = typeFor(headers.accept);
  // D15: clients of the newer media type go by the status.
  const isNotFound = type === GRAPHQL_TYPE && code === 'PERSISTED_QUERY_NOT_FOUND';
  return { type, headers: VARY, status: isNotFound ? 404 : undefined };
}
