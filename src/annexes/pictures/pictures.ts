/**
 * Pictures of events that lie beside the records (F3), as they are when the server starts. Any file may lie there: none keeps the
 * server from starting.
 */
import { readdir } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { CalendarError, isMissing, messageOf } from '../../calendar/errors.ts';
import type { Log } from '../../calendar/log.ts';
import type { PartRoutes, ServeContext, ServePart } from '../../serve/annex.ts';
import type { Handle } from '../../serve/http/koa.ts';
import { fixedReply } from '../../serve/http/representation.ts';
import { openRegular } from '../../snapshot/files.ts';

const PREFIX = '/pictures/';

const TYPES: ReadonlyMap<string, string> = new Map([
  ['.svg', 'image/svg+xml'],
  ['.png', 'image/png'],
  ['.jpg', 'image/jpeg'],
  ['.jpeg', 'image/jpeg'],
  ['.webp', 'image/webp'],
]);

/** Pictures of the source that stay in memory; a calendar with more or larger ones has a web server for them. */
const MOST = 100;
const MOST_BYTES = 256 * 1_024;

export async function create({ settings, log }: ServeContext): Promise<ServePart> {
  return { routes: await createPictures(join(settings.source, 'pictures'), log) };
}

async function createPictures(folder: string, log: Pick<Log, 'warn'>): Promise<PartRoutes> {
  const pictures = await readPictures(folder, log);
  const picture: Handle = (request) => {
    const handle = pictures.get(nameIn(request.path));
    if (handle === undefined) throw new CalendarError('NOT_FOUND', 'There is no picture of that name.');
    return handle(request);
  };
  return { [`${PREFIX}:name`]: { GET: picture, about: null } };
}

/** File names, in the one of Unicode's forms that a system may write otherwise. */
function nameIn(path: string): string {
  try {
    return decodeURIComponent(path.slice(PREFIX.length)).normalize();
  } catch {
    return '';
  }
}

async function readPictures(folder: string, log: Pick<Log, 'warn'>): Promise<ReadonlyMap<string, Handle>> {
  const pictures = new Map<string, Handle>();
  const names = await namesIn(folder).catch((cause) => {
    log.warn({ file: folder, reason: messageOf(cause) }, 'pictures left out');
    return [];
  });
  for (const name of names.slice(0, MOST)) {
    const file = join(folder, name);
    try {
      pictures.set(name.normalize(), await readPicture(file));
    } catch (cause) {
      log.warn({ file, reason: messageOf(cause) }, 'picture left out');
    }
  }
  if (names.length > MOST) log.warn({ folder, served: MOST, found: names.length }, 'pictures left out');
  return pictures;
}

/** Hidden files are the file manager's own. */
async function namesIn(folder: string): Promise<readonly string[]> {
  try {
    return (await readdir(folder)).filter((name) => !name.startsWith('.')).sort();
  } catch (cause) {
    if (isMissing(cause)) return [];
    throw cause;
  }
}

async function readPicture(path: string): Promise<Handle> {
  const extension = extname(path).toLowerCase();
  const type = TYPES.get(extension);
  if (type === undefined)
    throw unfit(`a name that ends in ${[...TYPES.keys()].join(', ')}`, extension || 'none');
  const file = await openRegular(path);
  try {
    const { size } = await file.stat();
    if (size > MOST_BYTES) throw unfit(`${MOST_BYTES} bytes at most`, `${size}`);
    return fixedReply({
      body: await file.readFile(),
      type,
      cacheControl: 'public, max-age=3600',
      // An SVG that is opened on its own runs no scripts.
      headers: ['Content-Security-Policy', "default-src 'none'; style-src 'unsafe-inline'; sandbox"],
    });
  } finally {
    await file.close();
  }
}

function unfit(expected: string, found: string): CalendarError {
  return new CalendarError('INVALID_SETTING', `expected ${expected}, found ${found}`);
}
