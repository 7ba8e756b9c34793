/** Puts the parts of the server together. What it needs from outside, clocks and folders included, it is given. */
import type { RequestListener } from 'node:http';
import type { GraphQLSchema } from 'graphql';
import type { Keeper } from '../snapshot/keeper.ts';
import { createAnswer, type Execute } from './graphql/answer.ts';
import type { Conceal } from './graphql/refusal.ts';
import { createEndpoint, type Endpoint } from './http/endpoint.ts';
import { fixedReply } from './http/fixed.ts';
import { createFront, GRAPHQL_PATH, type Traffic } from './http/front.ts';
import { hasPreflightHeader } from './http/gate.ts';
import { healthReply, readinessReply } from './http/health.ts';
import { type AddRoutes, createKoa, type Routes } from './http/koa.ts';
import { acceptsHtml } from './http/media.ts';
import type { Outflow } from './http/outflow.ts';
import { createSandbox } from './http/sandbox.ts';
import { createAttribute } from './identity/attribution.ts';
import type { KeyRing } from './identity/key-ring.ts';

export interface AppOptions {
  readonly schema: GraphQLSchema;
  /** The schema as text, for `/schema.graphql`. */
  readonly sdl: string;
  readonly execute: Execute;
  readonly keeper: Pick<Keeper, 'pin' | 'state' | 'onSwap'>;
  readonly keys: Pick<KeyRing, 'applicationOf'>;
  readonly conceal: Conceal;
  /** Milliseconds since 1970. */
  readonly clock: () => number;
  /** Seconds. */
  readonly maxAge: number;
  /** Bytes of finished answers to hold. */
  readonly reuseBytes: number;
  /** D4: `{portal}` stands for where keys are to be had. */
  readonly notice: string;
  /** Where this server is reached from outside, for the notice of a licence without a portal; null: unknown. */
  readonly publicUrl: string | null;
  readonly isStopping: () => boolean;
  readonly onTraffic: (traffic: Traffic) => void;
  readonly outflow: Pick<Outflow, 'send'>;
  readonly routes: readonly AddRoutes[];
  /** Pages for people, by path. */
  readonly pages?: Routes;
}

export interface App {
  /** For `createHttpServer`. */
  readonly listener: RequestListener;
  /** Finished answers that are held now. */
  readonly reuseSize: Endpoint['reuseSize'];
}

export function createApp(options: AppOptions): App {
  const { clock, onTraffic, outflow } = options;
  const endpoint = createEndpoint({
    ...options,
    answer: createAnswer(options),
    notice: noticeOf(options),
  });
  const next = createKoa({
    routes: routesOf(endpoint, options),
    more: options.routes,
    conceal: options.conceal,
  });
  const attribute = createAttribute(options.keys);
  return {
    listener: createFront({ endpoint, attribute, clock, next, onTraffic, outflow }),
    reuseSize: endpoint.reuseSize,
  };
}

function routesOf(endpoint: Endpoint, options: AppOptions): Routes {
  const sandbox = createSandbox();
  const sdl = fixedReply({
    body: Buffer.from(options.sdl),
    type: 'application/graphql; charset=utf-8',
    cacheControl: 'public, max-age=300',
    headers: ['Content-Disposition', 'attachment; filename="schema.graphql"'],
  });
  const assets = [...sandbox.assets].map(([path, handle]) => [path, { GET: handle }] as const);
  return {
    // What can be answered has been, in front.
    [GRAPHQL_PATH]: {
      // D3: a browser that opens the address gets the sandbox.
      GET: (request) => {
        const isPerson = !hasPreflightHeader(request) && acceptsHtml(request.headers.accept);
        return isPerson ? sandbox.page(request) : endpoint.refuse(request);
      },
      POST: endpoint.refuse,
    },
    ...Object.fromEntries(assets),
    '/schema.graphql': { GET: sdl },
    '/healthz': { GET: healthReply },
    '/readyz': { GET: () => readinessReply(options) },
    ...options.pages,
  };
}

/** D4: names the licence's portal, or this server's own page. */
function noticeOf({ notice, publicUrl }: AppOptions): (portalUrl: string | null) => string {
  const ownPage = `${publicUrl?.replace(/\/+$/, '') ?? ''}/`;
  return (portalUrl) => notice.replaceAll('{portal}', portalUrl ?? ownPage);
}
