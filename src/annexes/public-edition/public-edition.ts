/** J5: offers the public edition at `/calendar.sqlite`, to everybody. */
import { join } from 'node:path';
import type { Context } from 'koa';
import { CalendarError } from '../../calendar/errors.ts';
import type { ServeContext, ServePart } from '../../serve/annex.ts';
import { EXPOSED_HEADERS, headerList } from '../../serve/http/message.ts';
import { codingFor } from '../../serve/http/negotiation.ts';
import { type PublicFile, parseManifest, readManifestText } from '../../snapshot/manifest.ts';
import { type Downloads, downloadsOf, openIfThere } from '../downloads/downloads.ts';
import type { About } from '../facts/facts.ts';

const PUBLIC_PATH = '/calendar.sqlite';

const ABOUT: About = {
  summary: 'The public edition: everything that is public in the calendar, as one SQLite database.',
  answer: {
    about: 'An SQLite database; docs/data.md describes its tables.',
    type: 'application/vnd.sqlite3',
  },
  others: { 206: { about: 'The bytes that `Range` requests.', type: 'application/vnd.sqlite3' } },
};

export function create(context: ServeContext): ServePart {
  const { settings, keeper } = context;
  const { snapshots: folder, publicFile } = settings;
  if (!publicFile) return { routes: { [PUBLIC_PATH]: { GET: refuse, about: null } } };
  const licence = () => keeper.state().current?.meta.licence ?? 'calendar';
  const options = { folder, licence, downloads: downloadsOf(context) };
  return {
    offers: ['snapshot'],
    routes: { [PUBLIC_PATH]: { about: ABOUT } },
    addRoutes: (router) => router.get(PUBLIC_PATH, (request: Context) => sendEdition(request, options)),
  };
}

/** The address led to the server's own file once: a 404 without a route could not say where that is now. */
function refuse(): never {
  throw missing('The public edition is off here. Replicas find the server’s own files under /snapshots/.');
}

interface EditionOptions {
  readonly folder: string;
  /** Id of the calendar's licence, for the name under which it is saved. */
  readonly licence: () => string;
  readonly downloads: Downloads;
}

async function sendEdition(context: Context, { folder, licence, downloads }: EditionOptions): Promise<void> {
  const edition = await editionIn(folder);
  if (edition === null) throw missing('There is no public edition yet: the next build creates it.');
  const { name, isCoded } = representationFor(context, edition);
  const file = await openIfThere(join(folder, name));
  if (file === null) throw missing(`There is no ${name} in the snapshot folder.`);
  await downloads.send(context, {
    file,
    tag: isCoded ? `"${edition.file}.br"` : `"${edition.file}"`,
    type: 'application/vnd.sqlite3',
    headers: headerList({
      'Cache-Control': 'public, no-cache',
      'Content-Disposition': `attachment; filename="${licence()}.sqlite"`,
      'Access-Control-Expose-Headers': `Accept-Ranges, Content-Range, ${EXPOSED_HEADERS}`,
      Vary: 'Accept-Encoding',
      'Content-Encoding': isCoded ? 'br' : undefined,
    }),
  });
}

async function editionIn(folder: string): Promise<PublicFile | null> {
  const text = await readManifestText(folder);
  if (text === null) return null;
  return parseManifest(text).public ?? null;
}

interface EditionRepresentation {
  /** Name of its file. */
  readonly name: string;
  readonly isCoded: boolean;
}

/** The compressed copy, as a coding of the whole file: ranges are those of the plain one. */
function representationFor(context: Context, { file, compressed }: PublicFile): EditionRepresentation {
  const isWhole = context.get('Range') === '';
  const acceptsBrotli = codingFor(context.get('Accept-Encoding')) === 'br';
  const isCoded = isWhole && acceptsBrotli && compressed !== undefined;
  return { name: isCoded ? `${file}.br` : file, isCoded };
}

function missing(message: string): CalendarError {
  return new CalendarError('NOT_FOUND', message);
}
