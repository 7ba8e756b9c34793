/** The tables of a storm: the targets and what was found, also where a target is missed. */
import { cpus, loadavg } from 'node:os';
import { percentile } from '../rounds.ts';
import type { Tally } from './attacks.ts';
import type { Seen } from './polite.ts';
import type { RefusalCost } from './refusal.ts';

export interface Row {
  readonly calendar: string;
  readonly megabytes: number;
  readonly workers: number;
  readonly attack: string;
  /** What bounded the memory of the processes. */
  readonly group: string;
  /** MB of the largest serving process, before the attack and at its highest. */
  readonly base: number;
  readonly peak: number;
  readonly quiet: Seen;
  readonly seen: Seen;
  readonly tallies: readonly Tally[];
  /** Null where several processes serve: none of them can be asked alone. */
  readonly stallMs: number | null;
  readonly deaths: number;
  /** After the last attack on a server: MB a minute later, and the highest before. */
  readonly later?: { readonly megabytes: number; readonly highestMB: number };
}

interface Storm {
  readonly rows: readonly Row[];
  readonly refusal: RefusalCost;
  readonly seconds: number;
}

export function renderStorm({ rows, refusal, seconds }: Storm): string {
  const kinds = [...new Set(rows.map(({ group }) => group))].join(', ');
  const targets = targetsOf(rows, refusal).map(
    ({ wanted, found, isMet }) => `| ${wanted} | ${found} | ${isMet ? 'met' : '**missed**'} |`,
  );
  return `# Storm

\`npm run bench -- --storm\`: ${seconds} s of each attack, one after the other against the same server, ${cpus().length} cores, Node ${process.version},
1-minute load of the machine at the end ${loadavg()[0]?.toFixed(1)}; memory held by: ${kinds}. Memory is the resident memory of the largest serving process, in MB;
waits are in milliseconds. *big*: 1,500 weekly events; *large*: 20,000 events. The p99 of a quiet server is measured with the same polite client, before the attack;
this client has its own address. A dash means that no reply came during the attack, and counts as missed.

## Wanted and found

| wanted | found | |
|---|---|---|
${targets.join('\n')}

## Each attack

| calendar | MB | workers | attack | before | highest | /healthz longest | polite p99 (quiet) | not answered | longest stall | answered | refused | cut | deaths |
|---|---|---|---|---|---|---|---|---|---|---|---|---|---|
${rows.map(lineOf).join('\n')}

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
      ({ quiet, seen }) => at(seen.polite, 0.99) <= Math.max(1_000, 10 * (at(quiet.polite, 0.99) || 0)),
    ),
    targetOfRows(
      'polite median at most 5 times the quiet one, beside facets of one address',
      rows.filter(({ attack }) => attack === 'facets'),
      ({ quiet, seen }) => seen.refused === 0 && at(seen.polite, 0.5) <= 5 * at(quiet.polite, 0.5),
    ),
    targetOfRows(
      '95 % of polite clients answered, beside facets of four addresses',
      rows.filter(({ attack }) => attack === 'facets of four addresses'),
      ({ seen }) => seen.refused <= 0.05 * seen.polite.length,
    ),
    targetOfRows('polite clients answered', rows, ({ seen }) => seen.polite.length > 0 && seen.refused === 0),
    targetOfRows('`/healthz` within 1 s', rows, ({ seen }) => at(seen.health, 1) <= 1_000),
    targetOfRows(
      'no stall over 50 ms (one worker)',
      rows.filter(({ stallMs }) => stallMs !== null),
      ({ stallMs }) => (stallMs ?? 0) <= 50,
    ),
    {
      wanted: 'a refusal costs at most twice an answer at hand',
      found: costs,
      isMet: refused <= 2 * cached,
    },
  ];
}

function lineOf(row: Row): string {
  const { calendar, megabytes, workers, attack, base, peak, quiet, seen, stallMs, deaths } = row;
  const count = (wanted: (status: number) => boolean) =>
    row.tallies
      .flatMap(({ statuses }) => Object.entries(statuses))
      .reduce((sum, [status, times]) => sum + (wanted(Number(status)) ? times : 0), 0);
  const cells = [
    calendar,
    megabytes,
    workers,
    attack,
    base,
    peak,
    ms(at(seen.health, 1)),
    `${ms(at(seen.polite, 0.99))} (${ms(at(quiet.polite, 0.99))})`,
    `${seen.refused} of ${seen.polite.length}`,
    stallMs === null ? '–' : ms(stallMs),
    count((status) => status === 200),
    count((status) => status >= 400),
    count((status) => status === 0),
    deaths,
  ];
  return `| ${cells.join(' | ')} |`;
}

function laterOf({ calendar, megabytes, workers, later }: Row): readonly string[] {
  if (later === undefined) return [];
  const share = (100 * (later.highestMB - later.megabytes)) / Math.max(1, later.highestMB);
  const cells = [calendar, megabytes, workers, later.highestMB, later.megabytes, `${share.toFixed(0)} %`];
  return [`| ${cells.join(' | ')} |`];
}

const ms = (value: number): string => (Number.isFinite(value) ? value.toFixed(0) : '–');

function at(times: readonly number[], share: number): number {
  const sorted = [...times].sort((left, right) => left - right);
  return percentile(sorted, share) ?? Number.NaN;
}
