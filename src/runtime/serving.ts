/** One serving process: the snapshot folder's keeper, the app, and the port that it listens on. */

import { once } from 'node:events';
import { statSync } from 'node:fs';
import type { Server } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Registry } from 'prom-client';
import * as annexes from '../annexes.ts';
import { CalendarError, messageOf } from '../calendar/errors.ts';
import { createAdmission } from '../serve/admission/admission.ts';
import type { Budget, CacheSize } from '../serve/admission/budget.ts';
import { TURNS } from '../serve/admission/turns.ts';
import { type AnnexPort, createParts, type ServeAnnex, type ServePart } from '../serve/annex.ts';
import { createApp } from '../serve/app.ts';
import { createExecute } from '../serve/graphql/execute.ts';
import { createMask } from '../serve/graphql/mask.ts';
import { MAX_ANSWER_BYTES } from '../serve/graphql/output.ts';
import { schema, sdl } from '../serve/graphql/schema.ts';
import { createAccessLog, createCutLog } from '../serve/http/access-log.ts';
import { createOutflow } from '../serve/http/outflow.ts';
import { createHttpServer } from '../serve/http/server.ts';
import { createServerAddress } from '../serve/http/server-address.ts';
import type { CoreSettings } from '../settings/core.ts';
import type { SettingsOf, TablesOf } from '../settings/kinds.ts';
import type { Keeper } from '../snapshot/keeper.ts';
import type { Upkeep } from '../upkeep.ts';
import { createDrain } from './drain.ts';
import { createRelief, CHECK_MS as RELIEF_MS } from './relief.ts';

/** The settings of the core and of the listed annexes. */
export type ServeSettings = CoreSettings & SettingsOf<TablesOf<typeof annexes>>;

interface ServingOptions {
  readonly settings: ServeSettings;
  readonly log: Logger;
  readonly budget: Budget;
  /** Keeper of the snapshot folder. */
  readonly keeper: Promise<Keeper>;
  /** Registry of this process's metrics. */
  readonly registry: Registry;
  /** State of the builds, for `/status`. */
  readonly upkeep: () => Upkeep;
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
  // Created before the app, which must know when the server is stopping.
  const server = createHttpServer((request, response) => app.listener(request, response), {
    limits: {
      maxConnections: () =>
        settings.maxConnections ?? Math.floor(budget.share('connections') / CONNECTION_BYTES),
    },
    onCut,
  });
  server.on('connection', TURNS.noteConnection);
  const outflow = createOutflow({ most: () => budget.share('outgoing'), onCut });
  const admission = createAdmission({ mostLarge: budget.share('answers') / MAX_ANSWER_BYTES });
  const drain = createDrain(server);
  const serverAddress = createServerAddress(settings.publicUrl);
  const ports: Port[] = [];
  const parts: readonly ServePart[] = await createParts(ANNEXES, {
    ...options,
    keeper,
    schema,
    mask,
    clock: Date.now,
    isStopping: drain.isStopping,
    serverAddress,
    addressOf: (message) => app.addressOf(message),
    cacheSize: () => app.cacheSize(),
    load: admission.state,
    listen: (listener, where) => ports.push({ ...where, server: createHttpServer(listener) }),
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
  const { host, port } = await listen(server, settings, 'PORT and HOST');
  serverAddress.listenUnder(EVERYWHERE.has(host) ? null : host, port);
  for (const { server: another, settings: names, what, path, ...where } of ports) {
    log.info(`${what} on ${urlOf(await listen(another, where, names), path)}`);
  }
  const ready = measureSnapshots(keeper, options);
  relieveOften(options, { clearCaches: app.clearCaches, cutReaders: () => outflow.cut(0) });
  for (const { onListen } of parts) onListen?.();
  const stop = () => stopServing({ options, drain, parts, ports, keeper });
  return { url: urlOf({ host, port }, '/graphQL'), keeper, ready, stop };
}

type Relieving = Pick<Parameters<typeof createRelief>[0], 'clearCaches' | 'cutReaders'>;

function relieveOften({ budget }: Pick<ServingOptions, 'budget'>, relieving: Relieving): void {
  setInterval(createRelief({ memory: () => budget.memory, ...relieving }), RELIEF_MS).unref();
}

interface Stopping {
  readonly options: Pick<ServingOptions, 'settings' | 'log'>;
  readonly drain: ReturnType<typeof createDrain>;
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

const ANNEXES: readonly ServeAnnex<ServeSettings>[] = Object.values(annexes);

/** A port that an annex listens on. */
interface Port extends AnnexPort {
  readonly server: Server;
}

const MB = 1_024 * 1_024;
const RESPONSE_CACHE: CacheSize = { part: 1 / 8, most: 16 * MB };

/** Bytes of the response cache. */
export function cacheBytes(megabytes: number | null, budget: Pick<Budget, 'cacheBytes'>): number {
  return budget.cacheBytes(megabytes === null ? RESPONSE_CACHE : { part: 1 / 4, most: megabytes * MB });
}

/** Bytes that a connection with the longest headers takes. */
const CONNECTION_BYTES = 32 * 1_024;

/** Milliseconds; their sum is less than STOP_MS. */
const FINISH_MS = 8_000;
const CLOSE_MS = 1_000;

type Where = Pick<CoreSettings, 'port' | 'host'>;

/**
 * D14: connections that the kernel queues until they are accepted. It drops further ones, so that a client tries again after 1, 3 and 7 s.
 * Linux allows at most `net.core.somaxconn`, usually as many.
 */
const MOST_PENDING = 4_096;

async function listen(server: Server, { port, host }: Where, names: string): Promise<Where> {
  server.listen({ port, ...(host !== null && { host }), backlog: MOST_PENDING });
  try {
    await once(server, 'listening');
  } catch (cause) {
    const where = host === null ? `port ${port}` : `${host}, port ${port}`;
    const message = `${names}: expected to listen on ${where}, found ${messageOf(cause)}`;
    throw new CalendarError('INVALID_SETTING', message, { cause });
  }
  const address = server.address();
  return { host, port: typeof address === 'object' && address !== null ? address.port : port };
}

/** Values that mean every address of the machine. */
const EVERYWHERE: ReadonlySet<string | null> = new Set([null, '0.0.0.0', '::']);

function urlOf({ host, port }: Where, path: string): string {
  const name = EVERYWHERE.has(host) ? 'localhost' : host?.includes(':') ? `[${host}]` : host;
  return `http://${name}:${port}${path}`;
}

/**
 * Resolves as soon as a snapshot is open. D14: measures what the program and a snapshot take of the budget, once the first snapshot is open
 * and before requests arrive; a later one takes as much for each byte of its file.
 */
function measureSnapshots(
  keeper: Keeper,
  { log, budget }: Pick<ServingOptions, 'log' | 'budget'>,
): Promise<void> {
  let first: { readonly program: number; readonly perByte: number } | undefined;
  return new Promise((resolve) => {
    const measure = () => {
      const { path } = keeper;
      if (path === null) return;
      resolve();
      const { size } = statSync(path);
      const { rss, external } = process.memoryUsage();
      const snapshot = BESIDE_COLUMNS * external;
      first ??= { program: rss - snapshot, perByte: snapshot / size };
      const wrong = budget.measured(first.program, first.perByte * size);
      if (wrong !== null) log.warn(wrong);
    };
    keeper.onSwap(measure);
    measure();
  });
}

/** Memory of a snapshot, with its lists and cached parts, as a multiple of its columns. */
const BESIDE_COLUMNS = 1.5;
