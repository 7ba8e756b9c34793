/** CHANGELOG.md says so when the interface or the snapshot changes: each of its entries ends with fingerprints of both. */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { buildSchema, lexicographicSortSchema, printSchema } from 'graphql';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { packagePath } from '../src/package.ts';
import { sdl } from '../src/serve/graphql/schema.ts';
import { FINGERPRINT, FINGERPRINT_PARTS } from '../src/snapshot/fingerprint.ts';
import { FORMAT } from '../src/snapshot/format.ts';
import { assertOneOf } from './helpers/assertions.ts';

const changelog = suite('changelog');

interface Entry {
  readonly version: string;
  readonly text: string;
}

/** The interfaces that others depend on: the line of a fingerprint, and the word that begins lines about a change. */
const KINDS = [
  { line: 'Schema', word: 'Interface', what: 'the published schema' },
  { line: 'Snapshot format', word: 'Snapshot', what: 'the snapshot format' },
];

const fingerprintIn = ({ text }: Entry, line: string) => new RegExp(`^- ${line}: (.+)$`, 'm').exec(text)?.[1];

changelog('the newest entry should have the fingerprints of today’s schema and snapshot format', () => {
  const { version } = JSON.parse(readFileSync(packagePath('package.json'), 'utf8'));
  const [newest, before] = entries();
  if (newest === undefined) throw new Error('expected an entry such as "## [0.1.0] - 2026-11-20"');
  assertOneOf(newest.version, ['Unreleased', version], 'as the newest entry');
  const now = [sha256(printSchema(lexicographicSortSchema(buildSchema(sdl)))), snapshotFingerprint()];
  const findings = KINDS.flatMap(({ line, word, what }, kind) => {
    const written = fingerprintIn(newest, line);
    if (written !== now[kind])
      return [
        `${what} is not the one of the newest entry, [${newest.version}].\nSay there what has changed, in a line that begins with ` +
          `"- **${word}**:", and end the entry with the line\n- ${line}: ${now[kind]}\n` +
          'If that entry is published already, begin a new one: "## [Unreleased]".',
      ];
    const isAnnounced = before === undefined || newest.text.includes(`\n- **${word}**: `);
    if (isAnnounced || fingerprintIn(before, line) === written) return [];
    return [
      `${what} differs from that of [${before.version}]: expected a line that begins with "- **${word}**:"`,
    ];
  });
  assert.ok(findings.length === 0, findings.join('\n\n'));
});

changelog('the fingerprint should cover what lies inside ready-made JSON, such as a field of a venue', () => {
  const { lists = '', events = '', meta = '', columns = '', tables = '' } = FINGERPRINT_PARTS;
  const venue = /venues: \[\{ id: text, name: text, .*location: \{ latitude: number, longitude: number \}\?/;
  assert.match(lists, venue);
  assert.match(lists, /licence: \{ id: text/);
  assert.match(events, /urlSmall: text\?/);
  assert.match(meta, /counts: \{ events: count/);
  assert.match(columns, /start: f64/);
  assert.match(tables, /create table event \(/);
  assert.not.match(lists + events, /\bother\b/);
});

/** The newest first, as they stand. An [Unreleased] one without fingerprints has changed nothing that they cover. */
function entries(): readonly Entry[] {
  const [, ...parts] = readFileSync(packagePath('CHANGELOG.md'), 'utf8').split(/^## \[/m);
  return parts
    .map((text) => ({ version: text.slice(0, text.indexOf(']')), text }))
    .filter((entry) => entry.version !== 'Unreleased' || fingerprintIn(entry, 'Schema') !== undefined);
}

/** The fingerprint of snapshot files: their format number, tables, columns and ready-made JSON. Files of one number have one form. */
function snapshotFingerprint(): string {
  const form = `(\`sha256:${FINGERPRINT}\`)`;
  const published = entries()
    .filter(({ version }) => version !== 'Unreleased')
    .map((entry) => fingerprintIn(entry, 'Snapshot format') ?? '');
  if (published.every((other) => other === `${FORMAT} ${form}` || !other.startsWith(`${FORMAT} `)))
    return `${FORMAT} ${form}`;
  const next = Math.max(...published.map((other) => Number.parseInt(other, 10))) + 1;
  return `${next} ${form}\n(and raise FORMAT in src/snapshot/format.ts to ${next})`;
}

function sha256(text: string): string {
  return `\`sha256:${createHash('sha256').update(text).digest('hex')}\``;
}

changelog.run();
