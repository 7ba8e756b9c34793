/** CHANGELOG.md, read as far as a test can hold it to what it promises: to say so when the interface or the snapshot changes. */

/** What callers and readers of files depend on, as short texts that differ when anything of it does. */
export interface Fingerprints {
  /** The published schema. */
  readonly schema: string;
  /** The format's number and the shape of the file. */
  readonly snapshot: string;
}

interface Entry {
  readonly version: string;
  readonly fingerprints: Partial<Fingerprints>;
  readonly text: string;
}

const NAMES = {
  schema: { line: 'Schema', word: 'Interface', what: 'the published schema' },
  snapshot: { line: 'Snapshot format', word: 'Snapshot', what: 'the snapshot format' },
} as const satisfies Record<keyof Fingerprints, unknown>;

/** The line of an entry that a fingerprint stands on. */
export function fingerprintLine(name: keyof Fingerprints, value: string): string {
  return `- ${NAMES[name].line}: ${value}`;
}

/** What is missing, each with what to do about it; nothing when all is said. */
export function findingsOf(changelog: string, now: Fingerprints, version: string): readonly string[] {
  const entries = entriesOf(changelog);
  const [newest, before] = entries;
  if (newest === undefined)
    return ['expected CHANGELOG.md to have an entry such as "## [0.1.0] - 2026-11-20"'];
  const findings: string[] = [];
  if (newest.version !== version && newest.version !== 'Unreleased') {
    findings.push(
      `expected the newest entry of CHANGELOG.md to be [Unreleased] or package.json's [${version}], found [${newest.version}]`,
    );
  }
  const raised = raisedFormat(entries, now.snapshot);
  if (raised !== undefined) {
    findings.push(
      `format ${numberOf(now.snapshot)} is published with another form: raise FORMAT in src/snapshot/format.ts to ${numberOf(raised)}`,
    );
  }
  const wanted: Fingerprints = { schema: now.schema, snapshot: raised ?? now.snapshot };
  for (const name of ['schema', 'snapshot'] as const) {
    const { what, word } = NAMES[name];
    const said = newest.fingerprints[name];
    if (said !== wanted[name]) {
      findings.push(
        `${what} is not the one that CHANGELOG.md tells of: expected ${wanted[name]} in its newest entry ` +
          `[${newest.version}], found ${said ?? 'none'}.\nSay there what has changed, in a line that begins with ` +
          `"- **${word}**:", and end the entry with the line\n${fingerprintLine(name, wanted[name])}\n` +
          'If that entry is published already, begin a new one: "## [Unreleased]".',
      );
    } else if (before !== undefined && before.fingerprints[name] !== said && !tellsOf(newest, word)) {
      findings.push(
        `${what} differs between [${before.version}] and [${newest.version}] of CHANGELOG.md: ` +
          `expected a line that begins with "- **${word}**:" and says how, found none`,
      );
    }
  }
  return findings;
}

/** The fingerprint with the next number, where this number is published with another form: files of one number have one form. */
function raisedFormat(entries: readonly Entry[], snapshot: string): string | undefined {
  const published = entries.flatMap(({ version, fingerprints }) =>
    version === 'Unreleased' ? [] : (fingerprints.snapshot ?? []),
  );
  if (!published.some((other) => other !== snapshot && numberOf(other) === numberOf(snapshot)))
    return undefined;
  const highest = Math.max(...published.map((other) => Number(numberOf(other))));
  return snapshot.replace(/^\d+/, String(highest + 1));
}

const numberOf = (fingerprint: string) => fingerprint.split(' ', 1)[0];

/** The newest first, as they stand; without an [Unreleased] one that has no fingerprints: nothing that they cover has changed. */
function entriesOf(changelog: string): readonly Entry[] {
  return changelog
    .split(/^## /m)
    .slice(1)
    .map((text) => {
      const version = /^\[([^\]]+)\]/.exec(text)?.[1] ?? text.split('\n', 1)[0] ?? '';
      return { version, fingerprints: fingerprintsIn(text), text };
    })
    .filter(({ version, fingerprints }) => version !== 'Unreleased' || Object.keys(fingerprints).length > 0);
}

function fingerprintsIn(text: string): Partial<Fingerprints> {
  const schema = fingerprintOf(text, 'schema');
  const snapshot = fingerprintOf(text, 'snapshot');
  return { ...(schema !== undefined && { schema }), ...(snapshot !== undefined && { snapshot }) };
}

function fingerprintOf(text: string, name: keyof Fingerprints): string | undefined {
  return new RegExp(`^- ${NAMES[name].line}: (.+)$`, 'm').exec(text)?.[1];
}

function tellsOf({ text }: Entry, word: string): boolean {
  return text.includes(`\n- **${word}**: `);
}
