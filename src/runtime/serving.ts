/** One serving process: the snapshot folder's keeper, the app, and the port that it listens on. */
import type { Server } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Registry } from 'prom-client';
import * as annexes from '../annexes.ts';
import { type Admission, createAdmission } from '../serve/admission/admission.ts';
import type { Budget, CacheLimit } from '../serve/admission/budget.ts';
import { TURNS } from '../serve/admission/turns.ts';
import { type AnnexPort, createParts, type ServeAnnex, type ServePart } from '../serve/annex.ts';
import { type App, type AppOptions, createApp } from '../serve/app.ts';
import { createExecute } from '../serve/graphql/execute.ts';
import { createMask, type Mask } from '../serve/graphql/mask.ts';
import { MAX_ANSWER_BYTES } from '../serve/graphql/output.ts';
import { schema, sdl } from '../serve/graphql/schema.ts';
import { createAccessLog, createCutLog } from '../serve/http/access-log.ts';
import { GRAPHQL_PATH } from '../serve/http/graphql-endpoint.ts';
import { createOutflow, type Outflow } from '../serve/http/outflow.ts';
import { createHttpServer } from '../serve/http/server.ts';
import { createServerAddress, type ServerAddress } from '../serve/http/server-address.ts';
import type { CoreSettings } from '../settings/core.ts';
import type { SettingsOf, TablesOf } from '../settings/kinds.ts';
import type { Keeper } from '../snapshot/keeper.ts';
import type { Upkeep } from '../upkeep.ts';
import { createDrain, type Drain } from './drain.ts';
import { STOP_MS } from './entry.ts';
import { isEverywhere, LOOPBACK, listen, urlOf } from './listen.ts';
import { createRelief, CHECK_MS as RELIEF_MS, type ReliefOptions, tuneHeap } from './relief.ts';
import { measureSnapshots } from './snapshot-memory.ts';

/** The settings of the core and of the listed annexes. */
export type ServeSettings = CoreSettings & SettingsOf<TablesOf<typeof annexes>>;

const ANNEXES: readonly ServeAnnex<ServeSettings>[] = Object.values(annexes);

/** A port that an annex listens on. */
interface Port extends AnnexPort {
  readonly server: Server;
}

const MB = 1_024 * 1_024;
const RESPONSE_CACHE: CacheLimit = { part: 1 / 8, most: 16 * MB };

interface ServingOptions {
  readonly settings: ServeSettings;
  readonly log: Logger;
  readonly budget: Budget;
  /** Keeper of the snapshot folder. */
  readonly keeper: Promise<Keeper>;
  /** Registry of this process's metrics. */
  readonly registry: Registry;
  /** State of the builds, for `/status`. */
  readonly upkeep: () => Promise<Upkeep>;
  /** This process's place among the serving processes, from 0; 0 by default. */
  readonly slot?: number;
}

export interface Serving {
  /** URL of the endpoint, for a browser on this machine. */
  readonly url: string;
  readonly keeper: Pick<Keeper, 'state' | 'check' | 'doubt'>;
  /** Resolves as soon as a snapshot is open. */
  readonly ready: Promise<void>;
  /** H4: finishes running requests and closes everything, within its time limit. */
  readonly stop: () => Promise<void>;
}

/** Listens before a snapshot is open: requests are refused until then. Throws INVALID_SETTING for a port that cannot be opened. */
export async function startServing(options: ServingOptions): Promise<Serving> {
  const { settings, log, budget } = options;
  const keeper = await options.keeper;
  // The server and the parts are made before the app, and call it once requests come.
  const core = createCore(options, keeper, () => app);
  const { parts, ports } = await createAnnexParts(options, core, () => app);
  const app: App = createApp(appOptionsOf(options, core, parts));
  const where = await listen(core.server, settings, 'PORT and HOST');
  core.serverAddress.listenUnder(isEverywhere(where.host) ? null : (where.host ?? LOOPBACK), where.port);
  for (const port of ports) await listenForAnnex(port, log);
  const ready = measureSnapshots({ keeper, budget, log });
  relieveOften({ budget, app, outflow: core.outflow });
  for (const { onListen } of parts) onListen?.();
  const stop = () => stopServing({ options, drain: core.drain, parts, ports, keeper });
  return { url: urlOf(where, GRAPHQL_PATH), keeper, ready, stop };
}

/** What a process has one of, whatever annexes there are. */
interface Core {
  readonly keeper: Keeper;
  readonly mask: Mask;
  readonly server: Server;
  readonly drain: Drain;
  readonly outflow: Outflow;
  readonly admission: Admission;
  readonly serverAddress: ServerAddress;
}

