// Bundles each program, with the modules and packages that it needs, into few files. Otherwise, a server would load 540 modules and take
// twice as long to start. Source maps let stack traces name the files of src/ and jobs/. licences.txt has the licences of the packages,
// and packages.json their places in the lockfile.
//
//   node jobs/bundle.mjs dist src/main …
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));

/** The modules that turn a feed into records: from documents, and from endpoints that are queried in steps. */
const READERS = ['jobs/annexes/feeds/readers.ts', 'jobs/annexes/feeds/mirror.ts'];

/**
 * A fingerprint of the code that reads feeds. If it has changed, a builder reads all feeds again, because the same feed may give other
 * records. `root`: a folder with src/ and jobs/.
 */
export async function fingerprintOfReaders(root) {
  const readers = READERS.filter((file) => existsSync(join(root, file)));
  const { outputFiles } = await build({
    absWorkingDir: root,
    stdin: { contents: readers.map((file) => `export * from './${file}';`).join('\n'), resolveDir: root },
    bundle: true,
    write: false,
    format: 'esm',
    platform: 'node',
    packages: 'external',
    // Comments and white space change no record.
    minifyWhitespace: true,
    legalComments: 'none',
    tsconfigRaw: {},
    logLevel: 'silent',
  });
  return createHash('sha256').update(outputFiles[0].contents).digest('hex').slice(0, 16);
}

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
  // Without this, graphql-js looks for a second copy of itself with each type that it tests: 5 to 16 % of a request.
  define: {
    'process.env.NODE_ENV': '"production"',
    FINGERPRINT_OF_READERS: JSON.stringify(await fingerprintOfReaders(ROOT)),
  },
  // sqlite3 is compiled for this machine, and finds its binary next to itself.
  external: ['sqlite3'],
  // Some packages are CommonJS, which has a `require`.
  banner: {
    js: "import { createRequire as requireOf } from 'node:module';\nconst require = requireOf(import.meta.url);",
  },
  logLevel: 'warning',
};

/**
 * Modules of src/ that import others only once those are needed, and the imports that only a server needs. What an annex imports for a
 * supervisor is told apart by its text, which `expectSupervisorForm` checks.
 */
