/** G2: the sections of a report that tell what a build read, dropped and changed, each as lines. */
import { ACTIONS, SEVERITY } from '../../src/calendar/actions.ts';
import { abridged, addToGroup } from '../../src/calendar/groups.ts';
import { withNearest } from '../../src/calendar/nearest.ts';
import type { NamedChange } from '../changes/comparison.ts';
import { shorten } from '../findings.ts';
import { isAboutMissing } from './findings.ts';
import {
  atMost,
  CORRECTIONS,
  counted,
  ENTRIES,
  EVENTS,
  FEEDS,
  findingLines,
  formatted,
  listed,
  MOST_LINES,
  PAGES,
  row,
  section,
  unlessNone,
  VENUES,
  wasOrWere,
} from './lines.ts';
import type { FeedCounts, FeedHealth, ListName, PageCounts, ReportSummary } from './summary.ts';

/** Feeds without losses that still get a line each. */
const MOST_QUIET = 3;

export function isFailing({ state }: FeedHealth): boolean {
  return state !== 'ok';
}

/** When and why feeds began to fail; feeds with the same failure share a line. */
export function failingLines({ feeds }: Pick<ReportSummary, 'feeds'>): readonly string[] {
  const idsByFailure = new Map<string, string[]>();
  for (const feed of feeds.filter(isFailing)) {
    const { state, since, why, counts } = feed;
    const rest = state === 'failed' ? 'no records' : `last good records kept (${contentOf(counts)})`;
    const failure = `${rest}, failing since ${since}: ${why}`;
    addToGroup(idsByFailure, failure, feed.id);
  }
  const lines = [...idsByFailure].map(([failure, ids]) => {
    const named = ids.join(', ');
    const isOne = ids.length === 1;
    return isOne ? `feed ${named}: ${failure}` : `${counted(ids.length, FEEDS)} with ${failure}: ${named}`;
  });
  return atMost(MOST_LINES, lines);
}

/** One line for each feed that dropped something, and for each sheet. The others share one line if there are many. */
export function feedLines({ feeds }: Pick<ReportSummary, 'feeds'>): readonly string[] {
  const working = feeds.filter((feed) => !isFailing(feed));
  const sheets = working.filter(isSheet);
  const ofEvents = eventFeedLines(working.filter((feed) => !isSheet(feed)));
  return [...ofEvents, ...atMost(MOST_LINES, sheets.map(feedLine))];
}

/** F15, F16, F18: it has no events. */
function isSheet({ counts }: Pick<FeedHealth, 'counts'>): boolean {
  return [counts.corrections, counts.venues, counts.feeds].some((count) => count !== undefined);
}

function eventFeedLines(working: readonly FeedHealth[]): readonly string[] {
  const quiet = working.filter(isQuiet);
  if (quiet.length <= MOST_QUIET) return atMost(MOST_LINES, working.map(feedLine));
  const lossy = working.filter((feed) => !isQuiet(feed)).map(feedLine);
  const entries = totalOf(quiet, 'entries');
  const events = totalOf(quiet, 'events');
  const all = `${counted(entries, ENTRIES)}, ${counted(events, EVENTS)}, nothing dropped`;
  const others = lossy.length === 0 ? FEEDS : OTHER_FEEDS;
  return [...atMost(MOST_LINES, lossy), `${counted(quiet.length, others)}: ${all}`];
}

function isQuiet({ counts, pages }: FeedHealth): boolean {
  return counts.dropped === 0 && (pages?.failing ?? 0) === 0;
}

const OTHER_FEEDS = ['other feed', 'other feeds'] as const;

function totalOf(feeds: readonly FeedHealth[], name: 'entries' | 'events'): number {
  return feeds.reduce((sum, { counts }) => sum + counts[name], 0);
}

function contentOf({ events, corrections, venues, feeds }: FeedCounts): string {
  if (feeds !== undefined) return counted(feeds, FEEDS);
  if (venues !== undefined) return counted(venues, VENUES);
  return corrections === undefined ? counted(events, EVENTS) : counted(corrections, CORRECTIONS);
}

/** What became of a feed's entries. */
function feedLine({ id, counts, pages }: FeedHealth): string {
  const { entries, merged, dropped } = counts;
  const mergers = isSheet({ counts }) ? [] : [`${formatted(merged)} merged`];
  const parts = [contentOf(counts), ...mergers, `${formatted(dropped)} dropped`];
  return `feed ${id}: ${counted(entries, ENTRIES)}, ${[...parts, ...pageParts(pages)].join(', ')}`;
}

/** How the pages of a listing were read. */
function pageParts(pages: PageCounts | undefined): readonly string[] {
  if (pages === undefined) return [];
  const { fetched, reused, failing } = pages;
  const ofPages = [`${counted(fetched, PAGES)} fetched`, `${formatted(reused)} reused`];
  return failing === 0 ? ofPages : [...ofPages, `${formatted(failing)} failing`];
}

