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
  anchorOf,
  anchorsIn,
  blocksIn,
  pagesThereAre,
  readPage,
  sectionsIn,
  spansIn,
  tableIn,
  withoutBlocks,
} from './readme/document.ts';
import { generatedTables } from './readme/generated.ts';
import { nativeSchemas } from './readme/native-schema.ts';
import { PAGES } from './readme/rules.ts';
import { createWorld, type World } from './readme/world.ts';

const pages = [...new Set([...Object.keys(PAGES), ...pagesThereAre()])].map((page) => {
  const text = readPage(page);
  return { page, text, blocks: blocksIn(text), prose: withoutBlocks(text), spans: spansIn(text) };
});
const MOST_PICTURE_BYTES = 150_000;
const allSpans = pages.flatMap(({ spans }) => spans);

const readme = suite<{ world: World }>('README and docs');

readme.before((context) => {
  context.world = createWorld();
});

readme.after(({ world }) => world.close());

readme('should begin README.md with pictures for light and dark, in words too, and of moderate size', () => {
  const opening = readPage('README.md').split('\n## ')[0] ?? '';
  const paths = [...opening.matchAll(/(?:src|srcset)="([^"]+)"/g)].map(([, path = '']) => path);
  assert.equal(readdirSync(packagePath('docs/pictures')).sort(), paths.map((path) => basename(path)).sort());
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

const CONTENTS = 'Where to read on';

readme('should name every section of README.md in its contents', () => {
  const readmeText = readPage('README.md');
  const { text: contents = '' } = sectionsIn(readmeText).find(({ heading }) => heading === CONTENTS) ?? {};
  for (const [, heading = ''] of withoutBlocks(readmeText).matchAll(/^## (.+)$/gm)) {
    if (heading !== CONTENTS) assert.match(contents, `](${anchorOf(heading)})`, heading);
  }
  for (const { page } of pages) assert.ok(page === 'README.md' || contents.includes(`](${page})`), page);
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
