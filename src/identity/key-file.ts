/** The file that lists the application keys: hashes only, so that who reads it cannot use one. */
import { mkdir, open, readFile, rename, rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import * as z from 'zod';
import { CalendarError, isMissing, messageOf } from '../calendar/errors.ts';
import { parsedJson } from '../calendar/json.ts';

const EMAIL = z.email().max(254);

/** Whether mail can be sent there: ASCII only, because not every mail server takes more. */
export function isEmail(text: string): boolean {
  return EMAIL.safeParse(text).success;
}

const KEY_ENTRY = z.strictObject({
  /** Public: names the key in lists and in `revoke`. */
  id: z.string().regex(/^[0-9a-z]{4,32}$/),
  /** The application that the key was issued to. */
  app: z.string().min(1).max(100),
  /** SHA-256 of the key, hex. */
  hash: z.string().regex(/^[0-9a-f]{64}$/),
  /** Where to write to whoever has the key; absent where nobody has said. */
  email: EMAIL.optional(),
  created: z.iso.datetime(),
  revoked: z.iso.datetime().nullable(),
});

const KEY_FILE = z.strictObject({ keys: z.array(KEY_ENTRY) });

export type KeyEntry = Readonly<z.infer<typeof KEY_ENTRY>>;

/** No file means no keys. Throws INVALID_SETTING for anything that is not such a file. */
export async function readKeyFile(path: string): Promise<readonly KeyEntry[]> {
  const text = await readText(path);
  if (text === undefined) return [];
  const value = parsedJson(text);
  if (value === undefined) {
    const message = `${path}: expected JSON, found ${text.length} characters that are none`;
    throw new CalendarError('INVALID_SETTING', message);
  }
  const parsed = KEY_FILE.safeParse(value);
  if (parsed.success) return parsed.data.keys;
  const [issue] = parsed.error.issues;
  const where = issue?.path.join('.') || 'the whole';
  throw new CalendarError('INVALID_SETTING', `${path}: ${where}: ${issue?.message}`);
}

/**
 * Replaces the file by what `change` makes of it, in one rename: readers see the old or the new one. The file beside it
 * is made exclusively, so that of two changes at a time the second one fails and neither is lost.
 */
export async function changeKeyFile(path: string, now: Date, change: ChangeKeys): Promise<void> {
  const beside = `${path}.next`;
  await mkdir(dirname(path), { recursive: true });
  await removeStale(beside, now);
  const file = await open(beside, 'wx').catch((cause: unknown) => {
    const message = `${beside}: expected no other change under way, found one: ${messageOf(cause)}`;
    throw new CalendarError('INVALID_SETTING', message, { cause });
  });
  try {
    const keys = change(await readKeyFile(path));
    await file.writeFile(`${JSON.stringify({ keys }, null, 2)}\n`);
    await file.sync();
    await file.close();
    await rename(beside, path);
    await syncFolder(dirname(path));
  } catch (cause) {
    await file.close().catch(() => undefined);
    await rm(beside, { force: true });
    throw cause;
  }
}

type ChangeKeys = (keys: readonly KeyEntry[]) => readonly KeyEntry[];

/** Milliseconds after which a change that is under way must have died. */
const STALE = 10_000;

async function removeStale(beside: string, now: Date): Promise<void> {
  const found = await stat(beside).catch(() => undefined);
  if (found !== undefined && now.getTime() - found.mtimeMs > STALE) await rm(beside, { force: true });
}

async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

async function readText(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8');
  } catch (cause) {
    if (isMissing(cause)) return undefined;
    throw new CalendarError('INVALID_SETTING', `${path}: ${messageOf(cause)}`, { cause });
  }
}
