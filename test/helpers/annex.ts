/** The context that a server passes to its annexes, with dependencies that the test chooses. */
import { Registry } from 'prom-client';
import type { Test } from 'uvu';
import { type BuildAnnex, type BuildSteps, createBuildParts, stepsOf } from '../../jobs/annex.ts';
import * as buildAnnexes from '../../jobs/annexes.ts';
import { readSettings, type Settings } from '../../jobs/settings.ts';
import * as annexes from '../../src/annexes.ts';
import { createBudget } from '../../src/serve/admission/budget.ts';
import type { ServeAnnex, ServeContext } from '../../src/serve/annex.ts';
import { schema } from '../../src/serve/graphql/schema.ts';
import { peerAddressOf } from '../../src/serve/http/caller.ts';
import { createServerAddress } from '../../src/serve/http/server-address.ts';
import { NO_UPKEEP } from '../../src/upkeep.ts';
import { temporaryFolder } from './folder.ts';
import { when } from './when.ts';

export const ANNEXES: readonly ServeAnnex<Settings>[] = Object.values(annexes);

/** Whether this package has the annex. Annexes may be deleted, and tests of the whole must still pass. */
export function hasAnnex(name: string): boolean {
  return ANNEXES.some((annex) => annex.name === name);
}

/** The suite's tests that need an annex: they count as skipped without it. */
export function withAnnex<T>(name: string, suite: Test<T>): Test<T> {
  return when(hasAnnex(name), `without ${name}`, suite);
}

type Context = Omit<ServeContext<Settings>, 'parts'>;

export interface GivenContext extends Partial<Omit<Context, 'settings' | 'keeper'>> {
  readonly keeper: Context['keeper'];
  readonly settings?: GivenSettings;
}

/** Settings of annexes that were deleted have no effect. */
export type GivenSettings = Partial<Settings> & Readonly<Record<string, unknown>>;

export function contextOf({ settings = {}, ...given }: GivenContext): Context {
  const registry = given.registry ?? new Registry();
  return {
    schema,
    log: SILENT,
    registry,
    mask: throwAgain,
    isStopping: () => false,
    addressOf: peerAddressOf,
    serverAddress: createServerAddress(settings.publicUrl ?? null),
    budget: createBudget(512 * 1_024 * 1_024),
    load: () => ({ running: 0, waiting: 0, admitted: 0, refused: 0 }),
    cacheSize: () => ({ entries: 0, bytes: 0 }),
    upkeep: async () => NO_UPKEEP,
    listen: () => {
      throw new Error('expected no port of its own');
    },
    clock: Date.now,
    process: { slot: 0, count: 1 },
    ...given,
    settings: { ...readSettings({}, temporaryFolder()).settings, ...settings },
  };
}

const ignore = () => undefined;
const SILENT = { debug: ignore, info: ignore, warn: ignore, error: ignore };

export function throwAgain(thrown: unknown): never {
  throw thrown;
}

const BUILD_ANNEXES: readonly BuildAnnex<Settings>[] = Object.values(buildAnnexes);

/** The additions of annexes to a build; none without annexes. */
export async function annexSteps(): Promise<BuildSteps> {
  const environment = { ALMANAKK_ALLOW_PRIVATE_FEEDS: 'true' };
  const { settings } = readSettings(environment, temporaryFolder());
  return stepsOf(await createBuildParts(BUILD_ANNEXES, settings, () => undefined));
}
