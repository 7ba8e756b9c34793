/** Builds with feeds in tests, and what an endpoint then says of their events. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { FeedSettings } from '../../jobs/annexes/feeds/fetch.ts';
import { addFeeds } from '../../jobs/annexes/feeds/merge.ts';
import { type BuildOptions, type BuildResult, build } from '../../jobs/build.ts';
import type { Finding } from '../../jobs/records.ts';
import { createReport, type ReportSummary } from '../../jobs/report.ts';
import { annexSteps } from './annex.ts';
import { NOW } from './calendar.ts';
import { temporaryFolder } from './folder.ts';
import { type Files, sourceFolder } from './native-source.ts';
import { startServer } from './running.ts';

export const FEED_SETTINGS: FeedSettings = { allowPrivate: true, variable: () => undefined };

interface FeedBuildChanges extends Partial<BuildOptions> {
  readonly feedSettings?: FeedSettings;
}

export interface FeedBuild {
  readonly result: BuildResult;
  /** Without the events that have no category: most feeds of tests name none, because they are about something else. */
  readonly report: ReportSummary;
  readonly all: ReportSummary;
}

export async function builtWithFeeds(
  source: string,
  target: string,
  { feedSettings = FEED_SETTINGS, ...changes }: FeedBuildChanges = {},
): Promise<FeedBuild> {
  const report = createReport();
  const steps = { ...(await annexSteps()), addRecords: addFeeds(feedSettings) };
  const options = { source, target, now: NOW, horizonMonths: 18, ...steps, report, ...changes };
  const result = await build(options);
  const summary = report.summary();
  const findings = summary.findings.filter(({ action }) => action !== 'no category');
  return { result, report: { ...summary, findings }, all: summary };
}

/** A file of `test/fixtures/ical/`. */
export function fixture(name: string): Buffer {
  return readFileSync(join('test/fixtures/ical', name));
}

export interface ServedFeed {
  readonly report: ReportSummary;
  /** Findings about an event of the feed, by its UID. */
  readonly findingsOf: (uid: string) => readonly Finding[];
  /** The event as the endpoint gives it; null when it does not. */
  readonly event: (uid: string) => Promise<ServedEvent | null>;
  readonly ids: () => Promise<readonly string[]>;
  readonly close: () => Promise<void>;
}

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
export async function serveFeed(
  ics: string | Buffer,
  feed: object = {},
  files: Files = {},
): Promise<ServedFeed> {
  const sources = [{ id: 'f', kind: 'ical', file: 'feed.ics', ...feed }];
  const source = sourceFolder({ 'feed.ics': ics, 'sources.json': sources, ...files });
  const snapshots = temporaryFolder();
  const { report } = await builtWithFeeds(source, snapshots, { force: true });
  const { url, close } = await startServer({ snapshots, clock: () => NOW * 1000 });

  async function ask(query: string): Promise<{ readonly [field: string]: unknown }> {
    const headers = { 'content-type': 'application/json' };
    const response = await fetch(`${url}/graphQL`, {
      method: 'POST',
      headers,
      body: JSON.stringify({ query }),
    });
    return JSON.parse(await response.text()).data;
  }

  return {
    report,
    findingsOf: (uid) => report.findings.filter(({ id }) => id === `f:${uid}`),
    event: async (uid) => {
      const { eventByID } = await ask(`{ eventByID(eventID: ${JSON.stringify(`f:${uid}`)}) { ${EVENT} } }`);
      return isEvent(eventByID) ? eventByID : null;
    },
    ids: async () => {
      const { events } = await ask('{ events(pageSize: 1000) { data { id } } }');
      const { data } = events as { readonly data: readonly { readonly id: string }[] };
      return data.map(({ id }) => id.slice('f:'.length));
    },
    close,
  };
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
