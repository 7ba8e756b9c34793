/** What the concerns are about: since when, with which details, and of which parts, such as feeds. */
import { isDropping } from '../../calendar/actions.ts';
import { abridged } from '../../calendar/groups.ts';
import { writeMoment } from '../page/dates.ts';
import type { InEach, Language } from '../page/reader.ts';
import { type BuildReport, type FileLoss, isDroppedLately, waitingByFeed } from './build-report.ts';
import type { DiskHealth } from './disk.ts';
import type { Health } from './health.ts';
import { plainly } from './reasons.ts';
import { termOf, untranslated } from './words.ts';

/** A problem that an operator should look into, and its remedy. */
export interface Concern {
  readonly name: string;
  readonly what: InEach<string>;
  /** ISO 8601; null if it is unknown. */
  readonly since: string | null;
  /** Its details, such as the message of a build. */
  readonly details: readonly InEach<string>[];
  readonly advice: InEach<string>;
  /** All the things that it is about, such as feeds, if they come and go one by one; none for a concern about one thing. */
  readonly parts: readonly ConcernPart[];
}

interface ConcernPart {
  /** Unique within the concern. */
  readonly id: string;
  /** ISO 8601; null if it is unknown. */
  readonly since: string | null;
  readonly detail: InEach<string>;
}

/** The particulars of one concern. */
export type Found = Partial<Pick<Concern, 'since' | 'details' | 'parts'>>;

export function because(since: string | null, reason: string, about?: string): Found {
  return { since, details: [plainly(reason, about)] };
}

/** Milliseconds by which the clocks of two machines may differ. */
const MOST_APART_MS = 600_000;

/** Null unless a snapshot was built after the present moment. */
export function builtAhead(at: string, builtAt: string): Found | null {
  if (Date.parse(builtAt) - Date.parse(at) <= MOST_APART_MS) return null;
  return { details: [untranslated(`${builtAt} > ${at}`)] };
}

export function freeIn({ freeBytes }: DiskHealth): InEach<string> {
  const megabytes = Math.floor(freeBytes / 1_024 / 1_024);
  return { nb: `${megabytes} MB ledig`, en: `${megabytes} MB free`, nn: `${megabytes} MB ledig` };
}

/** Since the first of the builds that failed one after the other. */
export function failingBuild({ builds }: Health): Found | null {
  const [latest] = builds;
  if (latest?.outcome !== 'failed') return null;
  const lastGood = builds.findIndex(({ outcome }) => outcome !== 'failed');
  const failed = lastGood === -1 ? builds : builds.slice(0, lastGood);
  return because(failed.at(-1)?.startedAt ?? null, latest.reason ?? '?');
}

export function failingFeeds({ feeds }: Health): Found | null {
  const failing = feeds.filter(({ state }) => state !== 'ok');
  return foundIn(failing.map(({ id, since, why }) => ({ id, since, detail: plainly(why ?? '?', id) })));
}

/** A concern about these parts, since the earliest of them; null if there are none. */
function foundIn(parts: readonly ConcernPart[]): Found | null {
  if (parts.length === 0) return null;
  const details = parts.map(({ detail }) => detail);
  return { since: earliestOf(parts), details: firstOf(details), parts };
}

/** Since when the first of them has been known; null if that is known of none. */
function earliestOf(all: readonly { readonly since: string | null }[]): string | null {
  const [earliest = null] = all.flatMap(({ since }) => since ?? []).toSorted();
  return earliest;
}

export function unchangedFeeds({ feeds, at }: Health): Found | null {
  const parts = feeds.flatMap(({ id, state, expectedChange }) => {
    // One that fails has a concern of its own.
    if (state !== 'ok' || expectedChange === null) return [];
    const { last, withinDays } = expectedChange;
    const due = Date.parse(last) + withinDays * DAY_MS;
    // False for a datetime that cannot be read, too: `due` is then NaN.
    const isOverdue = due < Date.parse(at);
    if (!isOverdue) return [];
    return [{ id, since: new Date(due).toISOString(), detail: lastChange(id, Date.parse(last) / 1_000) }];
  });
  return foundIn(parts);
}

/**
 * F19: milliseconds. This is longer than ten checks, so neither one failed check nor a restart is a concern. It is also longer than the pause
 * between two reports of the builder.
 */
const UNREAD_MS = 300_000;

