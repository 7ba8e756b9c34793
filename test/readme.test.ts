/**
 * README.md and docs/. Every block of code is checked by the rule for its shape (readme/rules.ts): commands are run, files are saved and
 * built, queries are sent, and output is compared. A block without a rule fails, and so does a rule without a block. The generated tables
 * are compared with the code (readme/generated-files.ts). Prose, headings and the order of pages are free.
 */
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
// @ts-expect-error: plain JavaScript
import { classOf, EXPERIMENTAL } from '../.ci/classes.mjs';
import { SETTINGS } from '../jobs/settings.ts';
import { packagePath } from '../src/package.ts';
import { assertAbove, assertAtMost, assertBelow, assertIncludes } from './helpers/assertions.ts';
import { isExpected, when } from './helpers/when.ts';
import { attacksIn, resultsByNode, targetsOf } from './readme/bench-results.ts';
import { blocksOf } from './readme/blocks.ts';
import { scriptIn } from './readme/checks.ts';
import {
  anchorsIn,
  filesIn,
  readPage,
  sectionsIn,
  spansIn,
  tableIn,
  withoutBlocks,
} from './readme/document.ts';
import { INDEX } from './readme/generated.ts';
import { generatedFiles, staleLines } from './readme/generated-files.ts';
import { nativeSchemas } from './readme/native-schema.ts';
import { minutesOf, openingOf } from './readme/opening.ts';
import { pathsNamed } from './readme/release-classes.ts';
import { pagesInOrder, ruleOf, unusedRules } from './readme/rules.ts';
import { createWorld, type World } from './readme/world.ts';

const pages = pagesInOrder().map((page) => {
  const text = readPage(page);
  return { page, text, blocks: blocksOf(page), prose: withoutBlocks(text), spans: spansIn(text) };
});
const MOST_PICTURE_BYTES = 150_000;
const MOST_README_LINES = 200;
const MOST_README_WORDS = 1_100;
const allSpans = pages.flatMap(({ spans }) => spans);

const readme = suite<{ world: World }>('README and docs');

readme.before((context) => {
  context.world = createWorld();
});

readme.after(({ world }) => world.close());

readme('should keep README.md short enough for a quarter of an hour', () => {
  const text = readPage('README.md');
  assertAtMost(text.split('\n').length, MOST_README_LINES, 'lines');
  assertAtMost(text.split(/\s+/).length, MOST_README_WORDS, 'words');
});

readme('should show each picture of docs/pictures, with a description and a moderate size', () => {
  const shown = pages.flatMap(({ page, prose }) => {
    const paths = [...prose.matchAll(/(?:src|srcset)="([^"]+)"|!\[[^\]]*\]\(([^)]+)\)/g)];
    return paths.map(([, html, markdown]) => join(dirname(page), html ?? markdown ?? ''));
  });
  const pictures = readdirSync(packagePath('docs/pictures')).filter((name) => name.endsWith('.png'));
  for (const name of pictures) {
    const path = `docs/pictures/${name}`;
    assertIncludes(shown, path);
    assertBelow(statSync(packagePath(path)).size, MOST_PICTURE_BYTES, `bytes in ${path}`);
  }
  const images = pages.flatMap(({ prose }) => prose.match(/<img [^>]*>/g) ?? []);
  for (const image of images) assert.match(image, /alt="\w.{30,}"/);
});

readme('should have a block for every rule', () => {
  const unused = unusedRules(pages.flatMap(({ blocks }) => blocks));
  assert.equal(
    unused.map(({ shape }) => shape),
    [],
    'expected blocks of these shapes; remove a rule that no page needs (test/readme/)',
  );
});

/** A request right after a service has been started or reloaded. The service may not accept connections yet, so the request has to be repeated. */
const UNREPEATED_REQUEST =
  /^systemctl (?:reload|restart|enable --now) .*\ncurl (?!.* --retry-(?:connrefused|all-errors) ).*/m;

readme('should repeat requests to services that have just started or reloaded', () => {
  const found = pages.flatMap(({ page, blocks }) =>
    blocks.filter(({ text }) => UNREPEATED_REQUEST.test(text)).map(({ key }) => `${page}: ${key}`),
  );
  assert.equal(found, [], 'expected --retry-connrefused or --retry-all-errors in these blocks');
});