const IMPORTERS = /src\/(?:annexes\/[^/]+\/annex|runtime\/server)\.ts$/;
const LATE_IMPORT = /(?<!loadSupervisor: \(\) => )import\('(\.[^']+)'\)/g;
const SUPERVISOR_CALL = /\.loadSupervisor\?\.\(\)/;
const OTHER_SUPERVISOR = /\bloadSupervisor\b(?!: \(\) => import\('\.)/;
const OF_SERVER = 'modules-of-a-server';

/**
 * For esbuild, each `import()` begins another program, and it divides what programs share into ever smaller files: a server would load 120
 * of 164. So all that a server imports late is one program, which requires a module once it is needed. Commands and builds do not load it:
 * its 1.8 MB would take a third of the CPU of a short command.
 */
const sharedFiles = {
  name: 'shared-files',
  setup({ onLoad, onResolve }) {
    const late = readdirSync(join(ROOT, 'src'), { recursive: true })
      .map((name) => join(ROOT, 'src', name))
      .filter((path) => IMPORTERS.test(path))
      .flatMap((path) => {
        const text = readFileSync(path, 'utf8');
        expectSupervisorForm(path, text);
        return [...text.matchAll(LATE_IMPORT)].map(([, module]) => pathInPackage(path, module));
      });
    onResolve({ filter: new RegExp(`^${OF_SERVER}$`) }, () => ({ path: OF_SERVER, namespace: OF_SERVER }));
    onLoad({ filter: /./, namespace: OF_SERVER }, () => ({
      contents: [...new Set(late)]
        .map((place) => `exports['${place}'] = () => require('./${place}');`)
        .join('\n'),
      resolveDir: ROOT,
    }));
    onLoad({ filter: IMPORTERS }, ({ path }) => ({
      contents: readFileSync(path, 'utf8').replaceAll(
        LATE_IMPORT,
        (_, module) =>
          `import('${OF_SERVER}').then((all) => all.default['${pathInPackage(path, module)}']())`,
      ),
      loader: 'ts',
    }));
  },
};

/**
 * Throws if the import of a supervisor cannot be told from others: a supervisor would then load all that a server does. The server calls
 * what each annex declares (`src/serve/annex.ts`), so that a new name is noticed there.
 */
function expectSupervisorForm(path, text) {
  const isServer = path.endsWith('/server.ts');
  const isMet = isServer ? SUPERVISOR_CALL.test(text) : !OTHER_SUPERVISOR.test(text);
  const expected = isServer ? 'a call of `loadSupervisor?.()`' : "only `loadSupervisor: () => import('./…')`";
  if (!isMet) throw new Error(`${relative(ROOT, path)}: expected ${expected}, found another form or name`);
}

/** The path of a module, from this package's folder. `module`: as the file `importer` names it. */
function pathInPackage(importer, module) {
  return relative(ROOT, join(dirname(importer), module));
}

/** An external package is loaded when a module that imports it runs: a process that only supervises loads no SQLite. */
const lateExternals = {
  name: 'late-externals',
  setup({ onLoad, onResolve }) {
    onResolve({ filter: /^sqlite3$/ }, ({ kind, path }) =>
      kind === 'import-statement' ? { path, namespace: 'external' } : undefined,
    );
    onLoad({ filter: /./, namespace: 'external' }, ({ path }) => ({
      contents: `module.exports = require('${path}');`,
    }));
  },
};

/** The media types that Koa sets itself, by the kind of a body. All others are set in full (`content-type`). */
const MEDIA_TYPES = ['application/json', 'application/octet-stream', 'text/html', 'text/plain'];

/** Koa's packages have two versions of the list of all media types, of 150 kB each. Each start of a server would read both. */
const fewMediaTypes = {
  name: 'few-media-types',
  setup({ onLoad }) {
    onLoad({ filter: /\bmime-db\/db\.json$/ }, ({ path }) => {
      const all = JSON.parse(readFileSync(path, 'utf8'));
      const few = MEDIA_TYPES.map((type) => [type, all[type]]);
      return { contents: JSON.stringify(Object.fromEntries(few)), loader: 'json' };
    });
  },
};

/**
 * Programs that share no files with others. The one that verifies a snapshot starts with each server: without the other contents of shared
 * files, it loads in half the time. The one that reads feeds starts with each build, and loads one file in place of nineteen: a seventh less.
 */
const ALONE = new Set(['src/snapshot/verify-child', 'jobs/annexes/feeds/child']);

if (realpathSync(process.argv[1]) === fileURLToPath(import.meta.url)) {
  const [folder, ...programs] = process.argv.slice(2);
  const outputs = [
    await bundle(
      folder,
      programs.filter((name) => !ALONE.has(name)),
      { splitting: true },
    ),
    await bundle(
      folder,
      programs.filter((name) => ALONE.has(name)),
      { splitting: false },
    ),
  ];
  const packages = packagesIn(Object.assign({}, ...outputs));
  writeFileSync(join(folder, 'packages.json'), JSON.stringify(packages, null, 1));
  writeFileSync(join(folder, 'licences.txt'), packages.map(licenceOf).join('\n'));
}

/** Returns esbuild's description of the files that it wrote. */
async function bundle(folder, programs, { splitting }) {
  const { metafile } = await build({
    ...BUNDLED,
    splitting,
    plugins: [sharedFiles, lateExternals, fewMediaTypes],
    absWorkingDir: ROOT,
    metafile: true,
    // V8 keeps the text of a program in memory, so white space is removed. Node prints the line of an uncaught error, so lines are short.
    minifyWhitespace: true,
    lineLimit: 160,
    entryPoints: programs.map((name) => `${name}.ts`),
    outdir: folder,
    outbase: '.',
  });
  return metafile.outputs;
}

/** The folders of packages that have code in the bundle, as the lockfile names them. */
function packagesIn(outputs) {
  const inputs = Object.values(outputs).flatMap((output) => Object.entries(output.inputs));
  const files = inputs.flatMap(([path, { bytesInOutput }]) => (bytesInOutput > 0 ? [path] : []));
  const folders = files.flatMap((path) => /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path)?.[0] ?? []);
  return [...new Set(folders)].sort();
}

/** The text of a package's licence, which must accompany its code. */
function licenceOf(folder) {
  const { name, version, license, author } = JSON.parse(
    readFileSync(join(ROOT, folder, 'package.json'), 'utf8'),
  );
  const files = readdirSync(join(ROOT, folder)).filter((file) =>
    /^(?:licen[cs]e|copying|notice)/i.test(file),
  );
  const texts = files.map((file) => readFileSync(join(ROOT, folder, file), 'utf8').trim());
  const holder = typeof author === 'string' ? author : (author?.name ?? `the authors of ${name}`);
  const licences = texts.length > 0 ? texts : [`${license}, by ${holder}`];
  return `${'='.repeat(80)}\n${name} ${version}\n\n${licences.join('\n\n')}\n`;
}
