/** What is known of a feed from builds before this one. A file beside its slice; without it, a feed is simply read anew. */
import { mkdir, open, readFile, rename, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import * as z from 'zod';
import { unfinishedPath } from '../publish.ts';
import { FEED_REASONS } from './problem.ts';

const moment = z.iso.datetime();
const text = z.string().nullable();

const stateSchema = z.object({
  /** SHA-256 of the slice that the rest is about. */
  slice: text,
  /** SHA-256 of the bytes that it was made of. */
  source: text,
  /** Of these, or of an endpoint's answers. */
  bytes: z.int(),
  /** For conditional requests: an ETag or a moment by request. */
  validators: z.record(z.string(), z.object({ etag: text, lastModified: text })),
  /** When the feed was last found to say what the slice says. */
  readAt: moment.nullable(),
  /** Null while all is well. */
  failing: z
    .object({
      since: moment,
      reason: z.enum(FEED_REASONS),
      why: z.string(),
      /** The server asked not to be asked before. */
      notBefore: moment.nullable(),
    })
    .nullable(),
});

export type FeedState = z.output<typeof stateSchema>;
export type Validators = FeedState['validators'];
export type Validator = Validators[string];
export type Failing = NonNullable<FeedState['failing']>;

export const NO_STATE: FeedState = {
  slice: null,
  source: null,
  bytes: 0,
  validators: {},
  readAt: null,
  failing: null,
};

/** The folder of slices and states within a snapshot folder. */
const FOLDER = 'feeds';

export function slicePath(target: string, feed: string): string {
  return join(target, FOLDER, `${feed}.ndjson`);
}

/** Within the snapshot folder, so that what a killed build leaves there goes with its other debris. */
export function draftPath(target: string, feed: string): string {
  return unfinishedPath(target, `feed-${feed}`);
}

export async function readState(target: string, feed: string): Promise<FeedState> {
  try {
    return stateSchema.parse(JSON.parse(await readFile(statePath(target, feed), 'utf8')));
  } catch {
    return NO_STATE;
  }
}

export async function writeState(target: string, feed: string, state: FeedState): Promise<void> {
  const draft = `${draftPath(target, feed)}.state`;
  await writeFile(draft, `${JSON.stringify(state, null, 2)}\n`, { flush: true });
  await moveIntoPlace(draft, statePath(target, feed));
}

/** The draft must be on disk already. */
export async function moveIntoPlace(draft: string, path: string): Promise<void> {
  const folder = dirname(path);
  await mkdir(folder, { recursive: true });
  await rename(draft, path);
  const handle = await open(folder);
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

function statePath(target: string, feed: string): string {
  return join(target, FOLDER, `${feed}.json`);
}
