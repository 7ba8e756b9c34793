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

const LINE = z.object({
  at: z.iso.datetime(),
  keys: z.array(z.string()).readonly(),
  notices: z.array(z.string()).readonly(),
});

type Line = Readonly<z.infer<typeof LINE>>;

export interface SentLog {
  /** Whether a mail with the notice was sent for any of these keys. */
  readonly has: (ids: readonly string[], notice: string) => boolean;
  /** Resolves once the line is on disk. */
  readonly add: (line: Line) => Promise<void>;
}

const FILE = 'told.ndjson';

/** Keeps the log in a folder beside the key file. Throws BUILD_LOCKED while another run is active. */
export async function withSentLog<T>(keyFile: string, work: (sent: SentLog) => Promise<T>): Promise<T> {
  const folder = folderOf(keyFile);
  await mkdir(folder, { recursive: true });
  return withLock(folder, async () => work(await openSentLog(join(folder, FILE))), {
    what: 'an announcement',
  });
}

/** For reading only. */
export function readSentLog(keyFile: string): Promise<Pick<SentLog, 'has'>> {
  return openSentLog(join(folderOf(keyFile), FILE));
}

const folderOf = (keyFile: string): string => `${keyFile}.announced`;

async function openSentLog(path: string): Promise<SentLog> {
  const text = await readFile(path, 'utf8').catch((cause: unknown) => {
    if (isMissing(cause)) return '';
    throw new CalendarError('INVALID_SETTING', `${path}: ${messageOf(cause)}`, { cause });
  });
  const sent = new Set<string>();
  const note = ({ keys, notices }: Line) => {
    for (const key of keys) for (const notice of notices) sent.add(`${key} ${notice}`);
  };
  const lines = text.split('\n');
  // The text after the last line feed was being written when a run died.
  const torn = lines.at(-1) ?? '';
  for (const [place, line] of lines.entries()) note(lineOf(line, `${path}:${place + 1}`));
  let isTorn = torn !== '';
  return {
    has: (ids, notice) => ids.some((id) => sent.has(`${id} ${notice}`)),
    add: async (line) => {
      const file = await open(path, 'a', 0o600);
      try {
        // Also for a file of an earlier version.
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

/** A torn line is ignored: its mail was the one in progress. Any other invalid line stops the run. */
function lineOf(text: string, place: string): Line {
  const parsed = LINE.safeParse(parsedJson(text));
  if (parsed.success) return parsed.data;
  if (!text.endsWith('}')) return { at: '', keys: [], notices: [] };
  const message = `${place}: expected a line about a sent mail, found another`;
  throw new CalendarError('INVALID_SETTING', message);
}