/** Urgent sheets that cannot be read, or that a stopped builder no longer checks. */
export function unreadSheets({ urgentSheets, at }: Health): Found | null {
  const parts = urgentSheets.flatMap(({ id, readAt, failing }) => {
    const since = readAt ?? failing?.since ?? null;
    if (since === null || Date.parse(at) - Date.parse(since) <= UNREAD_MS) return [];
    const detail = failing === null ? lastRead(id, Date.parse(since) / 1_000) : plainly(failing.reason, id);
    return [{ id, since, detail }];
  });
  return foundIn(parts);
}

const lastRead = (id: string, instant: number): InEach<string> => ({
  nb: `${id}: sist lest ${writeMoment(instant, 'nb')}`,
  en: `${id}: last read on ${writeMoment(instant, 'en')}`,
  nn: `${id}: sist lese ${writeMoment(instant, 'nn')}`,
});

const DAY_MS = 86_400_000;

const lastChange = (id: string, instant: number): InEach<string> => ({
  nb: `${id}: sist endret ${writeMoment(instant, 'nb')}`,
  en: `${id}: last changed on ${writeMoment(instant, 'en')}`,
  nn: `${id}: sist endra ${writeMoment(instant, 'nn')}`,
});

/** F17: each arrival is a part, so that a desk also hears of new events while others still wait. */
export function waitingEvents({ report }: Health): Found | null {
  const all = report === null ? [] : waitingByFeed(report.waiting);
  if (all.length === 0) return null;
  const details = all.map(({ feed, count }) => countIn(feed, count));
  const parts = all.flatMap(({ feed, arrivals }) =>
    [...arrivals].map(([moment, count]) => ({
      id: `${feed} ${moment}`,
      since: moment,
      detail: countIn(feed, count),
    })),
  );
  return { since: earliestOf(all), details: firstOf(details), parts };
}

function countIn(feed: string, count: number): InEach<string> {
  const [nb, en] = count === 1 ? ['arrangement', 'event'] : ['arrangementer', 'events'];
  return {
    nb: `${feed}: ${count} ${nb}`,
    en: `${feed}: ${count} ${en}`,
    // The same in the singular and in the plural.
    nn: `${feed}: ${count} arrangement`,
  };
}

export function failingHooks({ hooks }: Health): Found | null {
  const parts = hooks.map(({ host, number, since, reason }) => {
    const id = `${host} #${number}`;
    return { id, since, detail: plainly(reason, id) };
  });
  return foundIn(parts);
}

export function recordsDropped({ report, losses, at }: Health): Found | null {
  const now = Date.parse(at);
  if (report === null || !isDroppedLately(report, now)) return null;
  const parts = losses
    .filter((loss) => isDroppedLately(loss, now))
    .map((loss) => ({ id: loss.file, since: loss.lastDroppedAt, detail: lossDetail(loss) }));
  return { ...droppedIn(report), parts };
}

/** The file with the numbers of its actions: `feed kor: record dropped (3), date dropped (1)`. */
function lossDetail({ file, actions }: FileLoss): InEach<string> {
  const counts = actions.map(({ action, count }) => ({ term: termOf(action), count }));
  const listIn = (language: Language) =>
    `${file}: ${counts.map(({ term, count }) => `${term[language]} (${count})`).join(', ')}`;
  return { nb: listIn('nb'), en: listIn('en'), nn: listIn('nn') };
}

/** The places in the source with the actions there: `events.json[4] bad title_nb: record dropped`. */
function droppedIn({ dropped, findings, lastDroppedAt }: BuildReport): Pick<Concern, 'since' | 'details'> {
  const details = findings.filter(isDropping).map(({ place, id, field, action }) => {
    const where = [place, id, field].filter((part) => part !== null).join(' ');
    const { nb, en, nn } = termOf(action);
    return { nb: `${where}: ${nb}`, en: `${where}: ${en}`, nn: `${where}: ${nn}` };
  });
  return { since: lastDroppedAt, details: firstOf(details, { all: dropped }) };
}

const MOST_DETAILS = 5;

/** The first details, and how many more there are. `all`: the number of all, if the list has only the first of them. */
export function firstOf(
  details: Concern['details'],
  { most = MOST_DETAILS, all }: { readonly most?: number; readonly all?: number } = {},
): Concern['details'] {
  return abridged(details, {
    most,
    all,
    more: (count) => ({ nb: `og ${count} til`, en: `and ${count} more`, nn: `og ${count} til` }),
  });
}
