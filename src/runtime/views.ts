/** What people see of a serving process: its pages, the operator's view, its metrics, a log line a request. */
import { existsSync, readFileSync } from 'node:fs';
import type { RequestListener } from 'node:http';
import type { Logger } from 'pino';
import type { Registry } from 'prom-client';
import { packagePath } from '../package.ts';
import { type AccessLogEntry, createAccessLog } from '../serve/access-log.ts';
import type { App } from '../serve/app.ts';
import type { Upkeep } from '../serve/builds.ts';
import type { Mask } from '../serve/graphql/refusal.ts';
import { schema } from '../serve/graphql/schema.ts';
import type { Routes } from '../serve/http/koa.ts';
import { createMetrics } from '../serve/metrics.ts';
import { createOperatorListener } from '../serve/operator/listener.ts';
import { createOperatorRoutes } from '../serve/operator.ts';
import { createPages, menuWith } from '../serve/pages.ts';
import { createTraffic } from '../serve/traffic.ts';
import type { Settings } from '../settings.ts';
import type { Keeper } from '../snapshot/keeper.ts';
import type { CollectMetrics } from './metrics.ts';

export interface ViewsOptions {
  readonly settings: Settings;
  readonly log: Logger;
  /** Of this process. */
  readonly registry: Registry;
  readonly collectMetrics: CollectMetrics;
  readonly upkeep: () => Upkeep;
  readonly keeper: Keeper;
  readonly mask: Mask;
  readonly isStopping: () => boolean;
  readonly cacheSize: App['cacheSize'];
}

export interface Views {
  /** For the endpoint's own port. */
  readonly pages: Routes;
  /** For the operator's port; null where there is none. */
  readonly operator: RequestListener | null;
  readonly onAccess: (entry: AccessLogEntry) => void;
}

export function createViews(options: ViewsOptions): Views {
  const { settings, log, keeper, mask } = options;
  const clock = Date.now;
  const traffic = createTraffic();
  createMetrics({ ...options, traffic, clock });
  const logAccess = createAccessLog({ log, isDebug: log.isLevelEnabled('debug') });
  const isApart = settings.adminPort !== null;
  const offersStatus = !isApart && settings.adminToken === null;
  const operator = createOperatorRoutes({
    ...options,
    traffic,
    clock,
    token: settings.adminToken,
    menu: isApart ? ['status'] : menuWith({ status: true }),
  });
  const pages = createPages({
    keeper,
    schema,
    publicUrl: settings.publicUrl?.href ?? null,
    maxAge: settings.maxAge,
    offersSnapshots: settings.serveSnapshots,
    offersStatus,
    changelog: readChangelog(),
  });
  return {
    pages: isApart ? pages : { ...pages, ...operator },
    operator: isApart ? createOperatorListener({ routes: operator, mask, clock }) : null,
    onAccess: (entry) => {
      traffic.record(entry);
      logAccess(entry);
    },
  };
}

function readChangelog(): string {
  const file = packagePath('CHANGELOG.md');
  return existsSync(file) ? readFileSync(file, 'utf8') : '# Changes\n';
}
