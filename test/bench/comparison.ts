/** Two commits, measured in the same rounds: each figure of both, and their ratio. */
import type { Starts } from './adoptions.ts';
import type { Built } from './builds.ts';
import type { MemorySample } from './memory.ts';
import { COMPARED, otherId } from './requests.ts';
import type { Measured } from './rounds.ts';
import { figure, markdownTable, thousands } from './tables.ts';

export interface Comparison {
  /** The commits. */
  readonly names: readonly [measured: string, other: string];
  readonly figures: readonly Figure[];
}

interface Figure {
  /** With its unit. */
  readonly what: string;
  readonly measured: number;
  readonly other: number;
}

type Both<T> = readonly [measured: T | undefined, other: T | undefined];

interface BothMeasured {
  readonly rows: readonly Measured[];
  readonly builds: Both<Built>;
  readonly starts: Both<Starts>;
  readonly held: Both<MemorySample>;
}

export function figuresOfBoth({ rows, builds, starts, held }: BothMeasured): readonly Figure[] {
  const events = thousands(builds[0]?.events ?? 0);
  const requests = thousands(held[0]?.requests ?? 0);
  return [
    ...COMPARED.flatMap((id) => figuresOfRow(rows, id)),
    ...figureOf('start to ready, ms', starts, ({ readyMs }) => readyMs),
    ...figureOf('memory when ready, MB', starts, megabytesOf),
    ...figureOf(`memory after ${requests} different requests, MB`, held, megabytesOf),
    ...figureOf(`build of ${events} events, seconds`, builds, ({ seconds }) => seconds),
    ...figureOf('CPU seconds of the build', builds, ({ cpuSeconds }) => cpuSeconds),
    ...figureOf('highest memory of the build, MB', builds, ({ peakBytes }) => peakBytes / 1e6),
    ...figureOf('file of the build, MB', builds, megabytesOf),
  ];
}

/** The heading and the table. */
export function comparisonTable({ names: [measured, other], figures }: Comparison): string {
  const rows = figures.map((one) => [
    one.what,
    figure(one.measured),
    figure(one.other),
    `**${figure(one.measured / one.other)}**`,
  ]);
  return `## ${measured} compared with ${other}

${markdownTable(['', measured, other, `ratio to ${other}`], rows)}`;
}

function figuresOfRow(rows: readonly Measured[], id: string): readonly Figure[] {
  const find = (wanted: string) => rows.find((one) => one.id === wanted);
  const both = [find(id), find(otherId(id))] as const;
  const label = both[0]?.label ?? id;
  return [
    ...figureOf(`${label}: CPU µs`, both, ({ cpu }) => cpu),
    ...figureOf(`${label}: lowest CPU µs`, both, ({ cpuRange: [lowest] }) => lowest),
  ];
}

function figureOf<T>(what: string, [measured, other]: Both<T>, read: (one: T) => number): readonly Figure[] {
  if (measured === undefined || other === undefined) return [];
  return [{ what, measured: read(measured), other: read(other) }];
}

function megabytesOf({ bytes }: { readonly bytes: number }): number {
  return bytes / 1e6;
}
