/**
 * A program of several processes: each serves its process id over HTTP, and `/die`, `/damage`, `/options` (Node's), `/builds`, `/block` (for so
 * many milliseconds). In place of the real server, so that tests can look at the supervision alone.
 */
import cluster from 'node:cluster';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { stopOnSignals } from '../../src/runtime/entry.ts';
import { createLog } from '../../src/runtime/log.ts';
import { connectSupervisor } from '../../src/runtime/supervisor.ts';
import { startWorkers } from '../../src/runtime/workers.ts';
import type { BuildRecord } from '../../src/upkeep.ts';
import { block } from '../fixtures/block.ts';

const STALL_MS = Number(process.env.STALL_MS ?? 15_000);

const log = createLog({ level: 'info', format: 'text' });
/** `refuse`, `crash`, `stuck`, `scarce` or nothing. */
const fault = process.argv[2] ?? '';

const BUILD: BuildRecord = {
  kind: 'rebuild',
  outcome: 'failed',
  startedAt: 1,
  ms: 2,
  id: null,
  counts: null,
  reason: 'made up',
  dropped: 0,
};

interface Additions {
  /** Called in the first process. */
  readonly supervise: () => void;
  /** What further paths answer. Called in each serving process. */
  readonly pages: () => Readonly<Record<string, () => Promise<string>>>;
}

const NO_ADDITIONS: Additions = { supervise: () => undefined, pages: () => ({}) };

export async function runWorkers(additions = NO_ADDITIONS): Promise<void> {
  await (cluster.isPrimary ? supervise(additions) : serve(additions));
}

/**
 * Makes the third and the fourth start of a process fail, in the two ways of Node: it throws ENOTDIR as it does ENOMEM, and emits ENOENT as
 * it does EAGAIN.
 */
function failStarts(): void {
  const folders: readonly (string | undefined)[] = [undefined, undefined, '/dev/null', '/nowhere'];
  const fork = cluster.fork;
  let starts = 0;
  cluster.fork = (env) => {
    cluster.settings.cwd = folders[starts++];
    return fork(env);
  };
}

async function supervise({ supervise: prepare }: Additions): Promise<void> {
  prepare();
  if (fault === 'scarce') failStarts();
  const workers = startWorkers({
    count: Number(process.env.COUNT ?? 2),
    args: [fault],
    log,
    upkeep: () => ({ builds: [BUILD], totals: [], origin: null, store: null, hooks: [] }),
    onDamage: () => log.info('to repair'),
    stopMs: 2_000,
    stallMs: STALL_MS,
  });
  stopOnSignals(async () => {
    await workers.stop();
    log.info('stopped');
  });
  // As a server does while its builder starts.
  if (fault === 'refuse') await once(cluster, 'exit');
  // As Node does if a message cannot be written.
  if (fault === 'scarce') cluster.workers?.[1]?.process.emit('error', new Error('write EPIPE'));
  try {
    log.info(`serving ${await workers.ready}`);
  } catch (thrown) {
    log.error({ reason: thrown instanceof Error ? thrown.message : thrown }, 'refused');
    process.exit(1);
  }
}

async function serve({ pages }: Additions): Promise<void> {
  const server = createServer(async ({ url }, response) => {
    if (url === '/die') process.exit(9);
    if (url === '/damage') await supervisor.send({ kind: 'damage' });
    const [, ms] = /^\/block\/(\d+)$/.exec(url ?? '') ?? [];
    if (ms !== undefined) block(Number(ms));
    response.end(await (PAGES[url ?? ''] ?? (async () => `${process.pid}`))());
  });
  const supervisor = connectSupervisor({
    onUpkeep: () => undefined,
    onDamage: () => log.info(`${process.pid} is told of damage`),
    stallMs: STALL_MS,
  });
  const PAGES: Readonly<Record<string, () => Promise<string>>> = {
    ...pages(),
    '/options': async () => process.execArgv.join(' '),
    '/builds': async () => JSON.stringify(supervisor.upkeep()?.builds ?? []),
  };
  if (fault === 'crash') process.exit(7);
  if (fault === 'refuse') {
    await supervisor.send({ kind: 'refused', reason: 'PORT: taken' });
    process.exit(1);
  }
  stopOnSignals(async () => {
    if (fault === 'stuck') await new Promise(() => undefined);
    server.close();
    server.closeAllConnections();
    await once(server, 'close');
  });
  server.listen(Number(process.env.PORT), '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : 0;
  await supervisor.send({ kind: 'started', url: `http://127.0.0.1:${port}/` });
}
