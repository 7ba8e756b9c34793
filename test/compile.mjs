// Compiles tests and the programs that they start with esbuild, all at once and with their packages.
import { readFileSync } from 'node:fs';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { BUNDLED } from '../jobs/bundle.mjs';

/** Packages that are not put into what is compiled: those that run-file.mjs shares with it, and those that look for files beside themselves. */
const APART = [
  'uvu',
  'uvu/*',
  'fast-check',
  'playwright-core',
  'esbuild',
  'oazapfts',
  '@seriousme/openapi-schema-validator',
];

/** It stands between tests and uvu. */
const SUITE = fileURLToPath(new URL('suite.mjs', import.meta.url));

/** Compiles files of the package's folder `root` into `outdir`, which lies in that package, to find its modules. */
export async function compileTests(root, entryPoints, outdir) {
  await build({
    ...BUNDLED,
    absWorkingDir: root,
    entryPoints,
    outdir,
    outbase: root,
    external: [...BUNDLED.external, ...APART],
    logLevel: 'error',
    plugins: [
      { name: 'places', setup: keepPlaces },
      { name: 'suites', setup: nameFailedHooks },
    ],
  });
}

/** Tests go on knowing where their sources lie. */
function keepPlaces({ onLoad }) {
  onLoad({ filter: /\/test\/.*\.ts$/ }, ({ path }) => {
    const place = JSON.stringify(pathToFileURL(path).href);
    return { contents: readFileSync(path, 'utf8').replaceAll('import.meta.url', place), loader: 'ts' };
  });
}

function nameFailedHooks({ onResolve }) {
  onResolve({ filter: /^uvu$/ }, ({ importer }) => (importer === SUITE ? undefined : { path: SUITE }));
}
