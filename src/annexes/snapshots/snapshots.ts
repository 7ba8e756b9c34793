/**
 * Offers the snapshot folder to replicas and to people (D8, other paths; H5, the snapshot folder; H6, replicas): the manifest, its files,
 * and a redirect to the current one; only with the token if one is set (H9, nothing unpublished leaves), because a file also contains
 * unpublished events.
 */
import type { FileHandle } from 'node:fs/promises';
import type { Socket } from 'node:net';
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
import type { SnapshotsSettings } from './settings.ts';

export function create(context: ServeContext<SnapshotsSettings>): ServePart {
  const { settings, keeper, log, budget } = context;
  const { serveSnapshots, snapshotsToken: token, snapshots: folder } = settings;
  if (!serveSnapshots) return {};
  const current = () => keeper.state().current?.id ?? null;
  const guard = token === null ? null : createGuard({ token, owner: 'a replica’s', log });
  return {
    offers: token === null ? ['snapshot'] : [],
    addRoutes: snapshotRoutes({
      folder,
      current,
      isDamaged: (file) => keeper.isDamaged(file),
      guard,
      onCut: createCutLog(log),
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
  /** Milliseconds since any fixed time. */
  readonly clock?: () => number;
}

export function snapshotRoutes(options: SnapshotRoutesOptions): AddRoutes {
  const { folder, current, stallMs = STALL_MS, guard = null } = options;
  const { mostDownloads = () => 16, onCut = () => undefined, isDamaged = async () => false } = options;
  const most = () => Math.max(2, mostDownloads());
  const downloads = createDownloads({ most, onCut, clock: options.clock ?? (() => performance.now()) });
  // A protected file must not be stored in shared caches.
  const isPublic = guard === null;
  return (router) => {
    router.use(['/snapshots/:file', '/calendar.sqlite'], async (context: Context, next) => {
      const { path, headers, req } = context;
      const refusal = await guard?.({ path, headers, peer: req.socket.remoteAddress });
      return refusal ? carry(context, refusal) : next();
    });
    router.get(`/snapshots/${MANIFEST}`, (context: Context) => sendManifest(context, { folder, isPublic }));
    router.get('/snapshots/:file', async (context: Context) => {
      if (await isDamaged(context.params.file)) throw missing('no sound snapshot of that name');
      const { onRead, end } = downloads.begin(context.req.socket);
      await sendFile(context, { folder, isPublic, stallMs, onRead }).finally(end);
    });
    router.get('/calendar.sqlite', (context: Context) => {
      const id = current();
      if (id === null) throw missing('no snapshot yet');
      // Relative, so that the server can run under a prefix.
      reply(context, 302, ['Location', `snapshots/${snapshotFile(id)}`, 'Cache-Control', 'no-cache']);
    });
  };
}

const STALL_MS = 30_000;

/** A file that is being sent. */
interface Download {
  readonly socket: Socket;
  readonly address: string;
  /** When the client last read on, in milliseconds of the clock. */
  readAt: number;
}

interface DownloadLimits {
  readonly most: () => number;
  readonly clock: () => number;
  readonly onCut: OnCut;
}

/**
 * D14, bounded together: bounds the files that are sent at a time, half of them for one address. When there are too many, the client that
 * has read nothing for longest makes room.
 */
function createDownloads({ most, clock, onCut }: DownloadLimits) {
  const all = new Set<Download>();
  const count = (address: string) => [...all].filter((download) => download.address === address).length;

  const makeRoom = (among: readonly Download[], own: number) => {
    const [slowest] = among.toSorted((one, other) => one.readAt - other.readAt);
    const patience = slowest === undefined || count(slowest.address) <= own ? UNREAD_MS : BUSIER_UNREAD_MS;
    if (slowest === undefined || clock() < slowest.readAt + patience) throw OVERLOAD;
    all.delete(slowest);
    slowest.socket.destroy();
    onCut('unread');
  };

  return {
    /** Throws OVERLOADED: replicas try again. Returns what is called when the client reads on, and at the end. */
    begin: (socket: Socket) => {
      const address = networkOf(socket.remoteAddress ?? '');
      const own = count(address);
      if (own >= Math.ceil(most() / 2)) {
        makeRoom(
          [...all].filter((download) => download.address === address),
          own,
        );
      } else if (all.size >= most()) makeRoom([...all], own);
      const download: Download = { socket, address, readAt: clock() };
      all.add(download);
      return {
        onRead: () => {
          download.readAt = clock();
        },
        end: () => void all.delete(download),
      };
    },
  };
}

/** Milliseconds without reading after which a client makes room for others, and for one whose address has fewer downloads. */
const UNREAD_MS = 15_000;
const BUSIER_UNREAD_MS = 1_000;

async function sendManifest(context: Context, { folder, isPublic }: Offer): Promise<void> {
  const text = await readManifestText(folder);
  if (text === null) throw missing('no snapshot yet');
  const body = Buffer.from(text);
  const tag = tagOf(body);
  const headers = ['ETag', tag, 'Cache-Control', isPublic ? 'no-cache' : 'private, no-cache'];
  if (matchesTag(context.get('If-None-Match') || undefined, tag)) return reply(context, 304, headers);
  reply(context, 200, [...headers, 'Content-Type', 'application/json; charset=utf-8'], body);
}

interface Offer {
  readonly folder: string;
  readonly isPublic: boolean;
}

interface FileOffer extends Offer {
  readonly stallMs: number;
  /** Called whenever the client has read on. */
  readonly onRead: () => void;
}

async function sendFile(context: Context, { folder, ...offer }: FileOffer): Promise<void> {
  const { file: name } = context.params;
  const offered = offeredAs(name);
  const file = offered === null ? null : await openIfThere(join(folder, name));
  if (offered === null || file === null) throw missing('no snapshot of that name');
  try {
    // From the open file: its name may be gone by now, but an open file can be read to its end.
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

interface OpenFile extends Offered, Omit<FileOffer, 'folder'> {
  readonly file: FileHandle;
  readonly size: number;
}

async function answer(context: Context, open: OpenFile): Promise<void> {
  const { size, tag, type, isPublic } = open;
  const headers = [
    'ETag',
    tag,
    'Accept-Ranges',
    'bytes',
    'Cache-Control',
    `${isPublic ? 'public' : 'private'}, ${FOR_GOOD}`,
  ];
  if (matchesTag(context.get('If-None-Match') || undefined, tag)) return reply(context, 304, headers);
  const ifRange = context.get('If-Range');
  const isSame = ifRange === '' || ifRange === tag;
  const range = context.method === 'GET' && isSame ? rangeOf(context.get('Range'), size) : undefined;
  if (range === null) return reply(context, 416, [...headers, 'Content-Range', `bytes */${size}`]);
  const { first, last } = range ?? { first: 0, last: size - 1 };
  reply(context, range === undefined ? 200 : 206, [
    ...headers,
    ...['Content-Type', type],
    ...['Content-Length', `${last - first + 1}`],
    ...(range === undefined ? [] : ['Content-Range', `bytes ${first}-${last}/${size}`]),
  ]);
  if (context.method === 'GET') await stream(context, open, { first, last });
}

/** The name changes with the content. */
const FOR_GOOD = 'max-age=31536000, immutable';

async function stream(context: Context, open: OpenFile, range: ByteRange): Promise<void> {
  const { req, res } = context;
  // Koa would log each client that disconnects.
  context.respond = false;
  req.socket.setTimeout(open.stallMs);
  await pipeline(bytesOf(open, range), res).catch(() => res.destroy());
}

/** Bytes: one chunk is read while another one is sent. */
const CHUNK = 64 * 1_024;

async function* bytesOf({ file, onRead }: OpenFile, { first, last }: ByteRange): AsyncGenerator<Buffer> {
  for (let at = first; at <= last; ) {
    const chunk = Buffer.allocUnsafe(Math.min(CHUNK, last - at + 1));
    const { bytesRead } = await file.read(chunk, 0, chunk.length, at);
    // An end before the announced length would leave the client waiting: so the connection is cut.
    if (bytesRead === 0) throw new Error(`expected bytes up to ${last}, found the end at ${at}`);
    yield chunk.subarray(0, bytesRead);
    onRead();
    at += bytesRead;
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

function reply(context: Context, status: number, headers: HeaderList, body = NO_BODY): void {
  carry(context, { status, headers, body });
}

function missing(what: string): CalendarError {
  return new CalendarError('NOT_FOUND', `There is ${what}.`);
}

/** A byte range (RFC 9110, section 14). */
interface ByteRange {
  /** Both inclusive. */
  readonly first: number;
  readonly last: number;
}

/**
 * The requested part of a file of that size. Undefined means all of it: without a `Range`, or with an unsupported or invalid one (several
 * ranges, other units). Null means that the range is outside of the file.
 */
export function rangeOf(header: string | undefined, size: number): ByteRange | null | undefined {
  const [, from = '', to = ''] = /^bytes=(\d*)-(\d*)$/.exec(header?.trim() ?? '') ?? [];
  if (from === '' && to === '') return undefined;
  if (from === '') return lastBytes(Number(to), size);
  const first = Number(from);
  const last = Math.min(to === '' ? size - 1 : Number(to), size - 1);
  if (to !== '' && Number(to) < first) return undefined;
  return first < size ? { first, last } : null;
}

function lastBytes(length: number, size: number): ByteRange | null {
  return length > 0 && size > 0 ? { first: Math.max(size - length, 0), last: size - 1 } : null;
}