function createCore(options: ServingOptions, keeper: Keeper, app: () => App): Core {
  const { settings, log, budget } = options;
  const onCut = createCutLog(log);
  const server = createHttpServer((request, response) => app().listener(request, response), {
    limits: { maxConnections: () => mostConnections(options) },
    onCut,
  });
  server.on('connection', TURNS.noteConnection);
  return {
    keeper,
    mask: createMask(log),
    server,
    drain: createDrain(server),
    outflow: createOutflow({ most: () => budget.share('outgoing'), onCut }),
    admission: createAdmission({ mostLarge: budget.share('answers') / MAX_ANSWER_BYTES }),
    serverAddress: createServerAddress(settings.publicUrl),
  };
}

interface AnnexParts {
  readonly parts: readonly ServePart[];
  /** Ports that the parts listen on, not opened yet. */
  readonly ports: readonly Port[];
}

async function createAnnexParts(options: ServingOptions, core: Core, app: () => App): Promise<AnnexParts> {
  const { settings, log, budget, registry, upkeep } = options;
  const { keeper, mask, drain, serverAddress, admission } = core;
  const ports: Port[] = [];
  const parts = await createParts(ANNEXES, {
    settings,
    log,
    budget,
    keeper,
    schema,
    registry,
    upkeep,
    mask,
    clock: Date.now,
    isStopping: drain.isStopping,
    serverAddress,
    addressOf: (message) => app().addressOf(message),
    cacheSize: () => app().cacheSize(),
    load: admission.state,
    listen: (onRequest, port) => ports.push({ ...port, server: createHttpServer(onRequest) }),
    process: { slot: options.slot ?? 0, count: settings.workers },
  });
  return { parts, ports };
}

function appOptionsOf(options: ServingOptions, core: Core, parts: readonly ServePart[]): AppOptions {
  const { settings, log, budget } = options;
  const { keeper, mask, outflow, admission, drain } = core;
  return {
    keeper,
    settings,
    budget,
    schema,
    sdl,
    mask,
    parts,
    outflow,
    admission,
    clock: Date.now,
    execute: createExecute(mask),
    cacheBytes: cacheBytes(settings.cacheMegabytes, budget),
    isStopping: drain.isStopping,
    onAccess: createAccessLog({ log, isDebug: log.isLevelEnabled('debug') }),
  };
}

async function listenForAnnex(port: Port, log: Pick<Logger, 'info'>): Promise<void> {
  const where = await listen(port.server, port, port.settingNames);
  log.info(`${port.what} on ${urlOf(where, port.path)}`);
}

interface Relieved {
  readonly budget: Pick<Budget, 'memory'>;
  readonly app: Pick<ReliefOptions, 'clearCaches'>;
  readonly outflow: Pick<Outflow, 'cut'>;
}

function relieveOften({ budget, app, outflow }: Relieved): void {
  const relieve = createRelief({
    memory: () => budget.memory,
    clearCaches: app.clearCaches,
    cutReaders: () => outflow.cut(0),
    collect: tuneHeap(),
  });
  setInterval(relieve, RELIEF_MS).unref();
}

function mostConnections({ settings, budget }: Pick<ServingOptions, 'settings' | 'budget'>): number {
  return settings.maxConnections ?? Math.floor(budget.share('connections') / CONNECTION_BYTES);
}

/** Bytes that a connection with the longest headers takes. */
const CONNECTION_BYTES = 32 * 1_024;

interface Stopping {
  readonly options: Pick<ServingOptions, 'settings' | 'log'>;
  readonly drain: Pick<Drain, 'stop'>;
  readonly parts: readonly ServePart[];
  readonly ports: readonly Port[];
  readonly keeper: Pick<Keeper, 'close'>;
}

async function stopServing({ options, drain, parts, ports, keeper }: Stopping): Promise<void> {
  const { settings, log } = options;
  const acceptMs = settings.stopDelaySeconds * 1_000;
  const cut = await drain.stop({ acceptMs, finishMs: FINISH_MS - acceptMs });
  if (cut > 0) log.warn({ connections: cut }, 'connections cut: not finished in time');
  for (const { close } of parts) close?.();
  for (const { server } of ports) server.close().closeAllConnections();
  await Promise.race([keeper.close(), pause(CLOSE_MS, undefined, { ref: false })]);
}

/** The longest time for closing the snapshot, in milliseconds. */
const CLOSE_MS = 1_000;
/** Milliseconds left over, because a supervisor kills its workers earlier than STOP_MS, and timers are late under load. */
const SPARE_MS = 500;
/** The longest time for accepting connections and finishing requests, in milliseconds. */
const FINISH_MS = STOP_MS - CLOSE_MS - SPARE_MS;

/** Bytes of the response cache. */
export function cacheBytes(megabytes: number | null, budget: Pick<Budget, 'cacheBytes'>): number {
  return budget.cacheBytes(megabytes === null ? RESPONSE_CACHE : { part: 1 / 4, most: megabytes * MB });
}
