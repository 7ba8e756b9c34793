// Imports run one way: src/calendar ← src/snapshot ← {jobs | src/serve} ← entry points. Of src/ only start.ts names jobs/.
// An annex is a folder of src/annexes/ or jobs/annexes/ with an annex.ts, which the list beside imports and nothing else does;
// what it imports is the core of its half, its own folder, and kits: jobs/kit/, and folders of src/annexes/ without an annex.ts.
// src/package.ts, which says where this package lies, and src/child.ts, which runs its programs, are open to all but the first. Within src/serve they run
// admission ← query ← graphql ← http. No file imports itself by way of others, and no two folders beside each other import each other.
//
//   node .ci/imports.mjs [folder]     prints each violation as `file: what is wrong`, exits 1 if there is one
//
// It reads the text, comments included: `from '…'`, `import '…'`, `import('…')`, `require('…')`, types too.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { builtinModules } from 'node:module';
import { dirname, join, normalize } from 'node:path';
import { fileURLToPath } from 'node:url';

const CORE = ['calendar', 'snapshot', 'upkeep'];

/** Each file belongs to the first layer that it matches, and may import its own layer and those named. */
const LAYERS = [
  { name: 'setup', files: /^jobs\/setup(\.mjs|\/.+)$/, imports: [] },
  { name: 'package', files: /^src\/(?:package|child)\.ts$/, imports: [] },
  { name: 'kinds of settings', files: /^src\/settings\//, imports: ['calendar'] },
  {
    name: 'settings',
    files: /^jobs\/settings\.ts$/,
    imports: ['kinds of settings', 'list of a build', 'list of a server'],
  },
  { name: 'list of a build', files: /^jobs\/annexes\.ts$/, imports: ['annex of a build'] },
  { name: 'list of a server', files: /^src\/annexes\.ts$/, imports: ['annex of a server'] },
  {
    name: 'kit of both halves',
    files: /^src\/annexes\/common\//,
    imports: [...CORE, 'package', 'kinds of settings'],
  },
  {
    name: 'annex of a build',
    files: /^jobs\/annexes\//,
    imports: [...CORE, 'jobs', 'kit of builds', 'package', 'kinds of settings', 'kit of both halves'],
  },
  {
    name: 'kit of builds',
    files: /^jobs\/kit\//,
    imports: [...CORE, 'jobs', 'package', 'kinds of settings'],
  },
  {
    name: 'annex of a server',
    files: /^src\/annexes\//,
    imports: [...CORE, 'serve', 'package', 'kinds of settings', 'kit of both halves'],
  },
  { name: 'main', files: /^src\/main\.ts$/, imports: ['runtime', 'start'] },
  // The one file of src/ that names jobs/: a server reads the settings of both halves, and may build.
  {
    name: 'start',
    files: /^src\/start\.ts$/,
    imports: ['calendar', 'runtime', 'settings', 'kinds of settings', 'jobs', 'command'],
  },
  {
    name: 'job entry point',
    files: /^jobs\/cli\.ts$/,
    imports: [...CORE, 'jobs', 'settings', 'kinds of settings', 'package', 'runtime', 'command'],
    itself: false,
  },
  {
    name: 'command',
    files: /^jobs\/commands\//,
    imports: [
      ...CORE,
      'jobs',
      'settings',
      'kinds of settings',
      'package',
      'runtime',
      'start',
      'list of a build',
    ],
  },
  // What entry points have in common: processes, signals, the log.
  {
    name: 'runtime',
    files: /^src\/runtime\//,
    imports: [...CORE, 'serve', 'kinds of settings', 'list of a server'],
  },
  { name: 'calendar', files: /^src\/calendar\//, imports: [] },
  { name: 'snapshot', files: /^src\/snapshot\//, imports: ['calendar', 'package'] },
  { name: 'upkeep', files: /^src\/upkeep(?:-file)?\.ts$/, imports: ['calendar', 'snapshot', 'package'] },
  { name: 'serve', files: /^src\/serve\//, imports: [...CORE, 'package', 'kinds of settings'] },
  { name: 'jobs', files: /^jobs\//, imports: [...CORE, 'package', 'kinds of settings'] },
];

/** Folders of src/serve/: each may import those before it, and the rest may import all. */
const SERVE = ['admission', 'query', 'graphql', 'http'];

/** Packages that one file keeps from the rest, or two for two purposes, so that each can be replaced in a day. */
const KEEPERS = {
  'csv-parse': 'jobs/annexes/feeds/csv/table.ts',
  '@smithy/core': 'jobs/kit/s3-signer.ts',
  '@smithy/signature-v4': 'jobs/kit/s3-signer.ts',
  esbuild: 'jobs/bundle.mjs',
  'highlight.js': 'src/annexes/page/highlight.ts',
  'graphql-helix': 'src/serve/graphql/request.ts',
  htmlparser2: ['jobs/validate/tags.ts', 'jobs/annexes/feeds/workbooks/xml.ts'],
  luxon: 'src/calendar/time.ts',
  negotiator: 'src/serve/http/negotiation.ts',
  'proxy-addr': 'src/annexes/proxies/proxies.ts',
  marked: 'src/annexes/pages/markdown.ts',
  'node-cron': 'jobs/annexes/schedule/cron.ts',
  nodemailer: 'src/annexes/common/mail.ts',
  sqlite3: 'src/snapshot/sqlite.ts',
};

/** Node's own modules that do no I/O: all that the calendar may use. */
const PURE_BUILTINS = new Set(['assert', 'buffer', 'url', 'util']);

const SPECIFIER =
  /(?:\bfrom|\bimport|\bimport\s*\(|\brequire\s*\(|\bimport\.meta\.resolve\s*\()\s*(['"`])(.+?)\1/g;

const root = process.argv[2] ?? fileURLToPath(new URL('..', import.meta.url));
/** The files that each file imports, types included. */
const imports = new Map();
const violations = [...['jobs', 'src'].flatMap(filesIn).flatMap(check), ...circles(), ...mutualFolders()];
for (const violation of violations) console.error(violation);
if (violations.length > 0) process.exitCode = 1;

function check(file) {
  const layer = layerOf(file);
  if (layer === undefined)
    return [`${file}: belongs to no layer (${LAYERS.map(({ name }) => name).join(', ')})`];
  const text = readFileSync(join(root, file), 'utf8');
  const targets = [];
  imports.set(file, targets);
  return [...text.matchAll(SPECIFIER)].flatMap(([, , specifier]) => {
    if (specifier.startsWith('.')) targets.push(normalize(join(dirname(file), specifier)));
    const wrong = specifier.startsWith('.')
      ? wrongFile(normalize(join(dirname(file), specifier)), { file, layer })
      : wrongPackage(specifier, { file, layer });
    return wrong === undefined ? [] : [`${file}: ${wrong}`];
  });
}

function wrongFile(target, { file, layer }) {
  const to = layerOf(target);
  if (to === undefined) return `imports ${target}, which belongs to no layer`;
  const allowed = to === layer ? layer.itself !== false : layer.imports.includes(to.name);
  if (allowed && isUphill(file, target))
    return `imports ${target}: within src/serve, imports run ${SERVE.join(' ← ')} ← the rest`;
  const room = annexOf(target);
  if (allowed && room !== undefined && to === layer && room !== annexOf(file) && !isKit(room))
    return `imports ${target}: an annex may import its own folder and kits`;
  if (allowed) return undefined;
  return `imports ${target}: ${layer.name} may import ${layer.imports.join(', ') || 'nothing but itself'}`;
}

function wrongPackage(specifier, { file, layer }) {
  const bare = specifier.replace(/^node:/, '');
  const isBuiltin = specifier !== bare || builtinModules.includes(bare);
  if (layer.name === 'setup' && !isBuiltin)
    return `imports ${specifier}: setup runs before there are packages`;
  if (layer.name === 'calendar' && isBuiltin && !PURE_BUILTINS.has(bare.split('/')[0])) {
    return `imports ${specifier}: calendar is pure, of Node it may import ${[...PURE_BUILTINS].join(', ')}`;
  }
  const name = bare.split('/', bare.startsWith('@') ? 2 : 1).join('/');
  const keepers = [KEEPERS[name] ?? []].flat();
  const isFree = keepers.length === 0 || keepers.includes(file);
  return isFree ? undefined : `imports ${name}: only ${keepers.join(' and ')} does`;
}

/** Files beside the folders are open to all of them: what keeps those in order is that there is no circle. */
function isUphill(file, target) {
  const [from, to] = [file, target].map((path) => /^src\/serve\/(\w+)\//.exec(path)?.[1]);
  if (from === undefined || to === undefined || !SERVE.includes(from)) return false;
  return SERVE.indexOf(from) < (SERVE.includes(to) ? SERVE.indexOf(to) : SERVE.length);
}

/** The folder of an annex or a kit that a file is in. */
function annexOf(file) {
  return /^(?:src|jobs)\/annexes\/\w[\w-]*\//.exec(file)?.[0];
}

function isKit(folder) {
  return existsSync(join(root, folder)) && !existsSync(join(root, folder, 'annex.ts'));
}

/** Each circle once, told of its first file. */
function circles() {
  const done = new Set();
  const found = [];
  const walk = (file, path) => {
    const at = path.indexOf(file);
    if (at !== -1) found.push(`${file}: imports itself: ${[...path.slice(at), file].join(' → ')}`);
    if (at !== -1 || done.has(file)) return;
    for (const target of imports.get(file) ?? []) walk(target, [...path, file]);
    done.add(file);
  };
  for (const file of imports.keys()) walk(file, []);
  return found;
}

/** Each pair of folders of one parent that import each other, told of the folder that is first in the alphabet. */
function mutualFolders() {
  const examples = new Map();
  for (const [file, targets] of imports) {
    for (const target of targets) {
      const [from, to] = [dirname(file), dirname(target)];
      const areBeside = from !== to && dirname(from) === dirname(to) && dirname(from) !== '.';
      if (areBeside) examples.set(`${from} ${to}`, { file, target });
    }
  }
  return [...examples].flatMap(([pair, { file, target }]) => {
    const [from, to] = pair.split(' ');
    const back = examples.get(`${to} ${from}`);
    if (back === undefined || from > to) return [];
    return [
      `${file}: imports ${target}, but ${back.file} imports ${back.target}: one of the folders comes first`,
    ];
  });
}

function layerOf(file) {
  return LAYERS.find(({ files }) => files.test(file));
}

function filesIn(folder) {
  const names = readdirSync(join(root, folder), { recursive: true });
  return names.filter((name) => /\.(ts|mjs)$/.test(name)).map((name) => `${folder}/${name}`);
}
