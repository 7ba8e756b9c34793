/**
 * The one interface between a server and its annexes, which provide everything besides its endpoint. `src/annexes.ts` lists
 * them; a server also answers without any of them.
 *
 *     export const greeting = {
 *       name: 'greeting',
 *       settings: { greeting: { name: 'ALMANAKK_GREETING', … } },
 *       load: () => import('./greeting.ts'),
 *     } as const satisfies ServeAnnex<{ readonly greeting: string }>;
 */
import type { RequestListener } from 'node:http';
import type { GraphQLSchema, ValidationRule } from 'graphql';
import type { Middleware } from 'koa';
import type { Registry } from 'prom-client';
import type { Log } from '../calendar/log.ts';
import type { CoreSettings } from '../settings/core.ts';
import type { SettingsTable } from '../settings/kinds.ts';
import type { Keeper } from '../snapshot/keeper.ts';
import type { Upkeep } from '../upkeep.ts';
import type { Admission } from './admission/admission.ts';
import type { Budget } from './admission/budget.ts';
import type { Execute } from './graphql/answer.ts';
import type { Mask } from './graphql/mask.ts';
import type { CopiesOf } from './graphql/output.ts';
import type { OnAccess } from './http/access-log.ts';
import type { ReadBody } from './http/body.ts';
import type { ApplicationOf, CallerAddressOf, Identify, Quota } from './http/caller.ts';
import type { AddRoutes, Handle, Routes } from './http/koa.ts';
import type { ExplainJson, NamedQueries } from './http/parameters.ts';
import type { Responder } from './http/responder.ts';
import type { ServerAddress } from './http/server-address.ts';

/** An entry of the list. It imports little, because everything that reads settings loads it. `Settings`: the values of its settings. */
export interface ServeAnnex<Settings = unknown> {
  readonly name: string;
  readonly settings?: SettingsTable;
  /** The name by which a server can do without it, and what it then lacks. Without this, the annex is always there. */
  readonly optional?: { readonly name: string; readonly what: string };
  /** Which of the names this server does without. Throws INVALID_SETTING. */
  readonly leftOut?: (settings: Settings, names: readonly string[]) => readonly string[];
  /** Loads the annex's code, in processes that serve. */
  readonly load: () => Promise<{
    /** Throws INVALID_SETTING. */
    readonly create: (context: ServeContext<Settings>) => ServePart | Promise<ServePart>;
  }>;
  /**
   * Loads the code for a process that supervises several serving processes. `supervise` is called before it starts them. Always written
   * `loadSupervisor: () => import('…')`: `jobs/bundle.mjs` knows by this text what a supervisor loads.
   */
  readonly loadSupervisor?: () => Promise<{ readonly supervise: () => void }>;
}

/** The context that a serving process gives each annex. */
export interface ServeContext<Settings = unknown> {
  readonly settings: CoreSettings & Settings;
  readonly keeper: Pick<Keeper, 'pin' | 'state' | 'onSwap' | 'isDamaged'>;
  readonly schema: GraphQLSchema;
  readonly log: Log;
  /** Registry of this process's metrics. */
  readonly registry: Registry;
  /** Milliseconds since 1970. */
  readonly clock: () => number;
  /** Logs an unexpected error, and returns the id under which it is logged. */
  readonly mask: Mask;
  /** H4: true once the server is stopping. */
  readonly isStopping: () => boolean;
  /** The address of this server. */
  readonly serverAddress: ServerAddress;
  /** For requests, once all parts are created. */
  readonly addressOf: CallerAddressOf;
  /** Size of the response cache. */
  readonly cacheSize: Responder['cacheSize'];
  /** D14: the memory that this process may take. */
  readonly budget: Pick<Budget, 'memory' | 'share' | 'cacheBytes'>;
  /** D14: work that was admitted to this process, waits or was refused. */
  readonly load: Admission['state'];
  /** The state of this process's builder, or of the program that keeps the folder current. */
  readonly upkeep: () => Promise<Upkeep>;
  /** Serves on a port of its own for as long as the server runs. */
  readonly listen: (listener: RequestListener, where: AnnexPort) => void;
  readonly process: ProcessPlace;
  /** The parts that all annexes add, this one included; call it only once the server answers. */
  readonly parts: () => readonly ServePart[];
}

/** The place of a process among all serving processes of a machine. */
interface ProcessPlace {
  /** From 0. */
  readonly slot: number;
  readonly count: number;
}

/** The part of a server that an annex adds. Facts that annexes show of each other are fields that they add to this interface. */
export interface ServePart extends Endpoints, Slots, Listeners {}

/** What the server answers, besides its endpoint. Each annex may add some of its own. */
interface Endpoints {
  /** Handlers by path and method. */
  readonly routes?: PartRoutes;
  /** Adds routes that need more than a handler. */
  readonly addRoutes?: AddRoutes;
  /** D5: headers that pages of other origins may send, besides those of the core. */
  readonly requestHeaders?: readonly string[];
  /** Middleware for requests that use the response cache; it runs before the router and passes on all others. */
  readonly endpoint?: (core: EndpointCore) => Middleware;
}

