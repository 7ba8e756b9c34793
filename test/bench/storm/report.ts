/** The tables of a storm: the targets with the results, and the measurements of each attack. */
import { loadavg } from 'node:os';
import { provenanceTable } from '../provenance.ts';
import { percentile } from '../rounds.ts';
import { markdownTable } from '../tables.ts';
import type { Tally } from './attacks.ts';
import type { Seen } from './polite.ts';
import type { RefusalCost } from './refusal.ts';

export interface Row {
  readonly calendar: string;
  readonly megabytes: number;
  readonly workers: number;
  readonly attack: string;
  /** The kind of limit on the memory of the processes. */
  readonly group: string;
  /** MB of the largest serving process, before the attack and at its highest. */
  readonly base: number;
  readonly peak: number;
  readonly quiet: Seen;
  readonly seen: Seen;
  readonly tallies: readonly Tally[];
  /** Null if several processes serve, because a request cannot choose one of them. */
  readonly stallMs: number | null;
  readonly deaths: number;
  /** After the last attack on a server: MB a minute later, and the highest before. */
  readonly later?: { readonly megabytes: number; readonly highestMB: number };
}

interface Storm {
  readonly rows: readonly Row[];
  readonly refusal: RefusalCost;
  readonly seconds: number;
  readonly command: string;
  readonly dist: string;
}

export function renderStorm({ rows, refusal, seconds, command, dist }: Storm): string {
  const kinds = [...new Set(rows.map(({ group }) => group))].join(', ');
  const targets = targetsOf(rows, refusal).map(
    ({ wanted, found, isMet }) => `| ${wanted} | ${found} | ${isMet ? 'met' : '**missed**'} |`,
  );
  return `# Storm

${provenanceTable({ command, dist, runs: `each attack once, for ${seconds} s, one after the other against the same server` })}

Load of the machine at the end: ${loadavg()[0]?.toFixed(1)}; memory limited by: ${kinds}. Memory is the resident memory of the largest serving process, in MB;
waits are in milliseconds. *big*: 1,500 weekly events; *large*: 20,000 events. The p99 of a quiet server is measured with the same polite client, before the attack;
this client has its own address. A dash means that no reply came during the attack, and counts as missed.

## Targets

| target | result | |
|---|---|---|
${targets.join('\n')}

## Each attack

${markdownTable(
  ATTACK_COLUMNS.map(([heading]) => heading),
  rows.map((row) => ATTACK_COLUMNS.map(([, cell]) => `${cell(row)}`)),
)}

## A minute later

| calendar | MB | workers | highest | a minute later | given back |
|---|---|---|---|---|---|
${rows.flatMap(laterOf).join('\n')}
`;
}

interface Target {
  readonly wanted: string;
  readonly found: string;
  readonly isMet: boolean;
}

function targetsOf(rows: readonly Row[], { cached, refused }: RefusalCost): readonly Target[] {
  /** An attack that did not run has met nothing. */
  const targetOfRows = (wanted: string, of: readonly Row[], isMet: (row: Row) => boolean): Target => {
    const met = of.filter(isMet).length;
    return { wanted, found: `${met} of ${of.length}`, isMet: of.length > 0 && met === of.length };
  };
  const costs = `${refused.toFixed(0)} and ${cached.toFixed(0)} µs, the client’s part included: ${(refused / cached).toFixed(2)}`;
  return [
    targetOfRows('nothing killed', rows, ({ deaths }) => deaths === 0),
    targetOfRows('highest memory within the budget', rows, ({ peak, megabytes }) => peak <= megabytes),
    targetOfRows(
      'polite p99 at most 10 times the quiet one, or 1 s',
      rows,
      ({ quiet, seen }) =>
        percentileOf(seen.polite, 0.99) <= Math.max(1_000, 10 * (percentileOf(quiet.polite, 0.99) || 0)),
    ),
    targetOfRows(
      'polite median at most 5 times the quiet one, beside facets of one address',
      rows.filter(({ attack }) => attack === 'facets'),
      ({ quiet, seen }) =>
        seen.refused === 0 && percentileOf(seen.polite, 0.5) <= 5 * percentileOf(quiet.polite, 0.5),
    ),
    targetOfRows(
      '95 % of polite clients answered, beside facets of four addresses',
      rows.filter(({ attack }) => attack === 'facets of four addresses'),
      ({ seen }) => seen.refused <= 0.05 * seen.polite.length,
    ),
    targetOfRows('polite clients answered', rows, ({ seen }) => seen.polite.length > 0 && seen.refused === 0),
    targetOfRows('`/healthz` within 1 s', rows, ({ seen }) => percentileOf(seen.health, 1) <= 1_000),
    targetOfRows(
      'no stall over 50 ms (one worker)',
      rows.filter(({ stallMs }) => stallMs !== null),
      ({ stallMs }) => (stallMs ?? 0) <= 50,
    ),
    {
      wanted: 'a refusal costs at most twice a cached answer',
      found: costs,
      isMet: refused <= 2 * cached,
    },
  ];
}

type AttackColumn = readonly [heading: string, cell: (row: Row) => string | number];

/** The columns of the table of attacks. */
const ATTACK_COLUMNS: readonly AttackColumn[] = [
  ['calendar', ({ calendar }) => calendar],
  ['MB', ({ megabytes }) => megabytes],
  ['workers', ({ workers }) => workers],
  ['attack', ({ attack }) => attack],
  ['before', ({ base }) => base],
  ['highest', ({ peak }) => peak],
  ['/healthz longest', ({ seen }) => ms(percentileOf(seen.health, 1))],
  [
    'polite p99 (quiet)',
    ({ seen, quiet }) => `${ms(percentileOf(seen.polite, 0.99))} (${ms(percentileOf(quiet.polite, 0.99))})`,
  ],
  ['not answered', ({ seen }) => `${seen.refused} of ${seen.polite.length}`],
  ['longest stall', ({ stallMs }) => (stallMs === null ? '–' : ms(stallMs))],
  ['answered', (row) => repliesOf(row, (status) => status === 200)],
  ['refused', (row) => repliesOf(row, (status) => status >= 400)],
  ['cut', (row) => repliesOf(row, (status) => status === 0)],
  ['deaths', ({ deaths }) => deaths],
];

/** The number of replies to an attack with such a status; 0 is that of a connection without a reply. */
function repliesOf({ tallies }: Row, isCounted: (status: number) => boolean): number {
  return tallies
    .flatMap(({ statuses }) => Object.entries(statuses))
    .reduce((sum, [status, times]) => sum + (isCounted(Number(status)) ? times : 0), 0);
}

function laterOf({ calendar, megabytes, workers, later }: Row): readonly string[] {
  if (later === undefined) return [];
  const share = (100 * (later.highestMB - later.megabytes)) / Math.max(1, later.highestMB);
  const cells = [calendar, megabytes, workers, later.highestMB, later.megabytes, `${share.toFixed(0)} %`];
  return [`| ${cells.join(' | ')} |`];
}

const ms = (value: number): string => (Number.isFinite(value) ? value.toFixed(0) : '–');

/** NaN without times. */
function percentileOf(times: readonly number[], share: number): number {
  const sorted = [...times].sort((left, right) => left - right);
  return percentile(sorted, share) ?? Number.NaN;
}
