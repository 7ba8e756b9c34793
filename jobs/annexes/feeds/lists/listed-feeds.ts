/** F18: the rows of lists as feeds. */
import { listedId, listOfFeed } from '../../../../src/calendar/feed-ids.ts';
import type { Reporter } from '../../../findings.ts';
import type { Feed } from '../config.ts';
import { originOf } from '../feed-entries.ts';
import type { RefreshedFeed } from '../refresh.ts';
import { type ListRow, rowSchema } from './row.ts';

/** All lists together: a large region has a few hundred feeds. */
const MOST_LISTED = 1_000;

/** The feeds of all lists, in the order of the lists and their rows. A list that fails has those of its last good records. */
export async function feedsOfLists(
  refreshed: readonly RefreshedFeed[],
  reporter: Pick<Reporter, 'addFinding'>,
): Promise<readonly Feed[]> {
  const listed: Feed[] = [];
  for (const { feed: list, lastGood } of refreshed) {
    if (list.kind !== 'feeds' || lastGood === null) continue;
    for await (const { line, value } of lastGood.records('feeds')) {
      const feed = feedOf(list, rowSchema.parse(value));
      if (listed.length < MOST_LISTED) {
        listed.push(feed);
        continue;
      }
      reporter.addFinding({
        action: 'dropped record',
        origin: originOf(list.id, line),
        id: feed.id,
        field: null,
        expected: `at most ${MOST_LISTED} feeds in all lists`,
        found: 'more',
      });
    }
  }
  return listed;
}

/** A row decides where its feed is and what it is called. What its feed may do is decided by the list's entry in `sources.json`. */
function feedOf(list: Feed, row: ListRow): Feed {
  const { id, fault, municipality, categories, ...written } = row;
  const { language, map, categoryNames, limits, alert, needsApproval, approveAgainAfterChange } = list;
  return {
    ...written,
    id: listedId(list.id, id),
    list: { id: list.id, host: list.url === null ? null : new URL(list.url).host, fault },
    language,
    map,
    categoryNames,
    limits,
    alert,
    needsApproval,
    approveAgainAfterChange,
    defaults: categories.length === 0 ? list.defaults : { ...list.defaults, categories: [...categories] },
    defaultMunicipality: municipality ?? list.defaultMunicipality,
    file: null,
    pages: [],
    // The key of the list is for the host of the list.
    apiKeyEnv: null,
    keepIds: false,
    categories: 'licence',
    feeds: null,
    municipalities: null,
    series: null,
    columns: {},
    format: null,
    sheet: null,
    timeZone: null,
    urgent: false,
  };
}

/** F15: a correction sheet that names a list may correct the events of all of its feeds. */
export function withFeedsOfLists(refreshed: readonly RefreshedFeed[]): readonly RefreshedFeed[] {
  const listed = refreshed.filter(({ feed }) => feed.list !== null).map(({ feed }) => feed.id);
  if (listed.length === 0) return refreshed;
  return refreshed.map((one) => {
    const { feeds } = one.feed;
    if (feeds === null) return one;
    const more = listed.filter((id) => feeds.includes(listOfFeed(id)));
    return { ...one, feed: { ...one.feed, feeds: [...feeds, ...more] } };
  });
}
