// Copies of the tree that lack some of its parts, so that a check can show what the rest does without them.
import { execFileSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { fileURLToPath } from 'node:url';

export const ROOT = fileURLToPath(new URL('..', import.meta.url));
export const ANNEX_LISTS = ['src/annexes.ts', 'jobs/annexes.ts'];

const IMPORT = /(?:\bfrom|\bimport|\bimport\s*\()\s*(['"])(\.{1,2}\/[^'"]+)\1/g;
/** A line that imports, or exports, names of one file. */
const WHOLE_IMPORT = /^(?:import|export) \{ (.+) \} from '(\.{1,2}\/[^']+)';$/;
/** A line of a table. */
const ENTRY = /^ +(?:\.\.\.|'[^']+':|\w+:).*,$/;

/**
 * A copy of these files and folders, with the packages of this tree. It lies in this tree, and `remove` ends it. `isComplete`: its packages
 * are in its own folder, as a bundle needs them, and not behind a link to that of this tree. They take no space, because they are hard links.
 */
export function copyOf(paths, { isComplete = false } = {}) {
  const folder = mkdtempSync(join(ROOT, '.core-'));
  // Benchmarks may have left gigabytes there.
  const filter = (from) => !from.endsWith('/test/bench/work');
  for (const path of paths) cpSync(join(ROOT, path), join(folder, path), { recursive: true, filter });
  const [from, to] = [ROOT, folder].map((root) => join(root, 'node_modules'));
  if (isComplete) execFileSync('cp', ['-R', '-P', '-l', from, to], { stdio: 'inherit' });
  else symlinkSync(from, to);
  return { folder, remove: () => rmSync(folder, { recursive: true }) };
}

/** Files in a folder of a copy, as paths from its root. */
export function filesIn(copy, folder) {
  const entries = readdirSync(join(copy, folder), { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name).slice(copy.length + 1));
}

/**
 * Takes paths away, and what refers to them: in the files of `editable`, the line that imports one of them, and the entries of tables with a
 * name that this line had; in test/, the files that import one of them, at whatever distance. `keys`: pairs of a folder and the key of
 * entries that its files lose, too.
 */
export function takeAway(copy, paths, { editable, keys = [] }) {
  for (const path of paths) remove(copy, path);
  for (const file of editable.filter((path) => existsSync(join(copy, path)))) {
    const text = readFileSync(join(copy, file), 'utf8');
    const lostKeys = keys
      .filter(([folder]) => file.startsWith(folder))
      .map(([, key]) => new RegExp(`^ +${key}: .*,$`));
    const rest = withoutLost(copy, file, text)
      .split('\n')
      .filter((line) => !lostKeys.some((key) => key.test(line)))
      .join('\n');
    if (rest !== text) writeFileSync(join(copy, file), rest);
  }
  for (const file of dependents(copy)) rmSync(join(copy, file));
}

/** With its folder, if nothing else is in it. */
function remove(copy, path) {
  rmSync(join(copy, path), { recursive: true });
  const folder = dirname(path);
  if (readdirSync(join(copy, folder)).length === 0) remove(copy, folder);
}

function withoutLost(copy, file, text) {
  const lost = [];
  const lines = text.split('\n').filter((line) => {
    const [, names, target] = WHOLE_IMPORT.exec(line) ?? [];
    if (target === undefined || existsSync(join(copy, dirname(file), target))) return true;
    lost.push(...names.split(', '));
    return false;
  });
  const names = lost.map((name) => new RegExp(`\\b${name.replace(/^type /, '')}\\b`));
  return lines.filter((line) => !(ENTRY.test(line) && names.some((name) => name.test(line)))).join('\n');
}

/** Files of test/ that import what is not there any more, and those that import them. Fixtures may be wrong on purpose. */
function dependents(copy) {
  const imports = new Map(
    filesIn(copy, 'test')
      .filter((file) => file.endsWith('.ts') && !file.startsWith('test/fixtures/runner/'))
      .map((file) => {
        const text = readFileSync(join(copy, file), 'utf8');
        return [file, [...text.matchAll(IMPORT)].map(([, , path]) => normalize(join(dirname(file), path)))];
      }),
  );
  const gone = new Set();
  for (let before = -1; before !== gone.size; ) {
    before = gone.size;
    for (const [file, targets] of imports) {
      if (targets.some((target) => gone.has(target) || !existsSync(join(copy, target)))) gone.add(file);
    }
  }
  return gone;
}
