// docs/rules.md has every rule by its code, and tests name the rules that they hold.
//
//   node .ci/rules.mjs [folder]          prints each violation as `file: what is wrong`, exits 1 if there is one
//   node .ci/rules.mjs code …            prints each of these rules with its place in the page, and its tests with theirs
//   node .ci/rules.mjs --about words     prints the title and the place of each rule whose text has these words
//   node .ci/rules.mjs --held [code …]   prints the test files that hold each rule
//
// A code counts as cited in comments of .ts, .mjs and .js files, in titles of tests and in Markdown. A test names a rule with a string
// that begins with its code, or codes, and a colon ('C1, C2: should …'), or with a suite's name that has it.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const PAGE = 'docs/rules.md';
const CODE = /\b(?:[A-LP][1-9][0-9]?|L0)\b/g;
const HEADING = /^### ([A-LP]\d+)\. /;
const WANTED = /^[A-LP]\d{1,2}$/i;
const COMMENT = /\/\*[\s\S]*?\*\/|(?<=^|\s)\/\/.*$/gm;
const TITLE =
  /(['"`])(?<title>(?<codes>[A-LP]\d{1,2}(?:(?:, | and )[A-LP]\d{1,2})*):(?:\\.|(?!\1)[^\\\n])*)/g;
const SUITE = /\bsuite(?:<.*>)?\(\s*(['"`])(.*?)\1/g;
/** A rule that is decided and not built. */
const NOT_BUILT = /^### .*\nNot built yet\. /;
const CITING = /\.(?:ts|mjs|js|md)$/;
const NOT_OURS = /(?:^|\/)(?:vendor|node_modules|fixtures|results)\//;

const [first, ...others] = process.argv.slice(2);
const listed = first === '--held' ? others : undefined;
const about = first === '--about' ? others.join(' ') : undefined;
const wanted = first !== undefined && WANTED.test(first) ? [first, ...others] : undefined;
const folder = first?.startsWith('--') || wanted ? undefined : first;
const root = folder ?? fileURLToPath(new URL('..', import.meta.url));
const page = read(PAGE);
const sections = page.split(/^(?=##)/m).filter((text) => HEADING.test(text));
const rules = page.split('\n').flatMap((line) => HEADING.exec(line)?.[1] ?? []);
const files = ['README.md', 'CHANGELOG.md', ...['docs', 'jobs', 'src', 'test'].flatMap(filesIn)];
/** The test files that name each rule. */
const heldBy = new Map(rules.map((code) => [code, []]));
for (const file of files.filter((path) => path.endsWith('.test.ts'))) {
  for (const code of namedBy(read(file))) heldBy.get(code)?.push(file);
}

if (listed) list();
else if (about !== undefined) find();
else if (wanted) wanted.forEach(show);
else check();

function list() {
  for (const [code, tests] of heldBy) {
    if (listed.length === 0 || listed.includes(code)) console.log(`${code}: ${tests.join(', ')}`);
  }
}

function find() {
  const flowing = (text) => text.replaceAll(/\s+/g, ' ').toLowerCase();
  const found = sections.filter((text) => flowing(text).includes(flowing(about)));
  for (const section of found) {
    const [title] = section.slice('### '.length).split('\n');
    console.log(`${title}: ${PAGE}:${lineOf(section)}`);
  }
  if (found.length > 0) return;
  console.error(`${PAGE}: expected words of a rule, found "${about}"`);
  process.exitCode = 1;
}

function show(code) {
  const rule = code.toUpperCase();
  const section = sections.find((text) => HEADING.exec(text)?.[1] === rule);
  if (section === undefined) {
    const expected = `one from ${rules[0]} to ${rules.at(-1)}`;
    console.error(`${PAGE}: expected the code of a rule, ${expected}, found ${code}`);
    process.exitCode = 1;
    return;
  }
  console.log(`${PAGE}:${lineOf(section)}\n\n${section.trim()}\n\nHeld by:\n\n${testsOf(rule).join('\n')}\n`);
}

/** The place and the title of each test of a rule, and the files whose suite has the rule in its name. */
function testsOf(rule) {
  const ofTests = files.filter((path) => path.startsWith('test/') && !path.endsWith('.md')).sort();
  return ofTests.flatMap((path) => {
    const text = read(path);
    const titles = titlesIn(text).filter(({ codes }) => codes.includes(rule));
    const named = titles.map(({ at, title }) => `${path}:${lineAt(text, at)} ${title}`);
    return named.length === 0 && heldBy.get(rule).includes(path) ? [path] : named;
  });
}

function lineOf(section) {
  return lineAt(page, page.indexOf(section));
}

function lineAt(text, at) {
  return text.slice(0, at).split('\n').length;
}

function check() {
  const violations = [...duplicates(), ...files.flatMap(unknownCodes), ...unheld()];
  for (const violation of violations) console.error(violation);
  if (violations.length > 0) process.exitCode = 1;
}

function duplicates() {
  const twice = rules.filter((code, at) => rules.indexOf(code) !== at);
  return twice.map((code) => `${PAGE}: expected one rule ${code}, found several`);
}

function unknownCodes(file) {
  if (file === PAGE) return [];
  const text = read(file);
  const cited = file.endsWith('.md') ? [withoutCode(text)] : (text.match(COMMENT) ?? []);
  const codes = new Set([...cited.flatMap((part) => part.match(CODE) ?? []), ...namedBy(text)]);
  return [...codes]
    .filter((code) => !heldBy.has(code))
    .map((code) => `${file}: cites ${code}, which ${PAGE} does not have`);
}

function unheld() {
  const unbuilt = sections.filter((text) => NOT_BUILT.test(text));
  const planned = new Set(unbuilt.map((text) => HEADING.exec(text)?.[1]));
  return rules
    .filter((code) => heldBy.get(code).length === 0 && !planned.has(code))
    .map((code) => `${PAGE}: no test names ${code}; begin the title of one with '${code}: '`);
}

function namedBy(text) {
  const suites = [...text.matchAll(SUITE)].map(([, , name]) => name);
  const ofSuites = suites.flatMap((name) => name.match(CODE) ?? []);
  return new Set([...titlesIn(text).flatMap(({ codes }) => codes), ...ofSuites]);
}

/** Titles that begin with codes, with these and their places in the text. */
function titlesIn(text) {
  return [...text.matchAll(TITLE)].map(({ index, groups: { title, codes } }) => ({
    at: index,
    title,
    codes: codes.match(CODE) ?? [],
  }));
}

/** Markdown without its code, where letters with numbers are values. */
function withoutCode(text) {
  return text.replace(/^```[\s\S]*?^```/gm, '').replace(/`[^`\n]*`/g, '');
}

function read(file) {
  return readFileSync(join(root, file), 'utf8');
}

function filesIn(folder) {
  return readdirSync(join(root, folder), { recursive: true })
    .map((name) => `${folder}/${name}`)
    .filter((path) => CITING.test(path) && !NOT_OURS.test(path));
}
