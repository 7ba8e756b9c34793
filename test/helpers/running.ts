/** A running server in this process: a built snapshot folder, the real app on port 0, and a clock that the test holds. */
import { cpSync } from 'node:fs';
import type { Settings } from '../../jobs/settings.ts';
import { type AdmissionOptions, createAdmission } from '../../src/serve/admission/admission.ts';
import { createParts, type ServeAnnex } from '../../src/serve/annex.ts';
import { type AppOptions, createApp } from '../../src/serve/app.ts';
import { createExecute } from '../../src/serve/graphql/execute.ts';
import { schema, sdl } from '../../src/serve/graphql/schema.ts';
import { createOutflow } from '../../src/serve/http/outflow.ts';
import { createHttpServer, type ServerLimits } from '../../src/serve/http/server.ts';
import { viewAt } from '../../src/serve/query/view.ts';
import { createKeeper } from '../../src/snapshot/keeper.ts';
import { ANNEXES, contextOf, type GivenContext, throwAgain } from './annex.ts';
import { built, builtSample, SAMPLE } from './build.ts';
import { clientOf } from './client.ts';
import { temporaryFolder } from './folder.ts';
import { verifyHere } from './keeper.ts';
import { listening } from './port.ts';

export type Running = Awaited<ReturnType<typeof startServer>>;

export interface RunningOptions extends Partial<AppOptions> {
  /** Snapshot folder. */
  readonly snapshots: string;
  /** Milliseconds since 1970. */
  readonly clock: () => number;
  /** Changes to the usual context of annexes. */
  readonly context?: Omit<GivenContext, 'keeper'>;
  /** In place of all annexes. */
  readonly annexes?: readonly ServeAnnex<Settings>[];
  /** In place of those of D9. */
  readonly limits?: Partial<ServerLimits>;
  /** Bytes of cached bodies of events. */
  readonly bodyCacheBytes?: number;
}

/** Serves a snapshot folder. What nobody foresaw fails the test that caused it. */
export async function startServer({
  snapshots,
  clock,
  context,
  annexes = ANNEXES,
  limits,
  bodyCacheBytes = 32_000_000,
  ...more
}: RunningOptions) {
  const keeper = await createKeeper({
    folder: snapshots,
    log: SILENT,
    pollMs: 60_000,
    cacheBytes: () => bodyCacheBytes,
    verify: verifyHere,
    prepare: (snapshot) => viewAt(snapshot, Math.floor(clock() / 1_000)),
  });
  const mask = more.mask ?? throwAgain;
  const full = contextOf({
    keeper,
    clock,
    mask,
    addressOf: (message) => app.addressOf(message),
    ...context,
    settings: { snapshots, notice: 'Get a key at {portal}', ...context?.settings },
  });
  const { settings, budget } = full;
  const outflow = createOutflow({ most: () => 256_000_000, onCut: () => undefined });
  const app = createApp({
    schema,
    sdl,
    execute: createExecute(mask),
    keeper,
    mask,
    clock,
    settings,
    budget,
    cacheBytes: 16 * 1024 * 1024,
    isStopping: () => false,
    onAccess: () => undefined,
    outflow,
    admission: createAdmission(PATIENT),
    parts: more.parts ?? (await createParts(annexes, full)),
    ...more,
  });
  const server = createHttpServer(app.listener, limits === undefined ? {} : { limits });
  const port = await listening(server);
  full.serverAddress.listenUnder('127.0.0.1', port);
  return {
    ...clientOf(`http://127.0.0.1:${port}`),
    server,
    keeper,
    serverAddress: full.serverAddress,
    close: async () => {
      server.closeAllConnections();
      server.close();
      await keeper.close();
    },
  };
}

const LONGEST_MS = 60_000;
/** A busy machine lets work wait longer than the five seconds of D14. */
export const PATIENT: AdmissionOptions = {
  small: { longestWait: LONGEST_MS },
  large: { longestWait: LONGEST_MS },
};

/** Builds a source folder at a second and serves it; the clock begins there. */
export async function startBuilt(
  source: string,
  builtAt: number,
  more: Partial<RunningOptions> = {},
): Promise<Running> {
  const snapshots = await builtFolder(source, builtAt);
  return startServer({ clock: () => builtAt * 1000, ...more, snapshots });
}

async function builtFolder(source: string, now: number): Promise<string> {
  const folder = temporaryFolder();
  if (source === SAMPLE) cpSync(await builtSample(now), folder, { recursive: true });
  else await built(source, folder, { now, force: true });
  return folder;
}

const SILENT = { info: () => undefined, warn: () => undefined };
