/**
 * A log of sent mails: one line a mail, flushed to disk before the next mail begins. If a run is killed and repeated, only the mail that
 * was in progress may be sent twice.
 */
import { mkdir, open, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod';
import { CalendarError, isMissing, messageOf } from '../../../src/calendar/errors.ts';
import { parsedJson } from '../../../src/calendar/json.ts';
import { withLock } from '../../lock.ts';

const ids = z.array(z.string()).readonly();
const LINE = z.object({ at: z.iso.datetime(), keys: ids, notices: ids });

type Line = Readonly<z.infer<typeof LINE>>;

export interface SentLog {
  /** Whether a mail with the notice was sent for any of these keys. */
  readonly has: (keys: readonly string[], notice: string) => boolean;
  /** Resolves once the line is on disk. */
  readonly add: (line: Line) => Promise<void>;
}

/** Keeps the log in a folder next to the key file. Throws BUILD_LOCKED while another run is active. */
export async function withSentLog<T>(keyFile: string, work: (sent: SentLog) => Promise<T>): Promise<T> {
  const folder = folderOf(keyFile);
  await mkdir(folder, { recursive: true });
  return withLock(folder, async () => work(await readSentLog(keyFile)), { what: 'an announcement' });
}

const folderOf = (keyFile: string): string => `${keyFile}.announced`;

/** Without the lock, for reading only. */
export async function readSentLog(keyFile: string): Promise<SentLog> {
  // The name stays: with another one, mails would be sent again.
  const path = join(folderOf(keyFile), 'told.ndjson');
  const text = await readFile(path, 'utf8').catch((cause: unknown) => {
    if (isMissing(cause)) return '';
    throw new CalendarError('INVALID_SETTING', `${path}: ${messageOf(cause)}`, { cause });
  });
  const sent = new Set<string>();
  const note = ({ keys, notices }: Line) => {
    for (const key of keys) for (const notice of notices) sent.add(`${key} ${notice}`);
  };
  for (const [index, line] of text.split('\n').entries()) {
    const parsed = LINE.safeParse(parsedJson(line));
    if (parsed.success) note(parsed.data);
    // A torn line was being written when a run died: its mail was the one in progress.
    else if (line.endsWith('}')) {
      const message = `${path}:${index + 1}: expected a line about a sent mail, found another`;
      throw new CalendarError('INVALID_SETTING', message);
    }
  }
  let isTorn = text !== '' && !text.endsWith('\n');
  return {
    has: (ids: readonly string[], notice: string) => ids.some((id) => sent.has(`${id} ${notice}`)),
    add: async (line: Line) => {
      const file = await open(path, 'a', 0o600);
      try {
        // Earlier versions created it with other permissions.
        await file.chmod(0o600);
        await file.writeFile(`${isTorn ? '\n' : ''}${JSON.stringify(line)}\n`);
        await file.sync();
      } finally {
        await file.close();
      }
      isTorn = false;
      note(line);
    },
  };
}
