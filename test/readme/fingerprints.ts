/** The fingerprints in CHANGELOG.md, by which an entry says which schema and which snapshot format its version has. */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { buildSchema, lexicographicSortSchema, printSchema } from 'graphql';
import { packagePath } from '../../src/package.ts';
import { sdl } from '../../src/serve/graphql/schema.ts';
import { FINGERPRINT } from '../../src/snapshot/fingerprint.ts';

export interface Entry {
  /** `Unreleased`, or a version. */
  readonly version: string;
  /** From the version in its heading on, up to the next heading of an entry. */
  readonly text: string;
}

/** The interfaces that others depend on: the line of a fingerprint, and the word that begins lines about a change. */
export const KINDS = [
  { line: 'Schema', word: 'Interface', what: 'the published schema' },
  { line: 'Snapshot format', word: 'Snapshot', what: 'the snapshot format' },
] as const;

type Line = (typeof KINDS)[number]['line'];

/** The entries, the newest first. */
export function entriesIn(changelog: string): readonly Entry[] {
  const [, ...parts] = changelog.split(/^## \[/m);
  return parts.map((text) => ({ version: text.slice(0, text.indexOf(']')), text }));
}

export function fingerprintIn({ text }: Entry, line: Line): string | undefined {
  return new RegExp(`^- ${line}: (.+)$`, 'm').exec(text)?.[1];
}

/** CHANGELOG.md with the fingerprints of the code in its newest entry; if that is released, in a new one above it. */
export function withFingerprints(changelog: string, isReleased = hasTag): string {
  const [newest] = entriesIn(changelog);
  if (newest === undefined)
    throw new Error('expected an entry such as "## [0.1.0] - 2026-11-20", found none');
  const now = fingerprints(changelog, isReleased);
  const states = (entry: Entry) => KINDS.every(({ line }) => fingerprintIn(entry, line) === now[line]);
  const stated = entriesIn(changelog).find((entry) => fingerprintIn(entry, 'Schema') !== undefined);
  if (stated !== undefined && states(stated)) return changelog;
  const lines = KINDS.map(({ line }) => `- ${line}: ${now[line]}\n`).join('');
  if (isReleased(newest.version))
    return changelog.replace(/^## \[/m, () => `## [Unreleased]\n\n### Fingerprints\n\n${lines}\n## [`);
  if (fingerprintIn(newest, 'Schema') === undefined)
    return changelog.replace(newest.text, () => `${newest.text.trimEnd()}\n\n### Fingerprints\n\n${lines}\n`);
  const text = KINDS.reduce(
    (entry, { line }) => entry.replace(new RegExp(`^- ${line}: .+$`, 'm'), () => `- ${line}: ${now[line]}`),
    newest.text,
  );
  return changelog.replace(newest.text, () => text);
}

/**
 * The number that FORMAT has to be. Released versions whose files are the same share a number; a format that no released version has gets
 * the next one.
 */
export function formatNumber(changelog: string, isReleased = hasTag): number {
  const released = releasedEntries(changelog, isReleased).map(
    (entry) => fingerprintIn(entry, 'Snapshot format') ?? '',
  );
  const same = released.find((format) => format.includes(FINGERPRINT));
  const numbers = released.map((format) => Number.parseInt(format, 10));
  return same === undefined ? Math.max(...numbers) + 1 : Number.parseInt(same, 10);
}

function fingerprints(changelog: string, isReleased: typeof hasTag): Readonly<Record<Line, string>> {
  const schema = printSchema(lexicographicSortSchema(buildSchema(sdl)));
  const hash = createHash('sha256').update(schema).digest('hex');
  return {
    Schema: `\`sha256:${hash}\``,
    'Snapshot format': `${formatNumber(changelog, isReleased)} (\`sha256:${FINGERPRINT}\`)`,
  };
}

/** Those below the newest one are released, with or without a tag: another entry follows them. */
function releasedEntries(changelog: string, isReleased: typeof hasTag): readonly Entry[] {
  return entriesIn(changelog).filter(({ version }, at) => at > 0 || isReleased(version));
}

/** Whether this repository has the tag of a version. */
function hasTag(version: string): boolean {
  const args = ['tag', '--list', `v${version}`];
  const { stdout } = spawnSync('git', args, { cwd: packagePath('.'), encoding: 'utf8' });
  return (stdout ?? '').trim() !== '';
}
