/** The operator's view, `/status` and `/metrics`: beside the endpoint, or on a port of its own. A token may be required. */
import { statfs } from 'node:fs/promises';
import type { RequestListener } from 'node:http';
import { hostname } from 'node:os';
import type { Context } from 'koa';
import type { ServeContext, ServePart } from '../../serve/annex.ts';
import { refuse } from '../../serve/graphql/refusal.ts';
import {
  answerErrors,
  carry,
  createKoa,
  createRouter,
  type Handle,
  type Routes,
  refuseUnrouted,
} from '../../serve/http/koa.ts';
import type { HttpRequest } from '../../serve/http/message.ts';
import { acceptsHtml } from '../../serve/http/negotiation.ts';
import { jsonReply } from '../../serve/http/replies.ts';
import { createResource } from '../../serve/http/representation.ts';
import { createGuard, type Guard, guarded } from '../guard/token.ts';
import { STYLESHEET } from '../page/assets.ts';
import { createPage, menuOf } from '../page/page.ts';
import { languageOf } from '../page/reader.ts';
import { createAlerts } from './alerts.ts';
import { concernsIn } from './concerns.ts';
import { createMetrics, createTraffic } from './metrics.ts';
import { connectMetrics } from './relay.ts';
import type { OperatorSettings } from './settings.ts';
import { healthOf, statusOf } from './status.ts';
import { renderStatus } from './status-page.ts';

/** Hosts to listen at that are no name of the machine. */
const ANY_HOST: ReadonlySet<string> = new Set(['0.0.0.0', '::']);

export function create(
  context: ServeContext<OperatorSettings>,
  guard: Guard | null = guardOf(context),
): ServePart {
  const { settings, registry, parts, listen } = context;
  const { adminPort: port, adminHost: host, publicUrl } = settings;
  const readHealth = async () => {
    const health = await healthOf(context, await alerts.failing());
    return { ...health, concerns: concernsIn(health) };
  };
  const isOpen = port === null && guard === null;
  const server = hostname();
  const ownUrl =
    port === null
      ? publicUrl
      : new URL(`http://${host === null || ANY_HOST.has(host) ? server : host}:${port}`);
  const statusUrl = ownUrl === null ? null : new URL('status', ownUrl).href;
  const concerns = async () => (await readHealth()).concerns;
  const alerts = createAlerts(context, { concerns, statusUrl, server });
  const refresh = createMetrics(registry, async () => ({
    ...(await readHealth()),
    work: context.load(),
    cache: context.cacheSize(),
    totals: context.upkeep().totals,
    memory: context.budget.memory,
    freeBytes: await freeBytesIn(settings.snapshots),
  }));
  const readMetrics = connectMetrics(registry, refresh);

  const status: Handle = async (request) => {
    const value = statusOf(await readHealth(), await (await readMetrics()).getMetricsAsJSON());
    if (!wantsHtml(request)) return jsonReply(200, value);
    const chosen = languageOf(request);
    const all = menuOf({ parts, keeper: context.keeper });
    const document = renderStatus(value, {
      ...chosen,
      menu: port === null ? all : { ...all, pages: ['status'] },
    });
    const page = createPage({ document, language: chosen.language, vary: ['Accept'] });
    return page(request.headers, 'no-store');
  };
  const text: Handle = async ({ headers }) => {
    const body = Buffer.from(await (await readMetrics()).metrics());
    const type = 'text/plain; version=0.0.4; charset=utf-8';
    return createResource({ body, type, isTagged: false })(headers, 'no-store');
  };
  const routes = {
    ...STYLESHEET.routes,
    '/status': { GET: guarded(status, guard), about: null },
    '/metrics': { GET: guarded(text, guard), about: null },
  };
  const part: ServePart = { onAccess: createTraffic(registry), onListen: alerts.start };
  if (port === null) return { ...part, routes, offers: isOpen ? ['status'] : [] };
  const names = [host, hostname(), publicUrl?.hostname.replace(/^\[|\]$/g, '') ?? null];
  listen(createOperatorApp({ ...context, routes, names }), {
    port,
    host,
    settings: 'ALMANAKK_ADMIN_PORT and ALMANAKK_ADMIN_HOST',
    path: '/status',
    what: 'status and metrics',
  });
  return part;
}

/** For whoever may write there. Null for a folder that is not there yet. */
async function freeBytesIn(folder: string): Promise<number | null> {
  const found = await statfs(folder).catch(() => null);
  return found && found.bavail * found.bsize;
}

function guardOf({ settings: { adminToken: token }, log }: ServeContext<OperatorSettings>): Guard | null {
  return token === null ? null : createGuard({ token, owner: 'the operator’s', log });
}

/** `?format=` decides; else whether the client names HTML, as browsers do. */
function wantsHtml({ headers, search }: Pick<HttpRequest, 'headers' | 'search'>): boolean {
  const format = new URLSearchParams(search).get('format');
  return format === 'html' || (format !== 'json' && acceptsHtml(headers.accept));
}

interface OperatorAppOptions extends Pick<ServeContext, 'mask' | 'clock'> {
  readonly routes: Routes;
  /** Names of this port besides `localhost` and the machine's own addresses. */
  readonly names: readonly (string | null)[];
}

/** A port of the operator's own: pages of other origins in the operator's browser must not read what is protected there. */
export function createOperatorApp({ routes, mask, names, clock }: OperatorAppOptions): RequestListener {
  const router = createRouter(routes, clock);
  const ownNames = new Set([...OF_EVERY_MACHINE, ...names.flatMap((name) => name?.toLowerCase() ?? [])]);
  const koa = createKoa(mask);
  koa.use(async (context, next) => {
    context.set('X-Content-Type-Options', 'nosniff');
    await next();
    context.remove('Access-Control-Allow-Origin');
  });
  koa.use(answerErrors(mask));
  koa.use(async (context, next) => (isOwnName(context, ownNames) ? next() : carry(context, MISDIRECTED)));
  koa.use(router.routes());
  koa.use(refuseUnrouted(router, NOT_FOUND));
  return koa.callback();
}

/** H8: a foreign name that resolves to this address (DNS rebinding) would let pages of that name read this port. */
function isOwnName(
  { headers: { host = '' }, req: { socket } }: Context,
  ownNames: ReadonlySet<string>,
): boolean {
  const name = /^(?:\[([\da-f:.]+)\]|([^:[\]]+))(?::\d+)?$/i.exec(host);
  const hostName = (name?.[1] ?? name?.[2] ?? '').toLowerCase();
  return ownNames.has(hostName) || hostName === socket.localAddress?.replace(/^::ffff:/, '');
}

const OF_EVERY_MACHINE = ['localhost', '127.0.0.1', '::1'];

const MISDIRECTED = jsonReply(421, {
  errors: [
    { message: 'This port has no such name. See ALMANAKK_ADMIN_HOST.', extensions: { code: 'BAD_REQUEST' } },
  ],
});

const NOT_FOUND = refuse('NOT_FOUND', 'There is nothing at this path. Try /status or /metrics.');
