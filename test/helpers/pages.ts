/** A running server with all that people see of it: pages, the operator's view, metrics. */
import { Registry } from 'prom-client';
import { packagePath } from '../../src/package.ts';
import { schema } from '../../src/serve/graphql/schema.ts';
import type { AccessLogEntry } from '../../src/serve/http/access-log.ts';
import { healthReply } from '../../src/serve/http/health.ts';
import { snapshotRoutes } from '../../src/serve/http/snapshots.ts';
import type { BuildRecord, Origin } from '../../src/serve/operator/builds.ts';
import { createMetrics, createTraffic, type Traffic } from '../../src/serve/operator/metrics.ts';
import { createOperatorRoutes, type OperatorOptions } from '../../src/serve/operator-app.ts';
import { menuWith } from '../../src/serve/pages/page.ts';
import { createPages, type PagesOptions } from '../../src/serve/pages.ts';
import type { StoreState } from '../../src/snapshot/folder.ts';
import type { Keeper } from '../../src/snapshot/keeper.ts';
import { temporaryFolder } from './folder.ts';
import { type Running, type RunningOptions, startBuilt, startServer } from './running.ts';

export interface PagesSetup extends Partial<PagesOptions & OperatorOptions> {
  /** Milliseconds since 1970; the source is built for the first moment that it gives. */
  readonly clock?: () => number;
  /** Folder; the sample when none is given, and no snapshot at all for null. */
  readonly source?: string | null;
  readonly builds?: readonly BuildRecord[];
  readonly origin?: Origin;
  readonly store?: StoreState;
  readonly applicationOf?: (key: string) => string | undefined;
}

export async function startPages(setup: PagesSetup = {}): Promise<Running> {
  const { clock = Date.now, source = packagePath('data/sample') } = setup;
  const registry = new Registry();
  const traffic = createTraffic(registry);
  const options: Partial<RunningOptions> = {
    clock,
    onAccess: (one: AccessLogEntry) => traffic.record(one),
    keys: { applicationOf: setup.applicationOf ?? (() => undefined) },
    parts: [{ browserPage: healthReply }],
    withKeeper: (keeper) => ({
      pages: pagesOf(setup, { keeper, registry, traffic, clock }),
      routes: [
        snapshotRoutes({ folder: temporaryFolder(), current: () => keeper.state().current?.id ?? null }),
      ],
    }),
  };
  if (source === null) return startServer({ ...options, clock, snapshots: temporaryFolder() });
  return startBuilt(source, Math.floor(clock() / 1_000), options);
}

interface Parts {
  readonly keeper: Keeper;
  readonly registry: Registry;
  readonly traffic: Traffic;
  readonly clock: () => number;
}

function pagesOf(
  { builds = [], origin, store, ...setup }: PagesSetup,
  { keeper, registry, traffic, clock }: Parts,
) {
  createMetrics({
    registry,
    keeper,
    cacheSize: () => ({ entries: 0, bytes: 0 }),
    clock,
  });
  const pages = createPages({
    keeper,
    schema,
    publicUrl: null,
    maxAge: 60,
    offersSnapshots: true,
    offersStatus: true,
    quota: NO_QUOTA,
    changelog: CHANGELOG,
    ...setup,
  });
  const operator = createOperatorRoutes({
    keeper,
    upkeep: () => ({ builds, origin: origin ?? null, store: store ?? null }),
    traffic,
    metrics: { values: () => registry.getMetricsAsJSON(), text: () => registry.metrics() },
    quota: NO_QUOTA,
    isStopping: () => false,
    clock,
    guard: null,
    menu: menuWith({ status: true }),
    ...setup,
  });
  return { ...pages, ...operator };
}

const NO_QUOTA = { anonymous: null, keyed: null };

const CHANGELOG =
  '# Changelog\n\n## 1.0.0\n\n- Lists **events**, see `events`.\n  - and their [venues](https://example.org/v)\n';
