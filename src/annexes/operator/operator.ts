/** The operator's view: beside the endpoint, or on its own port. */
import { hostname } from 'node:os';
import type { ServeContext, ServePart } from '../../serve/annex.ts';
import { concernsOf } from '../facts/concerns.ts';
import { createGuard, type Guard } from '../guard/token.ts';
import { menuOf } from '../page/page.ts';
import { createOperatorApp, createOperatorRoutes } from './app.ts';
import { concernsIn } from './concerns.ts';
import { createHours } from './hours.ts';
import { createMetrics, createTraffic } from './metrics.ts';
import { connectMetrics } from './relay.ts';
import type { OperatorSettings } from './settings.ts';
import { healthOf } from './status.ts';

export function create(
  context: ServeContext<OperatorSettings>,
  guard: Guard | null = guardOf(context),
): ServePart {
  const { settings, registry, parts, listen } = context;
  const { adminPort: port, adminHost: host } = settings;
  const concerns = () => concernsOf(parts());
  const refresh = createMetrics(registry, async () => ({
    health: await healthOf(context),
    concerns: await concerns(),
    load: context.load(),
    cache: context.cacheSize(),
    totals: context.upkeep().totals,
    memory: context.budget.memory,
  }));
  const hours = createHours(context.clock);
  const traffic = createTraffic(registry);
  const status = {
    ...context,
    metrics: connectMetrics(registry, refresh),
    hours: hours.read,
    concerns,
    limits: () => parts().find(({ limits }) => limits !== undefined)?.limits ?? null,
  };
  const routes = createOperatorRoutes({
    ...status,
    guard,
    menu: () => (port === null ? menuOf(parts()) : ['status']),
  });
  const part: ServePart = {
    onAccess: (entry) => {
      traffic(entry);
      hours.count(entry.milliseconds);
    },
    concerns: async () => concernsIn(await healthOf(context)),
  };
  if (port === null) return { ...part, routes, offers: guard === null ? ['status'] : [] };
  listen(createOperatorApp({ ...context, routes, names: ownNames(settings) }), {
    port,
    host,
    settings: 'ALMANAKK_ADMIN_PORT and ALMANAKK_ADMIN_HOST',
    path: '/status',
    what: 'status and metrics',
  });
  return part;
}

function guardOf({ settings: { adminToken: token }, log }: ServeContext<OperatorSettings>): Guard | null {
  return token === null ? null : createGuard({ token, owner: 'the operator’s', log });
}

/** H8, settings and secrets: names under which the operator's port may be called. */
function ownNames({
  adminHost,
  publicUrl,
}: ServeContext<OperatorSettings>['settings']): readonly (string | null)[] {
  return [adminHost, hostname(), publicUrl?.hostname.replace(/^\[|\]$/g, '') ?? null];
}
