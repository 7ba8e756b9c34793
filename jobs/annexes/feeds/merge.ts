/** The step of a build that reads the feeds of a source folder. merged-source.ts adds their records to those of the folder. */
import { isObject } from '../../../src/calendar/json.ts';
import type { AddRecords, BuildPart, EventFeed, Service, Variable } from '../../annex.ts';
import { withoutFeeds } from '../../source/source.ts';
import { categoryNamesOf } from '../../validate/taxonomy.ts';
import { holdBack } from './approvals.ts';
import { type Feed, readFeeds } from './config.ts';
import { documentImporter, type ReadListing } from './documents.ts';
import { usableFeeds } from './feed-entries.ts';
import { removeOthers } from './feed-state.ts';
import type { FeedSettings } from './fetch.ts';
import { readListing } from './jsonld/listing.ts';
import { type DocumentKind, type FeedKind, isDocument, isSheet, takes } from './kinds.ts';
import { feedsOfLists, withFeedsOfLists } from './lists/listed-feeds.ts';
import { mergeSources } from './merged-source.ts';
import { importMirror } from './mirror.ts';
import { createReaders, type Readers } from './reader-pool.ts';
import { type Importer, type RefreshedFeed, refreshFeeds } from './refresh.ts';
import { watchUrgentSheets } from './urgent-sheets.ts';

interface AnnexSettings {
  readonly source: string;
  readonly allowPrivateFeeds: boolean;
  readonly sourceFiles: readonly string[];
  readonly buildTimeoutSeconds: number;
}

const IDLE: Service = { stop: async () => undefined };

/** Feeds together may take this share of a scheduled build's time: the build then goes on without those that are late. */
const SHARE_OF_BUILD = 2 / 3;

/** The annex. `variable`: keys of feeds are read from the environment only when their feed is. */
export function create(settings: AnnexSettings, variable: Variable): BuildPart {
  const { source, allowPrivateFeeds, sourceFiles, buildTimeoutSeconds } = settings;
  const seconds = buildTimeoutSeconds * SHARE_OF_BUILD;
  const feedSettings = { allowPrivate: allowPrivateFeeds, sourceFiles, variable, seconds };
  return {
    addRecords: addFeeds(feedSettings),
    startService: ({ build, ...program }) =>
      build === null ? IDLE : watchUrgentSheets({ ...program, source, feedSettings, build }),
  };
}

/**
 * The step of a build that reads all feeds, and adds their records to those of the source folder. It throws INVALID_SOURCE for an invalid
 * `sources.json`. A feed that fails does not stop it.
 */
export function addFeeds(feedSettings: FeedSettings, createReader = createReaders): AddRecords {
  return async (native, { folder: source, reporter, isLocal, readAgain, ...options }) => {
    const { value: licence } = await native.licence();
    const feeds = await readFeeds(source, categoryNamesOf(licence));
    if (feeds.length === 0) {
      const onPublished = () => removeOthers(options.target, []);
      return { ...withoutFeeds(native), feeds: [], eventFeeds: [], onPublished };
    }
    const readers = createReader();
    const refreshing = {
      ...options,
      source,
      feedSettings: { ...feedSettings, isLocal, readAgain },
      importerOf: importerBy(readers),
      feedsOfLists: (read: readonly RefreshedFeed[]) => feedsOfLists(read, reporter),
    };
    const refreshed = withFeedsOfLists(await refreshFeeds(feeds, refreshing).finally(readers.end));
    const all = refreshed.map(({ feed }) => feed);
    const { usable, heldBack, waiting } = await holdBack(usableFeeds(refreshed), {
      native,
      now: options.now,
      reporter,
    });
    const withApproval = all.filter(({ kind, needsApproval }) => needsApproval && !isSheet(kind));
    reporter.setWaiting(
      waiting,
      withApproval.map(({ id }) => id),
    );
    const specialEvent = specialEventIn(licence);
    const merged = mergeSources(native, refreshed, { reporter, usable, heldBack, specialEvent });
    return {
      ...merged,
      feeds: refreshed.map(({ health }) => health),
      eventFeeds: eventFeedsOf(all),
      onPublished: () => removeOthers(options.target, all),
    };
  };
}

function importerBy(readers: Readers): (kind: FeedKind) => Importer {
  return (kind) =>
    isDocument(kind) ? documentImporter(kind, readers, LISTINGS[kind]) : OTHER_IMPORTERS[kind];
}

/** For kinds whose documents may link to others. */
const LISTINGS: Readonly<Partial<Record<DocumentKind, ReadListing>>> = {
  jsonld: readListing,
};

/** The importers of kinds that are fetched in steps. */
const OTHER_IMPORTERS: Readonly<Record<Exclude<FeedKind, DocumentKind>, Importer>> = {
  graphql: importMirror,
};

function eventFeedsOf(feeds: readonly Feed[]): readonly EventFeed[] {
  const withEvents = feeds.filter(({ kind }) => !isSheet(kind));
  return withEvents.map(({ id, kind, needsApproval, list }) => {
    const takesSeries = takes(kind, 'series') && !needsApproval && list === null;
    return { id, takesSeries, needsApproval };
  });
}

/** The id of the licence's special event; null for none. */
function specialEventIn(licence: unknown): string | null {
  return isObject(licence) && typeof licence.specialEvent === 'string' ? licence.specialEvent : null;
}
