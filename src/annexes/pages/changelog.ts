/**
 * `GET /changelog` and `/changelog.rss` (K2): first the planned changes, each with its day, in the reader's language; then
 * the calendar's changes that have taken effect; on the page also what CHANGELOG.md, which is in English, has for callers.
 */
import { formatDay, osloDay, startOfDay } from '../../calendar/time.ts';
import type { ServeContext } from '../../serve/annex.ts';
import type { Handle } from '../../serve/http/koa.ts';
import { secondOf } from '../../serve/http/message.ts';
import type { Resource } from '../../serve/http/representation.ts';
import { gatherNotices, readPlanned } from '../common/notices.ts';
import { cacheControlUntil, createMakeOnce } from '../page/document.ts';
import { menuOf } from '../page/menu.ts';
import { technicalLanguageOf } from '../page/reader.ts';
import type { ChangelogContent } from './changelog/content.ts';
import { makeFeed } from './changelog/feed.ts';
import { makePage } from './changelog/page.ts';
import { type Version, versionsIn } from './versions.ts';

/** Two languages, from the address or the browser, under a few names of this server. */
const MOST_PAGES = 40;

type Make = (changelog: ChangelogContent) => Resource;

/** `text`: CHANGELOG.md, which is read once, because no request should wait for it. */
export function createChangelog(
  context: ServeContext,
  text: string,
): Readonly<Record<'page' | 'feed', Handle>> {
  const { keeper, serverAddress, settings } = context;
  const { notices: ofInterface, rest } = readPlanned(text);
  let versions: readonly Version[] | undefined;
  const renderVersions = () => {
    versions ??= versionsIn(rest);
    return versions;
  };
  const handleOf = (make: Make): Handle => {
    const makeOnce = createMakeOnce(MOST_PAGES);
    return async (request) => {
      const now = secondOf(request);
      const day = osloDay(now);
      const chosen = technicalLanguageOf(request);
      const server = serverAddress.shown(request.headers);
      // A build may add notices at any time.
      const { current } = keeper.state();
      const resource = await makeOnce([day, current?.id, chosen, server], () => {
        const notices = gatherNotices({ ofInterface, ofCalendar: current?.meta.notices ?? [] });
        const today = formatDay(day);
        return make({
          ...chosen,
          server,
          vary: serverAddress.vary,
          menu: menuOf(context),
          renderVersions,
          planned: notices.filter(({ from }) => from > today),
          past: notices.filter(({ from }) => from <= today).reverse(),
        });
      });
      return resource(request.headers, cacheControlUntil(startOfDay(day + 1), request, settings));
    };
  };
  return { page: handleOf(makePage), feed: handleOf(makeFeed) };
}
