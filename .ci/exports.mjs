// What a file exports, another file uses: the exports are its table of contents.
//
//   node .ci/exports.mjs [folder] [--tests]     prints each export that only its own file uses as `file: name`, exits 1 if there is one
//
// It reads the text: `export … name`, and `{ name }` of imports, types too. Tests count as users; with `--tests`, what only they
// use is told as well, and is no failure.

import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { fileURLToPath } from 'node:url';

const EXPORT =
  /^export (?:declare )?(?:abstract )?(?:async )?(?:function\*?|const|let|class|interface|type|enum) (\w+)|^export (?:type )?\{([^}]*)\}(?! from)/gm;
const IMPORT = /\b(?:import|export)\s+(?:type\s+)?(?:\w+\s*,\s*)?\{([^}]*)\}\s*from\s+'(\.[^']+)'/g;
/** A whole module, by a name of its own or at run time: all of its exports count as used. */
const WHOLE = /\bimport\s+(?:type\s+)?\*\s+as\s+\w+\s+from\s+'(\.[^']+)'|\bimport\(\s*'(\.[^']+)'\s*\)/g;

/** An extension of a module: the interfaces that it adds fields to count as used. */
const EXTENSION = /^declare module '(\.[^']+)' \{$([\s\S]*?)^\}$/gm;

const [folder] = process.argv.slice(2).filter((word) => !word.startsWith('--'));
const root = folder ?? fileURLToPath(new URL('..', import.meta.url));
const showsTests = process.argv.includes('--tests');
const files = new Map(
  ['jobs', 'src', 'test'].flatMap(filesIn).map((file) => [file, readFileSync(join(root, file), 'utf8')]),
);
const used = new Map();
for (const [file, text] of files) noteUses(file, text);

let unused = 0;
for (const [file, text] of files) {
  if (file.startsWith('test/')) continue;
  for (const name of exportsOf(text)) {
    const users = [...(used.get(`${file} ${name}`) ?? []), ...(used.get(`${file} *`) ?? [])];
    if (users.some((user) => !user.startsWith('test/'))) continue;
    if (users.length === 0) unused++;
    else if (!showsTests) continue;
    console.log(`${file}: ${name}${users.length > 0 ? ' (tests only)' : ''}`);
  }
}
if (unused > 0) process.exitCode = 1;

function noteUses(file, text) {
  const at = (specifier) => normalize(join(dirname(file), specifier));
  const note = (key) => used.set(key, [...(used.get(key) ?? []), file]);
  for (const [, names, specifier] of text.matchAll(IMPORT)) {
    for (const name of namesIn(names)) note(`${at(specifier)} ${name}`);
  }
  for (const [, specifier, body] of text.matchAll(EXTENSION)) {
    for (const [, name] of body.matchAll(/\binterface (\w+)/g)) note(`${at(specifier)} ${name}`);
  }
  for (const [, one, other] of text.matchAll(WHOLE)) note(`${at(one ?? other)} *`);
}

function exportsOf(text) {
  return [...text.matchAll(EXPORT)].flatMap(([, name, names]) =>
    name === undefined ? namesIn(names) : [name],
  );
}

/** `a, type b, c as d`: what stands before `as`. */
function namesIn(list) {
  return list
    .split(',')
    .map(
      (item) =>
        item
          .trim()
          .replace(/^type /, '')
          .split(/ as /)[0],
    )
    .filter(Boolean);
}

function filesIn(folder) {
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = `${folder}/${entry.name}`;
    if (entry.isDirectory()) return entry.name === 'node_modules' ? [] : filesIn(path);
    return /\.(ts|mjs)$/.test(entry.name) ? [path] : [];
  });
}
