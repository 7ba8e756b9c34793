/**
 * `node find-person.mjs TEXT...` finds the personal data of somebody who asks for it: it names each file of the Debian setup that contains one of the
 * texts, such as a name, an email address, a telephone number or an IP address, with a few words around the first match. Run it as root on each
 * machine. `--in FOLDER`, once or several times, searches these folders instead, such as the data volume of a container.
 *
 * It reads the settings, the sources, the snapshots, the records and copied pages of feeds, the keys, copied workbooks, the archives, and the logs of
 * almanakk and of nginx. It ignores case, and finds texts that are written with the escapes of JSON, HTML and URLs, or in ISO 8859-1. It does not find
 * texts in pictures. Exit code 0: all files were searched, whether or not there was a match. It needs `sqlite3` for snapshots, `unzip` for workbooks,
 * and `tar` for archives.
 */
import { spawn } from 'node:child_process';
import { createReadStream, existsSync, readFileSync } from 'node:fs';
import { lstat, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { parseArgs, parseEnv } from 'node:util';
import { createGunzip, gunzipSync } from 'node:zlib';

const ROOT = '/';
const SETTINGS = join(ROOT, 'etc/almanakk');
/** Bytes. A text that is split between two parts of a file is found in the second one, which begins with the end of the first. */
const OVERLAP = 4_096;
/** Characters around a match. */
const AROUND = 40;
const JOURNAL = ['--no-pager', '--quiet', '--unit', 'almanakk*', '--output', 'short-iso'];
/** In small letters: capitals count as the same. */
const ENTITIES = {
  amp: '&',
  apos: "'",
  quot: '"',
  nbsp: ' ',
  aelig: 'æ',
  oslash: 'ø',
  aring: 'å',
  auml: 'ä',
  ouml: 'ö',
  eacute: 'é',
};

const { values, positionals } = parseArgs({
  options: { in: { type: 'string', multiple: true } },
  allowPositionals: true,
});
const texts = positionals.map(plain);
if (texts.length === 0 || texts.includes(''))
  refuse('expected texts, such as a name and an email address, found none');
if (values.in === undefined && !existsSync(SETTINGS))
  refuse(`expected the settings in ${SETTINGS}, found none: use --in FOLDER`);
process.umask(0o077);

const searched = { files: 0, found: 0 };
const problems = [];
for (const place of values.in ?? (await placesOfMachine())) await searchBelow(place);
if (values.in === undefined) await search('journal of almanakk', outputOf('journalctl', JOURNAL));
console.log(`found in ${searched.found} of ${searched.files} places`);
for (const problem of problems) console.error(`not searched: ${problem}`);
process.exitCode = problems.length === 0 ? 0 : 1;

function refuse(reason) {
  console.error(`find-person: ${reason}`);
  process.exit(2);
}

/** The folders of the setup, and what its settings name. A relative path is from the folder of the settings. */
async function placesOfMachine() {
  const files = (await readdir(SETTINGS)).filter((name) => name === '.env' || name.endsWith('.conf'));
  const named = files.flatMap((name) => {
    const settings = parseEnv(readFileSync(join(SETTINGS, name), 'utf8'));
    const { ALMANAKK_SOURCE, ALMANAKK_SNAPSHOTS, ALMANAKK_KEYS, ALMANAKK_SOURCE_FILES } = settings;
    return [ALMANAKK_SOURCE, ALMANAKK_SNAPSHOTS, ALMANAKK_KEYS, ...(ALMANAKK_SOURCE_FILES ?? '').split(',')];
  });
  const folders = [SETTINGS, join(ROOT, 'var/log/nginx')];
  for (const parent of ['var/lib', 'var/backups']) {
    const names = await readdir(join(ROOT, parent)).catch(() => []);
    folders.push(
      ...names.filter((name) => name.startsWith('almanakk')).map((name) => join(ROOT, parent, name)),
    );
  }
  const paths = [
    ...folders,
    ...named.flatMap((path) => (path?.trim() ? resolve(SETTINGS, path.trim()) : [])),
  ];
  const all = [...new Set(paths)].filter((path) => existsSync(path));
  return all.filter((path) => !all.some((other) => path.startsWith(`${other}/`)));
}

/** `label`: of a file in an archive, instead of its path. */
async function searchBelow(path, label = path) {
  try {
    await searchByKind(path, label);
  } catch (error) {
    problems.push(`${label}: ${error.message}`);
  }
}

async function searchByKind(path, label) {
  const stats = await lstat(path);
  if (stats.isDirectory()) {
    for (const name of (await readdir(path)).sort()) await searchBelow(join(path, name), join(label, name));
  } else if (stats.isFile() && /\.t(ar\.)?gz$/.test(path)) await searchArchive(path, label);
  // The compressed copy of a snapshot has the same content.
  else if (stats.isFile() && !path.endsWith('.sqlite.br')) await search(label, contentOf(path));
}

async function searchArchive(path, label) {
  const folder = await mkdtemp(join(tmpdir(), 'find-person-'));
  try {
    const args = ['--extract', '--gzip', '--no-same-owner', '--file', path, '--directory', folder];
    for await (const _ of outputOf('tar', args));
    await searchBelow(folder, label);
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** Prints the label and the first match, if there is one. */
async function search(label, content) {
  searched.files += 1;
  let rest = Buffer.alloc(0);
  try {
    for await (const part of content) {
      const bytes = Buffer.concat([rest, part]);
      const match = matchIn(bytes);
      if (match !== null) {
        searched.found += 1;
        console.log(`${label}: …${match}…`);
        return;
      }
      rest = bytes.subarray(-OVERLAP);
    }
  } catch (error) {
    problems.push(`${label}: ${error.message}`);
  }
}

/** The bytes of a file, in parts, as far as possible without compression. */
function contentOf(path) {
  if (path.endsWith('.sqlite')) return outputOf('sqlite3', ['-readonly', path, '.dump']);
  if (/\.(xlsx|ods)$/.test(path)) return outputOf('unzip', ['-p', path]);
  if (path.endsWith('.pages')) return copiedPages(path);
  const file = createReadStream(path);
  return path.endsWith('.gz') ? file.pipe(createGunzip()) : file;
}

/** The pages that a builder has copied, one on each line. */
async function* copiedPages(path) {
  for await (const line of createInterface({ input: createReadStream(path) })) {
    yield Buffer.from(line);
    const { body } = JSON.parse(line);
    if (body) yield gunzipSync(Buffer.from(body, 'base64'));
  }
}

async function* outputOf(program, args) {
  const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = new Promise((done) => {
    child.on('error', ({ message }) => done(message));
    child.on('close', (code) => done(code === 0 ? '' : `expected exit code 0 of ${program}, found ${code}`));
  });
  yield* child.stdout;
  const problem = await ended;
  if (problem !== '') throw new Error(problem);
}

function matchIn(bytes) {
  const utf8 = bytes.toString('utf8');
  for (const written of [utf8, bytes.toString('latin1'), unescaped(utf8)]) {
    const content = plain(written);
    const at = texts.map((text) => content.indexOf(text)).find((index) => index !== -1);
    if (at !== undefined) return content.slice(Math.max(0, at - AROUND), at + 2 * AROUND);
  }
  return null;
}

/** Without differences of case, and with a blank for each line break. */
function plain(text) {
  return text.normalize('NFC').toLowerCase().replace(/\s+/g, ' ').trim();
}

/** Texts as in JSON, in URLs, in SQL and in HTML. */
function unescaped(text) {
  return text
    .replace(/\\u([0-9a-f]{4})/gi, (_, digits) => String.fromCharCode(Number.parseInt(digits, 16)))
    .replaceAll('+', ' ')
    .replace(/(?:%[0-9a-f]{2})+/gi, decoded)
    .replaceAll("''", "'")
    .replace(/&#(x?)([0-9a-f]{1,6});/gi, (_, x, digits) =>
      String.fromCodePoint(Number.parseInt(digits, x ? 16 : 10) % 0x110000 || 32),
    )
    .replace(/&(\w{2,6});/g, (entity, name) => ENTITIES[name.toLowerCase()] ?? entity);
}

function decoded(bytes) {
  try {
    return decodeURIComponent(bytes);
  } catch {
    return bytes;
  }
}
