/** The operator's view, `/status` and `/metrics`: beside the endpoint, or on its own port. A token may be required. */
import { hostname } from 'node:os';
import type { ServeContext, ServePart } from '../../serve/annex.ts';
import type { Handle } from '../../serve/http/koa.ts';
import type { HttpRequest } from '../../serve/http/message.ts';
import { acceptsHtml } from '../../serve/http/negotiation.ts';
import { jsonReply } from '../../serve/http/replies.ts';
import { createResource } from '../../serve/http/representation.ts';
import { concernsOf } from '../facts/concerns.ts';
import { createGuard, type Guard } from '../guard/token.ts';
import { createPage, menuOf, STYLESHEET } from '../page/page.ts';
import { languageOf } from '../page/reader.ts';
import { createOperatorApp } from './app.ts';
import { concernsIn } from './concerns.ts';
import { createHours } from './hours.ts';
import { createMetrics, createTraffic } from './metrics.ts';
import { connectMetrics } from './relay.ts';
import type { OperatorSettings } from './settings.ts';
import { healthOf, statusOf } from './status.ts';
import { renderStatus } from './status-page.ts';

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
  const metrics = connectMetrics(registry, refresh);
  const limits = () => parts().find((part) => part.limits !== undefined)?.limits ?? null;

  const status: Handle = async (request) => {
    const value = await statusOf({ ...context, metrics, hours: hours.read, concerns, limits });
    if (!wantsHtml(request)) return jsonReply(200, value);
    const chosen = languageOf(request);
    const document = renderStatus(value, { ...chosen, menu: port === null ? menuOf(parts()) : ['status'] });
    const page = createPage({ document, language: chosen.language, vary: ['Accept'] });
    return page(request.headers, 'no-store');
  };
  const text: Handle = async ({ headers }) => {
    const body = Buffer.from(await metrics.text());
    const type = 'text/plain; version=0.0.4; charset=utf-8';
    return createResource({ body, type, isTagged: false })(headers, 'no-store');
  };
  const routes = {
    ...STYLESHEET.routes,
    '/status': { GET: guarded(status, guard), about: null },
    '/metrics': { GET: guarded(text, guard), about: null },
  };
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

function guarded(handle: Handle, guard: Guard | null): Handle {
  return async (request) => {
    const refusal = await guard?.(request);
    if (refusal) return refusal;
    const leave = await request.enter?.();
    return Promise.resolve(handle(request)).finally(leave);
  };
}

/** `?format=` decides; else whether the client names HTML, as browsers do. */
function wantsHtml({ headers, search }: Pick<HttpRequest, 'headers' | 'search'>): boolean {
  const format = new URLSearchParams(search).get('format');
  return format === 'html' || (format !== 'json' && acceptsHtml(headers.accept));
}

/** H8, settings and secrets: names under which the operator's port may be called. */
function ownNames({
  adminHost,
  publicUrl,
}: ServeContext<OperatorSettings>['settings']): readonly (string | null)[] {
  return [adminHost, hostname(), publicUrl?.hostname.replace(/^\[|\]$/g, '') ?? null];
}
