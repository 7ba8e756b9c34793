/** The interface between the responder, which caches and sends results, and the endpoints, which make them. */
import type { PinBasis } from '../graphql/answer.ts';
import type { Refusal } from '../graphql/refusal.ts';
import type { Caller } from './caller.ts';
import type { HttpReply, HttpRequest } from './message.ts';
import type { RefusalOptions } from './replies.ts';
import type { ReplyContent } from './representation.ts';

/** How one kind of request is executed. */
export interface Endpoint<Request extends EndpointRequest> {
  /** Route for metrics. */
  readonly route: string;
  /** All that the result depends on, as it was sent, except its variant. Equal keys share a result, also between endpoints. */
  readonly keyOf: (request: Request) => string;
  /** Media type of the answer, with its charset. */
  readonly typeFor: (request: Request) => string;
  readonly execute: (request: Request, pinBasis: PinBasis) => Promise<EndpointResult | Refusal>;
  /** Adds the parts of a reply that differ between equal requests, such as an id: results are shared and cached without them. */
  readonly envelope?: (reply: HttpReply, request: Request) => HttpReply;
  /** Options for sending a refusal in place of an answer. */
  readonly refusalOptions: (refusal: Refusal, request: Request) => Omit<RefusalOptions, 'coding'>;
}

/** The part of an endpoint that refusals need. */
export type RefusalEndpoint<Request extends EndpointRequest> = Pick<
  Endpoint<Request>,
  'route' | 'typeFor' | 'refusalOptions'
>;

export interface EndpointRequest extends HttpRequest {
  readonly caller: Caller;
}

export interface EndpointResult extends ReplyContent {
  readonly operationName: string | undefined;
  /** For metrics: the name of its root field, or `several`; undefined if no field was read. */
  readonly rootField: string | undefined;
  /** 303 for a redirect, whose address is in its headers; 200 by default. */
  readonly status?: 303 | undefined;
  /** Whether the answer has errors; any other is exact for its whole epoch. */
  readonly hasErrors: boolean;
  /** Whether no cache may store the answer. */
  readonly isUncacheable?: boolean | undefined;
  /** B12: whether the answer may change at midnight. */
  readonly dependsOnDay: boolean;
  /** The second at which the answer changes for a reason of its own. */
  readonly exactUntil?: number | undefined;
  readonly cacheHit?: CacheHit | undefined;
}

/** A request that finds its answer cached. */
interface CacheHit {
  readonly call: () => void;
  /** Bytes that `call` holds in memory as long as the answer is cached. */
  readonly heldBytes: number;
}
