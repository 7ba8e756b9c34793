/** D3: GraphiQL, from files that ship with this package. */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { packagePath } from '../../package.ts';
import type { ServePart } from '../../serve/annex.ts';
import { GRAPHQL_PATH, PREFLIGHT_HEADER } from '../../serve/http/graphql.ts';
import { fixedReply } from '../../serve/http/representation.ts';

/** Reads the files, 1.6 MB. */
export function create(): ServePart {
  const files = FILES.map((file) => ({ ...file, body: readFileSync(packagePath(`${FOLDER}/${file.path}`)) }));
  const hash = createHash('sha256');
  for (const { body } of files) hash.update(body);
  // A version of its own for each state of the files, so that browsers may keep them for good.
  const folder = `${GRAPHQL_PATH}/sandbox-${hash.digest('hex').slice(0, 12)}`;
  const urlOf = (path: string) => `${folder}/${path.split('/').at(-1)}`;
  const assets = files.map(({ path, type, body }) => {
    const file = fixedReply({ body, type, cacheControl: 'public, max-age=31536000, immutable' });
    return [urlOf(path), { GET: file }] as const;
  });
  const page = fixedReply({
    body: Buffer.from(pageWith(FILES.map(({ path, kind }) => TAGS[kind](urlOf(path).slice(1))))),
    type: 'text/html; charset=utf-8',
    cacheControl: 'no-cache',
    vary: ['Accept', PREFLIGHT_HEADER],
    headers: ['Content-Security-Policy', POLICY, 'Referrer-Policy', 'no-referrer'],
  });
  return { offers: ['sandbox'], browserPage: page, routes: Object.fromEntries(assets) };
}

const FOLDER = 'src/annexes/sandbox/assets';

const SCRIPT = { kind: 'script', type: 'text/javascript; charset=utf-8' } as const;
const STYLE = { kind: 'style', type: 'text/css; charset=utf-8' } as const;

/** In the order in which the page needs them. */
const FILES = [
  { path: 'vendor/graphiql.min.css', ...STYLE },
  { path: 'sandbox.css', ...STYLE },
  { path: 'vendor/react.production.min.js', ...SCRIPT },
  { path: 'vendor/react-dom.production.min.js', ...SCRIPT },
  { path: 'vendor/graphiql.min.js', ...SCRIPT },
  { path: 'sandbox.js', ...SCRIPT },
] as const;

/** URLs are relative to the page's, so that the server may stand behind a prefix. */
const TAGS = {
  script: (url: string) => `<script defer src="${url}"></script>`,
  style: (url: string) => `<link rel="stylesheet" href="${url}">`,
};

/** Nothing but what this server serves, and no code inside the page. The styles hold their fonts and pictures. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "font-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'self'",
].join('; ');

const pageWith = (tags: readonly string[]) => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>GraphQL sandbox</title>
<link rel="icon" href="data:,">
${tags.join('\n')}
</head>
<body>
<div id="sandbox"><noscript>The sandbox needs JavaScript. The endpoint itself does not.</noscript></div>
</body>
</html>
`;
