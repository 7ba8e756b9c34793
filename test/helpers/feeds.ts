/** Builds with feeds in tests: what they may reach, and the last report. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type BuildOptions, type BuildResult, build } from '../../jobs/build.ts';
import { createReport, type ReportSummary } from '../../jobs/report.ts';
import type { FeedSettings } from '../../jobs/sources/feeds.ts';
import { NOW } from './calendar.ts';

export const FEED_SETTINGS: FeedSettings = { allowPrivate: true, variable: () => undefined };

export interface FeedBuild {
  readonly result: BuildResult;
  readonly report: ReportSummary;
}

export async function builtWithFeeds(
  source: string,
  target: string,
  changes: Partial<BuildOptions> = {},
): Promise<FeedBuild> {
  const report = createReport();
  const feedSettings = FEED_SETTINGS;
  const options = { source, target, now: NOW, horizonMonths: 18, feedSettings, report, ...changes };
  return { result: await build(options), report: report.summary() };
}

/** A file of `test/fixtures/ical/`. */
export function fixture(name: string): Buffer {
  return readFileSync(join('test/fixtures/ical', name));
}
