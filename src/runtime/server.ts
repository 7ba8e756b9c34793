/** The server: one process, or several under a primary process that builds and supervises. */
import cluster from 'node:cluster';
import type { Logger } from 'pino';
import { Registry } from 'prom-client';
import * as annexes from '../annexes.ts';
import { isCalendarError } from '../calendar/errors.ts';
import { type Budget, type CacheLimit, createBudget } from '../serve/admission/budget.ts';
import type { ServeAnnex } from '../serve/annex.ts';
import type { Keeper } from '../snapshot/keeper.ts';
import type { Snapshot } from '../snapshot/open.ts';
import type { Upkeep } from '../upkeep.ts';
import { readUpkeep } from '../upkeep-file.ts';
import { logged, STOP_MS, stopOnSignals } from './entry.ts';
import { createLog } from './log.ts';
import { LEAST_BUDGET } from './relief.ts';
import type { ServeSettings, Serving } from './serving.ts';
import { connectSupervisor } from './supervisor.ts';
import { SLOT } from './worker-messages.ts';
import { startWorkers } from './workers.ts';

/** Throws INVALID_SETTING. Resolves when it serves. */
export async function runServer(options: ServerOptions): Promise<void> {
  const { settings, warnings } = options;
  const { logLevel: level, logFormat: format } = settings;
  const log = createLog({ level, format, fields: cluster.worker ? { worker: cluster.worker.id } : {} });
  const budget = createBudget(settings.memoryMegabytes * 1_024 * 1_024, LEAST_BUDGET);
  const parts: Parts = { ...options, log, budget, registry: new Registry() };
  if (cluster.isWorker) return serveForSupervisor(parts);
  for (const warning of warnings) log.warn(warning);
  return settings.workers === 1 ? serveAlone(parts) : supervise(parts);
}

interface ServerOptions {
  readonly settings: ServeSettings;
  readonly warnings: readonly string[];
  /** Loads what keeps the snapshot folder current; undefined in a serve-only process, so that no build code is loaded. */
  readonly loadBuilder: (() => Promise<StartBuilder>) | undefined;
}

/** The first build or copy begins at once. Throws INVALID_SETTING. */
type StartBuilder = (options: BuilderOptions) => Promise<Builder>;

export interface BuilderOptions {
  readonly log: Logger;
  /** Called with each build as it ends. */
  readonly onBuild?: () => void;
  /** Called whenever the state of an annex changes. */
  readonly onChange?: () => void;
}

export interface Builder {
  readonly upkeep: () => Upkeep;
  /** H14: builds or copies the folder's current snapshot again. */
  readonly repair: () => void;
  /** Also ends running work. */
  readonly stop: () => Promise<void>;
}

interface Parts extends ServerOptions {
  readonly log: Logger;
  readonly budget: Budget;
  /** Registry of this process's metrics. */
  readonly registry: Registry;
}

/**
 * The first step of a serving process: a child verifies the snapshot while most of the program is still loading, which takes about as
 * long. A process that only supervises loads no SQLite.
 */
async function openFolder({ settings, log, budget }: Parts, onDamage: () => void): Promise<Keeper> {
  const { createKeeper } = await import('../snapshot/keeper.ts');
  const cacheBytes = () => budget.cacheBytes(BODY_CACHE);
  const { snapshots: folder, pollSeconds } = settings;
  return createKeeper({ folder, log, pollMs: pollSeconds * 1_000, cacheBytes, onDamage, prepare });
}

/** H7: the directory and the first view, by which requests are answered. */
async function prepare(snapshot: Snapshot): Promise<void> {
  const { viewAt } = await import('../serve/query/view.ts');
  viewAt(snapshot, Math.floor(Date.now() / 1_000));
}

/** Events' ready-made JSON. Reading ten from the file takes longer than the rest of a page. */
const BODY_CACHE: CacheLimit = { part: 0.12, most: 48_000_000 };

async function serveAlone(parts: Parts): Promise<void> {
  const { log } = parts;
  let builder: Builder | undefined;
  let started: Serving | undefined;
  // Installed before anything starts: verifying the first snapshot may take long.
  stopOnSignals(logged(log, () => Promise.all([started?.stop(), builder?.stop()])));
  // Not awaited here: a child verifies the snapshot while the rest is loaded. startServing awaits it.
  const keeper = openFolder(parts, () => builder?.repair());
  const [{ startServing }, startBuilder] = await Promise.all([import('./serving.ts'), parts.loadBuilder?.()]);
  const upkeep = async () => builder?.upkeep() ?? readUpkeep(parts.settings.snapshots);
  const serving = await startServing({ ...parts, keeper, upkeep });
  started = serving;
  const onBuild = () => void serving.keeper.check();
  builder = await startBuilder?.({ log, onBuild });
  if (serving.keeper.state().current === null) {
    log.info(`listening on ${serving.url}, waiting for the first snapshot`);
  }
  await serving.ready;
  log.info(`serving ${serving.url}`);
}

const ANNEXES: readonly ServeAnnex<ServeSettings>[] = Object.values(annexes);

/** The primary process supervises and builds; it serves no requests. */
async function supervise(parts: Parts): Promise<void> {
  const { settings, log } = parts;
  const startBuilder = await parts.loadBuilder?.();
  for (const annex of ANNEXES) (await annex.loadSupervisor?.())?.supervise();
  let builder: Builder | undefined;
  const workers = startWorkers({
    count: settings.workers,
    args: ['serve'],
    log,
    upkeep: () => builder?.upkeep() ?? null,
    onDamage: () => builder?.repair(),
    // Workers are killed before this process stops waiting for them.
    stopMs: STOP_MS - 300,
  });
  stopOnSignals(logged(log, () => Promise.all([workers.stop(), builder?.stop()])));
  const { sendUpkeep } = workers;
  builder = await startBuilder?.({ log, onBuild: sendUpkeep, onChange: sendUpkeep });
  const url = await workers.ready;
  log.info({ workers: settings.workers }, `serving ${url}`);
}

async function serveForSupervisor(parts: Parts): Promise<void> {
  let started: Serving | undefined;
  const supervisor = connectSupervisor({
    onUpkeep: () => void started?.keeper.check(),
    onDamage: () => started?.keeper.doubt('another process of this server found it damaged'),
  });
  // Not awaited here, as above.
  const keeper = openFolder(parts, () => void supervisor.send({ kind: 'damage' }));
  const { startServing } = await import('./serving.ts');
  const slot = Number(process.env[SLOT] ?? 0);
  const upkeep = async () => supervisor.upkeep() ?? readUpkeep(parts.settings.snapshots);
  const serving = await startServing({ ...parts, keeper, upkeep, slot }).catch(async (thrown) => {
    if (isCalendarError(thrown)) await supervisor.send({ kind: 'refused', reason: thrown.message });
    throw thrown;
  });
  started = serving;
  stopOnSignals(serving.stop);
  await serving.ready;
  await supervisor.send({ kind: 'started', url: serving.url });
}
