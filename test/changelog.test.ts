/** CHANGELOG.md says so when the interface or the snapshot changes: its entries have fingerprints of both (readme/fingerprints.ts). */
import { readFileSync } from 'node:fs';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { packagePath } from '../src/package.ts';
import { FINGERPRINT, FINGERPRINT_PARTS } from '../src/snapshot/fingerprint.ts';
import { assertIncludes, assertOneOf } from './helpers/assertions.ts';
import { eachIn } from './helpers/html.ts';
import {
  type Entry,
  entriesIn,
  fingerprintIn,
  formatNumber,
  KINDS,
  withFingerprints,
} from './readme/fingerprints.ts';

const changelog = suite('changelog');

const written = readFileSync(packagePath('CHANGELOG.md'), 'utf8');

changelog('the newest entry should be that of this version, and say what has changed', () => {
  const { version } = JSON.parse(readFileSync(packagePath('package.json'), 'utf8'));
  assertOneOf(entriesIn(written)[0]?.version, ['Unreleased', version], 'as the newest entry');
  const [newest, before] = entriesIn(withFingerprints(written)).filter(hasFingerprints);
  if (newest === undefined) throw new Error('expected an entry with fingerprints, found none');
  if (before === undefined) return;
  const unannounced = KINDS.filter(
    ({ line, word }) =>
      fingerprintIn(before, line) !== fingerprintIn(newest, line) &&
      !newest.text.includes(`\n- **${word}**: `),
  );
  assert.equal(
    unannounced.map(
      ({ what, word }) => `${what} has changed: expected a line that begins with "- **${word}**:"`,
    ),
    [],
    `[${newest.version}]`,
  );
});

changelog('each line of the newest entry should begin with a label from docs/releases.md', () => {
  const releases = readFileSync(packagePath('docs/releases.md'), 'utf8');
  const labels = eachIn(releases, /^\| \*\*(\w+)\*\* \| /gm);
  assertIncludes(labels, 'WordPress');
  const isLabelled = (line: string) => labels.some((label) => line.startsWith(`- **${label}**: `));
  const [newest] = entriesIn(written);
  const changes = newest?.text.replaceAll(/^### (?:Fingerprints|Planned)\n[^#]*/gm, '') ?? '';
  assert.equal(
    eachIn(changes, /^(- .*)$/gm).filter((line) => !isLabelled(line)),
    [],
  );
});

const hasFingerprints = (entry: Entry) => fingerprintIn(entry, 'Schema') !== undefined;

const OLD = '## [1.1.0] - 2026-11-01\n\n- Schema: old\n- Snapshot format: 3 (old)\n';
const isReleased = (version: string) => version === '1.1.0';

changelog('fingerprints should be written into the newest entry, and never into one that is released', () => {
  const started = withFingerprints(`# Changelog\n\n${OLD}`, isReleased);
  assert.match(
    started,
    /^# Changelog\n\n## \[Unreleased\]\n\n### Fingerprints\n\n- Schema: `sha256:.+\n\n## \[1\.1\.0\]/s,
  );
  assert.ok(started.endsWith(OLD), started);
  assert.is(withFingerprints(started, isReleased), started, 'a second time');
  const described = `## [Unreleased]\n\n- **Interface**: more.\n\n${OLD}`;
  assert.match(withFingerprints(described, isReleased), /: more\.\n\n### Fingerprints\n\n- Schema: `/);
  const outdated = started.replace(/(?<=Schema: `)sha256:\w+/, 'sha256:0');
  assert.is(withFingerprints(outdated, isReleased), started, 'one of them out of date');
});

changelog('a format that no release has should get the next number, and another release keep its own', () => {
  assert.is(formatNumber(OLD, isReleased), 4);
  assertIncludes(withFingerprints(OLD, isReleased), `- Snapshot format: 4 (\`sha256:${FINGERPRINT}\`)`);
  const same = OLD.replace('(old)', `(\`sha256:${FINGERPRINT}\`)`);
  assert.is(formatNumber(`## [1.2.0]\n\n${same}`, isReleased), 3);
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

changelog.run();
