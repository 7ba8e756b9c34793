// Puts each program, with the modules and packages that it needs, into few files: a server loads 540 modules otherwise, and is
// ready after twice the time. Source maps let stack traces name the files of src/ and jobs/.
//
//   node jobs/bundle.mjs dist src/main …

import { realpathSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

/** Options for esbuild, for programs of `dist/`. */
export const BUNDLED = {
  chunkNames: 'chunks/[name]-[hash]',
  bundle: true,
  splitting: true,
  format: 'esm',
  platform: 'node',
  target: 'node20',
  sourcemap: true,
  sourcesContent: false,
  // The project's own configuration is for type checks: it names a package's types in place of its code.
  tsconfigRaw: {},
  // As CommonJS, graphql-js would look up each of its names again through a getter: 5 % of a document with literals.
  mainFields: ['module', 'main'],
  // Else graphql-js looks for a second copy of itself with each type that it tests: 5 to 16 % of a request.
  define: { 'process.env.NODE_ENV': '"production"' },
  // sqlite3 is compiled for this machine, and finds its binary beside itself. The others are CommonJS packages that are loaded on demand:
  // only Node finds their names, not a bundle.
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
    // V8 holds the text of a program: so it has no white space. Node prints the line of an error that nothing catches.
    minifyWhitespace: true,
    lineLimit: 160,
    entryPoints: programs.map((name) => `${name}.ts`),
    outdir: folder,
    outbase: '.',
  });
}
