/** Stylesheets and scripts of pages. */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { parse } from 'node:path';
import { packagePath } from '../../package.ts';
import type { PartRoutes } from '../../serve/annex.ts';
import { fixedReply } from '../../serve/http/representation.ts';
import { type Html, html } from './html.ts';
import { inEach, type Language } from './reader.ts';

/** A file that pages refer to: its name changes with its content, so that browsers may cache it for ever. */
interface Asset {
  /** Relative to the pages. */
  readonly file: string;
  readonly routes: PartRoutes;
}

/** `path`: of the package, such as `src/annexes/page/assets/almanakk.css`. */
export function assetOf(path: `${string}.css` | `${string}.js`): Asset {
  const body = readFileSync(packagePath(path));
  const { name, ext } = parse(path);
  const file = `${name}-${createHash('sha256').update(body).digest('hex').slice(0, 12)}${ext}`;
  const type = ext === '.css' ? 'text/css; charset=utf-8' : 'text/javascript; charset=utf-8';
  const GET = fixedReply({ body, type, cacheControl: 'public, max-age=31536000, immutable' });
  return { file, routes: { [`/${file}`]: { GET, about: null } } };
}

export const STYLESHEET = assetOf('src/annexes/page/assets/almanakk.css');
export const COPY = assetOf('src/annexes/page/assets/copy.js');

/** Adds a button to each element of the class `copied` that copies its field or its example. */
export function copyScript(language: Language, root = ''): Html {
  const { copy, copied } = COPYING[language];
  return html`<script src="${root}${COPY.file}" data-copy="${copy}" data-copied="${copied}" defer></script>\n`;
}

const COPYING = inEach({
  copy: ['Kopier', 'Copy', 'Kopier'],
  copied: ['Kopiert', 'Copied', 'Kopiert'],
});
