/** What a build did, for people at a terminal. */
import { ACTIONS, type Action } from '../src/calendar/actions.ts';
import { isObject, parsedJson } from '../src/calendar/json.ts';
import { printableLine, withNearest } from '../src/calendar/text.ts';
import type { BuildResult } from './annex.ts';
import type { NamedChange } from './changes/comparison.ts';
import { type Finding, findingLine, shorten, whereOf } from './records.ts';
import {
  alikeKey,
  EXAMPLES,
  type FeedHealth,
  isMissing,
  type ListName,
  type Report,
  type ReportSummary,
} from './report.ts';

/** The report, if records were read, and what was published. `result` is null for a build that failed. */
export function describeBuild(report: Report, result: BuildResult | null): string {
  const summary = report.summary();
  // An unchanged or missing source has nothing to report; feeds may be the reason even if no record was read.
  const wasRead = Object.values(summary.lists).some(({ read }) => read > 0);
  const feeds = wasRead ? [] : feedLines(summary);
  const lines = result === null ? feeds : resultLines(summary, result, feeds);
  return [...(wasRead ? [reportText(report)] : []), ...lines].map((line) => `${line}\n`).join('');
}

function resultLines(
  summary: ReportSummary,
  { outcome, file, builtAt, counts, isFirst, warnings, earlierReport }: BuildResult,
  feeds: readonly string[],
): readonly string[] {
  const { events, occurrences } = counts;
  const earlier = parsedJson(earlierReport ?? 'null');
  // An unchanged source is not read again, but its dropped parts are still missing.
  const dropped = isObject(earlier) && isObject(earlier.actions) ? droppedParts(earlier.actions) : '';
  return [
    ...warnings.map((warning) => `warning: ${warning}`),
    ...feeds,
    ...(isFirst ? [FIRST] : []),
    `${outcome}: ${file}, built at ${builtAt}, ${events} events${overOf(summary)}, ${occurrences} occurrences`,
    ...(dropped === '' ? [] : [`dropped: ${dropped}`]),
  ];
}

/** A17, G10. */
const FIRST = 'first snapshot of its folder: slugs, category ids and changes are counted from here on';

/** Why there are fewer events than were accepted. */
function overOf({ over, merged, hidden }: ReportSummary): string {
  const are = (count: number) => `${count} of those kept ${count === 1 ? 'is' : 'are'}`;
  const parts = [
    ...(over === 0 ? [] : [`${are(over)} over`]),
    ...(merged === 0 ? [] : [`${are(merged)} one with another`]),
    ...(hidden === 0 ? [] : [`${are(hidden)} hidden`]),
  ];
  return parts.length === 0 ? '' : ` (${parts.join(', ')})`;
}

/** `isRare`: few sources have it. */
const LISTS: readonly { readonly list: ListName; readonly label: string; readonly isRare?: boolean }[] = [
  { list: 'events', label: 'events' },
  { list: 'venues', label: 'venues' },
  { list: 'organizers', label: 'organizers' },
  { list: 'notices', label: 'notices', isRare: true },
  { list: 'postalCodes', label: 'postal codes', isRare: true },
];

/** A sentence, a table, what is missing of the source, then everything else by what is alike, the timings. Ends with a line feed. */
export function reportText(report: Report): string {
  const summary = report.summary();
  return [
    ...summaryLines(summary),
    ...listLines(summary),
    ...changeLines(summary),
    ...feedLines(summary),
    ...correctionLines(summary),
    ...findingLines(summary),
    ...ignoredLines(summary),
    ...timingLines(summary),
  ]
    .map((line) => `${printableLine(cutLine(line)).trimEnd()}\n`)
    .join('');
}

const LONGEST_LINE = 1_000;

function cutLine(line: string): string {
  return line.length <= LONGEST_LINE ? line : `${line.slice(0, LONGEST_LINE - 1)}…`;
}

/** G2: for a person who knows the events, and not this program: what there is, which feeds failed, what is missing. */
function summaryLines({ lists: { events }, over, hidden, actions, feeds }: ReportSummary): readonly string[] {
  const valid = `${written(events.kept)} of ${written(events.read)} events valid`;
  const past = over === 0 ? '' : `, ${written(over)} of them over`;
  const hiding = hidden === 0 ? '' : `, ${written(hidden)} hidden by corrections`;
  const failing = feeds.filter(isFailing).map(({ id }) => id);
  const named = failing.slice(0, MOST_NAMED).join(', ');
  const unnamed = failing.length - MOST_NAMED;
  const others = unnamed > 0 ? ` and ${written(unnamed)} more` : '';
  const failed = `${written(failing.length)} of ${counted(feeds.length, FEEDS)} failed: ${named}${others}.`;
  const lost = [droppedParts(actions), leftOutPart(actions)].filter((part) => part !== '').join('; ');
  const rest = lost === '' ? 'Nothing was left out.' : `Dropped: ${lost}.`;
  return [[`${valid}${past}${hiding}.`, ...(failing.length === 0 ? [] : [failed]), rest].join(' '), ''];
}

