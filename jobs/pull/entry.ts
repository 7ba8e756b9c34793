/** What `npm run pull` does: copies the origin's snapshot once, or follows it with `--watch` (H6). */
import { parseArgs } from 'node:util';
import { CalendarError, messageOf } from '../../src/calendar/errors.ts';
import { printable } from '../../src/calendar/text.ts';
import { runBuilder } from '../../src/runtime/builder.ts';
import { readSettings } from '../../src/settings.ts';
import { readTrust } from '../signature.ts';
import { originOf } from '../store/s3.ts';
import { type CopyOptions, copySnapshot, fetchManifest, isCurrent, readOriginManifest } from './copy.ts';

/** Throws INVALID_SETTING. */
export async function pullByCommand(args: readonly string[]): Promise<void> {
  const watch = readArguments(args);
  const read = readSettings(process.env, process.cwd());
  const {
    origin,
    snapshots: folder,
    allowPrivateFeeds: allowPrivate,
    s3,
    snapshotsToken,
    trust,
  } = read.settings;
  if (origin === null) {
    throw new CalendarError('INVALID_SETTING', 'ALMANAKK_ORIGIN: expected the URL to copy from, found none');
  }
  if (watch) return runBuilder(read);
  for (const warning of read.warnings) process.stderr.write(printable(`warning: ${warning}\n`));
  const { signal } = new AbortController();
  await pullOnce({
    ...originOf(origin, s3, snapshotsToken),
    trust: readTrust(trust),
    folder,
    allowPrivate,
    signal,
  });
}

function readArguments(args: readonly string[]): boolean {
  try {
    const options = { watch: { type: 'boolean', default: false } } as const;
    return parseArgs({ args: [...args], options }).values.watch;
  } catch (cause) {
    throw new CalendarError('INVALID_SETTING', `${messageOf(cause)}\nUsage: npm run pull [-- --watch]`, {
      cause,
    });
  }
}

async function pullOnce(options: CopyOptions): Promise<void> {
  const wanted = await readOriginManifest(await fetchManifest(options), options);
  const current = await isCurrent(options, wanted, { thorough: true });
  const { file, builtAt, counts } = current ? wanted : await copySnapshot(options, wanted);
  const outcome = current ? 'unchanged' : 'published';
  process.stdout.write(printable(`${outcome}: ${file}, built at ${builtAt}, ${counts.events} events\n`));
}
