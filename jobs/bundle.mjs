// Puts each program, with the modules and packages that it needs, into few files: a server loads 540 modules otherwise, and is
// ready after twice the time. Source maps let stack traces name the files of src/ and jobs/.
//
//   node jobs/bundle.mjs dist src/main …

import { realpathSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

/** For esbuild: what runs as the programs of `dist/` do. */
export const BUNDLED = {
  chunkNames: 'chunks/[name]-[hash]',
  bundle: true,
  splitting: true,
  format: 'esm',
  platform: 'node',
  target: 'node20',
  sourcemap: true,
  sourcesContent: false,
  // That of the project is for type checks: it names the types of a package in place of its code.
  tsconfigRaw: {},
  // As CommonJS, graphql-js would be asked for each of its names again, by a getter: 5 % of a document with literals.
  mainFields: ['module', 'main'],
  // The first is compiled for this machine, and looks for that beside itself. The others are loaded when they are needed,
  // and are CommonJS: their names are found by Node, and not in a bundle.
  external: ['sqlite3', '@smithy/*'],
  // Some packages are CommonJS, which has a `require`.
  banner: {
    js: "import { createRequire as requireOf } from 'node:module';\nconst require = requireOf(import.meta.url);",
  },
  logLevel: 'warning',
};

if (realpathSync(process.argv[1]) === fileURLToPath(import.meta.url)) {
  const [folder, ...programs] = process.argv.slice(2);
  await build({
    ...BUNDLED,
    entryPoints: programs.map((name) => `${name}.ts`),
    outdir: folder,
    outbase: '.',
  });
}
