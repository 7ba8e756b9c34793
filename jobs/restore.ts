/** H14: `almanakk restore`, which puts an older snapshot back and holds builds, which would replace it at once. */
import { CalendarError } from '../src/calendar/errors.ts';
import { isoSecond } from '../src/calendar/time.ts';
import { commandLine } from '../src/package.ts';
import { listByBuild } from '../src/snapshot/folder.ts';
import { parseArguments } from './arguments.ts';
import { compress } from './compress.ts';
import { holdBuilds, releaseBuilds, withLock } from './lock.ts';
import { publish } from './publish.ts';
import { type CommandContext, commandContext } from './rebuild.ts';

const USAGE = `Usage: ${commandLine('restore', 'ID | --resume [options]')}

  ID                of a snapshot that is in the folder: serve it again, and hold builds
  --resume          let builds go on
  --target FOLDER   snapshot folder (ALMANAKK_SNAPSHOTS)
  --help            print this
`;

export async function restoreByCommand(args: readonly string[]): Promise<number> {
  return runRestore(args, await commandContext());
}

/** Returns the exit code. Throws INVALID_SETTING, SNAPSHOT_UNUSABLE for a damaged snapshot, and BUILD_LOCKED. */
export async function runRestore(args: readonly string[], context: CommandContext): Promise<0> {
  const { stdout, defaults } = context;
  const config = { args: [...args], options: OPTIONS, allowPositionals: true } as const;
  const { values, positionals } = parseArguments(config, USAGE);
  const { help, resume, target = defaults.target } = values;
  const [id, more] = positionals;
  if (help) stdout(USAGE);
  else if (resume && id === undefined) {
    await releaseBuilds(target);
    stdout('builds go on\n');
  } else if (!resume && id !== undefined && more === undefined) {
    stdout(await withLock(target, () => restore(id, target, context)));
  } else {
    const wrong = `expected one id of ${await idsIn(target)}, or --resume`;
    throw new CalendarError('INVALID_SETTING', `${wrong}\n${USAGE}`);
  }
  return 0;
}

async function idsIn(folder: string): Promise<string> {
  return (await listByBuild(folder)).map(({ id }) => id).join(', ') || 'a snapshot, of which there are none';
}

const OPTIONS = {
  resume: { type: 'boolean', default: false },
  target: { type: 'string' },
  help: { type: 'boolean', default: false },
} as const;

async function restore(id: string, folder: string, { defaults, now }: CommandContext): Promise<string> {
  const snapshot = (await listByBuild(folder)).find((one) => one.id === id);
  if (snapshot === undefined) {
    const wrong = `expected one id of ${await idsIn(folder)}, found ${JSON.stringify(id)}`;
    throw new CalendarError('INVALID_SETTING', `${folder}: ${wrong}`);
  }
  const { file, builtAt, counts } = await publish({
    folder,
    file: snapshot.path,
    compress,
    sign: defaults.sign,
  });
  await holdBuilds(folder, `restored ${id} at ${isoSecond(now)}`);
  return `restored: ${file}, built at ${builtAt}, ${counts.events} events; builds are held until "${commandLine('restore', '--resume')}"\n`;
}
