/** Keepers with a folder, a log that tests can read, and a clock that tests move. */
import { messageOf } from '../../src/calendar/errors.ts';
import { createKeeper, type Keeper, type KeeperOptions } from '../../src/snapshot/keeper.ts';
import { verifyFile } from '../../src/snapshot/verify.ts';
import { publishCalendar, temporaryFolder } from './folder.ts';

export interface Line {
  readonly level: 'info' | 'warn';
  readonly message: string;
  readonly fields: object;
}

export function logInto(lines: Line[]): KeeperOptions['log'] {
  return {
    info: (fields, message) => lines.push({ level: 'info', message, fields }),
    warn: (fields, message) => lines.push({ level: 'warn', message, fields }),
  };
}

/** Verifies in this process: another one costs half a second. */
export const verifyHere: NonNullable<KeeperOptions['verify']> = (path, expected, thoroughness) =>
  verifyFile(path, expected, thoroughness);

const unwatched: NonNullable<KeeperOptions['watch']> = () => () => undefined;

/** A keeper that checks its folder only when the test asks, and whose clock the test moves. */
export async function startKeeper(
  { keepers }: { keepers: Keeper[] },
  prepare: (folder: string) => Promise<unknown> = async () => undefined,
  options: Partial<KeeperOptions> = {},
) {
  const folder = temporaryFolder();
  await prepare(folder);
  const lines: Line[] = [];
  /** Milliseconds, to be moved by the test. */
  const time = { now: 1_000_000 };
  const keeper = await createKeeper({
    folder,
    log: logInto(lines),
    pollMs: 1_000,
    clock: () => time.now,
    watch: unwatched,
    verify: verifyHere,
    ...options,
  });
  keepers.push(keeper);
  return { folder, lines, keeper, time, publish: (name: string) => publishCalendar(folder, { name }) };
}

export const idOf = (keeper: Keeper) => keeper.state().current?.id ?? null;
export const reasonsIn = (lines: readonly Line[]) =>
  lines.flatMap(({ fields }) => ('reason' in fields ? [String(fields.reason)] : []));

/** Why there is no snapshot; empty if there is one. */
export function whyUnavailable(keeper: Keeper): string {
  try {
    keeper.pin().release();
    return '';
  } catch (cause) {
    return messageOf(cause);
  }
}
