/** Stack traces in terms of the sources. `entry.test.ts` has one of a program that fails. */
import { readFileSync, writeFileSync } from 'node:fs';
import { SourceMap } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { transformSync } from 'esbuild';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createLog } from '../../../src/runtime/log.ts';
import { readSourceMap } from '../../../src/runtime/source-map.ts';
import { nameSources, sourceStack } from '../../../src/runtime/stacks.ts';
import { assertAbove } from '../../helpers/assertions.ts';
import { costsAtMost } from '../../helpers/cost.ts';
import { temporaryFolder } from '../../helpers/folder.ts';

const test = suite('stacks');

const SOURCE = `// A comment, which the compiled file has not.
export function fail(): never {
  throw new Error('no');
}
`;

/** Addresses of a compiled file and of its source, and the position of its `throw` as a trace has it. */
function compiled({ map: changeMap = (map: string) => map } = {}) {
  const folder = temporaryFolder();
  const { code, map } = transformSync(SOURCE, {
    loader: 'ts',
    minifyWhitespace: true,
    sourcemap: true,
    sourcefile: 'src/fail.ts',
  });
  writeFileSync(join(folder, 'fail.js'), code);
  writeFileSync(join(folder, 'fail.js.map'), changeMap(map));
  const file = pathToFileURL(join(folder, 'fail.js')).href;
  return { at: `${file}:1:${code.indexOf('throw') + 1}`, source: new URL('src/fail.ts', file).href };
}

const stackAt = (position: string) =>
  `Error: no\n    at fail (${position})\n    at async node:internal/x:1:2`;

test('should name the line and column of the source', () => {
  const { at, source } = compiled();
  assert.is(sourceStack(stackAt(at)), stackAt(`${source}:3:3`));
});

test('should leave a position without a source, or with a map that cannot be read', () => {
  const positions = [
    'file:///nowhere/fail.js:1:1',
    compiled({ map: () => '{' }).at,
    compiled({ map: (map) => map.replace(/"mappings": "[^"]*"/, '"mappings": ""') }).at,
    // A position of the compiled file's own: it has a column, and no source.
    compiled({ map: (map) => map.replace(/"mappings": "[^"]*"/, '"mappings": "A;"') }).at,
  ];
  for (const position of positions) assert.is(sourceStack(stackAt(position)), stackAt(position));
});

test('should find each position of a file as Node does', () => {
  const { code, map } = transformSync(readFileSync(import.meta.filename, 'utf8'), {
    loader: 'ts',
    sourcemap: true,
    sourcefile: 'src/a.ts',
  });
  const find = readSourceMap(map);
  const nodes = new SourceMap(JSON.parse(map));
  let found = 0;
  for (const [line, text] of code.split('\n').entries())
    for (let column = 0; column < text.length; column++) {
      const position = find(line, column);
      if (position === null) continue;
      found++;
      const expected = nodes.findEntry(line, column);
      if (!('originalLine' in expected)) throw new Error(`expected none at ${line}:${column}`);
      assert.equal(
        [position.source, position.line, position.column],
        [expected.originalSource, expected.originalLine, expected.originalColumn],
      );
    }
  assertAbove(found, code.length / 2, 'positions');
});

test('D14: should read a map of a megabyte within a turn', async () => {
  const text = JSON.stringify({ sources: ['a.ts'], mappings: 'AACA,SAASA,IAAI;'.repeat(65_000) });
  // Node’s class costs 1.5 to 2.1.
  await costsAtMost(1, () => assert.is(readSourceMap(text)(64_999, 9)?.line, 65_000));
});

test('should change the stack of an error, and nothing that is none', () => {
  const { at, source } = compiled();
  const error = Object.assign(new Error('no'), { stack: stackAt(at) });
  nameSources(error);
  assert.match(error.stack, `${source}:3:3`);
  for (const thrown of [null, 'no', { stack: stackAt(at) }]) {
    const before = JSON.stringify(thrown);
    nameSources(thrown);
    assert.is(JSON.stringify(thrown), before);
  }
});

test('should leave an error that cannot be changed', () => {
  const { at } = compiled();
  const frozen = Object.freeze(Object.assign(new Error('no'), { stack: stackAt(at) }));
  nameSources(frozen);
  assert.is(frozen.stack, stackAt(at));
  nameSources(Object.assign(new Error('no'), { stack: 7 }));
});

test('should not read what a message says, however long it is', async () => {
  const { at } = compiled();
  const message = `Error: ${at} ${'file://'.repeat(60_000)}`;
  assert.is(sourceStack(`${message}\n    at f (x:1:1)`), `${message}\n    at f (x:1:1)`);
  const lines = '    at file://'.repeat(60_000).replaceAll('file://    ', 'file://\n    ');
  await costsAtMost(8, () => sourceStack(message + lines));
});

for (const format of ['text', 'json'] as const) {
  test(`should name the sources in the log, as ${format}`, () => {
    const { at, source } = compiled();
    const cause = Object.assign(new Error('cause'), { stack: stackAt(at) });
    const err = Object.assign(new Error('no', { cause }), { stack: stackAt(at) });
    let text = '';
    const output = { write: (line: string) => (text += line) };
    createLog({ level: 'info', format, output }).error({ err }, 'unexpected failure');
    assert.is(text.split(`${source}:3:3`).length, 3, text);
    assert.not.match(text, 'fail.js');
  });
}

test.run();
