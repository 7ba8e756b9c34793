/**
 * A log of sent mails: one line a mail, flushed to disk before the next mail begins. If a run is killed and repeated, only the mail that
 * was in progress may be sent twice.
 */
import { open, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod';
import { CalendarError, isMissing, messageOf } from '../../../src/calendar/errors.ts';
import { parsedJson } from '../../../src/calendar/json.ts';
import { makeFolder } from '../../../src/snapshot/files.ts';
import { withLock } from '../../publish/lock.ts';

const idList = z.array(z.string()).readonly();
const lineSchema = z.object({ at: z.iso.datetime(), keys: idList, notices: idList });

/** A mail that was sent: when, to the owner of which keys, with which notices. */
type Line = Readonly<z.infer<typeof lineSchema>>;

export interface SentLog {
  /** Whether a mail with the notice was sent for any of these keys. */
  readonly has: (keyIds: readonly string[], notice: string) => boolean;
  /** Resolves once the line is on disk. */
  readonly add: (line: Line) => Promise<void>;
}

/** Keeps the log in a folder next to the key file. Throws BUILD_LOCKED while another run is active. */
export async function withSentLog<T>(keyFile: string, work: (sent: SentLog) => Promise<T>): Promise<T> {
  const folder = folderOf(keyFile);
  await makeFolder(folder);
  return withLock(folder, async () => work(await readSentLog(keyFile)), { what: 'an announcement' });
}

function folderOf(keyFile: string): string {
  return `${keyFile}.announced`;
}

/** Without the lock: for reading only. Throws INVALID_SETTING for a file that cannot be read or has other lines. */
export async function readSentLog(keyFile: string): Promise<SentLog> {
  // The name stays: with another one, mails would be sent again.
  const path = join(folderOf(keyFile), 'told.ndjson');
  const text = await readFile(path, 'utf8').catch((cause: unknown) => {
    if (isMissing(cause)) return '';
    throw new CalendarError('INVALID_SETTING', `${path}: ${messageOf(cause)}`, { cause });
  });
  const sent = new Set(linesIn(text, path).flatMap(entriesOf));
  let endsInTornLine = text !== '' && !text.endsWith('\n');
  return {
    has: (keyIds, notice) => keyIds.some((id) => sent.has(entryOf(id, notice))),
    add: async (line) => {
      await append(path, `${endsInTornLine ? '\n' : ''}${JSON.stringify(line)}\n`);
      endsInTornLine = false;
      for (const entry of entriesOf(line)) sent.add(entry);
    },
  };
}

function linesIn(text: string, path: string): readonly Line[] {
  return text.split('\n').flatMap((line, index) => {
    const parsed = lineSchema.safeParse(parsedJson(line));
    if (parsed.success) return [parsed.data];
    // A torn line was being written when a run died: its mail was the one in progress.
    if (!line.endsWith('}')) return [];
    const message = `${path}:${index + 1}: expected a line about a sent mail, found another`;
    throw new CalendarError('INVALID_SETTING', message);
  });
}

function entriesOf({ keys, notices }: Line): readonly string[] {
  return keys.flatMap((id) => notices.map((notice) => entryOf(id, notice)));
}

function entryOf(keyId: string, notice: string): string {
  return `${keyId} ${notice}`;
}

async function append(path: string, text: string): Promise<void> {
  const file = await open(path, 'a', 0o600);
  try {
    // Earlier versions created it with other permissions.
    await file.chmod(0o600);
    await file.writeFile(text);
    await file.sync();
  } finally {
    await file.close();
  }
}
