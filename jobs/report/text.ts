/** The report for people at a terminal: three sentences, then the details in the order in which an editor acts on them. */
import { beginningOf, printableLine } from '../../src/calendar/display-text.ts';
import { sumOf } from '../../src/calendar/groups.ts';
import { isObject, parsedJson } from '../../src/calendar/json.ts';
import type { BuildResult } from '../annex.ts';
import type { Finding } from '../findings.ts';
import { correctionLines, duplicateLines, proposalLines, waitingLines } from './decisions.ts';
import {
  counted,
  DATES,
  EVENTS,
  FEEDS,
  formatted,
  isOrAre,
  listed,
  type Nouns,
  OCCURRENCES,
  section,
  unlessNone,
  wasOrWere,
} from './lines.ts';
import type { Report } from './report.ts';
import {
  changeLines,
  failingLines,
  feedLines,
  isFailing,
  missingLines,
  notedLines,
  numberLines,
  timingLines,
} from './sections.ts';
import type { FeedHealth, ReportSummary } from './summary.ts';

type BuildCounts = BuildResult['counts'];

/** The numbers of events and dates that were published or, after a check, would be. */
export interface Outcome {
  readonly counts: BuildCounts;
  readonly isChecked: boolean;
}

/** How a build ended. */
export type BuildEnd =
  | { readonly kind: 'built'; readonly result: BuildResult }
  | { readonly kind: 'checked'; readonly counts: BuildCounts }
  | { readonly kind: 'failed' };

/** The report, if records were read, and what was published. */
export function describeBuild(report: Report, end: BuildEnd): string {
  const summary = report.summary();
  // An unchanged or missing source has nothing to report; feeds may be the reason even if no record was read.
  const wasRead = Object.values(summary.lists).some(({ read }) => read > 0);
  const feeds = wasRead ? [] : [...failingLines(summary), ...feedLines(summary)];
  const lines = end.kind === 'built' ? resultLines(summary, end.result, feeds) : feeds;
  const texts = wasRead ? [reportText(report, outcomeOf(end))] : [];
  return [...texts, ...lines].map((line) => `${line}\n`).join('');
}

function outcomeOf(end: BuildEnd): Outcome | null {
  if (end.kind === 'built') return { counts: end.result.counts, isChecked: false };
  return end.kind === 'checked' ? { counts: end.counts, isChecked: true } : null;
}

function resultLines(
  summary: ReportSummary,
  { outcome, file, builtAt, counts, isFirst, warnings, previousReport }: BuildResult,
  feeds: readonly string[],
): readonly string[] {
  const previous = parsedJson(previousReport ?? 'null');
  // An unchanged source is not read again, but its dropped parts are still missing.
  const dropped = isObject(previous) && isObject(previous.actions) ? droppedParts(previous.actions) : [];
  const notes = isFirst ? [FIRST] : [];
  return [
    ...warnings.map((warning) => `warning: ${warning}`),
    ...feeds,
    ...notes,
    `${outcome}: ${file}, built at ${builtAt}, ${counted(counts.events, EVENTS)}${overOf(summary)}, ${counted(counts.occurrences, OCCURRENCES)}`,
    ...unlessNone(dropped.length, `dropped: ${dropped.map(({ text }) => text).join(', ')}`),
  ];
}

/** A17, G10: the note on a first build, which has no earlier snapshot to compare with. */
const FIRST = 'first snapshot of its folder: slugs, category ids and changes are recorded from now on';

/** Why there are fewer events than were accepted. */
function overOf({ over, merged, hidden }: ReportSummary): string {
  const ofKept = (count: number) => `${count} of those kept ${isOrAre(count)}`;
  const parts = [
    ...unlessNone(over, `${ofKept(over)} over`),
    ...unlessNone(merged, `${ofKept(merged)} merged with another`),
    ...unlessNone(hidden, `${ofKept(hidden)} hidden`),
  ];
  return parts.length === 0 ? '' : ` (${parts.join(', ')})`;
}

