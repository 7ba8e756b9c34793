/**
 * README.md, word for word: every block of code in it is run, built, asked or compared here. A block that no rule covers is
 * a failure, and so is a rule without its block.
 */
import { existsSync, readFileSync } from 'node:fs';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { feedsSchema } from '../jobs/feeds/schema.ts';
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
import { SETTINGS } from '../src/settings.ts';
import { isInstalled, when } from './helpers/when.ts';
import { scriptIn } from './readme/checks.ts';
import { blocksIn, readReadme, sectionsIn, spansIn, tableIn, withoutBlocks } from './readme/document.ts';
import { generatedTables } from './readme/generated.ts';
import { BLOCK_RULES } from './readme/rules.ts';
import { createWorld, type World } from './readme/world.ts';

const text = readReadme();
const blocks = blocksIn(text);
const prose = withoutBlocks(text);

const readme = suite<{ world: World }>('README');

readme.before((context) => {
  context.world = createWorld();
});

readme.after(({ world }) => world.close());

readme('should have a rule for every block, and a block for every rule', () => {
  assert.equal(
    blocks.map(({ key }) => key),
    Object.keys(BLOCK_RULES),
  );
});

readme('should have no code but in blocks that are found', () => {
  const fences = text.split('\n').filter((line) => /^\s*(```|~~~)/.test(line));
  assert.is(fences.length, 2 * blocks.length);
  assert.not.match(prose, /^( {4}|\t)(?! *[-*|])/m, 'code by indentation');
  assert.not.match(prose, /<(pre|code)\b/);
});

for (const block of blocks) {
  const rule = BLOCK_RULES[block.key];
  if (rule === undefined) continue;
  const { needs: program = 'node' } = rule;
  const test = when(isInstalled(program), `${program} is not installed here`, readme);
  test(`should hold: ${block.key}`, ({ world }) => rule(block, world));
}

for (const [heading, table] of Object.entries(await generatedTables())) {
  readme(`should have the table of the code under "${heading}"`, () => {
    assert.is(tableIn(text, heading), table, 'run: node --import tsx test/readme/update.ts');
  });
}

readme('should speak of no script and no setting that is not there', () => {
  const { scripts } = JSON.parse(readFileSync(packagePath('package.json'), 'utf8'));
  const settings = new Set<string>(Object.values(SETTINGS).map(({ name }) => name));
  for (const span of spansIn(text)) {
    const script = scriptIn(span);
    if (script !== undefined) assert.type(scripts[script], 'string', span);
    for (const [name] of span.matchAll(/\bALMANAKK_\w+/g)) assert.ok(settings.has(name), name);
  }
});

/** Commands within sentences: what is to be there for each of them. */
const INLINE: readonly (readonly [command: RegExp, needs: (match: RegExpExecArray) => string])[] = [
  [/^npm (?:run )?[a-z]+/, () => 'package.json'],
  [/^(?:podman exec|sudo -u) almanakk .*node dist\/(jobs\/\w+)\.js /, ([, name]) => `${name}.ts`],
  [/^node --import tsx (\S+)$/, ([, path = '']) => path],
  [/^podman build|^docker build --file Containerfile /, () => 'Containerfile'],
];

readme('should know every command within a sentence', () => {
  for (const span of spansIn(text).filter((found) =>
    /^(npm|node|podman|docker|curl|git|sudo) /.test(found),
  )) {
    const paths = INLINE.flatMap(([command, needs]) => {
      const match = command.exec(span);
      return match === null ? [] : [needs(match)];
    });
    assert.is(paths.length, 1, span);
    for (const path of paths) assert.ok(existsSync(packagePath(path)), `${span}: ${path}`);
  }
});

readme('should link to what is there', () => {
  const anchors = new Set(sectionsIn(text).map(({ heading }) => anchorOf(heading)));
  const links = [...prose.matchAll(/\]\(([^)]+)\)/g)].map(([, target = '']) => target);
  assert.ok(links.length > 10);
  for (const target of links) {
    if (target.startsWith('#')) assert.ok(anchors.has(target), target);
    else if (!target.startsWith('http')) assert.ok(existsSync(packagePath(target)), target);
  }
});

/** What commands write: it may be there, or not yet. */
const WRITTEN = new Set(['data/snapshots', 'data/snapshots/', 'data/keys.json', 'test/bench/work/quick/']);

readme('should name every section in its contents, and the paths that are there', () => {
  const { text: contents = '' } = sectionsIn(text)[0] ?? {};
  for (const [, heading = ''] of prose.matchAll(/^## (.+)$/gm)) {
    assert.match(contents, `](${anchorOf(heading)})`, heading);
  }
  const paths = spansIn(text).filter((span) => /^(src|jobs|test|assets|data|\.ci)\/[\w./-]+$/.test(span));
  for (const path of paths) assert.ok(WRITTEN.has(path) || existsSync(packagePath(path)), path);
});

readme('F1–F3: should name every field of the native source', () => {
  const format = sectionsIn(text).find(({ heading }) => heading === 'The native source format')?.text ?? '';
  const named = new Set(spansIn(format));
  for (const { shape } of NATIVE) {
    for (const field of Object.keys(shape)) assert.ok(named.has(field), field);
  }
});

readme('should name every field of sources.json', () => {
  const feeds = sectionsIn(text).find(({ heading }) => heading === 'What feeds have in common')?.text ?? '';
  const named = new Set(spansIn(feeds));
  for (const field of Object.keys(feedsSchema.element.shape)) assert.ok(named.has(field), field);
});

const NATIVE = [
  licenceSchema,
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

/** As GitHub makes them. */
function anchorOf(heading: string): string {
  const plain = heading.toLowerCase().replaceAll(/[^\p{L}\p{N} _-]/gu, '');
  return `#${plain.replaceAll(' ', '-')}`;
}

readme.run();