/** What the core asks an annex, or does by itself without one. One annex at most may fill each slot. In the order of a request. */
export interface Slots {
  /** In place of the address at the other end of the connection. */
  readonly addressOf?: CallerAddressOf;
  /** D4: names the application of a key. */
  readonly applicationOf?: ApplicationOf;
  /** Judges each request to an endpoint before it is answered. */
  readonly quota?: Quota;
  /** D1: says where a body stops being JSON. */
  readonly explainJson?: ExplainJson;
  /** Finds queries that requests only name. */
  readonly queries?: NamedQueries;
  /** Validation rules that replace graphql-js's own. */
  readonly nameRules?: ReadonlyMap<ValidationRule, ValidationRule>;
  /** I17: without it, no picture has copies. */
  readonly copiesOf?: CopiesOf;
  /** Called with each operation instead of `execute`, which it calls. */
  readonly wrapExecute?: (execute: Execute) => Execute;
  /** D3: the reply to a browser that opens the endpoint's address. */
  readonly browserPage?: Handle;
  /** The HTML page for a path that does not exist; otherwise, JSON. */
  readonly notFoundPage?: Handle;
}

/** What the server tells all annexes that listen. */
interface Listeners {
  /** Called once the server listens. */
  readonly onListen?: () => void;
  /** Called with each request after it was answered. */
  readonly onAccess?: OnAccess;
  /** Called once the server has stopped. */
  readonly close?: () => void;
}

/** By path. */
export type PartRoutes = Readonly<Record<string, Routes[string] & PathFacts>>;

/** Facts about one path, in which annexes that serve it declare fields. */
// biome-ignore lint/suspicious/noEmptyInterface: annexes fill it.
export interface PathFacts {}

/** The port that an annex listens on. */
export interface AnnexPort {
  readonly port: number;
  readonly host: string | null;
  /** The settings to correct if the port cannot be opened, such as `ALMANAKK_ADMIN_PORT and ALMANAKK_ADMIN_HOST`. */
  readonly settingNames: string;
  /** For the log: the path to open, and what the port serves. */
  readonly path: string;
  readonly what: string;
}

/** The parts of the core that an annex's middleware may use. */
export interface EndpointCore {
  readonly responder: Pick<Responder, 'respond' | 'refuse'>;
  readonly identify: Identify;
  /** D14: bodies of all endpoints are bounded together. */
  readonly readBody: ReadBody;
  /** Called with each request that the responder does not see. */
  readonly onAccess: OnAccess;
}

/** Loads and creates the parts of all annexes. */
export async function createParts<Settings>(
  listed: readonly ServeAnnex<Settings>[],
  context: Omit<ServeContext<Settings>, 'parts'>,
): Promise<readonly ServePart[]> {
  const annexes = withoutLeftOut(listed, context.settings);
  const programs = await Promise.all(annexes.map(({ load }) => load()));
  // Annexes call `parts` later, when the list is complete.
  const parts: readonly ServePart[] = await Promise.all(
    programs.map(({ create }) => create({ ...context, parts: () => parts })),
  );
  checkSlots(parts.map((part, index) => [annexes[index]?.name ?? '', slotsIn(part)]));
  return parts;
}

function withoutLeftOut<Settings>(
  annexes: readonly ServeAnnex<Settings>[],
  settings: Settings,
): readonly ServeAnnex<Settings>[] {
  const names = annexes.flatMap(({ optional }) => optional?.name ?? []);
  const leftOut = new Set(annexes.flatMap((annex) => annex.leftOut?.(settings, names) ?? []));
  return annexes.filter(({ optional }) => optional === undefined || !leftOut.has(optional.name));
}

const SLOTS = Object.keys({
  addressOf: true,
  applicationOf: true,
  quota: true,
  explainJson: true,
  queries: true,
  nameRules: true,
  copiesOf: true,
  wrapExecute: true,
  browserPage: true,
  notFoundPage: true,
} satisfies Readonly<Record<keyof Slots, true>>) as readonly (keyof Slots)[];

/** The slots of a part, its paths included: two annexes cannot answer at one path. */
function slotsIn(part: ServePart): object {
  return { ...part.routes, ...Object.fromEntries(SLOTS.map((slot) => [slot, part[slot]])) };
}

/**
 * Refuses a slot that two annexes fill, and names both: otherwise the later one would silently replace the first. Several annexes may fill
 * a slot with the same value, such as a stylesheet.
 */
function checkSlots(filled: Iterable<readonly [annex: string, slots: object]>): void {
  const owners = new Map<string, { readonly annex: string; readonly value: unknown }>();
  for (const [annex, slots] of filled) {
    for (const [slot, value] of Object.entries(slots)) {
      if (value === undefined) continue;
      const owner = owners.get(slot);
      if (owner !== undefined && owner.value !== value) {
        throw new Error(`expected one annex to fill ${slot}, found ${owner.annex} and ${annex}`);
      }
      owners.set(slot, { annex, value });
    }
  }
}

/** The slots that all parts fill together. */
export function slotsOf(parts: readonly ServePart[]): Slots {
  let slots: Slots = {};
  for (const part of parts) slots = { ...slots, ...part };
  return slots;
}
