/**
 * Offers the snapshot folder to replicas (D8, H5, H6): the manifest and its files; only with the token if one is set (H9), because a file
 * also contains what is not published yet. For people, there is the public edition (J5).
 */
import { join } from 'node:path';
import type { Context } from 'koa';
import { CalendarError } from '../../calendar/errors.ts';
import type { ServeContext, ServePart } from '../../serve/annex.ts';
import { carry, type Handle } from '../../serve/http/koa.ts';
import { createResource } from '../../serve/http/representation.ts';
import { idOfCompressed, idOfFile, isPublicFile, MANIFEST } from '../../snapshot/files.ts';
import type { Keeper } from '../../snapshot/keeper.ts';
import { readManifestText } from '../../snapshot/manifest.ts';
import { isManifestOfFormat } from '../../snapshot/other-formats.ts';
import { type Download, type Downloads, downloadsOf, openIfThere } from '../downloads/downloads.ts';
import type { About } from '../facts/facts.ts';
import { createGuard, type Guard, guarded } from '../guard/token.ts';

interface Settings {
  readonly serveSnapshots: boolean;
  readonly snapshotsToken: string | null;
}

export function create(context: ServeContext<Settings>): ServePart {
  const { settings, keeper, log } = context;
  const { serveSnapshots, snapshotsToken: token, snapshots: folder } = settings;
  if (!serveSnapshots) return {};
  const guard = token === null ? null : createGuard({ tokens: [token], owner: 'a replica’s', log });
  const isDamaged: Keeper['isDamaged'] = (file) => keeper.isDamaged(file);
  return snapshotRoutes({ folder, guard, isDamaged, downloads: downloadsOf(context) });
}

const CURRENT_MANIFEST: About = {
  summary: 'The current file, for replicas: its name, size and SHA-256.',
  answer: { about: 'The manifest.', type: 'application/json', schema: { type: 'object' } },
};

interface SnapshotRoutesOptions {
  readonly folder: string;
  readonly downloads: Downloads;
  /** H14: of a file's name. */
  readonly isDamaged?: Keeper['isDamaged'];
  /** Null: no token is needed. */
  readonly guard?: Guard | null;
}

export function snapshotRoutes(
  options: SnapshotRoutesOptions,
): Required<Pick<ServePart, 'routes' | 'addRoutes'>> {
  const { folder, downloads, guard = null, isDamaged = async () => false } = options;
  // A protected file must not be stored in shared caches.
  const scope = guard === null ? 'public' : 'private';
  const sendManifest = async (headers: Parameters<Handle>[0]['headers'], name = MANIFEST) => {
    const text = await readManifestText(folder, name);
    if (text === null) throw missing(name === MANIFEST ? 'no snapshot yet' : 'no manifest with that name');
    const resource = createResource({ body: Buffer.from(text), type: 'application/json; charset=utf-8' });
    return resource(headers, guard === null ? 'no-cache' : 'private, no-cache');
  };
  const manifest: Handle = ({ headers }) => sendManifest(headers);
  return {
    routes: {
      [`/snapshots/${MANIFEST}`]: {
        GET: guarded(manifest, guard),
        about: guard === null ? CURRENT_MANIFEST : null,
      },
    },
    addRoutes: (router) =>
      router.get('/snapshots/:file', async (context: Context) => {
        const { path, headers, params, req } = context;
        const refusal = await guard?.({ path, headers, peer: req.socket.remoteAddress });
        if (refusal) return carry(context, refusal);
        const { file: name } = params;
        // H5: for replicas of another version.
        if (isManifestOfFormat(name)) return carry(context, await sendManifest(headers, name));
        if (await isDamaged(name)) throw missing('no intact snapshot with that name');
        await downloads.send(context, await downloadOf(folder, name, scope));
      }),
  };
}

/** Throws NOT_FOUND for a name that is not offered. */
async function downloadOf(folder: string, name: string, scope: 'public' | 'private'): Promise<Download> {
  const tag = tagOf(name);
  const file = tag === null ? null : await openIfThere(join(folder, name));
  if (tag === null || file === null) throw missing('no snapshot with that name');
  return {
    file,
    tag,
    // J4: the compressed copy is a separate file, not another coding of the plain one.
    type: name.endsWith('.br') ? 'application/octet-stream' : 'application/vnd.sqlite3',
    // The name changes with the content.
    headers: ['Cache-Control', `${scope}, max-age=31536000, immutable`],
  };
}

/** The entity tag of a file of the folder; null for a name that is not offered. */
function tagOf(name: string): string | null {
  if (isPublicFile(name)) return `"${name}"`;
  const compressed = idOfCompressed(name);
  if (compressed !== null) return `"${compressed}-br"`;
  const plain = idOfFile(name);
  return plain === null ? null : `"${plain}"`;
}

function missing(what: string): CalendarError {
  return new CalendarError('NOT_FOUND', `There is ${what}.`);
}
