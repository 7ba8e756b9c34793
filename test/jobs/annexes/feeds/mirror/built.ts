/** Builds of a calendar with three events of its own and a mirror, `by`. */
import { join } from 'node:path';
import { openLastGood } from '../../../../../jobs/annexes/feeds/last-good.ts';
import { CALENDAR_EVENTS } from '../../../../helpers/feed-files.ts';
import type { FeedServer, Handler } from '../../../../helpers/feed-server.ts';
import { builtWithFeeds } from '../../../../helpers/feeds.ts';
import { temporaryFolder } from '../../../../helpers/folder.ts';
import { all, sourceFolder } from '../../../../helpers/native-source.ts';

interface Changes extends NonNullable<Parameters<typeof builtWithFeeds>[2]> {
  /** Settings of the feed. */
  readonly feed?: object;
  readonly target?: string;
}

/** Builds a mirror of an endpoint with these answers: its records and health, and the requests. */
export async function builtMirror(
  server: FeedServer,
  answer: Handler,
  { feed = {}, target = temporaryFolder(), ...changes }: Changes = {},
) {
  const sources = [{ id: 'by', kind: 'graphql', url: `${server.url}/graphQL`, ...feed }];
  const source = sourceFolder({ 'events.json': CALENDAR_EVENTS, 'sources.json': sources });
  server.answer = answer;
  server.requests.length = 0;
  const { report } = await builtWithFeeds(source, target, changes);
  const [health] = report.feeds;
  if (health === undefined) throw new Error('expected the state of a feed');
  const lastGood = await openLastGood(join(target, 'feeds/by.ndjson'));
  const records = lastGood === null ? [] : await all(lastGood.records('events'));
  const findings = lastGood === null ? [] : await all(lastGood.findings());
  return { health, records: records.map(({ value }) => value), findings, asked: [...server.requests] };
}
