/**
 * The state of the builder as a file of the snapshot folder. A server that does not build itself shows it, so that `/status`, the
 * metrics and the mails of `serve` know when the builds of another process fail.
 */
import { mkdir, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isObject, parsedJson } from './calendar/json.ts';
import { packageVersion } from './package.ts';
import { openRegular } from './snapshot/files.ts';
import { NO_UPKEEP, type Upkeep } from './upkeep.ts';

const FILE = 'builder.json';

export async function writeUpkeep(folder: string, upkeep: Upkeep): Promise<void> {
  const path = join(folder, FILE);
  const draft = `${path}.next`;
  await mkdir(folder, { recursive: true });
  await writeFile(draft, `${JSON.stringify({ version: packageVersion(), ...upkeep })}\n`);
  await rename(draft, path);
}

/** NO_UPKEEP if no builder of this version has written the file: another version may write other fields. */
export async function readUpkeep(folder: string): Promise<Upkeep> {
  const file = await openRegular(join(folder, FILE)).catch(() => null);
  if (file === null) return NO_UPKEEP;
  const text = await file.readFile('utf8').finally(() => file.close());
  const value = parsedJson(text);
  return isOwn(value) ? value : NO_UPKEEP;
}

function isOwn(value: unknown): value is Upkeep {
  return isObject(value) && value.version === packageVersion();
}