for (const { page, text, blocks } of pages) {
  readme(`should have a rule for each block of ${page}`, ({ world }) => {
    world.found.clear();
    const unknown = blocks.filter((block) => ruleOf(block) === undefined);
    assert.equal(
      unknown.map(({ key }) => key),
      [],
      'expected a rule for each of these blocks (test/readme/rules.ts)',
    );
    assert.is(text.match(/^\s*(```|~~~)/gm)?.length ?? 0, 2 * blocks.length, 'fences');
  });

  for (const block of blocks) {
    const rule = ruleOf(block);
    if (rule === undefined) continue;
    const { needs: program = 'node' } = rule;
    const test = when(isExpected(program), `${program} is not installed here`, readme);
    test(`should run or compare the block ${block.key} of ${page}`, ({ world }) => rule.check(block, world));
  }
}

readme('should have each generated part as the code gives it', async () => {
  assert.equal(staleLines(await generatedFiles()), []);
});

/** The limits that .github/SECURITY.md promises, as targets of the load tests. The others are aims. */
const PROMISED = ['nothing killed', 'polite clients answered', '`/healthz` within 1 s'];

readme('D14: should promise no limit that the last load tests missed', () => {
  const storms = resultsByNode('storm');
  assertAbove(storms.length, 0, 'load tests');
  for (const { node, text } of storms) {
    for (const target of PROMISED) {
      const outcome = targetsOf(text)
        .find(({ name }) => name === target)
        ?.cells.join(': ');
      assert.match(
        outcome ?? `no row "${target}"`,
        /^(\d+) of \1: met$/,
        `what .github/SECURITY.md promises, with Node ${node}`,
      );
    }
  }
});

/** Megabytes from which the log has no objection to a budget, by the version of Node (LEAST_BUDGET). */
const LEAST_BUDGETS: Readonly<Record<string, number>> = { 20: 256, 24: 384 };

readme('D14: should promise no budget that the last load tests exceeded', () => {
  for (const { node, text } of resultsByNode('storm')) {
    const promised = attacksIn(text).filter(({ megabytes }) => megabytes >= (LEAST_BUDGETS[node] ?? 0));
    assertAbove(promised.length, 100, `attacks with Node ${node}`);
    const exceeding = promised.filter(({ megabytes, highest }) => highest > megabytes);
    assert.equal(exceeding, [], `with Node ${node}`);
  }
});

readme('should name only existing scripts and settings', () => {
  const { scripts } = JSON.parse(readFileSync(packagePath('package.json'), 'utf8'));
  const settings = new Set<string>(
    Object.values(SETTINGS).flatMap((setting) => {
      const { name } = setting;
      return 'isSecret' in setting ? [name, `${name}_FILE`] : [name];
    }),
  );
  const plugin = readFileSync(packagePath('docs/examples/almanakk-events/almanakk-events.php'), 'utf8');
  for (const [, constant = ''] of plugin.matchAll(/define\('(\w+)'/g)) settings.add(constant);
  for (const span of allSpans) {
    const script = scriptIn(span);
    if (script !== undefined) assert.type(scripts[script], 'string', span);
    for (const [name] of span.matchAll(/\bALMANAKK_\w+/g)) assert.ok(settings.has(name), name);
  }
});

readme('should name the findings and tables of /status as its Norwegian page does', () => {
  const files = ['words', 'status-page', 'build-sections', 'urgent-sheets'].map(
    (name) => `src/annexes/operator/${name}.ts`,
  );
  const sources = files.map((file) => readFileSync(packagePath(file), 'utf8')).join('');
  const labels = [...readPage('docs/redaktor.md').matchAll(/«([^»]+)»/g)];
  assertAbove(labels.length, 5, 'labels');
  for (const [, label = ''] of labels) assertIncludes(sources, `'${label}'`);
});

/** The rows of a table that begins with this one. */
function rowsBelow(page: string, head: string): readonly (readonly string[])[] {
  const [, table = ''] = readPage(page).split(`${head}\n`);
  const [rows = ''] = /^(\|.*\n)+/.exec(table) ?? [];
  return rows
    .trim()
    .split('\n')
    .slice(1)
    .map((row) => row.split('|').map((cell) => cell.trim()));
}

readme('should have the periods of privacy.md and the commands of the cards in personvern.md', () => {
  const norwegian = readPage('docs/personvern.md');
  const english = readPage('docs/privacy.md');
  const periods = { '30 døgn': '30 days', 'omtrent 15 døgn': 'about 15 days', 'sju døgn': 'seven days' };
  for (const [found, expected] of Object.entries({ ...periods, 'fjorten netter': 'fourteen archives' })) {
    assertIncludes(norwegian, found);
    assertIncludes(english, expected);
  }
  const commands = spansIn(norwegian).filter((span) => /^(?:sh|ssh|node|wp|almanakk\S*) /.test(span));
  assertAbove(commands.length, 6, 'commands');
  const documented = english + readPage('docs/aviser.md');
  for (const command of commands) assertIncludes(documented, command);
});

readme('should give the hours of planning.md to groups of newspapers, in both languages', () => {
  const planning = readPage('docs/planning.md');
  // The first number, as in "about 1,960 hours" or "omtrent 1 960"; 0 for none.
  const hoursIn = (cell = '') => Number(/\d[\d, ]*/.exec(cell)?.[0].replaceAll(/\D/g, '') ?? 0);
  const hoursBelow = (head: string) =>
    rowsBelow('docs/planning.md', head).map(([, , , cell]) => hoursIn(cell));
  const first = hoursBelow('| who | hours | first year |');
  const later = hoursBelow('| who | hours | a year |');
  assert.is(first.length, 8, 'rows of planning.md');
  const expected = first.map((hours, at) => [hours, later[at]]);
  for (const [page, head] of [
    ['docs/newspapers.md', '| who | does | hours in the first year | each later year |'],
    ['docs/aviser.md', '| hvem | oppgaver | timer det første året | hvert år deretter |'],
  ] as const) {
    const found = rowsBelow(page, head).map(([, , , inFirst, inLater]) => [
      hoursIn(inFirst),
      hoursIn(inLater),
    ]);
    assert.equal(found, expected, page);
    const others =
      readPage(page).match(
        /\d+(?= (?:US|amerikanske) dollar)|(?<=(?:about|omtrent) )\d+(?=\.| hours| timer)/g,
      ) ?? [];
    assert.is(others.length, 4, `other figures of ${page}`);
    for (const figure of others) assertIncludes(planning, `about ${figure} `);
  }
});

readme('should add up the hours of planning.md', () => {
  const planning = readPage('docs/planning.md');
  const sumOf = (numbers: readonly number[]) => numbers.reduce((sum, number) => sum + number, 0);
  const toTen = (hours: number) => Math.round(hours / 10) * 10;
  const numbersIn = (cell = '') =>
    (cell.match(/\d[\d,]*/g) ?? []).map((text) => Number(text.replace(',', '')));
  const ranges = rowsBelow('docs/planning.md', '| assumption | low | high | first year | each later year |');
  const years = ['first year', 'a year'].map((year) =>
    rowsBelow('docs/planning.md', `| who | hours | ${year} |`),
  );
  for (const [at, rows] of years.entries()) {
    const hours = rows.map(([, , , cell]) => numbersIn(cell)[0] ?? 0);
    for (const [row, [, who, parts = '']] of rows.slice(0, -1).entries()) {
      // Without remarks such as "(15 feeds, 7 hours each)".
      const summands = parts.replaceAll(/ \([^)]*\)/g, '').match(/\d+(?= (?:for|to) )/g) ?? [];
      assert.is(sumOf(summands.map(Number)), hours[row], who);
    }
    const total = sumOf(hours.slice(0, -1));
    assert.is(hours.at(-1), toTen(total));
    const [low = [], high = []] = [0, 1].map((end) =>
      ranges.slice(0, -1).map((cells) => numbersIn(cells[4 + at])[end] ?? 0),
    );
    const expected = [toTen(total - sumOf(low)), toTen(total + sumOf(high))];
    assert.equal(numbersIn(ranges.at(-1)?.[4 + at]), expected, 'low and high');
    // What a hosted service saves: the operator's hours without the desks' questions, and those of the code.
    const answering = Number(/(\d+) for questions/.exec(rows[2]?.[2] ?? '')?.[1]);
    const operating = (hours[2] ?? 0) - answering;
    const saved = operating + (hours[5] ?? 0);
    assertIncludes(planning, at === 0 ? `up to ${operating} of the` : `and ${operating} of ${hours[2]} in`);
    assertIncludes(planning, `${operating} + ${hours[5]} = ${saved} in `);
    for (const page of ['docs/newspapers.md', 'docs/aviser.md']) {
      assert.match(readPage(page), new RegExp(`\\b${saved}\\b`), page);
      const written = readPage(page)
        .replaceAll(/\s+/g, ' ')
        .replaceAll(/(?<=\d)[, ](?=\d{3})/g, '');
      assert.match(written, new RegExp(expected.join(' (?:to|til) ')), page);
    }
  }
});

readme('should have the class in .ci/classes.mjs that releases.md gives each experimental path', () => {
  const code = ['src', 'jobs'].flatMap((folder) => filesIn(folder)).filter((path) => path.endsWith('.ts'));
  const texts = code.map((path) => [path, readPage(path)] as const);
  // The stable element uses it, too.
  const paths = pathsNamed('experimental').filter((path) => path !== '/embed.json');
  assertAbove(paths.length, 3, 'experimental paths');
  for (const path of paths) {
    const isServedIn = (text: string) => text.includes(`'${path}': {`) || text.includes(`PATH = '${path}'`);
    const files = texts.filter(([, text]) => isServedIn(text)).map(([file]) => file);
    assertAbove(files.length, 0, `files that serve ${path}`);
    assert.equal(
      files.filter((file) => classOf(file) !== EXPERIMENTAL),
      [],
      `files that serve ${path} and are not experimental`,
    );
  }
});

readme('should link to existing files and headings', () => {
  for (const { page, prose } of pages) {
    for (const [, target = ''] of prose.matchAll(/\]\(([^)]+)\)/g)) {
      if (target.startsWith('http')) continue;
      const [path = '', anchor] = target.split('#');
      const linked = path === '' ? page : join(dirname(page), path);
      assert.is(existsSync(packagePath(linked)), true, `${page}: expected ${target}, found no such file`);
      if (anchor !== undefined)
        assert.ok(anchorsIn(readPage(linked)).has(`#${anchor}`), `${page}: ${target}`);
    }
  }
});

readme('should name existing files and lists for a first contribution', () => {
  const table = tableIn(readPage('docs/contributing.md'), 'Make a first contribution');
  const rows = table.trim().split('\n').slice(2);
  assertAbove(rows.length, 2, 'rows');
  for (const row of rows) {
    const [, , edit = '', test = ''] = row.split('|');
    const file = namedFile(edit);
    const list = /`([A-Z_]+)`/.exec(edit)?.[1];
    if (list !== undefined)
      assert.match(readFileSync(file, 'utf8'), new RegExp(`^(?:export )?const ${list}\\b`, 'm'));
    assertIncludes(readFileSync(namedFile(test), 'utf8'), 'suite');
  }
});

function namedFile(cell: string): string {
  return packagePath(/`([^`]+\/[^`]+\.ts)`/.exec(cell)?.[1] ?? '');
}

/** Characters of a line of prose. The definition of the rules has longer ones. */
const LONGEST_LINE = 150;

readme('should wrap its prose at 150 characters, and end each page with one line break', () => {
  for (const page of [...pages.map(({ page }) => page), ...pagesForContributors()]) {
    const text = readPage(page);
    assert.match(text, /\S\n$/, page);
    if (page === 'docs/rules.md') continue;
    // Rows of tables and tags cannot be wrapped, and neither can a long piece of code.
    const lines = withoutBlocks(text)
      .split('\n')
      .filter((line) => !/^\s*[|<]|`[^`]{60,}`/.test(line));
    assert.equal(
      lines.filter((line) => line.length > LONGEST_LINE),
      [],
      page,
    );
  }
});

/** Characters of a heading. A longer one is likely to be a heading that has been joined with the paragraph below it. */
const LONGEST_HEADING = 80;

readme('should have headings that end before their sections begin', () => {
  const joined = [...pages.map(({ page }) => page), ...pagesForContributors()].flatMap((page) =>
    sectionsIn(readPage(page))
      .filter(({ heading }) => heading.length > LONGEST_HEADING || heading.includes('**'))
      .map(({ heading }) => `${page}: ${heading.slice(0, LONGEST_HEADING)}`),
  );
  assert.equal(joined, []);
});

/** Pages outside docs/. The benchmarks write the results in test/bench/. */
function pagesForContributors(): readonly string[] {
  const files = ['.github', 'test'].flatMap(filesIn);
  return files.filter((path) => path.endsWith('.md') && !path.startsWith('test/bench/'));
}

readme('should list every page of docs/ in its index, and lead to the index from README.md', () => {
  const index = readPage(INDEX);
  const listed = [...index.matchAll(/\]\(([\w-]+\.md)\)/g)].map(([, name]) => `docs/${name}`);
  const there = pages.map(({ page }) => page).filter((page) => page !== 'README.md' && page !== INDEX);
  assert.equal(listed.sort(), there.sort());
  assert.match(readPage('README.md'), `](${INDEX})`);
});

/** The tolerance of a page's reading time, so that an edited sentence does not need `npm run generate`. */
const MINUTES_OFF = 2;

readme('should begin each page of docs/ with its audience and its reading time', () => {
  for (const { page, text } of pages) {
    if (page === 'README.md' || page === INDEX) continue;
    const { audience, minutes } = openingOf(text);
    assert.ok(audience !== '', page);
    const off = Math.abs(minutes - minutesOf(text));
    assert.ok(off <= MINUTES_OFF, `${page}: ${off} minutes off: run "npm run generate"`);
  }
});

/** Paths that commands write: they may be missing. */
const WRITTEN = new Set([
  'data/snapshots',
  'data/snapshots/',
  'data/keys.json',
  'test/bench/work/quick/',
  'test/results/',
]);

readme('should leave the codes of rules to the pages for contributors', () => {
  const codes = readPage('docs/rules.md').match(/(?<=^### )[A-LP]\d+(?=\. )/gm) ?? [];
  assertAbove(codes.length, 100, 'codes');
  const cited = new RegExp(`\\b(?:${codes.join('|')})\\b`, 'g');
  for (const { page, text, prose } of pages) {
    const audience = page === 'README.md' || page === INDEX ? 'operators' : openingOf(text).audience;
    if (!audience.includes('operators') || audience.includes('contributors')) continue;
    assert.equal(prose.replaceAll(/`[^`\n]+`/g, '').match(cited), null, page);
  }
});

readme('should name existing paths', () => {
  const paths = allSpans.filter((span) => /^(src|jobs|test|docs|data|\.ci)\/[\w./-]+$/.test(span));
  assertAbove(paths.length, 0, 'paths');
  for (const path of paths) assert.ok(WRITTEN.has(path) || existsSync(packagePath(path)), path);
});

readme('F1, F2, F3: should name every field of the native source, and of sources.json', () => {
  const schemas = nativeSchemas();
  const namedIn = (page: string, schema: string) => {
    const named = new Set(['$schema', ...spansIn(readPage(page))]);
    JSON.parse(schema, (key, value) => {
      if (key === 'properties') for (const field of Object.keys(value)) assert.ok(named.has(field), field);
      return value;
    });
  };
  for (const name of ['licence', 'venues', 'organizers', 'events', 'notices'])
    namedIn('docs/source-format.md', schemas[`${name}.schema.json`] ?? '');
  const { properties } = JSON.parse(schemas['sources.schema.json'] ?? '').definitions.feed;
  const names = Object.fromEntries(Object.keys(properties).map((name) => [name, {}]));
  namedIn('docs/feeds.md', JSON.stringify({ properties: names }));
});

readme.run();