/** The whole report. Ends with a line feed. `outcome`: null for a build that failed. */
export function reportText(report: Report, outcome: Outcome | null = null): string {
  const summary = report.summary();
  return [
    summaryLine(summary, outcome),
    ...section('Feeds that failed:', failingLines(summary)),
    ...waitingLines(summary),
    ...missingLines(summary),
    ...duplicateLines(report.details()),
    ...changeLines(summary),
    ...correctionLines(summary),
    ...section('Feeds:', feedLines(summary)),
    ...proposalLines(summary),
    ...notedLines(summary),
    ...numberLines(summary),
    ...timingLines(summary),
  ]
    .map((line) => `${printableLine(cutLine(line)).trimEnd()}\n`)
    .join('');
}

/** Characters; a longer line is cut. */
const LONGEST_LINE = 1_000;

function cutLine(line: string): string {
  return line.length <= LONGEST_LINE ? line : `${beginningOf(line, LONGEST_LINE - 1)}…`;
}

/** G2: three sentences for a person who knows the events but not this program. */
function summaryLine(summary: ReportSummary, outcome: Outcome | null): string {
  const { feeds } = summary;
  return [publishedSentence(summary, outcome), ...failedSentence(feeds), lostSentence(summary)].join(' ');
}

function publishedSentence(
  { lists: { events }, over, hidden }: ReportSummary,
  outcome: Outcome | null,
): string {
  if (outcome !== null) {
    const { counts, isChecked } = outcome;
    const verb = isChecked ? 'would be' : wasOrWere(counts.events);
    const what = `${counted(counts.events, EVENTS)} with ${counted(counts.occurrences, DATES)}`;
    return `${what} ${verb} published.`;
  }
  const past = over === 0 ? '' : `, ${formatted(over)} of them over`;
  const hiding = hidden === 0 ? '' : `, ${formatted(hidden)} hidden by corrections`;
  const ofRead = `${formatted(events.kept)} of ${counted(events.read, EVENTS)}`;
  return `${ofRead} ${isOrAre(events.kept)} valid${past}${hiding}.`;
}

/** Failing feeds that the first sentences name. */
const MOST_NAMED = 10;

function failedSentence(feeds: readonly FeedHealth[]): readonly string[] {
  const failing = feeds.filter(isFailing).map(({ id }) => id);
  if (failing.length === 0) return [];
  const unnamed = failing.length - MOST_NAMED;
  const names = failing.slice(0, MOST_NAMED);
  const named = unnamed > 0 ? `${names.join(', ')} and ${formatted(unnamed)} more` : listed(names);
  return [`${formatted(failing.length)} of ${counted(feeds.length, FEEDS)} failed: ${named}.`];
}

function lostSentence({ actions, findings }: ReportSummary): string {
  const dropped = droppedParts(actions);
  const sum = sumOf(dropped.map(({ count }) => count));
  const unmatched = findings.filter(isUnmatched).length;
  const leftOut = actions['left out'] - unmatched;
  const parts = [
    ...unlessNone(sum, `${listed(dropped.map(({ text }) => text))} ${wasOrWere(sum)} dropped`),
    ...unlessNone(leftOut, `${formatted(leftOut)} ${wasOrWere(leftOut)} left out`),
    ...unlessNone(unmatched, `${counted(unmatched, UNMATCHED)} nothing`),
  ];
  return parts.length === 0 ? 'Nothing was dropped or left out.' : `${parts.join('; ')}.`;
}

const UNMATCHED: Nouns = ['decision by the editor matches', 'decisions by the editor match'];

/** F12, F13: decisions of an editor about events that do not exist; no content is missing. */
function isUnmatched({ action, origin: { file } }: Finding): boolean {
  return action === 'left out' && (file === 'corrections.json' || file === 'duplicates.json');
}

interface DroppedPart {
  readonly count: number;
  readonly text: string;
}

/** The dropped parts in the `actions` of a report, which may be a stored one of any version. */
function droppedParts(actions: Readonly<Record<string, unknown>>): readonly DroppedPart[] {
  return DROPPED_PARTS.flatMap(([action, nouns]) => {
    const count = actions[action];
    return typeof count === 'number' && count > 0 ? [{ count, text: counted(count, nouns) }] : [];
  });
}

const DROPPED_PARTS: readonly (readonly [action: string, nouns: Nouns])[] = [
  ['dropped record', ['record', 'records']],
  ['dropped series', ['series', 'series']],
  ['dropped date', ['date', 'dates']],
  ['dropped reference', ['reference', 'references']],
];
