/** The operator's view, `/status` and `/metrics`: beside the endpoint, or on a port of its own. A token may be required. */
import { stat, statfs } from 'node:fs/promises';
import type { RequestListener } from 'node:http';
import { hostname } from 'node:os';
import { join } from 'node:path';
import type { Context } from 'koa';
import { INVALID_ARGUMENTS } from '../../calendar/arguments.ts';
import { withNearest } from '../../calendar/nearest.ts';
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
import { snapshotFile } from '../../snapshot/files.ts';
import type { Snapshot } from '../../snapshot/open.ts';
import { createGuard, createSenderTest, type Guard, guarded } from '../guard/token.ts';
import { STYLESHEET } from '../page/assets.ts';
import { menuOf } from '../page/menu.ts';
import { createPage } from '../page/page-reply.ts';
import { languageOf } from '../page/reader.ts';
import { createAlerts } from './alerts.ts';
import { readBackup } from './backup.ts';
import { concernsIn, forEditors } from './concerns.ts';
import { checkEditorTokens } from './editors.ts';
import { healthOf } from './health.ts';
import { createMetrics } from './metrics.ts';
import { connectMetrics, type ReadMetrics } from './relay.ts';
import type { UnknownFeed } from './reports.ts';
import type { OperatorSettings } from './settings.ts';
import { type Status, statusOf } from './status.ts';
import { renderStatus } from './status-page.ts';
import { createTraffic } from './traffic.ts';
import { renderUnknownFeeds } from './unknown-feeds.ts';

/** Throws INVALID_SETTING. `guards`: in place of those that the tokens of the settings make. */
export function create(
  context: ServeContext<OperatorSettings>,
  guards: Guards = guardsOf(context),
): ServePart {
  const { settings, registry, listen } = context;
  const { adminPort: port, adminHost: host, publicUrl } = settings;
  const readHealth = async (feeds: readonly string[] | null = null) => {
    const whole = await healthOf(context, {
      failingMail: await alerts.failing(),
      backup: await readBackup(settings.backupMark, context.clock()),
      feeds,
    });
    const health = feeds === null ? whole : { ...whole, ...NOT_OF_FEEDS };
    return { ...health, concerns: concernsIn(health) };
  };
  const alerts = createAlerts(context, {
    concerns: async () => (await readHealth()).concerns,
    statusUrl: statusUrlOf(settings),
    server: hostname(),
  });
  const refresh = createMetrics(registry, async () => ({
    ...(await readHealth()),
    work: context.load(),
    cache: context.cacheSize(),
    totals: (await context.upkeep()).totals,
    memory: context.budget.memory,
    freeBytes: await freeBytesIn(settings.snapshots),
    fileBytes: await fileBytesOf(context.keeper.state().current, settings.snapshots),
  }));
  const readMetrics = connectMetrics(registry, refresh);
  const readStatus: ReadStatus = async (feeds) =>
    statusOf(await readHealth(feeds), await (await readMetrics()).getMetricsAsJSON());
  const routes = {
    ...STYLESHEET.routes,
    '/status': { GET: guarded(statusHandle(context, readStatus), guards.status), about: null },
    '/metrics': { GET: guarded(metricsHandle(readMetrics), guards.metrics), about: null },
  };
  const part: ServePart = { onAccess: createTraffic(registry), onListen: alerts.start };
  // Other pages link to it where everybody may read it.
  if (port === null) return { ...part, routes, offers: guards.status === null ? ['status'] : [] };
  const names = [host, hostname(), publicUrl?.hostname.replace(/^\[|\]$/g, '') ?? null];
  listen(createOperatorApp({ routes, names, mask: context.mask, clock: context.clock }), {
    port,
    host,
    settings: 'ALMANAKK_ADMIN_PORT and ALMANAKK_ADMIN_HOST',
    path: '/status',
    what: 'status and metrics',
  });
  return part;
}

/** Those who look after some feeds can do nothing about these. */
const NOT_OF_FEEDS = { store: null, hook: null, hooks: [], mail: null, backup: null };

/** `feeds`: ids of the only feeds to report on; null for all. */
type ReadStatus = (feeds: readonly string[] | null) => Promise<Status>;

/** The address of `/status`; null if it is not known. */
export function statusUrlOf({ adminPort: port, adminHost: host, publicUrl }: StatusAddress): string | null {
  const server = port === null ? publicUrl : new URL(`http://${urlHostOf(host)}:${port}`);
  return server && new URL('status', server).href;
}

type StatusAddress = Pick<
  ServeContext<OperatorSettings>['settings'],
  'adminPort' | 'adminHost' | 'publicUrl'
>;

/** The host to listen at, as URLs have it. No URL has the zone of an address, as in `fe80::1%eth0`. */
function urlHostOf(host: string): string {
  if (ANY_HOST.has(host) || host.includes('%')) return hostname();
  return host.includes(':') ? `[${host}]` : host;
}

