/**
 * Sends large files, with ranges and entity tags. It limits how many are sent at a time (D14), and disconnects clients that stop reading.
 * A server sends all its files through one of these. Not by the package `send`: it opens a path, following links, while these files are open
 * already and known to be regular.
 *
 *     await downloads.send(context, { file, tag: '"1f2e"', type: 'application/vnd.sqlite3', headers: [] });
 */
import type { FileHandle } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import type { Context } from 'koa';
import { isCalendarError, isMissing } from '../../calendar/errors.ts';
import { OVERLOAD } from '../../serve/admission/semaphore.ts';
import type { ServeContext } from '../../serve/annex.ts';
import { createCutLog } from '../../serve/http/access-log.ts';
import { type CallerAddressOf, peerAddressOf } from '../../serve/http/caller.ts';
import type { OnCut } from '../../serve/http/connections.ts';
import { carry } from '../../serve/http/koa.ts';
import { type HeaderList, NO_BODY } from '../../serve/http/message.ts';
import { matchesTag } from '../../serve/http/representation.ts';
import { openRegular } from '../../snapshot/files.ts';

type Sharing = Pick<ServeContext, 'budget' | 'log' | 'addressOf'>;

const BY_BUDGET = new WeakMap<Sharing['budget'], Downloads>();

/** D14: those of a serving process, which its annexes share. */
export function downloadsOf({ budget, log, addressOf }: Sharing): Downloads {
  const known = BY_BUDGET.get(budget);
  if (known !== undefined) return known;
  const downloads = createDownloads({
    mostDownloads: () => Math.floor(budget.share('downloads') / (2 * CHUNK)),
    onCut: createCutLog(log),
    addressOf,
  });
  BY_BUDGET.set(budget, downloads);
  return downloads;
}

export interface DownloadsOptions {
  /** Milliseconds after which a client that reads nothing is disconnected. */
  readonly stallMs?: number;
  /** Files that are sent at a time; two at least. */
  readonly mostDownloads?: () => number;
  readonly onCut?: OnCut;
  readonly addressOf?: CallerAddressOf;
}

export interface Download {
  readonly file: FileHandle;
  /** Entity tag. */
  readonly tag: string;
  readonly type: string;
  readonly headers: HeaderList;
}

export interface Downloads {
  /** Answers the request with the file, and closes it. Throws OVERLOADED. */
  readonly send: (context: Context, download: Download) => Promise<void>;
}

/** Bytes: one chunk is read while another one is sent. */
const CHUNK = 64 * 1_024;

const STALL_MS = 15_000;
const MOST_DOWNLOADS = 16;

export function createDownloads(options: DownloadsOptions): Downloads {
  const { stallMs = STALL_MS, mostDownloads = () => MOST_DOWNLOADS, onCut = () => undefined } = options;
  const { addressOf = peerAddressOf } = options;
  /** The address of each download's client. */
  const clients: string[] = [];

  const send = async (context: Context, download: Download) => {
    const { req } = context;
    const address = addressOf(req);
    // D14: half of them for one address. Replicas try again.
    const most = Math.max(2, mostDownloads());
    const running = clients.filter((other) => other === address).length;
    if (clients.length >= most || running >= Math.ceil(most / 2)) throw OVERLOAD;
    const onTimeout = () => onCut('unread');
    clients.push(address);
    req.socket.once('timeout', onTimeout);
    try {
      await sendFile(context, download, stallMs);
    } finally {
      clients.splice(clients.indexOf(address), 1);
      req.socket.off('timeout', onTimeout);
    }
  };

  return { send: (context, download) => send(context, download).finally(() => download.file.close()) };
}

/** Null for a file that is missing, or that is not a regular file. */
export async function openIfThere(path: string): Promise<FileHandle | null> {
  try {
    return await openRegular(path);
  } catch (cause) {
    if (isMissing(cause) || isCalendarError(cause)) return null;
    throw cause;
  }
}

async function sendFile(context: Context, download: Download, stallMs: number): Promise<void> {
  const { file, tag, type } = download;
  const headers = ['ETag', tag, 'Accept-Ranges', 'bytes', ...download.headers];
  const { size } = await file.stat();
  if (matchesTag(context.get('If-None-Match') || undefined, tag)) return reply(context, 304, headers);
  const range = requestedRange(context, tag, size);
  if (range === 'outside') return reply(context, 416, [...headers, 'Content-Range', `bytes */${size}`]);
  const { start, end } = range === 'whole' ? { start: 0, end: size - 1 } : range;
  headers.push('Content-Type', type, 'Content-Length', `${end - start + 1}`);
  if (range === 'whole') reply(context, 200, headers);
  else reply(context, 206, [...headers, 'Content-Range', `bytes ${start}-${end}/${size}`]);
  const hasBytes = context.method === 'GET' && size > 0;
  if (hasBytes) await write(context, { file, start, end, stallMs });
}

/** As `rangeOf`; all of the file if it has changed since the part that the client has. */
function requestedRange(context: Context, tag: string, size: number): RequestedRange {
  const isSame = ['', tag].includes(context.get('If-Range'));
  return context.method === 'GET' && isSame ? rangeOf(context.get('Range'), size) : 'whole';
}

interface FilePart extends ByteRange {
  readonly file: FileHandle;
  readonly stallMs: number;
}

async function write(context: Context, { file, start, end, stallMs }: FilePart): Promise<void> {
  const { req, res } = context;
  const source = file.createReadStream({ start, end, highWaterMark: CHUNK, autoClose: false });
  // Koa would log each client that disconnects.
  context.respond = false;
  req.socket.setTimeout(stallMs);
  await pipeline(source, res).catch(() => res.destroy());
  // An end before the announced length would leave the client waiting.
  if (source.bytesRead <= end - start) req.socket.destroy();
}

function reply(context: Context, status: number, headers: HeaderList): void {
  carry(context, { status, headers, body: NO_BODY });
}

/** A byte range (RFC 9110, section 14), both inclusive. */
interface ByteRange {
  readonly start: number;
  readonly end: number;
}

/**
 * The requested part of a file: `whole` without a `Range`, or with an unsupported or invalid one (several ranges, other units); `outside`
 * if the file has no such bytes.
 */
type RequestedRange = ByteRange | 'whole' | 'outside';

function rangeOf(header: string, size: number): RequestedRange {
  const [, from = '', to = ''] = /^bytes=(\d*)-(\d*)$/.exec(header.trim()) ?? [];
  if (from === '' && to === '') return 'whole';
  if (from !== '' && to !== '' && Number(to) < Number(from)) return 'whole';
  // Without a first byte, the number of last bytes.
  const start = from === '' ? Math.max(0, size - Number(to)) : Number(from);
  const end = from === '' || to === '' ? size - 1 : Math.min(Number(to), size - 1);
  return start <= end ? { start, end } : 'outside';
}
