/**
 * Puts the parts of the server together. The time of day and the snapshot folder's keeper are arguments. Two things belong to the process
 * instead: the turns of its event loop (`admission/turns.ts`), and its monotonic clock, which measures how long requests take and wait.
 */
import type { RequestListener } from 'node:http';
import type { GraphQLSchema } from 'graphql';
import type { CoreSettings } from '../settings/core.ts';
import type { Keeper } from '../snapshot/keeper.ts';
import type { Admission } from './admission/admission.ts';
import type { Budget } from './admission/budget.ts';
import { type ServePart, type Slots, slotsOf } from './annex.ts';
import type { Execute } from './graphql/answer.ts';
import { createDocuments, DOCUMENT_CACHE, type Documents } from './graphql/documents.ts';
import type { Mask } from './graphql/mask.ts';
import { refuse } from './graphql/refusal.ts';
import { createExecuteRequest } from './graphql/request.ts';
import type { OnAccess } from './http/access-log.ts';
import { createReadBody } from './http/body.ts';
import { type CallerAddressOf, createIdentify, peerAddressOf } from './http/caller.ts';
import { createGraphQLEndpoint, GRAPHQL_PATH, type GraphQLEndpoint } from './http/graphql-endpoint.ts';
import { createGraphQLMiddleware } from './http/graphql-middleware.ts';
import { healthReply, readinessReply } from './http/health.ts';
import {
  answerPreflights,
  createKoa,
  createRouter,
  type Handle,
  logAccess,
  passedOn,
  type Routes,
  setCommonHeaders,
} from './http/koa.ts';
import { answerErrors, refuseUnrouted } from './http/koa-refusals.ts';
import type { Outflow } from './http/outflow.ts';
import { fixedReply } from './http/representation.ts';
import { createResponder, type Responder } from './http/responder.ts';

export interface AppOptions {
  readonly keeper: Pick<Keeper, 'pin' | 'state' | 'onSwap'>;
  readonly schema: GraphQLSchema;
  /** The schema as text, for `/schema.graphql`. */
  readonly sdl: string;
  readonly execute: Execute;
  readonly mask: Mask;
  /** Milliseconds since 1970. */
  readonly clock: () => number;
  /** H4: true once the server is stopping. */
  readonly isStopping: () => boolean;
  /** D4, D6: `{portal}` in the notice is replaced by the address where keys are issued. */
  readonly settings: Pick<CoreSettings, 'maxAge' | 'notice' | 'publicUrl'>;
  readonly budget: Pick<Budget, 'share' | 'cacheBytes'>;
  /** Bytes of the response cache. */
  readonly cacheBytes: number;
  readonly admission: Pick<Admission, 'run' | 'enter'>;
  readonly outflow: Pick<Outflow, 'send'>;
  readonly onAccess: OnAccess;
  /** Parts that the annexes add. */
  readonly parts: readonly ServePart[];
}

export interface App {
  /** For `createHttpServer`. */
  readonly listener: RequestListener;
  readonly addressOf: CallerAddressOf;
  readonly cacheSize: Responder['cacheSize'];
  /** Clears cached responses and documents. */
  readonly clearCaches: () => void;
}

export function createApp(options: AppOptions): App {
  const { schema, mask, clock, budget, admission, parts } = options;
  const slots = slotsOf(parts);
  const { addressOf = peerAddressOf, browserPage, notFoundPage } = slots;
  const identify = createIdentify(slots.applicationOf ?? (() => undefined));
  const documents = createDocuments(schema, budget.cacheBytes(DOCUMENT_CACHE), slots.nameRules);
  const onAccess = notifyAll([options.onAccess, ...parts.flatMap((part) => part.onAccess ?? [])]);
  const responder = createResponder({
    keeper: options.keeper,
    mask,
    clock,
    maxAge: options.settings.maxAge,
    cacheBytes: options.cacheBytes,
    outflow: options.outflow,
    quota: slots.quota,
    admission,
    addressOf,
    onAccess,
  });
  const router = createRouter(routesOf(options, browserPage), clock, { admission, addressOf });
  for (const { addRoutes } of parts) addRoutes?.(router);
  const core = { responder, identify, readBody: createReadBody(() => budget.share('bodies')), onAccess };
  const endpoint = endpointOf(options, slots, documents);
  const notFound = notFoundPage && { page: notFoundPage, clock };

  const koa = createKoa(mask);
  koa.use(createGraphQLMiddleware({ ...core, endpoint, clock, servesBrowsers: browserPage !== undefined }));
  for (const part of parts) if (part.endpoint !== undefined) koa.use(part.endpoint(core));
  koa.use(logAccess(identify, onAccess));
  koa.use(answerErrors(mask));
  koa.use(answerPreflights(parts.flatMap(({ requestHeaders = [] }) => requestHeaders)));
  koa.use(setCommonHeaders);
  koa.use(router.routes());
  koa.use(refuseUnrouted(router, NOT_FOUND, notFound));
  const clearCaches = () => {
    responder.clearCache();
    documents.clear();
  };
  return { listener: koa.callback(), addressOf, cacheSize: responder.cacheSize, clearCaches };
}

function notifyAll(listeners: readonly OnAccess[]): OnAccess {
  return (entry, message) => {
    for (const notify of listeners) notify(entry, message);
  };
}

function endpointOf(options: AppOptions, slots: Slots, documents: Documents): GraphQLEndpoint {
  const { queries, explainJson, copiesOf = () => null } = slots;
  const executeHere: Execute = (operation, basis) => options.execute(operation, { ...basis, copiesOf });
  const execute = slots.wrapExecute?.(executeHere) ?? executeHere;
  return createGraphQLEndpoint({
    executeRequest: createExecuteRequest({ schema: options.schema, execute, documents }),
    notice: noticeOf(options.settings),
    queries,
    explainJson,
  });
}

const NOT_FOUND = refuse(
  'NOT_FOUND',
  `There is nothing at this path. The GraphQL endpoint is ${GRAPHQL_PATH}.`,
);

function routesOf(options: AppOptions, browserPage: Handle = passedOn): Routes {
  let annexRoutes: Routes = {};
  for (const { routes } of options.parts) annexRoutes = { ...annexRoutes, ...routes };
  const sdl = fixedReply({
    body: Buffer.from(options.sdl),
    type: 'application/graphql; charset=utf-8',
    cacheControl: 'public, max-age=300',
    headers: ['Content-Disposition', 'attachment; filename="schema.graphql"'],
  });
  return {
    [GRAPHQL_PATH]: {
      // D3: the endpoint's middleware passes only browsers on.
      GET: browserPage,
      POST: passedOn,
    },
    '/schema.graphql': { GET: sdl },
    '/healthz': { GET: healthReply },
    '/readyz': { GET: () => readinessReply(options) },
    ...annexRoutes,
  };
}

/** D4: the notice names the licence's portal, or this server's page for developers. */
function noticeOf({ notice, publicUrl }: AppOptions['settings']): (portalUrl: string | null) => string {
  // The notice never uses the request's `Host` (the answer is cached for others) or the port (a proxy may stand in front).
  const ownPage = `${publicUrl?.href.replace(/\/$/, '') ?? ''}/developers`;
  return (portalUrl) => `"notice":${JSON.stringify(notice.replaceAll('{portal}', portalUrl ?? ownPage))}`;
}
