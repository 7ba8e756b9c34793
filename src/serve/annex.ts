/**
 * The one interface between a server and its annexes: what a server offers besides its endpoint. `src/annexes.ts` lists them; a
 * server without any of them answers as well.
 *
 *     export const greeting = {
 *       name: 'greeting',
 *       settings: { greeting: { name: 'ALMANAKK_GREETING', … } },
 *       load: () => import('./greeting.ts'),
 *     } as const satisfies ServeAnnex<{ readonly greeting: string }>;
 */
import type { RequestListener } from 'node:http';
import type { GraphQLSchema } from 'graphql';
import type { Middleware } from 'koa';
import type { Registry } from 'prom-client';
import type { CoreSettings } from '../settings/core.ts';
import type { SettingsTable } from '../settings/kinds.ts';
import type { Keeper } from '../snapshot/keeper.ts';
import type { Upkeep } from '../upkeep.ts';
import type { Gate } from './admission/gate.ts';
import type { Mask } from './graphql/refusal.ts';
import type { AccessLogEntry } from './http/access-log.ts';
import type { Admit, CallerLimits } from './http/admit.ts';
import type { Answers } from './http/answers.ts';
import type { NamedQueries } from './http/graphql.ts';
import type { Identify } from './http/identity.ts';
import type { AddRoutes, Handle, Routes } from './http/koa.ts';
import type { Log } from './http/log.ts';

/** An entry of the list: light, because everything that reads settings loads it. `Own`: the values of its settings. */
export interface ServeAnnex<Own = unknown> {
  readonly name: string;
  readonly settings: SettingsTable;
  /** Its code, for a process that serves. */
  readonly load: () => Promise<{ readonly create: (context: ServeContext<Own>) => ServePart }>;
}

/** The context that a serving process gives each annex. */
export interface ServeContext<Own = unknown> {
  readonly settings: CoreSettings & Own;
  readonly keeper: Pick<Keeper, 'pin' | 'state' | 'onSwap'>;
  readonly schema: GraphQLSchema;
  readonly log: Log;
  /** Registry of this process's metrics. */
  readonly registry: Registry;
  /** Milliseconds since 1970. */
  readonly clock: () => number;
  /** Logs an unexpected error, and returns the id that stands for it. */
  readonly mask: Mask;
  /** H4: true once the server is on its way out. */
  readonly isStopping: () => boolean;
  /** Size of the response cache. */
  readonly cacheSize: Answers['cacheSize'];
  /** D14: what was admitted to this process, waits and was refused. */
  readonly load: Gate['state'];
  readonly upkeep: () => Upkeep;
  /** Metrics of all processes of this server. */
  readonly metrics: Metrics;
  /** Serves on a port of its own for as long as the server runs. */
  readonly listen: (listener: RequestListener, where: OwnPort) => void;
  /** This one among the serving processes of the machine: its place, from 0, and their number. */
  readonly process: { readonly slot: number; readonly count: number };
  /** What all annexes add, this one too; to be called once the server answers. */
  readonly parts: () => readonly ServePart[];
}

/** The part of a server that an annex adds. */
export interface ServePart {
  /** Handlers by path and method, and what callers read of a path. */
  readonly routes?: Readonly<Record<string, Routes[string] & { readonly about: About }>>;
  /** D3: what a browser gets that opens the endpoint's address. */
  readonly browserPage?: Handle;
  /** What a browser gets at a path that there is not, in place of JSON. */
  readonly notFoundPage?: Handle;
  /** Answers what the response cache is for, before the router; passes on what is for others. */
  readonly endpoint?: (core: EndpointCore) => Middleware;
  /** Finds queries that requests only name. */
  readonly queries?: NamedQueries;
  /** Judges each request to an endpoint before it is answered. */
  readonly admit?: Admit;
  /** Limits that `admit` applies, for pages to show. */
  readonly limits?: CallerLimits;
  /** Adds routes that are more than handlers. */
  readonly addRoutes?: AddRoutes;
  /** Descriptions of those routes, for callers. */
  readonly abouts?: Readonly<Record<string, About>>;
  /** Problems that the operator should look into; empty when there are none. */
  readonly concerns?: () => Promise<readonly Concern[]>;
  /** Names of its pages for people, for other pages to link to. */
  readonly offers?: readonly string[];
  /** Called with each request once it is answered. */
  readonly onAccess?: (entry: AccessLogEntry) => void;
}

/** I8: what a path answers a GET; null where it is for operators, or for a page of this server. */
export type About = AboutGet | null;

interface AboutGet {
  /** One sentence. */
  readonly summary: string;
  readonly parameters?: Readonly<Record<string, AboutParameter>>;
  readonly answer: AboutAnswer;
  /** By status. What is not said of here is an error, in JSON. */
  readonly others?: Readonly<Record<number, AboutAnswer>>;
}

export interface AboutParameter {
  readonly about: string;
  /** JSON Schema. */
  readonly schema: object;
  readonly isRequired?: boolean;
  /** `query` unless said. */
  readonly place?: 'header';
}

export const KEY: AboutParameter = {
  about: 'An application key. It names who calls, and nothing depends on it.',
  schema: { type: 'string' },
};

interface AboutAnswer {
  readonly about: string;
  /** Without its charset; none without a body. */
  readonly type?: string;
  /** JSON Schema of JSON; `#/components/schemas/` has the object types of the published schema by their names. */
  readonly schema?: object;
}

export interface Concern {
  readonly name: string;
  /** For operators: a reason or a message; null where the name says it all. */
  readonly detail: string | null;
}

/** Where an annex listens. */
export interface OwnPort {
  readonly port: number;
  readonly host: string | null;
  /** The settings that say so, for when it cannot be had. */
  readonly settings: string;
  /** Path that the log names, and what is there. */
  readonly path: string;
  readonly what: string;
}

/** As prom-client hands them on: of one process, or added up over several. */
export type MetricValues = Awaited<ReturnType<Registry['getMetricsAsJSON']>>;

export interface Metrics {
  readonly values: () => Promise<MetricValues>;
  /** Prometheus's text format. */
  readonly text: () => Promise<string>;
}

interface EndpointCore {
  readonly answers: Pick<Answers, 'respond'>;
  readonly identify: Identify;
}

/** Loads and makes all of them. */
export async function createParts<Own>(
  annexes: readonly ServeAnnex<Own>[],
  context: Omit<ServeContext<Own>, 'parts'>,
): Promise<readonly ServePart[]> {
  const programs = await Promise.all(annexes.map(({ load }) => load()));
  const parts: readonly ServePart[] = programs.map(({ create }) =>
    create({ ...context, parts: () => parts }),
  );
  return parts;
}
