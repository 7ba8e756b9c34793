/** The table of a storm: what was wanted, and what was found, also where it is missed. */
import { type Target, targetTable } from '../report/table.ts';
import { percentile } from '../rounds.ts';
import type { Tally } from './attacks.ts';
import type { RefusalCost } from './refusal.ts';
import type { Seen } from './watcher.ts';

export interface Row {
  readonly calendar: string;
  readonly megabytes: number;
  readonly workers: number;
  readonly attack: string;
  /** What held the memory. */
  readonly group: string;
  /** MB, of the largest serving process. */
  readonly base: number;
  readonly peak: number;
  readonly quiet: Seen;
  readonly seen: Seen;
  readonly tallies: readonly Tally[];
  /** Null where it cannot be asked. */
  readonly stallMs: number | null;
  readonly deaths: number;
  /** MB a minute after the last attack on this server, and the highest before. */
  readonly laterMB: number | null;
  readonly highestMB?: number;
}

interface Storm {
  readonly rows: readonly Row[];
  readonly refusal: RefusalCost;
  readonly machine: { readonly cores: number; readonly load: number; readonly node: string };
  readonly seconds: number;
}

export function renderStorm({ rows, refusal, machine, seconds }: Storm): string {
  const { cores, load, node } = machine;
  const kinds = [...new Set(rows.map(({ group }) => group))].join(', ');
  return `# Storm

\`npm run bench -- --storm\`: ${seconds} s of each attack, one after the other against the same server, ${cores} cores, Node ${node},
1-minute load of the machine at the end ${load.toFixed(1)}; memory held by: ${kinds}. Memory is resident, in MB, of the largest serving process;
waits are in milliseconds. *big*: 1,500 weekly events; *large*: 20,000 events. A quiet server's p99 is that of the same polite client before;
it has an address of its own. A dash is no reply within the attack, and counts as missed.

## Wanted and found

${targetTable(goalsOf(rows, refusal))}

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

function goalsOf(rows: readonly Row[], { cached, refused }: RefusalCost): readonly Target[] {
  const deaths = rows.filter((row) => row.deaths > 0);
  const over = rows.filter(({ peak, megabytes }) => peak > megabytes);
  const slow = rows.filter(
    ({ quiet, seen }) => !(at(seen.polite, 0.99) <= Math.max(1_000, 10 * (at(quiet.polite, 0.99) || 0))),
  );
  const rude = rows.filter(({ seen }) => seen.polite.length === 0 || seen.refused > 0);
  const health = rows.filter(({ seen }) => !(at(seen.health, 1) <= 1_000));
  const looped = rows.filter(({ stallMs }) => stallMs !== null);
  const stalls = looped.filter(({ stallMs }) => (stallMs ?? 0) > 50);
  const kept = rows.filter(({ laterMB, highestMB = 0 }) => laterMB !== null && laterMB > 0.75 * highestMB);
  const of = (some: readonly Row[]) => `${rows.length - some.length} of ${rows.length}`;
  const servers = rows.filter(({ laterMB }) => laterMB !== null).length;
  return [
    { wanted: 'nothing killed', found: of(deaths), isMet: deaths.length === 0 },
    { wanted: 'highest memory within the budget', found: of(over), isMet: over.length === 0 },
    {
      wanted: 'polite p99 at most 10 times the quiet one, or 1 s',
      found: of(slow),
      isMet: slow.length === 0,
    },
    { wanted: 'polite clients answered', found: of(rude), isMet: rude.length === 0 },
    { wanted: '`/healthz` within 1 s', found: of(health), isMet: health.length === 0 },
    {
      wanted: 'no stall over 50 ms',
      found: `${looped.length - stalls.length} of ${looped.length} (one worker)`,
      isMet: stalls.length === 0,
    },
    {
      wanted: 'a refusal costs at most twice an answer at hand',
      found: `${refused.toFixed(0)} and ${cached.toFixed(0)} µs, the client’s part included: ${(refused / cached).toFixed(2)}`,
      isMet: refused <= 2 * cached,
    },
    {
      wanted: 'a quarter of the highest memory given back within a minute',
      found: `${servers - kept.length} of ${servers}`,
      isMet: kept.length === 0,
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
    ...[calendar, megabytes, workers, attack, base, peak],
    ...[ms(at(seen.health, 1)), `${ms(at(seen.polite, 0.99))} (${ms(at(quiet.polite, 0.99))})`],
    `${seen.refused} of ${seen.polite.length}`,
    stallMs === null ? '–' : ms(stallMs),
    ...[
      count((status) => status === 200),
      count((status) => status >= 400),
      count((status) => status === 0),
      deaths,
    ],
  ];
  return `| ${cells.join(' | ')} |`;
}

function laterOf({ calendar, megabytes, workers, laterMB, highestMB = 0 }: Row): readonly string[] {
  if (laterMB === null) return [];
  const share = highestMB === 0 ? 0 : (100 * (highestMB - laterMB)) / highestMB;
  return [`| ${calendar} | ${megabytes} | ${workers} | ${highestMB} | ${laterMB} | ${share.toFixed(0)} % |`];
}

const ms = (value: number): string => (Number.isFinite(value) ? value.toFixed(0) : '–');

function at(times: readonly number[], share: number): number {
  const sorted = [...times].sort((left, right) => left - right);
  return percentile(sorted, share) ?? Number.NaN;
}
