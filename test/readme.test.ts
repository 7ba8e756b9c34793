/**
 * README.md and docs/, word for word: every block of code in them is run, built, asked or compared here. A block that no rule
 * covers is a failure, and so is a rule without a block.
 */
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { SETTINGS } from '../jobs/settings.ts';
import { packagePath } from '../src/package.ts';
import { isInstalled, when } from './helpers/when.ts';
import { ruleKeyOf, scriptIn } from './readme/checks.ts';
import {
  anchorsIn,
  blocksIn,
  minutesOf,
  openingOf,
  pagesThereAre,
  readPage,
  spansIn,
  tableIn,
  withoutBlocks,
} from './readme/document.ts';
import { generatedTables, INDEX } from './readme/generated.ts';
import { nativeSchemas } from './readme/native-schema.ts';
import { PAGES } from './readme/rules.ts';
import { createWorld, type World } from './readme/world.ts';

const pages = [...new Set([...Object.keys(PAGES), ...pagesThereAre()])].map((page) => {
  const text = readPage(page);
  return { page, text, blocks: blocksIn(text), prose: withoutBlocks(text), spans: spansIn(text) };
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

readme('should keep README.md to what fits a first quarter of an hour', () => {
  const text = readPage('README.md');
  assert.ok(text.split('\n').length <= MOST_README_LINES, 'lines');
  assert.ok(text.split(/\s+/).length <= MOST_README_WORDS, 'words');
});

readme('should begin README.md with pictures for light and dark, in words too, and of moderate size', () => {
  const opening = readPage('README.md').split('\n## ')[0] ?? '';
  const paths = [...opening.matchAll(/(?:src|srcset)="([^"]+)"/g)].map(([, path = '']) => path);
  const pictures = readdirSync(packagePath('docs/pictures')).filter((name) => name.endsWith('.png'));
  assert.equal(pictures.sort(), paths.map((path) => basename(path)).sort());
  assert.is(opening.match(/<img [^>]*alt="\w.{30,}"/g)?.length, 2);
  for (const path of paths) assert.ok(statSync(packagePath(path)).size < MOST_PICTURE_BYTES, path);
});

for (const { page, text, blocks } of pages) {
  const rules = PAGES[page] ?? {};

  readme(`should have a rule for every block, and a block for every rule: ${page}`, () => {
    const keys = blocks.map((block) => ruleKeyOf(block, rules) ?? `none for ${block.key}`);
    assert.equal([...new Set(keys)].sort(), Object.keys(rules).sort());
    assert.is(text.match(/^\s*(```|~~~)/gm)?.length ?? 0, 2 * blocks.length, 'fences');
  });

  for (const block of blocks) {
    const rule = rules[ruleKeyOf(block, rules) ?? ''];
    if (rule === undefined) continue;
    const { needs: program = 'node' } = rule;
    const test = when(isInstalled(program), `${program} is not installed here`, readme);
    test(`should hold: ${page}, ${block.key}`, ({ world }) => rule(block, world));
  }
}

for (const { page, heading, table } of await generatedTables()) {
  readme(`should have the table of the code under "${heading}" of ${page}`, () => {
    assert.is(tableIn(readPage(page), heading), table, 'run: node --import tsx test/readme/update.ts');
  });
}

readme('should speak of no script and no setting that is not there', () => {
  const { scripts } = JSON.parse(readFileSync(packagePath('package.json'), 'utf8'));
  const settings = new Set<string>(Object.values(SETTINGS).map(({ name }) => name));
  for (const span of allSpans) {
    const script = scriptIn(span);
    if (script !== undefined) assert.type(scripts[script], 'string', span);
    for (const [name] of span.matchAll(/\bALMANAKK_\w+/g)) assert.ok(settings.has(name), name);
  }
});

readme('should link to what is there', () => {
  for (const { page, prose } of pages) {
    for (const [, target = ''] of prose.matchAll(/\]\(([^)]+)\)/g)) {
      if (target.startsWith('http')) continue;
      const [path = '', anchor] = target.split('#');
      const linked = path === '' ? page : join(dirname(page), path);
      assert.ok(existsSync(packagePath(linked)), `${page}: ${target}`);
      if (anchor !== undefined)
        assert.ok(anchorsIn(readPage(linked)).has(`#${anchor}`), `${page}: ${target}`);
    }
  }
});

readme('should list every page of docs/ in its index, and lead to the index from README.md', () => {
  const index = readPage(INDEX);
  const listed = [...index.matchAll(/\]\(([\w-]+\.md)\)/g)].map(([, name]) => `docs/${name}`);
  const there = pages.map(({ page }) => page).filter((page) => page !== 'README.md' && page !== INDEX);
  assert.equal(listed.sort(), there.sort());
  assert.match(readPage('README.md'), `](${INDEX})`);
});

/** Of a page's reading time, before `test/readme/update.ts` has to be run: an edited sentence is no reason. */
const MINUTES_OFF = 2;

readme('should begin each page of docs/ with its audience and its reading time', () => {
  for (const { page, text } of pages) {
    if (page === 'README.md' || page === INDEX) continue;
    const { audience, minutes } = openingOf(text);
    assert.ok(audience !== '', page);
    const off = Math.abs(minutes - minutesOf(text));
    assert.ok(
      off <= MINUTES_OFF,
      `${page}: ${off} minutes off; run: node --import tsx test/readme/update.ts`,
    );
  }
});

/** What commands write: it may be there, or not yet. */
const WRITTEN = new Set(['data/snapshots', 'data/snapshots/', 'data/keys.json', 'test/bench/work/quick/']);

readme('should name paths that are there', () => {
  const paths = allSpans.filter((span) => /^(src|jobs|test|docs|data|\.ci)\/[\w./-]+$/.test(span));
  assert.ok(paths.length > 20);
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
