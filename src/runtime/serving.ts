/** One serving process: the snapshot folder's keeper, the app, and the port that it listens on. */
import type { Server } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Registry } from 'prom-client';
import * as annexes from '../annexes.ts';
import { createAdmission } from '../serve/admission/admission.ts';
import type { Budget, CacheLimit } from '../serve/admission/budget.ts';
import { TURNS } from '../serve/admission/turns.ts';
import { type AnnexPort, createParts, type ServeAnnex, type ServePart } from '../serve/annex.ts';
import { createApp } from '../serve/app.ts';
import { createExecute } from '../serve/graphql/execute.ts';
import { createMask } from '../serve/graphql/mask.ts';
import { MAX_ANSWER_BYTES } from '../serve/graphql/output.ts';
import { schema, sdl } from '../serve/graphql/schema.ts';
import { createAccessLog, createCutLog } from '../serve/http/access-log.ts';
import { GRAPHQL_PATH } from '../serve/http/graphql-endpoint.ts';
import { createOutflow } from '../serve/http/outflow.ts';
import { createHttpServer } from '../serve/http/server.ts';
import { createServerAddress } from '../serve/http/server-address.ts';
import type { CoreSettings } from '../settings/core.ts';
import type { SettingsOf, TablesOf } from '../settings/kinds.ts';
import type { Keeper } from '../snapshot/keeper.ts';
import type { Upkeep } from '../upkeep.ts';
import { createDrain, type Drain } from './drain.ts';
import { isEverywhere, LOOPBACK, listen, urlOf } from './listen.ts';
import { createRelief, CHECK_MS as RELIEF_MS, type ReliefOptions } from './relief.ts';
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
  const mask = createMask(log);
  const onCut = createCutLog(log);
  // The server and the parts are made before the app, which takes them.
  const server = createHttpServer((request, response) => app.listener(request, response), {
    limits: { maxConnections: () => mostConnections(options) },
    onCut,
  });
  server.on('connection', TURNS.noteConnection);
  const outflow = createOutflow({ most: () => budget.share('outgoing'), onCut });
  const admission = createAdmission({ mostLarge: budget.share('answers') / MAX_ANSWER_BYTES });
  const drain = createDrain(server);
  const serverAddress = createServerAddress(settings.publicUrl);
  const ports: Port[] = [];
  const parts: readonly ServePart[] = await createParts(ANNEXES, {
    settings,
    log,
    budget,
    keeper,
    schema,
    registry: options.registry,
    upkeep: options.upkeep,
    mask,
    clock: Date.now,
    isStopping: drain.isStopping,
    serverAddress,
    addressOf: (message) => app.addressOf(message),
    cacheSize: () => app.cacheSize(),
    load: admission.state,
    listen: (onRequest, port) => ports.push({ ...port, server: createHttpServer(onRequest) }),
    process: { slot: options.slot ?? 0, count: settings.workers },
  });
  const app = createApp({
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
  });
  const where = await listen(server, settings, 'PORT and HOST');
  serverAddress.listenUnder(isEverywhere(where.host) ? null : (where.host ?? LOOPBACK), where.port);
  for (const port of ports) await listenForAnnex(port, log);
  const ready = measureSnapshots({ keeper, budget, log });
  relieveOften({ budget, app, outflow });
  for (const { onListen } of parts) onListen?.();
  const stop = () => stopServing({ options, drain, parts, ports, keeper });
  return { url: urlOf(where, GRAPHQL_PATH), keeper, ready, stop };
}

async function listenForAnnex(port: Port, log: Pick<Logger, 'info'>): Promise<void> {
  const where = await listen(port.server, port, port.settingNames);
  log.info(`${port.what} on ${urlOf(where, port.path)}`);
}

interface Relieved {
  readonly budget: Pick<Budget, 'memory'>;
  readonly app: Pick<ReliefOptions, 'clearCaches'>;
  readonly outflow: Pick<ReturnType<typeof createOutflow>, 'cut'>;
}

function relieveOften({ budget, app, outflow }: Relieved): void {
  const relieve = createRelief({
    memory: () => budget.memory,
    clearCaches: app.clearCaches,
    cutReaders: () => outflow.cut(0),
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

/** Milliseconds; their sum is less than STOP_MS. */
const FINISH_MS = 8_000;
const CLOSE_MS = 1_000;

/** Bytes of the response cache. */
export function cacheBytes(megabytes: number | null, budget: Pick<Budget, 'cacheBytes'>): number {
  return budget.cacheBytes(megabytes === null ? RESPONSE_CACHE : { part: 1 / 4, most: megabytes * MB });
}
