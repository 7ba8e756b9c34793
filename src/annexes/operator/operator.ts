/** The operator's view, `/status` and `/metrics`: beside the endpoint, or on a port of its own. A token may be required. */
import { hostname } from 'node:os';
import type { ServeContext, ServePart } from '../../serve/annex.ts';
import type { Handle, Routes } from '../../serve/http/koa.ts';
import { createResource } from '../../serve/http/representation.ts';
import { guarded } from '../guard/token.ts';
import { COPY, STYLESHEET } from '../page/assets.ts';
import { createAlerts } from './alerts.ts';
import { readBackup } from './backup.ts';
import type { Concern } from './concerns/concern.ts';
import { concernsIn } from './concerns.ts';
import { readDisk } from './disk.ts';
import { type Guards, guardsOf, warningIfOpen } from './guards.ts';
import { type Health, healthOf } from './health.ts';
import { createMetrics } from './metrics.ts';
import { createOperatorApp } from './own-port.ts';
import { createPlannedStop } from './planned-stop.ts';
import { connectMetrics, type ReadMetrics } from './relay.ts';
import type { FeedChoice } from './reports.ts';
import type { OperatorSettings } from './settings.ts';
import { statusOf } from './status.ts';
import { type ReadStatus, statusHandle } from './status-endpoint.ts';
import { createTraffic } from './traffic.ts';

/** Throws INVALID_SETTING. `guards`: in place of those that the tokens of the settings make. */
export function create(
  context: ServeContext<OperatorSettings>,
  guards: Guards = guardsOf(context),
): ServePart {
  const { settings, registry, log } = context;
  const plannedStop = createPlannedStop(settings);
  // Alerts mail the concerns, and mails that cannot be sent are a concern.
  const alerts = createAlerts(context, {
    concerns: async () => (await readHealth()).concerns,
    statusUrl: statusUrlOf(settings),
    server: hostname(),
  });
  const readHealth = healthReader(context, alerts.failing);
  const refresh = createMetrics(registry, async () => ({
    ...(await readHealth()),
    work: context.load(),
    cache: context.cacheSize(),
    totals: (await context.upkeep()).totals,
    memory: context.budget.memory,
    plannedStopAt: plannedStop.lastAt,
  }));
  const readMetrics = connectMetrics(registry, refresh);
  const readStatus: ReadStatus = async (feeds) => {
    const health = await readHealth(feeds);
    const metrics = await readMetrics();
    return statusOf(health, await metrics.getMetricsAsJSON());
  };
  const routes = {
    ...STYLESHEET.routes,
    ...COPY.routes,
    '/status': { GET: guarded(statusHandle(context, readStatus), guards.status), about: null },
    '/metrics': { GET: guarded(metricsHandle(readMetrics), guards.metrics), about: null },
  };
  const part: ServePart = {
    onAccess: createTraffic(registry, context.addressOf),
    onListen: () => {
      alerts.start();
      const warning = warningIfOpen(settings);
      if (warning !== null && context.process.slot === 0) log.warn({}, warning);
    },
    close: plannedStop.note,
  };
  if (settings.adminPort === null) {
    // Other pages link to it where everybody may read it.
    return { ...part, routes, offers: guards.status === null ? ['status'] : [] };
  }
  listenAlone(context, settings.adminPort, routes);
  return part;
}

/** `feeds`: null, the default, for all. */
type ReadHealth = (feeds?: FeedChoice | null) => Promise<Health & { readonly concerns: readonly Concern[] }>;

function healthReader(
  context: ServeContext<OperatorSettings>,
  failingMail: ReturnType<typeof createAlerts>['failing'],
): ReadHealth {
  const { settings, keeper, clock } = context;
  return async (feeds = null) => {
    const whole = await healthOf(context, {
      failingMail: await failingMail(),
      backup: await readBackup(settings.backupMark, clock()),
      disk: await readDisk(settings.snapshots, keeper.state().current),
      feeds,
    });
    const health = feeds === null ? whole : { ...whole, ...NOT_OF_FEEDS };
    return { ...health, concerns: concernsIn(health) };
  };
}

/** What people who look after some of the feeds can do nothing about. */
const NOT_OF_FEEDS = { store: null, hooks: [], mail: null, backup: null, disk: null };

/** Serves the operator's paths on a port of their own. */
function listenAlone(context: ServeContext<OperatorSettings>, port: number, routes: Routes): void {
  const { adminHost: host, publicUrl, statusUrl } = context.settings;
  const names = [host, hostname(), nameIn(publicUrl), nameIn(statusUrl)];
  context.listen(createOperatorApp({ routes, names, mask: context.mask, clock: context.clock }), {
    port,
    host,
    settingNames: 'ALMANAKK_ADMIN_PORT and ALMANAKK_ADMIN_HOST',
    path: '/status',
    what: 'status and metrics',
  });
}

/** The host of a URL, as a `Host` header has it without brackets; null without a URL. */
const nameIn = (url: URL | null): string | null => url?.hostname.replace(/^\[|\]$/g, '') ?? null;

/** The address of `/status`; null if it is not known. */
export function statusUrlOf({
  adminPort: port,
  adminHost: host,
  publicUrl,
  statusUrl,
}: StatusAddress): string | null {
  if (statusUrl !== null) return statusUrl.href;
  const server = port === null ? publicUrl : new URL(`http://${urlHostOf(host)}:${port}`);
  return server && new URL('status', server).href;
}

type StatusAddress = Pick<
  ServeContext<OperatorSettings>['settings'],
  'adminPort' | 'adminHost' | 'publicUrl' | 'statusUrl'
>;

/** The host to listen at, as URLs have it. No URL has the zone of an address, as in `fe80::1%eth0`. */
function urlHostOf(host: string): string {
  if (ANY_HOST.has(host) || host.includes('%')) return hostname();
  return host.includes(':') ? `[${host}]` : host;
}

/** Addresses to listen on that are not a name of the machine. */
const ANY_HOST: ReadonlySet<string> = new Set(['0.0.0.0', '::']);

function metricsHandle(readMetrics: ReadMetrics): Handle {
  return async ({ headers }) => {
    const metrics = await readMetrics();
    const body = Buffer.from(await metrics.metrics());
    const type = 'text/plain; version=0.0.4; charset=utf-8';
    return createResource({ body, type, isTagged: false })(headers, 'no-store');
  };
}
