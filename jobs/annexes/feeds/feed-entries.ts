/** The last good records of feeds, as raw entries of a build. */
import type { RawEntry } from '../../source/source.ts';
import type { FeedRecord, LastGood } from './last-good.ts';
import type { RefreshedFeed } from './refresh.ts';

export type RawEntries = AsyncGenerator<RawEntry, void, undefined>;

/** A feed that has last good records, whether it fails now or not. */
export interface UsableFeed extends Pick<RefreshedFeed, 'feed'> {
  readonly lastGood: LastGood;
}

/** The feeds without those that have never been read. */
export function usableFeeds(feeds: readonly RefreshedFeed[]): readonly UsableFeed[] {
  return feeds.flatMap(({ feed, lastGood }) => (lastGood === null ? [] : [{ feed, lastGood }]));
}

/** `feed`: its id. */
export function entryOf(feed: string, { line, value: { series, ...value } }: FeedRecord): RawEntry {
  const entry = { origin: originOf(feed, line), feed, value };
  return series === undefined ? entry : { ...entry, series };
}

/** The place of an entry, as findings name it. `line`: 1-based; null for feeds without lines. */
export function originOf(feed: string, line: number | null): RawEntry['origin'] {
  const file = `feed ${feed}`;
  return line === null ? { file } : { file, line };
}
