/** What is wanted of the figures, and whether they are so. */
import type { Goal, Results } from './results.ts';

type Found = Omit<Results, 'goals'>;

/** Small calendars say nothing about what is wanted of large ones. */
const LARGE = 200_000;
/** Different requests, after which all that a server keeps has found its size. */
const MANY = 1_000_000;

export function goalsOf(found: Found): readonly Goal[] {
  const row = (id: string) => found.rows.find((one) => one.id === id);
  const cpu = (id: string) => row(id)?.cpu ?? Number.NaN;
  const times = (id: string) => row(id)?.ratio ?? Number.NaN;
  const isLarge = found.nodes.large >= LARGE;
  const largest = found.builds.at(-1);
  const { swaps, quotaCpu } = found;
  const many = thousands(swaps.nodes);
  const few = thousands(found.nodes.small);
  const different = (id: string, what: string) =>
    atMost(8, times(id), `times the floor: every request different, ${what}`);
  const series = `${thousands(found.nodes.series)} occurrences`;
  return [
    atMost(1.3, times('repeated-post'), 'times the floor: a repeated POST'),
    atMost(1.3, times('repeated-br'), 'times the floor: a repeated POST, brotli'),
    atMost(1.3, times('repeated-get'), 'times the floor: a repeated GET'),
    different('random-variables', `by variables, ${few} nodes`),
    different('random-literals', `by literals, ${few} nodes`),
    different('random-series-variables', `by variables, ${few} nodes with ${series}`),
    different('random-series-literals', `by literals, ${few} nodes with ${series}`),
    atMost(5, times('random-top'), 'times the floor: every request different, the first ten of each facet'),
    ...(isLarge
      ? [
          atMost(
            4,
            cpu('random-large-variables') / cpu('random-variables'),
            `times that: by variables, ${many} nodes`,
          ),
          atMost(
            4,
            cpu('random-large-literals') / cpu('random-literals'),
            `times that: by literals, ${many} nodes`,
          ),
        ]
      : []),
    atMost(1.5, cpu('search-near') / cpu('search-category'), 'times a category filter: near a point'),
    atMost(3, cpu('search-literal') / cpu('search-category'), 'times a category filter: a literal search'),
    atMost(
      10,
      cpu('search-approximate') / cpu('search-category'),
      'times a category filter: a mistyped search',
    ),
    ...found.builds.map(({ events, occurrences, ratio }) =>
      atMost(
        2,
        ratio,
        `times the sqlite3 shell's insertion: a build of ${thousands(events)} events, ${thousands(occurrences)} occurrences`,
      ),
    ),
    atMost(
      1_000,
      isLarge ? (largest?.peakBytes ?? 0) / 1e6 : null,
      'MB: highest memory of the largest build',
    ),
    atMost(2, (100 * quotaCpu) / cpu('repeated-post'), '% of a repeated POST: being counted for a quota'),
    atMost(50, (found.builds[0]?.bytes ?? 0) / 1e6, `MB: the file of ${few} events`),
    atMost(500, found.starts[0]?.readyMs ?? null, `ms: start to ready with ${few} nodes`),
    atMost(250, held(found), `MB: memory after ${thousands(MANY)} different requests, ${few} nodes`),
    atMost(
      1.2,
      isLarge ? swaps.adoptMs / swaps.hashMs : null,
      `times hashing the file: adopting ${many} nodes`,
    ),
    atMost(10, isLarge ? swaps.swapping.blocked : null, 'ms: the event loop blocked while adopting'),
    atMost(10, isLarge ? swaps.steady.blocked : null, 'ms: the event loop blocked in steady state'),
    atMost(
      1.5,
      isLarge ? swaps.swapping.p99 / swaps.steady.p99 : null,
      'times the steady p99: while adopting',
    ),
  ];
}

function held({ held: all }: Found): number | null {
  const last = all.at(-1);
  return last === undefined || last.requests < MANY ? null : last.bytes / 1e6;
}

function atMost(limit: number, found: number | null, what: string): Goal {
  return {
    what,
    wanted: `at most ${limit}`,
    found: found === null ? 'not measured' : figure(found),
    met: found === null ? null : found <= limit,
  };
}

/** Three digits. */
export function figure(value: number): string {
  return value >= 100 ? thousands(Math.round(value)) : value.toPrecision(value < 1 ? 2 : 3);
}

export function thousands(value: number): string {
  return value.toLocaleString('en');
}
