/** What the operator should look into, as far as the state of the server and its calendar says. */
import type { BuildRecord } from '../../upkeep.ts';
import {
  CONCERN_NAMES,
  type Concern,
  type ConcernName,
  concernOf,
  type Found,
  plainly,
} from '../facts/concerns.ts';
import type { InEach } from '../page/reader.ts';
import { isDropping, wordsOf } from './actions.ts';
import { type BuildReport, type Finding, isDroppedLately } from './reports.ts';
import type { Health } from './status.ts';

export function concernsIn(health: Health): readonly Concern[] {
  return CONCERN_NAMES.flatMap((name) => {
    const found = FINDERS[name]?.(health);
    return found ? [concernOf(name, found)] : [];
  });
}

type Finder = (health: Health) => Found | null | false | undefined;

/** Annexes that know of other ones add them themselves. */
const FINDERS: Readonly<Partial<Record<ConcernName, Finder>>> = {
  'no snapshot': ({ snapshot }) => snapshot === null && {},
  'snapshot damaged': ({ refusal }) =>
    refusal?.isDamage && { since: refusal.at, details: [plainly(refusal.reason)] },
  'delivery refused': ({ refusal }) =>
    refusal?.isLast && !refusal.isDamage && { since: refusal.at, details: [plainly(refusal.reason)] },
  'build failed': failingBuild('rebuild'),
  'copy failed': failingBuild('pull'),
  'feed failing': ({ feeds }) => {
    const failing = feeds.filter(({ state }) => state !== 'ok');
    if (failing.length === 0) return null;
    const [since = null] = failing.flatMap((feed) => feed.since ?? []).toSorted();
    return {
      since,
      details: atMost(
        failing.map(({ id, why }) => plainly(why ?? '?', id)),
        failing.length,
      ),
    };
  },
  'records dropped': ({ report, at }) =>
    isDroppedLately(report, Date.parse(at)) && { since: report.lastDroppedAt, details: droppedIn(report) },
  'origin out of reach': ({ replica }) =>
    replica &&
    replica.outOfReach !== null && { since: replica.outOfReachSince, details: [plainly(replica.outOfReach)] },
  'store failing': ({ store }) =>
    store?.failing && { since: store.failing.since, details: [plainly(store.failing.reason)] },
  'another builder': ({ store }) =>
    store?.rival && { since: store.rival.seenAt, details: [plainly(store.rival.id)] },
  'hook failing': ({ hook }) => hook && { since: hook.since, details: [plainly(hook.reason, hook.host)] },
};

/** Since the first of the builds that failed one after the other. */
function failingBuild(kind: BuildRecord['kind']): Finder {
  return ({ builds }) => {
    const [latest] = builds;
    if (latest?.outcome !== 'failed' || latest.kind !== kind) return null;
    const good = builds.findIndex(({ outcome }) => outcome !== 'failed');
    const first = builds.at(good === -1 ? -1 : good - 1);
    return {
      since: first?.startedAt ?? null,
      details: latest.reason === null ? [] : [plainly(latest.reason)],
    };
  };
}

function droppedIn({ actions, findings }: BuildReport): Concern['details'] {
  const count = actions.filter(isDropping).reduce((sum, action) => sum + action.count, 0);
  return atMost(findings.filter(isDropping).map(briefly), count);
}

/** What was done to one place of the source: `events.json[4] bad title_nb: left out`. */
function briefly({ place, id, field, action }: Finding): InEach<string> {
  const where = [place, id, field].filter((part) => part !== null).join(' ');
  const { nb, en } = wordsOf(action);
  return { nb: `${where}: ${nb}`, en: `${where}: ${en}` };
}

const MOST_DETAILS = 5;

/** The first ones, and how many more there are of all. */
function atMost(details: Concern['details'], all: number): Concern['details'] {
  const first = details.slice(0, MOST_DETAILS);
  const more = all - first.length;
  return more <= 0 ? first : [...first, { nb: `og ${more} til`, en: `and ${more} more` }];
}
