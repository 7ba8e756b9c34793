/** What a build did, for people at a terminal. */
import { isObject, parsedJson } from '../../../src/calendar/json.ts';
import { printable } from '../../../src/calendar/text.ts';
import type { BuildPart, BuildResult } from '../../annex.ts';
import type { NamedChange } from '../../comparison.ts';
import { ACTIONS, type Action, type Finding } from '../../records.ts';
import { keyOf, kindOf, type ListName, type Report, type ReportSummary } from '../../report.ts';

export function create(): BuildPart {
  return { describe };
}

/** The report, if records were read, and what was published. `result` is null for a build that failed. */
export function describe(report: Report, result: BuildResult | null): string {
  const summary = report.summary();
  // An unchanged or missing source has nothing to report; feeds may be the reason even if no record was read.
  const wasRead = Object.values(summary.lists).some(({ read }) => read > 0);
  const feeds = wasRead ? [] : feedLines(summary);
  const lines = result === null ? feeds : resultLines(summary, result, feeds);
  const text = lines.map((line) => `${line}\n`).join('');
  return wasRead ? `${reportText(report)}\n${text}` : text;
}

function resultLines(
  summary: ReportSummary,
  result: BuildResult,
  feeds: readonly string[],
): readonly string[] {
  const { outcome, file, builtAt, counts, isFirst, warnings } = result;
  const earlier = parsedJson(result.earlierReport ?? 'null');
  const actions = isObject(earlier) ? earlier.actions : null;
  return [
    ...warnings.map((warning) => `warning: ${warning}`),
    ...feeds,
    ...(isFirst ? [FIRST] : []),
    `${outcome}: ${file}, built at ${builtAt}, ${counts.events} events${overOf(summary)}, ${counts.occurrences} occurrences`,
    // An unchanged source is not read again, but its dropped parts are still missing.
    ...(isObject(actions) ? droppedLines(actions) : []),
  ];
}

/** A17, G10. */
const FIRST = 'first snapshot of its folder: slugs, category ids and changes are counted from here on';

/** Why there are fewer events than were accepted. */
function overOf({ over, merged }: ReportSummary): string {
  const are = (count: number) => `${count} of those kept ${count === 1 ? 'is' : 'are'}`;
  const parts = [
    ...(over === 0 ? [] : [`${are(over)} over`]),
    ...(merged === 0 ? [] : [`${are(merged)} one with another`]),
  ];
  return parts.length === 0 ? '' : ` (${parts.join(', ')})`;
}

const LISTS: readonly (readonly [ListName, string])[] = [
  ['events', 'events'],
  ['venues', 'venues'],
  ['organizers', 'organizers'],
  ['notices', 'notices'],
  ['postalCodes', 'postal codes'],
];

/** A table, the first `findings` in full, the ignored fields, the timings. Ends with a line feed. */
export function reportText(report: Report, { findings }: { findings: number } = { findings: 20 }): string {
  const summary = report.summary();
  return [
    ...listLines(summary),
    ...changeLines(summary),
    ...feedLines(summary),
    ...findingLines(summary, findings),
    ...ignoredLines(summary),
    ...timingLines(summary),
  ]
    .map((line) => `${printable(line).replaceAll('\n', '\\u000a').trimEnd()}\n`)
    .join('');
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
  const name = `${JSON.stringify(id)} ${title}`;
  if (from !== undefined) return `${name}, before: ${from}`;
  return fields === undefined ? name : `${name}: ${fields.join(', ')}`;
}

/** Lists that few sources have. */
const OPTIONAL: ReadonlySet<ListName> = new Set(['notices', 'postalCodes']);

function listLines({ lists }: ReportSummary): readonly string[] {
  const rows = LISTS.filter(([list]) => lists[list].read > 0 || !OPTIONAL.has(list)).map(([list, label]) => {
    const { read, kept, dropped } = lists[list];
    return row([label, read, kept, dropped]);
  });
  return [row(['', 'read', 'kept', 'dropped']), ...rows];
}

