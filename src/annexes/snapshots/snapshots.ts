/**
 * Offers the snapshot folder to replicas and to people (D8, other paths; H5, the snapshot folder; H6, replicas): the manifest, its files,
 * and a redirect to the current one; only with the token if one is set (H9, nothing unpublished leaves), because a file also contains
 * unpublished events.
 */
import type { FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { Context } from 'koa';
import { CalendarError, isCalendarError, isMissing } from '../../calendar/errors.ts';
import { OVERLOAD } from '../../serve/admission/admission.ts';
import type { ServeContext, ServePart } from '../../serve/annex.ts';
import { createCutLog } from '../../serve/http/access-log.ts';
import { networkOf } from '../../serve/http/caller.ts';
import { type AddRoutes, carry } from '../../serve/http/koa.ts';
import { type HeaderList, NO_BODY } from '../../serve/http/message.ts';
import { matchesTag, tagOf } from '../../serve/http/representation.ts';
import type { OnCut } from '../../serve/http/server.ts';
import {
  idOfCompressed,
  idOfFile,
  MANIFEST,
  openRegular,
  readManifestText,
  snapshotFile,
} from '../../snapshot/folder.ts';
import type { Keeper } from '../../snapshot/keeper.ts';
import { createGuard, type Guard } from '../guard/token.ts';

interface Settings {
  readonly serveSnapshots: boolean;
  readonly snapshotsToken: string | null;
}

export function create(context: ServeContext<Settings>): ServePart {
  const { settings, keeper, log, budget } = context;
  const { serveSnapshots, snapshotsToken: token, snapshots: folder } = settings;
  if (!serveSnapshots) return {};
  const current = () => keeper.state().current?.id ?? null;
  const guard = token === null ? null : createGuard({ token, owner: 'a replica’s', log });
  return {
    offers: token === null ? ['snapshot'] : [],
    addRoutes: snapshotRoutes({
      ...{ folder, current, guard, isDamaged: (file) => keeper.isDamaged(file), onCut: createCutLog(log) },
      mostDownloads: () => Math.floor(budget.share('downloads') / (2 * CHUNK)),
    }),
    abouts: token === null ? ABOUTS : {},
  };
}

const FILE = { about: 'An SQLite database.', type: 'application/vnd.sqlite3' };
const ABOUTS: NonNullable<ServePart['abouts']> = {
  '/calendar.sqlite': {
    summary: 'The whole calendar as an SQLite database.',
    answer: FILE,
    others: { 302: { about: 'Where the current file is.' } },
  },
  [`/snapshots/${MANIFEST}`]: {
    summary: 'The current file, for replicas: its name, size and SHA-256.',
    answer: { about: 'The manifest.', type: 'application/json', schema: { type: 'object' } },
  },
};

interface SnapshotRoutesOptions {
  readonly folder: string;
  /** Id of the snapshot that answers come from; null without one. */
  readonly current: () => string | null;
  /** H14, damage while it is served: of a file's name. */
  readonly isDamaged?: Keeper['isDamaged'];
  /** Null: no token is needed. */
  readonly guard?: Guard | null;
  /** Milliseconds after which a client that reads nothing is disconnected. */
  readonly stallMs?: number;
  /** Files that are sent at a time; two at least. */
  readonly mostDownloads?: () => number;
  readonly onCut?: OnCut;
}

export function snapshotRoutes(options: SnapshotRoutesOptions): AddRoutes {
  const { folder, current, guard = null, isDamaged = async () => false } = options;
  const { stallMs = STALL_MS, mostDownloads = () => 16, onCut = () => undefined } = options;
  // A protected file must not be stored in shared caches.
  const isPublic = guard === null;
  /** The address of each download's client. */
  const downloads: string[] = [];
  return (router) => {
    router.use(['/snapshots/:file', '/calendar.sqlite'], async (context: Context, next) => {
      const { path, headers, req } = context;
      const refusal = await guard?.({ path, headers, peer: req.socket.remoteAddress });
      return refusal ? carry(context, refusal) : next();
    });
    router.get(`/snapshots/${MANIFEST}`, (context: Context) => sendManifest(context, folder, isPublic));
    router.get('/snapshots/:file', async (context: Context) => {
      const { params, req } = context;
      if (await isDamaged(params.file)) throw missing('no sound snapshot of that name');
      const address = networkOf(req.socket.remoteAddress ?? '');
      // D14, bounded together: so many files at a time, half of them for one address. Replicas try again.
      const most = Math.max(2, mostDownloads());
      const own = downloads.filter((other) => other === address).length;
      if (downloads.length >= most || own >= Math.ceil(most / 2)) throw OVERLOAD;
      const onTimeout = () => onCut('unread');
      downloads.push(address);
      req.socket.once('timeout', onTimeout);
      await sendFile(context, { folder, isPublic, stallMs }).finally(() => {
        downloads.splice(downloads.indexOf(address), 1);
        req.socket.off('timeout', onTimeout);
      });
    });
    router.get('/calendar.sqlite', (context: Context) => {
      const id = current();
      if (id === null) throw missing('no snapshot yet');
      // Relative, so that the server can run under a prefix.
      reply(context, 302, ['Location', `snapshots/${snapshotFile(id)}`, 'Cache-Control', 'no-cache']);
    });
  };
}

const STALL_MS = 15_000;

async function sendManifest(context: Context, folder: string, isPublic: boolean): Promise<void> {
  const text = await readManifestText(folder);
  if (text === null) throw missing('no snapshot yet');
  const body = Buffer.from(text);
  const tag = tagOf(body);
  const headers = ['ETag', tag, 'Cache-Control', isPublic ? 'no-cache' : 'private, no-cache'];
  if (matchesTag(context.get('If-None-Match') || undefined, tag)) return reply(context, 304, headers);
  reply(context, 200, [...headers, 'Content-Type', 'application/json; charset=utf-8'], [body]);
}

interface Offer {
  readonly folder: string;
  readonly isPublic: boolean;
  readonly stallMs: number;
}

async function sendFile(context: Context, offer: Offer): Promise<void> {
  const { file: name } = context.params;
  const offered = offeredAs(name);
  const file = offered === null ? null : await openIfThere(join(offer.folder, name));
  if (offered === null || file === null) throw missing('no snapshot of that name');
  try {
    await answer(context, { ...offered, ...offer, file, size: (await file.stat()).size });
  } finally {
    await file.close();
  }
}

interface Offered {
  readonly tag: string;
  readonly type: string;
}

/**
 * J4, compressed copies: the compressed copy is a separate file, not another coding of the plain one. Null for a file that is not offered.
 */
function offeredAs(name: string): Offered | null {
  const [plain, compressed] = [idOfFile(name), idOfCompressed(name)];
  if (plain !== null) return { tag: `"${plain}"`, type: 'application/vnd.sqlite3' };
  return compressed === null ? null : { tag: `"${compressed}-br"`, type: 'application/octet-stream' };
}

async function openIfThere(path: string): Promise<FileHandle | null> {
  try {
    return await openRegular(path);
  } catch (cause) {
    if (isMissing(cause) || isCalendarError(cause)) return null;
    throw cause;
  }
}

interface OpenFile extends Offered, Offer {
  readonly file: FileHandle;
  readonly size: number;
}

async function answer(
  context: Context,
  { file, size, tag, type, isPublic, stallMs }: OpenFile,
): Promise<void> {
  // The name changes with the content.
  const cacheControl = `${isPublic ? 'public' : 'private'}, max-age=31536000, immutable`;
  const headers = ['ETag', tag, 'Accept-Ranges', 'bytes', 'Cache-Control', cacheControl];
  if (matchesTag(context.get('If-None-Match') || undefined, tag)) return reply(context, 304, headers);
  const isSame = ['', tag].includes(context.get('If-Range'));
  const range = context.method === 'GET' && isSame ? rangeOf(context.get('Range'), size) : undefined;
  if (range === null) return reply(context, 416, [...headers, 'Content-Range', `bytes */${size}`]);
  const { start, end } = range ?? { start: 0, end: size - 1 };
  reply(context, range === undefined ? 200 : 206, [
    ...headers,
    ...['Content-Type', type, 'Content-Length', `${end - start + 1}`],
    ...(range === undefined ? [] : ['Content-Range', `bytes ${start}-${end}/${size}`]),
  ]);
  if (context.method !== 'GET') return;
  const { req, res } = context;
  // Koa would log each client that disconnects.
  context.respond = false;
  req.socket.setTimeout(stallMs);
  const source = file.createReadStream({ start, end, highWaterMark: CHUNK, autoClose: false });
  await pipeline(source, res).catch(() => res.destroy());
  // An end before the announced length would leave the client waiting.
  if (source.bytesRead <= end - start) req.socket.destroy();
}

/** Bytes: one chunk is read while another one is sent. */
const CHUNK = 64 * 1_024;

function reply(context: Context, status: number, headers: HeaderList, body = NO_BODY): void {
  carry(context, { status, headers, body });
}

function missing(what: string): CalendarError {
  return new CalendarError('NOT_FOUND', `There is ${what}.`);
}

/** A byte range (RFC 9110, section 14), both inclusive. */
interface ByteRange {
  readonly start: number;
  readonly end: number;
}

/**
 * The requested part of a file of that size. Undefined means all of it: without a `Range`, or with an unsupported or invalid one (several
 * ranges, other units). Null means that the range is outside of the file.
 */
function rangeOf(header: string, size: number): ByteRange | null | undefined {
  const [, from = '', to = ''] = /^bytes=(\d*)-(\d*)$/.exec(header.trim()) ?? [];
  if (from === '' && to === '') return undefined;
  if (from !== '' && to !== '' && Number(to) < Number(from)) return undefined;
  // Without a first byte, so many last ones.
  const start = from === '' ? Math.max(0, size - Number(to)) : Number(from);
  const end = from === '' || to === '' ? size - 1 : Math.min(Number(to), size - 1);
  return start <= end ? { start, end } : null;
}
