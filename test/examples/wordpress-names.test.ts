/** The names in the code of the WordPress plugin: its version, those of the embed, and those that releases.md promises. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { packagePath } from '../../src/package.ts';
import { eachIn } from '../helpers/html.ts';
import { readPage, tableIn } from '../readme/document.ts';
import { startCalendar } from './wordpress.ts';

const PLUGIN = packagePath('docs/examples/almanakk-events');

const sourceOf = (name: string): string => readFileSync(join(PLUGIN, name), 'utf8');

const CODE = readdirSync(PLUGIN, { encoding: 'utf8', recursive: true })
  .filter((name) => name.endsWith('.php'))
  .map(sourceOf)
  .join('');

const names = suite('names of the WordPress plugin');

names('should have the version of this package', () => {
  const { version } = JSON.parse(readFileSync(packagePath('package.json'), 'utf8'));
  assert.match(sourceOf('almanakk-events.php'), `\n * Version: ${version}\n`);
});

names('should have the fields of the embed, and their kinds', async () => {
  const calendar = await startCalendar();
  const { text: script } = await calendar.send('/embed.js');
  await calendar.close();
  // `sortBy` has no effect.
  const { sortBy: _, ...embedded } = JSON.parse(/const FIELDS = (\{.*?\});/.exec(script)?.[1] ?? '{}');
  const asJson = rowsOf('FIELDS').replaceAll("'", '"').replaceAll(' =>', ':').replace(/,$/, '');
  assert.equal(JSON.parse(`{${asJson}}`), embedded);
});

names('should be those that releases.md promises for a major version, and no others', () => {
  const inCode = {
    shortcodes: found(/add_shortcode\('(\w+)'/g),
    'words of the shortcode': sorted([...keysOf('FIELDS'), ...keysOf('OTHERS')]),
    'Norwegian words of the shortcode': sorted(keysOf('NORWEGIAN')),
    block: found(/register_block_type\('([^']+)'/g),
    'attributes of the block': sorted(keysOf('BLOCK_ATTRIBUTES')),
    constants: found(/['\\](ALMANAKK_\w+)/g),
    options: optionsInCode(),
    'action and filter': found(/(?:do_action|apply_filters)\('(\w+)'/g),
    'event of WP-Cron': [textOf('READ_EVENT')],
    'parameters of addresses': sorted([
      ...found(/given\('(\w+)'/g),
      ...found(/given\(([A-Z_]+),/g).map(textOf),
    ]),
  };
  assert.equal(promisedNames(), inCode);
});

names('should all be removed from the options and from WP-Cron when the plugin is deleted', () => {
  const removed = eachIn(sourceOf('uninstall.php'), /'(almanakk\w*)'/g);
  assert.equal(sorted(removed), sorted([...optionsInCode(), textOf('READ_EVENT')]));
});

const sorted = (values: readonly string[]): readonly string[] => [...values].sort();

/** The first group of each match in the code, once. */
const found = (pattern: RegExp): readonly string[] => sorted([...new Set(eachIn(CODE, pattern))]);

const optionsInCode = (): readonly string[] =>
  sorted(found(/(?:get|update)_option\(([A-Z_]+)[,)]/g).map(textOf));

/** The value of a constant that is a text. */
const textOf = (name: string): string =>
  eachIn(CODE, new RegExp(`const ${name} = '(\\w+)';`, 'g'))[0] ?? name;

/** The lines of a constant that is an array. */
const rowsOf = (name: string): string =>
  eachIn(CODE, new RegExp(`const ${name} = \\[\\n(.*?)\\n\\];`, 'gs'))[0] ?? '';

const keysOf = (name: string): readonly string[] => eachIn(rowsOf(name), /^ {4}'(\w+)' =>/gm);

/** By the first cell of their row. */
function promisedNames(): Readonly<Record<string, readonly string[]>> {
  const table = tableIn(readPage('docs/releases.md'), 'Names of the WordPress plugin');
  const [, , ...rows] = table.trim().split('\n');
  return Object.fromEntries(
    rows.map((row) => {
      const [, kind = '', namesInRow = ''] = row.split('|').map((cell) => cell.trim());
      return [kind, sorted(eachIn(namesInRow, /`([^`]+)`/g))];
    }),
  );
}

names.run();
