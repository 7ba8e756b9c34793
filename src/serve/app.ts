/** Puts the parts of the server together. Everything from outside, clocks and folders included, is an argument. */

import type { RequestListener } from 'node:http';
import cors from '@koa/cors';
import type { GraphQLSchema } from 'graphql';
import type { Admission } from './admission/admission.ts';
import { type ServePart, slotsOf } from './annex.ts';
import { createDocuments } from './graphql/documents.ts';
import type { Execute } from './graphql/execute.ts';
import { refuse } from './graphql/refusal.ts';
import { createExecuteRequest } from './graphql/request.ts';
import { type Answers, type AnswersOptions, createAnswers } from './http/answers.ts';
import { createBodyReader } from './http/bodies.ts';
import { createIdentify } from './http/caller.ts';
import { createGraphQL, GRAPHQL_PATH } from './http/graphql.ts';
import {
  answerErrors,
  CORS,
  createKoa,
  createRouter,
  type Handle,
  logAccess,
  passedOn,
  type Routes,
  refuseUnrouted,
  setCommonHeaders,
} from './http/koa.ts';
import { healthReply, type ReadinessOptions, readinessReply } from './http/replies.ts';
import { fixedReply } from './http/representation.ts';

export interface AppOptions extends Omit<AnswersOptions, 'admit' | 'admission'>, ReadinessOptions {
  readonly admission: Pick<Admission, 'run' | 'enter'>;
  readonly schema: GraphQLSchema;
  /** The schema as text, for `/schema.graphql`. */
  readonly sdl: string;
  readonly execute: Execute;
  readonly keeper: AnswersOptions['keeper'];
  /** D4: `{portal}` stands for the address where keys are issued. */
  readonly notice: string;
  /** The public address of this server, for the notice of a licence without a portal; null: unknown. */
  readonly publicUrl: string | null;
  /** D14: bytes of bodies that are being received, together. */
  readonly bodyBytes: () => number;
  /** Parts that the annexes add. */
  readonly parts: readonly ServePart[];
}

export interface App {
  /** For `createHttpServer`. */
  readonly listener: RequestListener;
  readonly cacheSize: Answers['cacheSize'];
  /** Clears cached answers and documents. */
  readonly clearCaches: () => void;
}

export function createApp(options: AppOptions): App {
  const { mask, clock, parts } = options;
  const { applicationOf, admit, browserPage, queries, notFoundPage, wrapExecute, ...explain } =
    slotsOf(parts);
  const identify = createIdentify(applicationOf ?? (() => undefined));
  const documents = createDocuments(options.schema, undefined, explain.nameRules);
  const execute = wrapExecute?.(options.execute) ?? options.execute;
  const answer = createExecuteRequest({ schema: options.schema, execute, documents });
  const onAccess = accessBy([options.onAccess, ...parts.flatMap((part) => part.onAccess ?? [])]);
  const answers = createAnswers({ ...options, admit, onAccess });
  const router = createRouter(routesOf(options, browserPage), clock, options);
  for (const { addRoutes } of parts) addRoutes?.(router);

  const koa = createKoa(mask);
  const servesBrowsers = browserPage !== undefined;
  const notice = noticeOf(options);
  const bodies = createBodyReader({ most: options.bodyBytes });
  const endpoint = { clock, answers, answer, identify, onAccess, notice, servesBrowsers, bodies, queries };
  koa.use(createGraphQL({ ...endpoint, explainJson: explain.explainJson }));
  for (const { endpoint } of parts) if (endpoint !== undefined) koa.use(endpoint({ answers, identify }));
  koa.use(logAccess(identify, onAccess));
  koa.use(answerErrors(mask));
  koa.use(cors(CORS));
  koa.use(setCommonHeaders);
  koa.use(router.routes());
  koa.use(refuseUnrouted(router, NOT_FOUND, notFoundPage && { page: notFoundPage, clock }));
  const clearCaches = () => {
    answers.clearCache();
    documents.clear();
  };
  return { listener: koa.callback(), cacheSize: answers.cacheSize, clearCaches };
}

const NOT_FOUND = refuse(
  'NOT_FOUND',
  `There is nothing at this path. The GraphQL endpoint is ${GRAPHQL_PATH}.`,
);

function routesOf(options: AppOptions, browserPage: Handle = passedOn): Routes {
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
    ...Object.assign({}, ...options.parts.map(({ routes }) => routes)),
  };
}

type OnAccess = AppOptions['onAccess'];

function accessBy(all: readonly OnAccess[]): OnAccess {
  return (entry) => {
    for (const onAccess of all) onAccess(entry);
  };
}

/** D4: the end of an answer's JSON: the notice names the licence's portal, or this server's own page. */
function noticeOf({ notice, publicUrl }: AppOptions): (portalUrl: string | null) => Buffer {
  // The notice never uses the request's `Host` (the answer is cached for others) or the port (a proxy may stand in front).
  const ownPage = publicUrl === null ? '/' : `${publicUrl.replace(/(?<!\/)\/+$/, '')}/`;
  let latest: { readonly portalUrl: string | null; readonly ending: Buffer } | undefined;
  return (portalUrl) => {
    if (latest?.portalUrl !== portalUrl) {
      const text = JSON.stringify(notice.replaceAll('{portal}', portalUrl ?? ownPage));
      latest = { portalUrl, ending: Buffer.from(`,"extensions":{"notice":${text}}}`) };
    }
    return latest.ending;
  };
}