function row([label, ...cells]: readonly [string, ...(string | number)[]]): string {
  return label.padEnd(18) + cells.map((cell) => written(cell).padStart(12)).join('');
}

/** One line a feed: the results of its entries, and when and why it began to fail. */
function feedLines({ feeds }: Pick<ReportSummary, 'feeds'>): readonly string[] {
  return feeds.map(({ id, state, since, why, counts: { entries, events, merged, dropped } }) => {
    const parts = [`${written(events)} events`, `${written(merged)} merged`, `${written(dropped)} dropped`];
    const trouble = state === 'ok' ? '' : `; ${TROUBLE[state]} since ${since}: ${why}`;
    return `feed ${id}: ${written(entries)} entries, ${parts.join(', ')}${trouble}`;
  });
}

/** The dropped parts of a source: one line, or none if nothing was dropped. Takes a report's `actions`, also stored ones. */
function droppedLines(actions: Readonly<Record<string, unknown>>): readonly string[] {
  const parts = Object.entries(DROPPED).flatMap(([action, [one, many]]) => {
    const count = actions[action];
    return typeof count === 'number' && count > 0 ? [`${written(count)} ${count === 1 ? one : many}`] : [];
  });
  return parts.length === 0 ? [] : [`dropped: ${parts.join(', ')}`];
}

const DROPPED = {
  'dropped record': ['record', 'records'],
  'dropped series': ['series', 'series'],
  'dropped date': ['date', 'dates'],
  'dropped reference': ['reference', 'references'],
} as const satisfies Partial<Record<Action, readonly [one: string, many: string]>>;

const TROUBLE = { stale: 'last good records kept, failing', failed: 'no records, failing' } as const;

function findingLines(
  { actions, findings, findingsLeftOut }: ReportSummary,
  most: number,
): readonly string[] {
  const all = findings.length + findingsLeftOut;
  if (all === 0) return [];
  const counts = ACTIONS.filter((action) => actions[action] > 0).map((action) =>
    row([action, actions[action]]),
  );
  const graver = ACTIONS.flatMap((action) => findings.filter((finding) => finding.action === action));
  const shown = ofEachKind(graver, most).map((finding) => `  ${findingLine(finding)}`);
  const more = all - shown.length;
  return ['', ...counts, '', ...shown, ...(more > 0 ? [`  … and ${written(more)} more`] : [])];
}

/** There may be hundreds of one kind: so many of each are shown before further ones. */
const FIRST_OF_KIND = 3;

/** In the same order. */
function ofEachKind(findings: readonly Finding[], most: number): readonly Finding[] {
  const seen = new Map<string, number>();
  const [first, more]: [number[], number[]] = [[], []];
  for (const [place, finding] of findings.entries()) {
    const key = keyOf(kindOf(finding));
    const nth = (seen.get(key) ?? 0) + 1;
    seen.set(key, nth);
    (nth <= FIRST_OF_KIND ? first : more).push(place);
  }
  const shown = new Set([...first, ...more].slice(0, most));
  return findings.filter((_, place) => shown.has(place));
}

/** Place, action and reason: `events.ndjson:14 "e-12" dates[2].start: dropped date, expected …, found …`. */
function findingLine({ origin, id, field, action, expected, found }: Finding): string {
  const where = [placeOf(origin), id === null ? '' : JSON.stringify(id), field ?? ''].filter(
    (part) => part !== '',
  );
  return `${where.join(' ')}: ${action}, expected ${expected}, found ${found}`;
}

function placeOf({ file, line, index }: Finding['origin']): string {
  if (line !== undefined) return `${file}:${line}`;
  return index === undefined ? file : `${file}[${index}]`;
}

const MOST_IGNORED = 20;

function ignoredLines({ ignored, ignoredLeftOut }: ReportSummary): readonly string[] {
  if (ignored.length === 0) return [];
  const shown = ignored.slice(0, MOST_IGNORED).map(({ name, count }) => `${name} (${written(count)})`);
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
