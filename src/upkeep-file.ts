/**
 * The state of the builder as a file of the snapshot folder. A server that does not build itself shows it, so that `/status`, the
 * metrics and the mails of `serve` know when the builds of another process fail.
 */
import { rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod';
import { isMissing, messageOf } from './calendar/errors.ts';
import { isObject, parsedJson } from './calendar/json.ts';
import { packageVersion } from './package.ts';
import { makeFolder, openRegular } from './snapshot/files.ts';
import { NO_UPKEEP, type Upkeep } from './upkeep.ts';

const FILE = 'builder.json';

export async function writeUpkeep(folder: string, upkeep: Upkeep): Promise<void> {
  const path = join(folder, FILE);
  const draft = `${path}.next`;
  await makeFolder(folder);
  await writeFile(draft, `${JSON.stringify({ version: packageVersion(), ...upkeep })}\n`);
  await rename(draft, path);
}

/**
 * NO_UPKEEP without such a file. Another version may write other fields, so only its sign of life is read: after an upgrade, the builder may
 * not come up again. Throws for a file that this process may not or cannot read: without it, failing builds would go unnoticed.
 */
export async function readUpkeep(folder: string): Promise<Upkeep> {
  const path = join(folder, FILE);
  const file = await openRegular(path).catch((cause) => {
    if (isMissing(cause)) return null;
    throw new Error(`${path}: expected the state of the builder, found ${messageOf(cause)}`, { cause });
  });
  if (file === null) return NO_UPKEEP;
  const text = await file.readFile('utf8').finally(() => file.close());
  const value = parsedJson(text);
  if (isOwn(value)) return value;
  const { data: foreign } = OF_ANY_VERSION.safeParse(value);
  return foreign === undefined ? NO_UPKEEP : { ...NO_UPKEEP, ...foreign };
}

function isOwn(value: unknown): value is Upkeep {
  return isObject(value) && value.version === packageVersion();
}

/** Milliseconds since 1970, up to the last moment of a Date. */
const moment = z.number().min(0).max(8.64e15);

const OF_ANY_VERSION = z.object({
  schedule: z.object({
    aliveAt: moment,
    nextBuildAt: moment.nullable(),
    buildingUntil: moment.nullable(),
    crashes: z.int().min(0).default(0),
  }),
});
