/** A source folder with its feeds: what a build reads. */
import { setTimeout as pause } from 'node:timers/promises';
import type { FeedHealth } from '../feed-health.ts';
import { readFeeds } from '../feeds/config.ts';
import { refreshFeeds } from '../feeds/refresh.ts';
import type { Reporter, Source } from '../records.ts';
import { documentImporter } from './documents.ts';
import { mergeSources } from './merge.ts';
import { importMirror } from './mirror.ts';
import { openNativeSource } from './native.ts';

interface OpenSourceOptions {
  /** Snapshot folder, in which feeds' last good records are kept. Its lock must be held. */
  readonly target: string;
  /** Instant, whole seconds. */
  readonly now: number;
  /** A11: day number. */
  readonly horizonDay: number;
  /** Take what looks suspicious in a feed. */
  readonly force: boolean;
  readonly reporter: Pick<Reporter, 'addFinding'>;
  readonly feedSettings: FeedSettings;
  /** Told the size of each chunk of a list as it is read. */
  readonly onBytes?: ((count: number) => void) | undefined;
}

export interface FeedSettings {
  /** Whether feeds may be fetched from private and loopback addresses. */
  readonly allowPrivate: boolean;
  /** A variable of the environment, by the name that a feed's `apiKeyEnv` gives. */
  readonly variable: (name: string) => string | undefined;
  /** For all feeds together; unless said otherwise, two thirds of what a scheduled build may take. */
  readonly seconds?: number;
}

const USER_AGENT = 'almanakk (event calendar; feed reader)';

interface OpenedSource extends Source {
  readonly feeds: readonly FeedHealth[];
}

/** Fetches the feeds. Throws INVALID_SOURCE as the native source does, and for a `sources.json` that makes no sense. */
export async function openSource(folder: string, options: OpenSourceOptions): Promise<OpenedSource> {
  const { target, now, horizonDay, force, reporter, feedSettings, onBytes } = options;
  const feeds = await readFeeds(folder);
  const own = await openNativeSource(folder, onBytes === undefined ? {} : { onBytes });
  if (feeds.length === 0) return { ...own, feeds: [] };
  const world = {
    ...feedSettings,
    source: folder,
    userAgent: USER_AGENT,
    pause: (milliseconds: number) => pause(milliseconds),
  };
  const importers = {
    ical: documentImporter('ical'),
    csv: documentImporter('csv'),
    jsonld: documentImporter('jsonld'),
    graphql: importMirror,
  };
  const refreshed = await refreshFeeds(feeds, {
    world,
    seconds: feedSettings.seconds,
    target,
    now,
    horizonDay,
    force,
    importers,
    onBytes,
  });
  const merged = mergeSources({ own, feeds: refreshed, reporter });
  return { ...merged, feeds: refreshed.map(({ health }) => health) };
}
