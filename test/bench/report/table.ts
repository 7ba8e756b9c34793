/** The results for people: Markdown. */
import { figure, thousands } from '../goals.ts';
import { writeMachine } from '../machine.ts';
import type { RatedRow, Results } from '../results.ts';
import type { Beside } from '../sections/beside.ts';

export function renderTable(results: Results): string {
  const { small, series, large } = results.nodes;
  const nodes = [
    `${thousands(small)} nodes`,
    `"series": as many with ${thousands(series)} occurrences`,
    ...(large === 0 ? [] : [`"large": ${thousands(large)}`]),
  ].join('; ');
  const of = (prefix: string) => results.rows.filter(({ id }) => id.startsWith(prefix));
  return `${[
    '# Benchmark',
    intro(results),
    '## Goals',
    goals(results),
    `## The floor: node:http with bytes that are known beforehand`,
    requests(of('floor')),
    `## The same request again and again (${nodes})`,
    requests(of('repeated')),
    `## Every request different: a page of ten, the total and three facets (${nodes})`,
    requests(of('random')),
    '## Search, every request different',
    requests(of('search')),
    '## Builds',
    builds(results),
    '## Start and memory',
    memory(results),
    '## Snapshots adopted under load',
    swaps(results),
    ...(results.beside === null ? [] : [`## Beside ${results.beside.name}`, beside(results.beside)]),
  ].join('\n\n')}\n`;
}

function intro({ at, command, machine, versions, rounds }: Results): string {
  const { pinned } = machine;
  const cored = pinned
    ? 'servers on one core, the load on another, starts and adoptions on all'
    : 'servers and load on any core';
  const named = Object.entries(versions).map(([name, version]) => `${name} ${version}`);
  return [
    `\`${command}\`, ${at}. ${writeMachine(machine)}; ${cored}.`,
    `Medians of ${rounds} rounds that go through all rows in turn, other servers in every third. CPU is what the server's process spends on a request, user and`,
    'system, all threads; "× floor" is that as a multiple of what node:http alone spends on sending as many bytes that it has ready.',
    `Throughput and latency are with 16 connections that ask as fast as they are answered. Held against: ${named.join(', ')}.`,
  ].join('\n');
}

function goals({ goals: all }: Results): string {
  const marks = new Map([
    [true, 'yes'],
    [false, 'no'],
    [null, '–'],
  ]);
  return markdownTable(
    ['', 'wanted', 'found', 'met'],
    all.map(({ what, wanted, found, met }) => [what, wanted, found, marks.get(met) ?? '']),
  );
}

function requests(rows: readonly RatedRow[]): string {
  return markdownTable(
    ['', '× floor', 'CPU µs', 'lowest–highest', 'requests/s', 'p50 ms', 'p99 ms', 'KB'],
    rows.map((row) => [
      row.label,
      `**${figure(row.ratio)}**`,
      figure(row.cpu),
      row.cpuRange.map(figure).join('–'),
      thousands(Math.round(row.perSecond)),
      figure(row.p50),
      figure(row.p99),
      figure(row.bytes / 1e3),
    ]),
  );
}

function builds({ builds: all }: Results): string {
  return markdownTable(
    [
      'events',
      'occurrences',
      'seconds',
      'CPU seconds',
      'sqlite3 shell, seconds',
      '×',
      'peak MB',
      'file MB',
      'µs an occurrence',
    ],
    all.map((built) => [
      thousands(built.events),
      thousands(built.occurrences),
      figure(built.seconds),
      figure(built.cpuSeconds),
      built.shellSeconds === null ? '–' : figure(built.shellSeconds),
      built.ratio === null ? '–' : `**${figure(built.ratio)}**`,
      figure(built.peakBytes / 1e6),
      figure(built.bytes / 1e6),
      figure((built.seconds * 1e6) / built.occurrences),
    ]),
  );
}

function memory({ starts, memory: after, held }: Results): string {
  return [
    markdownTable(
      ['nodes', 'start to ready, ms', 'memory then, MB', 'snapshot, MB'],
      starts.map(({ nodes, readyMs, bytes, fileBytes }) => [
        thousands(nodes),
        figure(readyMs),
        figure(bytes / 1e6),
        figure(fileBytes / 1e6),
      ]),
    ),
    markdownTable(
      ['after all requests', 'MB'],
      [
        ...after.map(({ server, bytes }) => [server, figure(bytes / 1e6)]),
        ...held.map(({ requests: count, bytes }) => [
          `almanakk by itself, after ${thousands(count)} different ones`,
          figure(bytes / 1e6),
        ]),
      ],
    ),
  ].join('\n\n');
}

function swaps({ swaps: { nodes, count, adoptMs, hashMs, steady, swapping } }: Results): string {
  const phase = (name: string, { p50, p99, blocked }: Results['swaps']['steady']) => [
    name,
    figure(p50),
    figure(p99),
    figure(blocked),
  ];
  return [
    `${count} snapshots of ${thousands(nodes)} nodes, one after the other, at 200 requests a second of which three in ten are new: ${figure(adoptMs)} ms from publishing to answering from it (median), beside ${figure(hashMs)} ms for hashing the file alone.`,
    markdownTable(
      ['', 'p50 ms', 'p99 ms', 'loop blocked, ms'],
      [phase('steady', steady), phase('adopting', swapping)],
    ),
  ].join('\n\n');
}

function beside({ name, figures }: Beside): string {
  return markdownTable(
    ['', 'here', name, 'here as a multiple'],
    figures.map(({ what, ours, theirs }) => [
      what,
      figure(ours),
      figure(theirs),
      `**${figure(ours / theirs)}**`,
    ]),
  );
}

export interface Target {
  readonly wanted: string;
  readonly found: string;
  readonly isMet: boolean;
}

export function targetTable(targets: readonly Target[]): string {
  const rows = targets.map(
    ({ wanted, found, isMet }) => `| ${wanted} | ${found} | ${isMet ? 'met' : '**missed**'} |`,
  );
  return ['| wanted | found | |', '|---|---|---|', ...rows].join('\n');
}

export function markdownTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  const rule = head.map((_, column) => (column === 0 ? '---' : '---:'));
  return [line(head), line(rule), ...rows.map(line)].join('\n');
}