type Nouns = readonly [one: string, many: string];

const EVENTS: Nouns = ['event', 'events'];
const ENTRIES: Nouns = ['entry', 'entries'];
const FEEDS: Nouns = ['feed', 'feeds'];
const DATES: Nouns = ['date', 'dates'];

function counted(count: number, [one, many]: Nouns): string {
  return `${written(count)} ${count === 1 ? one : many}`;
}

/** Failing feeds that the first sentences name. */
const MOST_NAMED = 10;

function leftOutPart(actions: Readonly<Record<string, unknown>>): string {
  const count = actions['left out'];
  if (typeof count !== 'number' || count === 0) return '';
  return `${written(count)} left out (private, or replaced by a later version)`;
}

/** Changes of each kind that are named. */
const MOST_CHANGES = 10;

/** G10: compared with the previous snapshot. */
function changeLines({ changes }: ReportSummary): readonly string[] {
  if (changes === null) return [];
  const { counts, lists } = changes;
  const named = (['added', 'removed', 'changed', 'renamed'] as const).flatMap((kind) => {
    const shown = lists[kind].slice(0, MOST_CHANGES).map((change) => `  ${kind} ${changeLine(change)}`);
    const more = counts[kind] - shown.length;
    return more > 0 ? [...shown, `  … and ${written(more)} more ${kind}`] : shown;
  });
  const { added, changed, renamed, removed } = counts;
  const total = `since the last build: ${written(added)} added, ${written(removed)} removed, ${written(changed)} changed`;
  return ['', `${total} (${written(renamed)} renamed)`, ...named];
}

function changeLine({ id, title, fields, from }: NamedChange): string {
  const name = `${JSON.stringify(id)} ${shorten(title)}`;
  if (from !== undefined) return `${name}, before: ${shorten(from)}`;
  return fields === undefined ? name : `${name}: ${fields.join(', ')}`;
}

function listLines({ lists }: ReportSummary): readonly string[] {
  const rows = LISTS.filter(({ list, isRare }) => isRare !== true || lists[list].read > 0).map(
    ({ list, label }) => row([label, lists[list].read, lists[list].kept, lists[list].dropped]),
  );
  return [row(['', 'read', 'kept', 'dropped']), ...rows];
}

function row([label, ...cells]: readonly [string, ...(string | number)[]]): string {
  return label.padEnd(18) + cells.map((cell) => written(cell).padStart(12)).join('');
}

/** Failing feeds first, then those with something to say, a line each. The others are one line, where they are many. */
function feedLines({ feeds }: Pick<ReportSummary, 'feeds'>): readonly string[] {
  const quiet = feeds.filter((feed) => !isFailing(feed) && feed.counts.dropped === 0);
  const named = feeds.filter((feed) => !quiet.includes(feed));
  const failingFirst = [...named.filter(isFailing), ...named.filter((feed) => !isFailing(feed))];
  if (quiet.length <= MOST_QUIET) return [...failingFirst, ...quiet].map(feedLine);
  const [entries, events] = [totalOf(quiet, 'entries'), totalOf(quiet, 'events')];
  const all = `${counted(entries, ENTRIES)}, ${counted(events, EVENTS)}, nothing dropped`;
  return [...failingFirst.map(feedLine), `${counted(quiet.length, FEEDS)} more: ${all}`];
}

/** Feeds with nothing to say that still get a line each. */
const MOST_QUIET = 3;

function isFailing({ state }: FeedHealth): boolean {
  return state !== 'ok';
}

function totalOf(feeds: readonly FeedHealth[], name: keyof FeedHealth['counts']): number {
  return feeds.reduce((sum, { counts }) => sum + counts[name], 0);
}

/** The results of its entries, and when and why it began to fail. */
function feedLine({ id, state, since, why, counts }: FeedHealth): string {
  const { entries, events, merged, dropped } = counts;
  const parts = [counted(events, EVENTS), `${written(merged)} merged`, `${written(dropped)} dropped`];
  const trouble = state === 'ok' ? '' : `; ${TROUBLE[state]} since ${since}: ${why}`;
  return `feed ${id}: ${counted(entries, ENTRIES)}, ${parts.join(', ')}${trouble}`;
}

