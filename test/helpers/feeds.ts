/** Builds with feeds, and their events at the endpoint. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { deserialize, serialize } from 'node:v8';
import type { BuildResult } from '../../jobs/annex.ts';
import type { FeedSettings } from '../../jobs/annexes/feeds/fetch.ts';
import { addFeeds } from '../../jobs/annexes/feeds/merge.ts';
import type { createReaders } from '../../jobs/annexes/feeds/reader-pool.ts';
import { readFeed } from '../../jobs/annexes/feeds/readers.ts';
import { build } from '../../jobs/build.ts';
import type { BuildOptions } from '../../jobs/build-options.ts';
import type { Finding } from '../../jobs/findings.ts';
import type { ReportSummary } from '../../jobs/report/summary.ts';
import { annexSteps } from './annex.ts';
import { BUILD_CHOICES } from './build-choices.ts';
import { NOW } from './calendar.ts';
import { temporaryFolder } from './folder.ts';
import { type Files, sourceFolder } from './native-source.ts';
import { recordingReport } from './report.ts';
import { startServer } from './running.ts';

/** Reads feeds in this process: another one costs a third of a second. */
const readHere: typeof createReaders = () => ({
  read: async ({ output, ...task }) => writeFileSync(output, readFeed(deserialize(serialize(task))).join('')),
  end: () => {},
});

export const FEED_SETTINGS: FeedSettings = {
  allowPrivate: true,
  variable: () => undefined,
  seconds: 600,
};

interface FeedBuildChanges extends Partial<BuildOptions> {
  readonly feedSettings?: FeedSettings;
  readonly createReader?: typeof createReaders;
}

export interface FeedBuild {
  readonly result: BuildResult;
  /** Without the events that have no category: most feeds of tests name none, because they are about something else. */
  readonly report: ReportSummary;
  /** With all findings. */
  readonly all: ReportSummary;
}

/** Builds a source folder with its feeds, which are read in this process. */
export async function builtWithFeeds(
  source: string,
  target: string,
  { feedSettings = FEED_SETTINGS, createReader = readHere, ...changes }: FeedBuildChanges = {},
): Promise<FeedBuild> {
  /** All findings, in the order in which they came. */
  const { report, findings: found } = recordingReport();
  const steps = { ...(await annexSteps()), addRecords: addFeeds(feedSettings, createReader) };
  const options = { source, target, now: NOW, horizonMonths: 18, ...steps, report, ...changes };
  const result = await build({ ...BUILD_CHOICES, ...options });
  const summary = report.summary();
  const findings = found.filter(({ action }) => action !== 'no category');
  return { result, report: { ...summary, findings }, all: summary };
}

/** A file of `test/fixtures/ical/`. */
export function icalFile(name: string): Buffer {
  return readFileSync(join('test/fixtures/ical', name));
}

export type ServedFeed = Awaited<ReturnType<typeof serveFeed>>;

export interface ServedDate {
  readonly startDate: string;
  readonly endDate: string;
  readonly startTime: string;
  readonly duration: number | null;
  readonly allDay: boolean;
  readonly venue: { readonly name: string } | null;
  readonly eventCancelled: boolean;
}

export interface ServedEvent extends ServedDate {
  readonly [field: string]: unknown;
  readonly repetitions: readonly ServedDate[];
}

const DATE =
  'startDate endDate startTime duration allDay venue { id name address location { latitude longitude } } eventCancelled';
const EVENT = `id title_nb title_en desc_nb desc_en categories tags mode moreInfoURL streamingURL ticketsInformation
  created_at updated_at organizers { name } images { urlLarge urlSmall } ${DATE} repetitions { ${DATE} }`;

/** An iCalendar file as the only feed, `f`, of a calendar that is served at the moment of its build. */
export async function serveFeed(ics: string | Buffer, feed: object = {}, files: Files = {}) {
  const sources = [{ id: 'f', kind: 'ical', file: 'feed.ics', ...feed }];
  const source = sourceFolder({ 'feed.ics': ics, 'sources.json': sources, ...files });
  const snapshots = temporaryFolder();
  const { report } = await builtWithFeeds(source, snapshots, { force: true });
  const { ask, close } = await startServer({ snapshots, clock: () => NOW * 1000 });

  return {
    report,
    /** Findings about an event of the feed, by its UID. */
    findingsOf: (uid: string): readonly Finding[] => report.findings.filter(({ id }) => id === `f:${uid}`),
    /** The event as the endpoint gives it; null when it does not. */
    event: async (uid: string) => {
      const { eventByID } = await ask<{ readonly eventByID: unknown }>(
        `{ eventByID(eventID: ${JSON.stringify(`f:${uid}`)}) { ${EVENT} } }`,
      );
      return isEvent(eventByID) ? eventByID : null;
    },
    ids: async (): Promise<readonly string[]> => {
      const { events } = await ask<Ids>('{ events(pageSize: 1000) { data { id } } }');
      return events.data.map(({ id }) => id.slice('f:'.length));
    },
    close,
  };
}

interface Ids {
  readonly events: { readonly data: readonly { readonly id: string }[] };
}

function isEvent(value: unknown): value is ServedEvent {
  return typeof value === 'object' && value !== null;
}

/** `2026-03-03 20:00:00+01:00 – 22:30` and so on: when an event is, a line a date. */
export function datesOf(event: ServedEvent | null): readonly string[] {
  if (event === null) return [];
  return [event, ...event.repetitions].map(
    ({ startDate, endDate, startTime, allDay, venue, eventCancelled }) => {
      const end = endDate === startDate ? [] : [endDate];
      const time = startDate.slice(11, 16) === startTime ? [] : [`as ${startTime}`];
      const notes = [allDay ? 'all day' : '', venue?.name ?? '', eventCancelled ? 'cancelled' : ''];
      return [startDate, ...end, ...time, ...notes].filter((part) => part !== '').join(' | ');
    },
  );
}