/** Dropped and left-out parts; then a line for each feed that has entries several times. */
export function missingLines({ findings, findingsLeftOut, actions }: ReportSummary): readonly string[] {
  const missing = findings.filter(isAboutMissing);
  const all = ACTIONS.reduce((sum, action) => (isAboutMissing({ action }) ? sum + actions[action] : sum), 0);
  // `actions` counts all findings, and those beyond the limit of a report have only counts.
  const unnamed = Math.min(findingsLeftOut, Math.max(0, all - missing.length));
  const lines = atMost(MOST_LINES, findingLines(missing));
  const beyond = unnamed === 0 ? [] : [`… and ${formatted(unnamed)} more, which are only counted`];
  const copies = findings.filter(({ action }) => action === 'identical copies');
  const copyLines = copies.map(({ origin: { file }, found }) => `${file}: ${found}`);
  return [
    ...section('Dropped or left out:', [...lines, ...beyond]),
    ...section('The same entry several times, counted once:', atMost(MOST_COPIES, copyLines)),
  ];
}

/** Feeds with copies. */
const MOST_COPIES = 20;

/** Events added, removed and changed since the last build (G10), and values that this build changed. */
export function changeLines(summary: ReportSummary): readonly string[] {
  const changed = summary.findings.filter(({ action }) => SEVERITY[action] === 'changed');
  const { merged } = summary;
  const joined = `${counted(merged, EVENTS)} ${wasOrWere(merged)} merged with another; --json names them`;
  return [
    ...comparisonLines(summary),
    ...section('Changed values:', [
      ...unlessNone(merged, joined),
      ...atMost(MOST_LINES, findingLines(changed)),
    ]),
  ];
}

/** Changes of each kind that are named. */
const MOST_CHANGES = 10;

function comparisonLines({ changes }: ReportSummary): readonly string[] {
  if (changes === null) return [];
  const { counts, lists } = changes;
  const named = (['added', 'removed', 'changed', 'renamed'] as const).flatMap((kind) => {
    const lines = lists[kind].map((change) => `${kind} ${changeLine(change)}`);
    return abridged(lines, {
      most: MOST_CHANGES,
      all: counts[kind],
      more: (count) => `… and ${formatted(count)} more ${kind}`,
    });
  });
  const { added, changed, renamed, removed } = counts;
  const total = `since the last build: ${formatted(added)} added, ${formatted(removed)} removed, ${formatted(changed)} changed`;
  return ['', `${total} (${formatted(renamed)} renamed)`, ...named.map((line) => `  ${line}`)];
}

function changeLine({ id, title, fields, from }: NamedChange): string {
  const name = `${JSON.stringify(id)} ${shorten(title)}`;
  if (from !== undefined) return `${name}, before: ${shorten(from)}`;
  return fields === undefined ? name : `${name}: ${fields.join(', ')}`;
}

const MOST_NOISE = 10;
const MOST_IGNORED = 20;

/** Findings that need no action: new events that are over, noise, unknown fields. */
export function notedLines({ findings, noise, ignored, ignoredLeftOut }: ReportSummary): readonly string[] {
  const over = findings.filter(({ action }) => action === 'over');
  const tidied = abridged(
    noise.map(({ what, count }) => `${what} ${formatted(count)}`),
    { most: MOST_NOISE, more: (count) => `${formatted(count)} more kinds` },
  );
  const fields = ignored
    .slice(0, MOST_IGNORED)
    .map(({ name, count, nearest = null }) => `${name} (${withNearest(formatted(count), nearest)})`);
  const isAll = ignored.length <= MOST_IGNORED && ignoredLeftOut === 0;
  return [
    ...section('New, but already over:', atMost(MOST_LINES, findingLines(over))),
    ...unlessNone(tidied.length, '', `Ordinary noise, tidied without loss: ${listed(tidied)}`),
    ...unlessNone(fields.length, '', `ignored fields: ${fields.join(', ')}${isAll ? '' : ', …'}`),
  ];
}

/** `isRare`: few sources have it. */
const SHOWN_LISTS: readonly { readonly list: ListName; readonly label: string; readonly isRare?: boolean }[] =
  [
    { list: 'events', label: 'events' },
    { list: 'venues', label: 'venues' },
    { list: 'organizers', label: 'organizers' },
    { list: 'notices', label: 'notices', isRare: true },
    { list: 'postalCodes', label: 'postal codes', isRare: true },
  ];

/** The numbers of each list, and of each kind of finding. */
export function numberLines({ lists, actions }: ReportSummary): readonly string[] {
  const shown = SHOWN_LISTS.filter(({ list, isRare }) => isRare !== true || lists[list].read > 0);
  const rows = shown.map(({ list, label }) => {
    const { read, kept, dropped } = lists[list];
    return row([label, read, kept, dropped]);
  });
  const counts = ACTIONS.filter((action) => actions[action] > 0).map((action) =>
    row([action, actions[action]]),
  );
  return ['', row(['', 'read', 'kept', 'dropped']), ...rows, ...unlessNone(counts.length, '', ...counts)];
}

export function timingLines({ timings }: ReportSummary): readonly string[] {
  if (timings.length === 0) return [];
  const steps = timings.map(({ step, milliseconds }) => `${step} ${formatted(Math.round(milliseconds))} ms`);
  return ['', steps.join(', ')];
}
