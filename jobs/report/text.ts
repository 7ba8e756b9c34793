import { ACTIONS, type Complaint } from '../records.ts';
import type { ListName, Report, ReportSummary } from '../report.ts';

export interface ReportTextOptions {
  /** How many complaints to show in full. */
  readonly complaints: number;
}

const LISTS: readonly (readonly [ListName, string])[] = [
  ['events', 'events'],
  ['venues', 'venues'],
  ['organizers', 'organizers'],
  ['postalCodes', 'postal codes'],
];

/** The report for a terminal: a table, the first complaints, the ignored fields, the timings. Ends with a line feed. */
export function reportText(report: Report, { complaints }: ReportTextOptions = { complaints: 20 }): string {
  const summary = report.summary();
  return [
    ...listLines(summary),
    ...feedLines(summary),
    ...complaintLines(summary, complaints),
    ...ignoredLines(summary),
    ...timingLines(summary),
  ]
    .map((line) => `${printable(line).trimEnd()}\n`)
    .join('');
}

function listLines({ lists }: ReportSummary): readonly string[] {
  const rows = LISTS.filter(([list]) => lists[list].read > 0 || list !== 'postalCodes').map(
    ([list, label]) => {
      const { read, kept, dropped } = lists[list];
      return row([label, read, kept, dropped]);
    },
  );
  return [row(['', 'read', 'kept', 'dropped']), ...rows];
}

function row([label, ...cells]: readonly [string, ...(string | number)[]]): string {
  return label.padEnd(18) + cells.map((cell) => written(cell).padStart(12)).join('');
}

/** One line a feed: what came of its entries, and since when and why it has been failing. */
export function feedLines({ feeds }: Pick<ReportSummary, 'feeds'>): readonly string[] {
  return feeds.map(({ id, state, since, why, counts: { entries, events, merged, dropped } }) => {
    const parts = [`${written(events)} events`, `${written(merged)} merged`, `${written(dropped)} dropped`];
    const trouble = state === 'ok' ? '' : `; ${TROUBLE[state]} since ${since}: ${why}`;
    return `feed ${id}: ${written(entries)} entries, ${parts.join(', ')}${trouble}`;
  });
}

const TROUBLE = { stale: 'last good records kept, failing', failed: 'no records, failing' } as const;

function complaintLines(
  { actions, complaints, complaintsLeftOut }: ReportSummary,
  most: number,
): readonly string[] {
  const all = complaints.length + complaintsLeftOut;
  if (all === 0) return [];
  const counts = ACTIONS.filter((action) => actions[action] > 0).map((action) =>
    row([action, actions[action]]),
  );
  const graver = ACTIONS.flatMap((action) => complaints.filter((complaint) => complaint.action === action));
  const shown = graver.slice(0, most).map((complaint) => `  ${complaintLine(complaint)}`);
  const more = all - shown.length;
  return ['', ...counts, '', ...shown, ...(more > 0 ? [`  … and ${written(more)} more`] : [])];
}

/** Where, what was done, and why: `events.ndjson:14 "e-12" dates[2].start: dropped date, expected …, found …`. */
export function complaintLine({ origin, id, field, action, expected, found }: Complaint): string {
  const where = [placeOf(origin), id === null ? '' : JSON.stringify(id), field ?? ''].filter(
    (part) => part !== '',
  );
  return `${where.join(' ')}: ${action}, expected ${expected}, found ${found}`;
}

function placeOf({ file, line, index }: Complaint['origin']): string {
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

/** Control and direction characters of a source must not steer the terminal that shows them. */
function printable(line: string): string {
  return line.replace(STEERING, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

const STEERING = /[\p{Cc}\u202a-\u202e\u2066-\u2069]/gu;
