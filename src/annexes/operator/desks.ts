/** H12: the desks that get mail about their own feeds. Their addresses are in `sources.json` alone, so that no snapshot has them. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod';
import { ifMissing } from '../../calendar/errors.ts';
import { parsedJson } from '../../calendar/json.ts';

/** By the address of a desk, the ids of its feeds. */
export type Desks = ReadonlyMap<string, ReadonlySet<string>>;

/** Builds check the file: here, an entry of another form has no desk. */
const FEED = z.object({ id: z.string(), alert: z.array(z.string()) });
const FEEDS = z.array(FEED.nullable().catch(null)).catch([]);

/** `folder`: the source folder. Empty on a machine that has none, such as a replica. Rejects if the file cannot be read. */
export async function readDesks(folder: string): Promise<Desks> {
  const text = await readFile(join(folder, 'sources.json'), 'utf8').catch(ifMissing(''));
  const desks = new Map<string, Set<string>>();
  for (const feed of FEEDS.parse(parsedJson(text)))
    for (const address of feed?.alert ?? []) {
      const feeds = desks.get(address) ?? new Set<string>();
      desks.set(address, feeds.add(feed?.id ?? ''));
    }
  return desks;
}
