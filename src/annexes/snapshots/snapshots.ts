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
import { OVERLOAD } from '../../serve/admission/semaphore.ts';
import type { ServeContext, ServePart } from '../../serve/annex.ts';
import { createCutLog } from '../../serve/http/access-log.ts';
import { type CallerAddressOf, peerAddressOf } from '../../serve/http/caller.ts';
import { carry, type Handle } from '../../serve/http/koa.ts';
import { type HeaderList, NO_BODY } from '../../serve/http/message.ts';
import { createResource, matchesTag } from '../../serve/http/representation.ts';
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
import type { About } from '../facts/facts.ts';
import { createGuard, type Guard, guarded } from '../guard/token.ts';

interface Settings {
  readonly serveSnapshots: boolean;
  readonly snapshotsToken: string | null;
}

export function create(context: ServeContext<Settings>): ServePart {
  const { settings, keeper, log, budget, addressOf } = context;
  const { serveSnapshots, snapshotsToken: token, snapshots: folder } = settings;
  if (!serveSnapshots) return {};
  const current = () => keeper.state().current?.id ?? null;
  const guard = token === null ? null : createGuard({ token, owner: 'a replica’s', log });
  return {
    offers: token === null ? ['snapshot'] : [],
    ...snapshotRoutes({
      ...{
        folder,
        current,
        guard,
        isDamaged: (file) => keeper.isDamaged(file),
        onCut: createCutLog(log),
        addressOf,
      },
      mostDownloads: () => Math.floor(budget.share('downloads') / (2 * CHUNK)),
    }),
  };
}

const CURRENT: About = {
  summary: 'The whole calendar as an SQLite database.',
  answer: { about: 'An SQLite database.', type: 'application/vnd.sqlite3' },
  others: { 302: { about: 'Where the current file is.' } },
};
const CURRENT_MANIFEST: About = {
  summary: 'The current file, for replicas: its name, size and SHA-256.',
  answer: { about: 'The manifest.', type: 'application/json', schema: { type: 'object' } },
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
  readonly addressOf?: CallerAddressOf;
}

export function snapshotRoutes(
  options: SnapshotRoutesOptions,
): Required<Pick<ServePart, 'routes' | 'addRoutes'>> {
  const { folder, current, guard = null, isDamaged = async () => false } = options;
  const { stallMs = STALL_MS, mostDownloads = () => 16, onCut = () => undefined } = options;
  const { addressOf = peerAddressOf } = options;
  // A protected file must not be stored in shared caches.
  const isPublic = guard === null;
  const manifest: Handle = async ({ headers }) => {
    const text = await readManifestText(folder);
    if (text === null) throw missing('no snapshot yet');
    const resource = createResource({ body: Buffer.from(text), type: 'application/json; charset=utf-8' });
    return resource(headers, isPublic ? 'no-cache' : 'private, no-cache');
  };
  const redirect: Handle = () => {
    const id = current();
    if (id === null) throw missing('no snapshot yet');
    // Relative, so that the server can run under a prefix.
    const headers = ['Location', `snapshots/${snapshotFile(id)}`, 'Cache-Control', 'no-cache'];
    return { status: 302, headers, body: NO_BODY };
  };
  /** The address of each download's client. */
  const downloads: string[] = [];
  return {
    routes: {
      '/calendar.sqlite': { GET: guarded(redirect, guard), about: isPublic ? CURRENT : null },
      [`/snapshots/${MANIFEST}`]: {
        GET: guarded(manifest, guard),
        about: isPublic ? CURRENT_MANIFEST : null,
      },
    },
    addRoutes: (router) =>
      router.get('/snapshots/:file', async (context: Context) => {
        const { path, headers, params, req } = context;
        const refusal = await guard?.({ path, headers, peer: req.socket.remoteAddress });
        if (refusal) return carry(context, refusal);
        if (await isDamaged(params.file)) throw missing('no sound snapshot of that name');
        const address = addressOf(req);
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
      }),
  };
}

const STALL_MS = 15_000;

interface Offer {
  readonly folder: string;
  readonly isPublic: boolean;
  readonly stallMs: number;
}

/** J4, compressed copies: the compressed copy is a separate file, not another coding of the plain one. */
async function sendFile(context: Context, { folder, isPublic, stallMs }: Offer): Promise<void> {
  const { file: name } = context.params;
  const [plain, compressed] = [idOfFile(name), idOfCompressed(name)];
  const file = plain === null && compressed === null ? null : await openIfThere(join(folder, name));
  if (file === null) throw missing('no snapshot of that name');
  try {
    const tag = plain === null ? `"${compressed}-br"` : `"${plain}"`;
    // The name changes with the content.
    const cacheControl = `${isPublic ? 'public' : 'private'}, max-age=31536000, immutable`;
    const headers = ['ETag', tag, 'Accept-Ranges', 'bytes', 'Cache-Control', cacheControl];
    const { size } = await file.stat();
    if (matchesTag(context.get('If-None-Match') || undefined, tag)) return reply(context, 304, headers);
    const isSame = ['', tag].includes(context.get('If-Range'));
    const range = context.method === 'GET' && isSame ? rangeOf(context.get('Range'), size) : undefined;
    if (range === null) return reply(context, 416, [...headers, 'Content-Range', `bytes */${size}`]);
    const { start, end } = range ?? { start: 0, end: size - 1 };
    reply(context, range === undefined ? 200 : 206, [
      ...headers,
      ...['Content-Type', plain === null ? 'application/octet-stream' : 'application/vnd.sqlite3'],
      ...['Content-Length', `${end - start + 1}`],
      ...(range === undefined ? [] : ['Content-Range', `bytes ${start}-${end}/${size}`]),
    ]);
    if (context.method === 'GET') await send(context, { file, start, end, stallMs });
  } finally {
    await file.close();
  }
}

async function openIfThere(path: string): Promise<FileHandle | null> {
  try {
    return await openRegular(path);
  } catch (cause) {
    if (isMissing(cause) || isCalendarError(cause)) return null;
    throw cause;
  }
}

interface Part extends ByteRange, Pick<Offer, 'stallMs'> {
  readonly file: FileHandle;
}

async function send(context: Context, { file, start, end, stallMs }: Part): Promise<void> {
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

function reply(context: Context, status: number, headers: HeaderList): void {
  carry(context, { status, headers, body: NO_BODY });
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
