/** One serving process: the snapshot folder's keeper, the keys, the app, and the port that it listens on. */
import { once } from 'node:events';
import type { Server } from 'node:http';
import type { Logger } from 'pino';
import { CalendarError, messageOf } from '../calendar/errors.ts';
import { createApp } from '../serve/app.ts';
import type { LastBuilds } from '../serve/builds.ts';
import { createConceal } from '../serve/conceal.ts';
import { createExecute } from '../serve/graphql/operations.ts';
import { schema, sdl } from '../serve/graphql/schema.ts';
import type { Traffic } from '../serve/http/front.ts';
import { createHttpServer } from '../serve/http/server.ts';
import { snapshotRoutes } from '../serve/http/snapshots.ts';
import { openKeyRing } from '../serve/identity/key-ring.ts';
import type { Settings } from '../settings.ts';
import { createKeeper, type Keeper } from '../snapshot/keeper.ts';
import { createDrain } from './drain.ts';
import type { CollectMetrics } from './metrics.ts';

export interface ServingOptions {
  readonly settings: Settings;
  readonly log: Logger;
  /** For `/metrics`: of all processes of this server. */
  readonly collectMetrics: CollectMetrics;
  /** For `/status`. */
  readonly lastBuilds: LastBuilds;
}

export interface Serving {
  /** Of the endpoint, as a browser on this machine would write it. */
  readonly url: string;
  readonly keeper: Pick<Keeper, 'state' | 'look'>;
  /** Resolves as soon as there is a snapshot to answer from. */
  readonly ready: Promise<void>;
  /** H4: finishes what is running and closes everything, in time. */
  readonly stop: () => Promise<void>;
}

/** Listens before there is a snapshot, so that whoever asks is told so. Throws INVALID_SETTING for a port it cannot have. */
export async function startServing({ settings, log }: ServingOptions): Promise<Serving> {
  const { snapshots, keys: path, pollSeconds } = settings;
  const keys = await openKeyRing({ path, log });
  const keeper = await createKeeper({ folder: snapshots, log, pollMs: pollSeconds * 1_000 });
  const conceal = createConceal(log);
  // Made before the app, which has to be able to say that it is on its way out.
  const server = createHttpServer((request, response) => app.listener(request, response));
  const drain = createDrain(server);
  const app = createApp({
    schema,
    sdl,
    execute: createExecute(conceal),
    keeper,
    keys,
    conceal,
    clock: Date.now,
    maxAge: settings.maxAge,
    reuseBytes: settings.cacheMegabytes * MEGABYTE,
    notice: settings.notice,
    publicUrl: settings.publicUrl?.href ?? null,
    isStopping: drain.isStopping,
    onTraffic: trafficInto(log),
    routes: settings.serveSnapshots
      ? [snapshotRoutes({ folder: snapshots, current: () => currentId(keeper) })]
      : [],
  });
  await listen(server, settings);

  const stop = async () => {
    const acceptMs = settings.stopDelaySeconds * 1_000;
    const cut = await drain.stop({ acceptMs, finishMs: FINISH_MS - acceptMs });
    if (cut > 0) log.warn({ connections: cut }, 'connections cut, they took too long');
    keys.close();
    await Promise.race([keeper.close(), new Promise((resolve) => setTimeout(resolve, CLOSE_MS).unref())]);
  };
  return { url: urlOf(server, settings), keeper, ready: readiness(keeper), stop };
}

const currentId = (keeper: Keeper) => keeper.state().current?.id ?? null;

const MEGABYTE = 1_024 * 1_024;

/** Together less than the ten seconds of H4. */
const FINISH_MS = 8_000;
const CLOSE_MS = 1_000;

/** Milliseconds in which a process has stopped, or is not going to. */
export const STOP_MS = 9_500;

async function listen(server: Server, { port, host }: Settings): Promise<void> {
  server.listen({ port, ...(host !== null && { host }) });
  try {
    await once(server, 'listening');
  } catch (cause) {
    const where = host === null ? `port ${port}` : `${host}, port ${port}`;
    const message = `PORT and HOST: expected to listen on ${where}, found ${messageOf(cause)}`;
    throw new CalendarError('INVALID_SETTING', message, { cause });
  }
}

/** Addresses that mean every one of the machine. */
const EVERYWHERE: ReadonlySet<string | null> = new Set([null, '0.0.0.0', '::']);

function urlOf(server: Server, { host }: Settings): string {
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  const name = EVERYWHERE.has(host) ? 'localhost' : host?.includes(':') ? `[${host}]` : host;
  return `http://${name}:${port}/graphQL`;
}

function readiness(keeper: Keeper): Promise<void> {
  return new Promise((resolve) => {
    if (keeper.state().current !== null) return resolve();
    const end = keeper.onSwap(() => {
      end();
      resolve();
    });
  });
}

function trafficInto(log: Logger): (traffic: Traffic) => void {
  return ({ method, route, status, caller, operationName, reused, milliseconds }) => {
    if (!log.isLevelEnabled('debug')) return;
    const { kind, name, pageHost } = caller;
    const fields = { method, route, status, ms: Math.round(milliseconds * 1_000) / 1_000 };
    log.debug({ ...fields, operation: operationName, caller: kind, name, pageHost, reused }, 'request');
  };
}
