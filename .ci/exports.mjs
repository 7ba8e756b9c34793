// Every export must be used by another file: the exports of a file are its table of contents.
//
//   node .ci/exports.mjs [folder]     prints each export that only its own file uses as `file: name`, exits 1 if there is one
//
// It reads the text: `export … name`, and `{ name }` of imports, types too. Tests count as users.
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

const root = process.argv[2] ?? fileURLToPath(new URL('..', import.meta.url));
const files = new Map(
  ['jobs', 'src', 'test'].flatMap(filesIn).map((file) => [file, readFileSync(join(root, file), 'utf8')]),
);
/** Each export that another file uses, and `*` for all of a file. */
const used = new Set();
for (const [file, text] of files) noteUses(file, text);

for (const [file, text] of files) {
  if (file.startsWith('test/') || used.has(`${file} *`)) continue;
  for (const name of exportsOf(text)) {
    if (used.has(`${file} ${name}`)) continue;
    console.log(`${file}: ${name}`);
    process.exitCode = 1;
  }
}

function noteUses(file, text) {
  const at = (specifier) => normalize(join(dirname(file), specifier));
  for (const [, names, specifier] of text.matchAll(IMPORT)) {
    for (const name of namesIn(names)) used.add(`${at(specifier)} ${name}`);
  }
  for (const [, specifier, body] of text.matchAll(EXTENSION)) {
    for (const [, name] of body.matchAll(/\binterface (\w+)/g)) used.add(`${at(specifier)} ${name}`);
  }
  for (const [, one, other] of text.matchAll(WHOLE)) used.add(`${at(one ?? other)} *`);
}

function exportsOf(text) {
  return [...text.matchAll(EXPORT)].flatMap(([, name, names]) =>
    name === undefined ? namesIn(names) : [name],
  );
}

/** `a, type b, c as d`: what stands before `as`. */
function namesIn(list) {
  return [...list.matchAll(/(?:^|,)\s*(?:type )?(\w+)/g)].map(([, name]) => name);
}

function filesIn(folder) {
  const names = readdirSync(join(root, folder), { recursive: true });
  return names.filter((name) => /\.(ts|mjs)$/.test(name)).map((name) => `${folder}/${name}`);
}
