/**
 * A feed between builds, in files of the snapshot folder: its last good records (`last-good.ts`), its state, and the pages of a listing
 * (`jsonld/page-copies.ts`).
 */
import { readdir, readFile, rename, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import * as z from 'zod';
import { ifMissing, isMissing, messageOf } from '../../../src/calendar/errors.ts';
import { parsedJson } from '../../../src/calendar/json.ts';
import { makeFolder } from '../../../src/snapshot/files.ts';
import { removeEach } from '../../publish/retention.ts';
import { flushToDisk, unfinishedPath } from '../../publish/unfinished.ts';
import { FEED_REASONS } from './feed-problem.ts';

const moment = z.iso.datetime();
const text = z.string().nullable();

export const validatorSchema = z.object({
  etag: text,
  lastModified: text,
  /** The page was removed, and nothing has changed as long as it stays away. */
  isGone: z.literal(true).optional(),
});

const stateSchema = z.object({
  /** SHA-256 of the last good records that this state belongs to. The name is that of the files on disk. */
  slice: text,
  /** SHA-256 of the bytes that it was made of. */
  source: text,
  /** Result of `configHash` at that reading; null in states of 1.0.0. */
  config: text.default(null),
  /** Number of these bytes, or of an endpoint's answers. */
  bytes: z.int(),
  /** For conditional requests: an ETag or a moment by request. */
  validators: z.record(z.string(), validatorSchema),
  /** When the records were last known to be current. */
  readAt: moment.nullable(),
  /** When the records last changed; null if it is not known, such as in states of earlier versions. */
  changedAt: moment.nullable().default(null),
  /** G11: when it was first found to have lost most of its events; null once records have been accepted. */
  shrunkAt: moment.nullable().default(null),
  /** Null unless it fails. */
  failing: z
    .object({
      since: moment,
      reason: z.enum(FEED_REASONS),
      why: z.string(),
      /** The server asked for no request before this. */
      notBefore: moment.nullable(),
    })
    .nullable(),
});

export type FeedState = z.output<typeof stateSchema>;
export type Validators = FeedState['validators'];
export type Validator = Validators[string];

export const NO_STATE: FeedState = {
  slice: null,
  source: null,
  config: null,
  bytes: 0,
  validators: {},
  readAt: null,
  changedAt: null,
  shrunkAt: null,
  failing: null,
};

/** The folder of last good records and states within a snapshot folder. */
const FOLDER = 'feeds';

/** `target`: the snapshot folder; `feed`: the id of the feed. */
export function lastGoodPath(target: string, feed: string): string {
  return join(target, FOLDER, `${feed}.ndjson`);
}

/** The copies of the pages that a listing links to. */
export function copiesPath(target: string, feed: string): string {
  return join(target, FOLDER, `${feed}.pages`);
}

/** Within the snapshot folder, so that a killed build's file is removed with its other debris. */
export function draftPath(target: string, feed: string): string {
  return unfinishedPath(target, `feed-${feed}`);
}

/** The state after the last reading; `NO_STATE` for a new feed. Rejects if the machine cannot read a state that is there. */
export async function readState(target: string, feed: string): Promise<FeedState> {
  const written = await readFile(statePath(target, feed), 'utf8').catch(ifMissing(''));
  // A damaged state counts as none: the feed is fetched and read again.
  return stateSchema.safeParse(parsedJson(written)).data ?? NO_STATE;
}

/** Replaces the state at once: a killed build leaves the old one. */
export async function writeState(target: string, feed: string, state: FeedState): Promise<void> {
  const draft = `${draftPath(target, feed)}.state`;
  await writeFile(draft, `${JSON.stringify(state, null, 2)}\n`, { flush: true });
  await moveIntoPlace(draft, statePath(target, feed));
}

/** Paths in one file system: of copies of pages, and of a file that replaces them. */
export interface CopyPaths {
  readonly path: string;
  readonly draft: string;
}

/** The draft must be on disk already. */
export async function moveIntoPlace(draft: string, path: string): Promise<void> {
  const folder = dirname(path);
  await makeFolder(folder);
  await rename(draft, path);
  await flushToDisk(folder);
}

function statePath(target: string, feed: string): string {
  return join(target, FOLDER, `${feed}.json`);
}

/** Removes the files of feeds that are not among these. Returns a warning for each one that remains. Never rejects. */
export async function removeOthers(
  target: string,
  feeds: readonly { readonly id: string; readonly follow: string | null }[],
): Promise<readonly string[]> {
  const folder = join(target, FOLDER);
  const listings = feeds.filter(({ follow }) => follow !== null);
  const kept = new Set(feeds.flatMap(({ id }) => [`${id}.ndjson`, `${id}.json`]));
  for (const { id } of listings) kept.add(`${id}.pages`);
  try {
    const names = await readdir(folder);
    return await removeEach(
      folder,
      names.filter((name) => !kept.has(name)),
    );
  } catch (cause) {
    return isMissing(cause) ? [] : [`old files not removed: ${messageOf(cause)}`];
  }
}
