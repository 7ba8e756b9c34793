import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { buildSchema, lexicographicSortSchema, printSchema } from 'graphql';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { packagePath } from '../src/package.ts';
import { sdl } from '../src/serve/graphql/schema.ts';
import { FORMAT } from '../src/snapshot/format.ts';
import { openReader, type Row, textOf } from '../src/snapshot/sqlite.ts';
import { built, sourceOf } from './helpers/build.ts';
import { temporaryFolder } from './helpers/folder.ts';
import { type Fingerprints, findingsOf, fingerprintLine } from './readme/changelog.ts';

const changelog = suite('changelog');

changelog('should say so when the published schema or the snapshot format changes', async () => {
  const now = { schema: schemaFingerprint(sdl), snapshot: await snapshotFingerprint() };
  const { version } = JSON.parse(readFileSync(packagePath('package.json'), 'utf8'));
  const findings = findingsOf(readFileSync(packagePath('CHANGELOG.md'), 'utf8'), now, version);
  assert.ok(findings.length === 0, findings.join('\n\n'));
});

changelog('should not mind the order and the layout of the schema, and mind everything else', () => {
  const is = schemaFingerprint('type Query { a(b: Int, c: Int): Int\n d: String }');
  assert.is(schemaFingerprint('type Query {\n  d: String\n  a(c: Int, b: Int): Int\n}'), is);
  const others = [
    'type Query { a(b: Int, c: Int): Int! d: String }',
    'type Query { a(b: Int, c: Int = 1): Int d: String }',
    'type Query { a(b: Int, c: Int): Int "About d." d: String }',
    'type Query { a(b: Int, c: Int): Int @deprecated d: String }',
  ];
  for (const other of others) assert.is.not(schemaFingerprint(other), is, other);
});

const ENTRY = (version: string, { schema, snapshot }: Fingerprints, more = '') =>
  `## [${version}]\n\n${more}\n${fingerprintLine('schema', schema)}\n${fingerprintLine('snapshot', snapshot)}\n`;
const A: Fingerprints = { schema: 'a', snapshot: '1 (a)' };
const B: Fingerprints = { schema: 'b', snapshot: '1 (b)' };

/** A changelog, what is now, and what is to be said of it; nothing where all is well. */
const CASES: readonly (readonly [what: string, changelog: string, now: Fingerprints, finding?: RegExp])[] = [
  ['one that tells of what is', ENTRY('1.0.0', A), A],
  [
    'another schema',
    ENTRY('1.0.0', A),
    { ...A, schema: 'b' },
    /^the published schema .* expected b in .* found a\./,
  ],
  [
    'another format',
    ENTRY('1.0.0', A),
    { ...A, snapshot: '2 (a)' },
    /^the snapshot format .* expected 2 \(a\)/,
  ],
  ['no entry', '# Changelog\n', A, /^expected CHANGELOG\.md to have an entry/],
  ['an entry without fingerprints', '## [1.0.0]\n', A, /found none\./],
  ['an older entry that told of it', `${ENTRY('1.0.0', A)}\n${ENTRY('0.9.0', B)}`, B, /found a\./],
  [
    'an entry for another version',
    ENTRY('0.9.0', A),
    A,
    /^expected the newest entry .* \[1\.0\.0\], found \[0\.9\.0\]/,
  ],
  [
    'fingerprints without words',
    `${ENTRY('Unreleased', B)}\n${ENTRY('1.0.0', A)}`,
    B,
    /begins with "- \*\*Interface\*\*:"/,
  ],
  [
    'fingerprints with words',
    `${ENTRY('Unreleased', B, '\n- **Interface**: more.\n- **Snapshot**: more.\n')}\n${ENTRY('1.0.0', A)}`,
    B,
  ],
];

for (const [what, text, now, finding] of CASES) {
  changelog(`should ${finding === undefined ? 'accept' : 'have a finding about'} ${what}`, () => {
    const said = findingsOf(text, now, '1.0.0').join('\n');
    if (finding === undefined) assert.is(said, '');
    else assert.match(said, finding);
  });
}

/** Of what a client can see: types, fields, arguments, defaults, descriptions. */
function schemaFingerprint(text: string): string {
  return sha256(printSchema(lexicographicSortSchema(buildSchema(text))));
}

/** Of a built file: its tables and indexes, its columns and lists, and how an event's answer is put together. */
async function snapshotFingerprint(): Promise<string> {
  const target = temporaryFolder();
  const { file } = await built(sourceOf(3), target);
  const reader = await openReader(join(target, file), { timeout: 0 });
  const lines = async (sql: string) => reader.all(sql, [], (row: Row) => textOf(row, 'line'));
  const shape = [
    await lines(
      `select type || ' ' || name || ' ' || coalesce(sql, '') as line from sqlite_schema order by line`,
    ),
    await lines(`select name || ' ' || kind as line from column_blob order by line`),
    await lines('select name as line from list_json order by line'),
    await lines('select distinct name as line from search_part order by line'),
    await lines('select key as line from meta order by line'),
    (await lines('select body as line from event_json order by event')).map(withoutValues),
  ];
  await reader.close();
  const layout = shape.map((group) => group.map((line) => line.replaceAll(/\s+/g, ' ')));
  return `${FORMAT} (${sha256(JSON.stringify(layout))})`;
}

/** Leaves the control characters, which separate what stands between them. */
function withoutValues(body: string): string {
  return JSON.stringify([...body].filter((character) => character < ' '));
}

function sha256(text: string): string {
  return `\`sha256:${createHash('sha256').update(text).digest('hex')}\``;
}

changelog.run();
