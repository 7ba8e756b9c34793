/**
 * F18: ids of feeds. A feed of a list has the list's id, a full stop and an id of its own. Ids in `sources.json` have no full stop, so no row
 * of a list can take the id of another feed. Builds and servers both need this.
 */

export function listedId(list: string, row: string): string {
  return `${list}.${row}`;
}

/** The id of the list that a feed belongs to; that of the feed itself if it is in `sources.json`. */
export function listOfFeed(feed: string): string {
  return feed.split('.', 1)[0] ?? feed;
}
