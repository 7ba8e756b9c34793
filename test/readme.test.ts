/**
 * README.md and docs/, word for word: every block of code in them is run, built, asked or compared here. A block that no rule
 * covers is a failure, and so is a rule without its block.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { feedsSchema } from '../jobs/annexes/feeds/config.ts';
import { noticeSchema } from '../jobs/annexes/notices/notices.ts';
import { SETTINGS } from '../jobs/settings.ts';
import {
  capacitySchema,
  categorySchema,
  dateSchema,
  eventSchema,
  imageSchema,
  licenceSchema,
  organizerSchema,
  priceSchema,
  repeatSchema,
  venueSchema,
} from '../jobs/validate/schemas.ts';
import { packagePath } from '../src/package.ts';
import { isInstalled, when } from './helpers/when.ts';
import { scriptIn } from './readme/checks.ts';
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
import { PAGES } from './readme/rules.ts';
import { createWorld, type World } from './readme/world.ts';

const pages = Object.keys(PAGES).map((page) => {
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

readme('should have rules for every page', () => {
  assert.equal([...Object.keys(PAGES)].sort(), [...pagesThereAre()].sort());
});

readme('should begin README.md with pictures for light and dark, in words too, and of moderate size', () => {
  const opening = readPage('README.md').split('\n## ')[0] ?? '';
  const tags = opening.match(/<(?:source|img) [^>]+>/g) ?? [];
  const shown = tags.map((tag) => /(?:src|srcset)="([^"]+)"/.exec(tag)?.[1] ?? tag);
  assert.equal(
    shown,
    ['page', 'embed'].flatMap((name) => ['dark', 'light'].map((look) => `docs/pictures/${name}-${look}.png`)),
  );
  for (const tag of tags)
    assert.match(tag, tag.startsWith('<img') ? / alt="\w.{30,}"/ : '(prefers-color-scheme: dark)');
  assert.equal(readdirSync(packagePath('docs/pictures')).sort(), shown.map((path) => basename(path)).sort());
  const { files } = JSON.parse(readFileSync(packagePath('package.json'), 'utf8'));
  assert.not.match(JSON.stringify(files), /"docs(?:"|\/pictures)/);
  for (const path of shown) {
    const picture = readFileSync(packagePath(path));
    assert.is(picture.toString('latin1', 1, 4), 'PNG', path);
    assert.ok(picture.readUInt32BE(16) >= 800 && picture.length < MOST_PICTURE_BYTES, path);
  }
});

for (const { page, text, blocks, prose } of pages) {
  const rules = PAGES[page] ?? {};

  readme(`should have a rule for every block, and a block for every rule: ${page}`, () => {
    assert.equal(
      blocks.map(({ key }) => key),
      Object.keys(rules),
    );
  });

  readme(`should have no code but in blocks that are found: ${page}`, () => {
    const fences = text.split('\n').filter((line) => /^\s*(```|~~~)/.test(line));
    assert.is(fences.length, 2 * blocks.length);
    assert.not.match(prose, /^( {4}|\t)(?! *[-*|])/m, 'code by indentation');
    assert.not.match(prose, /<(pre|code)\b/);
  });

  readme(`should begin with a title and a paragraph: ${page}`, () => {
    assert.match(text, /^# .+\n\n[A-Z]\w*/);
  });

  for (const block of blocks) {
    const rule = rules[block.key];
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

/** Commands within sentences: what is to be there for each of them. */
const INLINE: readonly (readonly [command: RegExp, needs: (match: RegExpExecArray) => string])[] = [
  [/^npm (?:run )?[a-z]+/, () => 'package.json'],
  [/^podman exec almanakk .*node dist\/(jobs\/\w+)\.js /, ([, name]) => `${name}.ts`],
  [/^node (?:--import tsx )?((?:test|\.ci)\/\S+)(?: --(?:write|held \w+))?$/, ([, path = '']) => path],
  [/^podman build|^docker build --file Containerfile /, () => 'Containerfile'],
];

readme('should know every command within a sentence', () => {
  for (const span of allSpans.filter((found) => /^(npm|node|podman|docker|curl|git) /.test(found))) {
    const paths = INLINE.flatMap(([command, needs]) => {
      const match = command.exec(span);
      return match === null ? [] : [needs(match)];
    });
    assert.is(paths.length, 1, span);
    for (const path of paths) assert.ok(existsSync(packagePath(path)), `${span}: ${path}`);
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
  for (const page of Object.keys(PAGES))
    assert.ok(page === 'README.md' || contents.includes(`](${page})`), page);
});

/** What commands write: it may be there, or not yet. */
const WRITTEN = new Set(['data/snapshots', 'data/snapshots/', 'data/keys.json', 'test/bench/work/quick/']);

readme('should name paths that are there', () => {
  const paths = allSpans.filter((span) => /^(src|jobs|test|docs|data|\.ci)\/[\w./-]+$/.test(span));
  assert.ok(paths.length > 20);
  for (const path of paths) assert.ok(WRITTEN.has(path) || existsSync(packagePath(path)), path);
});

readme('F1–F3: should name every field of the native source', () => {
  const named = new Set(spansIn(readPage('docs/source-format.md')));
  for (const { shape } of NATIVE) {
    for (const field of Object.keys(shape)) assert.ok(named.has(field), field);
  }
});

readme('should name every field of sources.json', () => {
  const named = new Set(spansIn(readPage('docs/feeds.md')));
  for (const field of Object.keys(feedsSchema.element.shape)) assert.ok(named.has(field), field);
});

const NATIVE = [
  licenceSchema,
  noticeSchema,
  categorySchema,
  venueSchema,
  organizerSchema,
  eventSchema,
  imageSchema,
  priceSchema,
  dateSchema,
  repeatSchema,
  capacitySchema,
];

readme.run();