const MOST_CORRECTIONS = 50;

/** F13: what each correction did; one that matched nothing is a finding. */
function correctionLines({ corrections }: ReportSummary): readonly string[] {
  const matched = corrections.filter(({ events }) => events > 0);
  const lines = matched.slice(0, MOST_CORRECTIONS).map(({ at, does, note, events, dates }) => {
    const ofDates = dates === null ? '' : `${counted(dates, DATES)} of `;
    const what = `${at} ${does === 'hide' ? 'hides' : 'changes'} ${ofDates}${counted(events, EVENTS)}`;
    return `  ${what}${note === null ? '' : `: ${shorten(note)}`}`;
  });
  const more = matched.length - lines.length;
  return lines.length === 0 ? [] : ['', ...lines, ...(more > 0 ? [`  … and ${written(more)} more`] : [])];
}

/** Takes a report's `actions`, also stored ones. */
function droppedParts(actions: Readonly<Record<string, unknown>>): string {
  const parts = Object.entries(DROPPED_PARTS).flatMap(([action, [one, many]]) => {
    const count = actions[action];
    return typeof count === 'number' && count > 0 ? [`${written(count)} ${count === 1 ? one : many}`] : [];
  });
  return parts.join(', ');
}

const DROPPED_PARTS = {
  'dropped record': ['record', 'records'],
  'dropped series': ['series', 'series'],
  'dropped date': ['date', 'dates'],
  'dropped reference': ['reference', 'references'],
} as const satisfies Partial<Record<Action, readonly [one: string, many: string]>>;

const TROUBLE = { stale: 'last good records kept, failing', failed: 'no records, failing' } as const;

function findingLines({ actions, findings, findingsLeftOut }: ReportSummary): readonly string[] {
  if (findings.length === 0) return [];
  const counts = ACTIONS.filter((action) => actions[action] > 0).map((action) =>
    row([action, actions[action]]),
  );
  const lines = groupsOf(findings).map((group) => `  ${alikeLine(group)}`);
  const beyond = findings.reduce((sum, { alike }) => sum + (alike === undefined ? 0 : alike - EXAMPLES), 0);
  const more = findingsLeftOut - beyond;
  return ['', ...counts, '', ...lines, ...(more > 0 ? [`  … and ${written(more)} more`] : [])];
}

/** Each finding about what is missing by itself, the others with those that are alike, in the same order. */
function groupsOf(findings: readonly Finding[]): readonly (readonly Finding[])[] {
  const groups = new Map<unknown, Finding[]>();
  for (const finding of findings) {
    const key = isMissing(finding) ? finding : alikeKey(finding);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [finding]);
    else group.push(finding);
  }
  return [...groups.values()];
}

/** One finding, or the number of those that are alike, and where three of them are. */
function alikeLine([first, ...more]: readonly Finding[]): string {
  if (first === undefined) return '';
  if (more.length === 0) return findingLine(first);
  const { action, expected, found, alike = 1 + more.length } = first;
  const isSame = more.every((other) => other.found === found);
  const places = [first, ...more].map((one) => `${whereOf(one)}${isSame ? '' : ` ${one.found}`}`);
  const what = `${written(alike)} times ${action}, expected ${expected}${isSame ? `, found ${found}` : ''}`;
  return `${what}: ${places.join('; ')}${alike > places.length ? '; …' : ''}`;
}

const MOST_IGNORED = 20;

function ignoredLines({ ignored, ignoredLeftOut }: ReportSummary): readonly string[] {
  if (ignored.length === 0) return [];
  const shown = ignored
    .slice(0, MOST_IGNORED)
    .map(({ name, count, nearest = null }) => `${name} (${withNearest(written(count), nearest)})`);
  const isAll = ignored.length <= MOST_IGNORED && ignoredLeftOut === 0;
  return ['', `ignored fields: ${shown.join(', ')}${isAll ? '' : ', …'}`];
}

function timingLines({ timings }: ReportSummary): readonly string[] {
  if (timings.length === 0) return [];
  const steps = timings.map(({ step, milliseconds }) => `${step} ${written(Math.round(milliseconds))} ms`);
  return ['', steps.join(', ')];
}

function written(cell: string | number): string {
  return typeof cell === 'string' ? cell : cell.toLocaleString('en');
}