/** Addresses to listen on that are not a name of the machine. */
const ANY_HOST: ReadonlySet<string> = new Set(['0.0.0.0', '::']);

function statusHandle(
  { keeper, parts, settings: { adminPort, editorTokens } }: ServeContext<OperatorSettings>,
  readStatus: ReadStatus,
): Handle {
  const isEditor = createSenderTest(editorTokens.map(({ token }) => token));
  return async (request) => {
    const isForEditor = isEditor(request);
    const found = await readStatus(feedsIn(request));
    const status = isForEditor ? { ...found, concerns: found.concerns.map(forEditors) } : found;
    const { unknown = [] } = status.selection ?? {};
    const code = unknown.length === 0 ? 200 : 400;
    if (!wantsHtml(request)) return jsonReply(code, code === 200 ? status : refusalOf(unknown));
    const chosen = languageOf(request);
    const all = menuOf({ parts, keeper });
    // A port of its own has no other pages and files.
    const menu = adminPort === null ? all : { ...all, pages: ['status' as const], brand: null };
    const document =
      code === 200
        ? renderStatus(status, { ...chosen, menu, hasMetrics: !isForEditor })
        : renderUnknownFeeds(unknown, { ...chosen, menu });
    const { language } = chosen;
    const page = createPage({ document, language, vary: ['Accept'], isTagged: code === 200 });
    const reply = await page(request.headers, 'no-store');
    return { ...reply, status: code === 200 ? reply.status : code };
  };
}

/** H15: `?feeds=a,b`, for a part of the calendar; null for all of it. */
function feedsIn({ search }: Pick<HttpRequest, 'search'>): readonly string[] | null {
  const given = new URLSearchParams(search).getAll('feeds').flatMap((text) => text.split(','));
  const ids = new Set(given.map((id) => id.trim()).filter((id) => id !== ''));
  return ids.size === 0 ? null : [...ids];
}

function refusalOf(unknown: readonly UnknownFeed[]): object {
  const reasons = unknown.map(({ id, nearest }) => {
    const expected = withNearest('the id of a feed of this calendar', nearest);
    return `feeds: expected ${expected}, found ${JSON.stringify(id)}`;
  });
  const extensions = { code: 'BAD_USER_INPUT', invalidArgs: ['feeds'], reasons };
  return { errors: [{ message: INVALID_ARGUMENTS, extensions }] };
}

function metricsHandle(readMetrics: ReadMetrics): Handle {
  return async ({ headers }) => {
    const body = Buffer.from(await (await readMetrics()).metrics());
    const type = 'text/plain; version=0.0.4; charset=utf-8';
    return createResource({ body, type, isTagged: false })(headers, 'no-store');
  };
}

/** For whoever may write there. Null for a folder that is not there yet. */
async function freeBytesIn(folder: string): Promise<number | null> {
  const found = await statfs(folder).catch(() => null);
  return found && found.bavail * found.bsize;
}

/** The size of a snapshot's file; null if it is no longer there. */
async function fileBytesOf(snapshot: Pick<Snapshot, 'id'> | null, folder: string): Promise<number | null> {
  if (snapshot === null) return null;
  const found = await stat(join(folder, snapshotFile(snapshot.id))).catch(() => null);
  return found === null ? null : found.size;
}

/** Null: open to everyone. */
interface Guards {
  readonly status: Guard | null;
  readonly metrics: Guard | null;
}

/** H15: editors' tokens open `/status` alone. `more`: options of the guards. */
export function guardsOf(
  { settings, log }: Pick<ServeContext<OperatorSettings>, 'settings' | 'log'>,
  more: Pick<Parameters<typeof createGuard>[0], 'pause'> = {},
): Guards {
  checkEditorTokens(settings);
  const { adminToken: token, editorTokens } = settings;
  if (token === null) return { status: null, metrics: null };
  const metrics = createGuard({ tokens: [token], owner: 'the operator’s', log, ...more });
  if (editorTokens.length === 0) return { status: metrics, metrics };
  const tokens = [token, ...editorTokens.map((editor) => editor.token)];
  const status = createGuard({ tokens, owner: 'the operator’s or an editor’s', log, ...more });
  return { status, metrics };
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
  const [, address, name] = /^(?:\[([\da-f:.]+)\]|([^:[\]]+))(?::\d+)?$/i.exec(host) ?? [];
  const hostName = (address ?? name ?? '').toLowerCase();
  return ownNames.has(hostName) || hostName === socket.localAddress?.replace(/^::ffff:/, '');
}

const OF_EVERY_MACHINE = ['localhost', '127.0.0.1', '::1'];

const MISDIRECTED = jsonReply(421, {
  errors: [
    { message: 'This port has no such name. See ALMANAKK_ADMIN_HOST.', extensions: { code: 'BAD_REQUEST' } },
  ],
});

const NOT_FOUND = refuse('NOT_FOUND', 'There is nothing at this path. Try /status or /metrics.');
