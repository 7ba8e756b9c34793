import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { buildSchema, lexicographicSortSchema, printSchema } from 'graphql';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { packagePath } from '../src/package.ts';
import { sdl } from '../src/serve/graphql/schema.ts';
import { FORMAT } from '../src/snapshot/format.ts';
import { SHAPE, SHAPE_PARTS } from '../src/snapshot/verify.ts';
import { type Fingerprints, findingsOf, fingerprintLine } from './readme/changelog.ts';

const changelog = suite('changelog');

changelog('should say so when the published schema or the snapshot format changes', () => {
  const now = { schema: schemaFingerprint(sdl), snapshot: snapshotFingerprint };
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

changelog('should mind what lies inside ready-made JSON, such as a field of a venue', () => {
  const { lists = '', events = '', meta = '', columns = '', tables = '' } = SHAPE_PARTS;
  assert.match(
    lists,
    /venues: \[\{ id: text, name: text, .*location: \{ latitude: number, longitude: number \}\?/,
  );
  assert.match(lists, /licence: \{ id: text/);
  assert.match(events, /images|urlSmall: text\?/);
  assert.match(meta, /counts: \{ events: count/);
  assert.match(columns, /start: f64/);
  assert.match(tables, /create table event \(/);
  assert.not.match(lists + events, /\bother\b/);
});

const ENTRY = (version: string, { schema, snapshot }: Fingerprints, more = '') =>
  `## [${version}]\n\n${more}\n${fingerprintLine('schema', schema)}\n${fingerprintLine('snapshot', snapshot)}\n`;
const UNRELEASED = '## [Unreleased]\n\n- **Operation**: more.\n';
const A: Fingerprints = { schema: 'a', snapshot: '1 (a)' };
const B: Fingerprints = { schema: 'b', snapshot: '2 (b)' };

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
    'another form under the number of a published format',
    `${ENTRY('Unreleased', { ...B, snapshot: '1 (b)' }, '\n- **Interface**: more.\n- **Snapshot**: more.\n')}\n${ENTRY('1.0.0', A)}`,
    { ...B, snapshot: '1 (b)' },
    /format 1 is published with another form: raise FORMAT .* to 2\n[\s\S]*expected 2 \(b\)/,
  ],
  [
    'another schema and another form at once',
    ENTRY('1.0.0', A),
    { schema: 'b', snapshot: '1 (b)' },
    /raise FORMAT .* to 2\n[\s\S]*expected b in [\s\S]*expected 2 \(b\) in /,
  ],
  ['words without fingerprints that cover nothing', `${UNRELEASED}\n${ENTRY('1.0.0', A)}`, A],
  [
    'words without the fingerprints that have changed',
    `${UNRELEASED}\n${ENTRY('1.0.0', A)}`,
    { ...A, schema: 'b' },
    /^the published schema .* expected b in its newest entry \[1\.0\.0\], found a\./,
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

/** Of files: tables, columns, and what lies inside ready-made JSON. */
const snapshotFingerprint = `${FORMAT} (\`sha256:${SHAPE}\`)`;

function sha256(text: string): string {
  return `\`sha256:${createHash('sha256').update(text).digest('hex')}\``;
}

changelog.run();
