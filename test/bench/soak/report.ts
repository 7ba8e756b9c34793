/** The table and the picture of a soak: what grew while nothing should have, and what failed while nothing should have. */
import { thousands } from '../goals.ts';
import { type Machine, writeMachine } from '../machine.ts';
import { svg, text } from '../report/svg.ts';
import { type Target, targetTable } from '../report/table.ts';
import { median } from '../rounds.ts';

/** Times are seconds since the soak began. */
export interface Sample {
  readonly at: number;
  /** Bytes. */
  readonly rss: number;
  readonly heap: number;
  readonly descriptors: number;
  /** Of the polite clients since the sample before; milliseconds. */
  readonly answered: number;
  readonly failures: Readonly<Record<string, number>>;
  readonly p50: number;
  readonly p99: number;
}

export interface Span {
  readonly from: number;
  readonly to: number;
}

export interface Soak {
  readonly at: string;
  readonly machine: Machine;
  readonly events: number;
  /** Events that a build has otherwise than the one before. */
  readonly changed: number;
  /** Requests a second that the machine can do. */
  readonly capacity: number;
  readonly lasts: number;
  /** Before that, memory is still finding its size. */
  readonly settles: number;
  readonly samples: readonly Sample[];
  readonly storms: readonly Span[];
  readonly adoptions: readonly number[];
  readonly builds: readonly { readonly at: number; readonly isBroken: boolean; readonly code: number }[];
  readonly deaths: number;
}

/** A storm's connections are still there for a moment, and its memory is given back within a minute (D14). */
const STORM_FADES = 5;
const MEMORY_FADES = 60;
const MB = 1_024 * 1_024;

export function renderSoak(soak: Soak): string {
  const { machine, samples, storms, builds, adoptions, capacity, lasts, settles } = soak;
  const minutes = (seconds: number) => `${seconds / 60} minute${seconds === 60 ? '' : 's'}`;
  const broken = builds.filter(({ isBroken }) => isBroken).length;
  const answered = samples.reduce((sum, sample) => sum + sample.answered, 0);
  return `# Soak

\`npm run bench -- --soak\`, ${soak.at}: ${minutes(lasts)} with ${thousands(soak.events)} events, default settings but for the snapshots that it offers.
${writeMachine(machine)}; server, clients, builds and storms share the cores.

- **Clients**: 32 addresses, each with one connection after the other, ${thousands(Math.round(capacity / 2))} requests a second, half of the ${thousands(Math.round(capacity))} that
  the machine can do of this mix: of twenty nine are one and the same, nine are unlike all others, one is a feed (of seven kinds) and
  one a page. ${thousands(answered)} were answered.
- **Builds**: ${builds.length} of the whole calendar, with a nice value of 10; each finds ${soak.changed} events changed, but for ${broken} that find a source they must
  refuse. ${adoptions.length} snapshots were adopted.
- **Storms**: ${storms.length}, all ten attacks of \`--storm\` at once, ${storms.map(({ from, to }) => (to - from).toFixed(0)).join(', ')} seconds.

![Memory, descriptors and p99 over time](soak.svg)

## Wanted and found

Slopes are least squares over all samples after the first ${minutes(settles)}, without storms and the minute after each; beside them the
highest and the lowest of the medians of each minute.

${targetTable(goalsOf(soak))}

## Each minute

| minute | memory, MB | heap, MB | descriptors | answered | p50, ms | p99, ms | failed | |
|---|---:|---:|---:|---:|---:|---:|---:|---|
${byMinute(samples)
  .map(([minute, own]) => lineOf(minute, own, soak))
  .join('\n')}
`;
}

function goalsOf(soak: Soak): readonly Target[] {
  const { samples, storms, settles, builds, deaths } = soak;
  const calm = samples.filter(({ at }) => at > settles && !isIn(storms, at, MEMORY_FADES));
  const failures = samples
    .filter(({ at }) => !isIn(storms, at, STORM_FADES))
    .flatMap((sample) => Object.entries(sample.failures));
  const failed = failures.reduce((sum, [, count]) => sum + count, 0);
  const kinds = [...new Set(failures.map(([kind]) => kind))].join(', ');
  const wrong = builds.filter(({ isBroken, code }) => isBroken !== (code !== 0));
  const published = builds.filter(({ code }) => code === 0).length;
  return [
    { wanted: 'the server still there', found: `${deaths} deaths`, isMet: deaths === 0 },
    {
      wanted: 'nothing failed outside of the storms',
      found: failed === 0 ? '0' : `${failed}: ${kinds}`,
      isMet: failed === 0,
    },
    slopeGoal('memory, MB', calm, { read: ({ rss }) => rss / MB, mostShare: 0.05 }),
    slopeGoal('heap, MB', calm, { read: ({ heap }) => heap / MB, mostShare: 0.05 }),
    slopeGoal('descriptors', calm, { read: ({ descriptors }) => descriptors, mostShare: 0.05 }),
    {
      wanted: 'builds of a broken source refused, all others published',
      found: `${builds.length - wrong.length} of ${builds.length}`,
      isMet: wrong.length === 0,
    },
    {
      wanted: 'each snapshot adopted',
      found: `${soak.adoptions.length} of ${published}`,
      isMet: soak.adoptions.length >= published - 1,
    },
  ];
}

interface Sloping {
  readonly read: (sample: Sample) => number;
  /** Of the median: what the line through all samples may rise by from the first to the last. */
  readonly mostShare: number;
}

function slopeGoal(what: string, samples: readonly Sample[], { read, mostShare }: Sloping): Target {
  const values = samples.map(read);
  const perSecond = slopeOf(
    samples.map(({ at }) => at),
    values,
  );
  const rise = perSecond * ((samples.at(-1)?.at ?? 0) - (samples[0]?.at ?? 0));
  const middle = median(values);
  const medians = byMinute(samples).map(([, own]) => median(own.map(read)));
  const [lowest, highest] = [Math.min(...medians), Math.max(...medians)];
  return {
    wanted: `no slope: ${what}, a rise of at most ${100 * mostShare} % in this time`,
    found: `${signed(perSecond * 3_600)} an hour, ${signed((100 * rise) / middle)} % in this time; ${lowest.toFixed(0)} to ${highest.toFixed(0)}`,
    isMet: rise <= mostShare * middle,
  };
}

const signed = (value: number): string => `${value < 0 ? '−' : '+'}${Math.abs(value).toFixed(1)}`;

/** Least squares. */
function slopeOf(xs: readonly number[], ys: readonly number[]): number {
  const mean = (list: readonly number[]) => list.reduce((sum, value) => sum + value, 0) / list.length;
  const [middleX, middleY] = [mean(xs), mean(ys)];
  let [above, below] = [0, 0];
  for (const [at, x] of xs.entries()) {
    above += (x - middleX) * ((ys[at] ?? middleY) - middleY);
    below += (x - middleX) ** 2;
  }
  return above / below;
}

function isIn(spans: readonly Span[], at: number, fades: number): boolean {
  return spans.some(({ from, to }) => at >= from && at <= to + fades);
}

function byMinute(
  samples: readonly Sample[],
): readonly (readonly [minute: number, own: readonly Sample[]])[] {
  const minutes = [...new Set(samples.map(({ at }) => Math.floor(at / 60)))];
  return minutes.map((minute) => [minute, samples.filter(({ at }) => Math.floor(at / 60) === minute)]);
}

function lineOf(minute: number, own: readonly Sample[], { storms, adoptions, builds }: Soak): string {
  const of = (read: (sample: Sample) => number) => median(own.map(read));
  const isOwn = (at: number) => Math.floor(at / 60) === minute;
  const failed = own.flatMap((sample) => Object.values(sample.failures)).reduce((sum, one) => sum + one, 0);
  const refused = builds.filter(({ at, code }) => isOwn(at) && code !== 0).length;
  const notes = [
    ...(storms.some(({ from, to }) => isOwn(from) || isOwn(to)) ? ['storm'] : []),
    ...(adoptions.some(isOwn) ? [`adopted ${adoptions.filter(isOwn).length}`] : []),
    ...(refused > 0 ? [`refused ${refused}`] : []),
  ];
  const cells = [
    ...[minute + 1, of(({ rss }) => rss / MB).toFixed(0), of(({ heap }) => heap / MB).toFixed(0)],
    ...[of(({ descriptors }) => descriptors), own.reduce((sum, { answered }) => sum + answered, 0)],
    ...[of(({ p50 }) => p50).toFixed(2), of(({ p99 }) => p99).toFixed(1), failed, notes.join(', ')],
  ];
  return `| ${cells.join(' | ')} |`;
}

/* The picture. */

const WIDTH = 760;
const LEFT = 62;
const PLOT = WIDTH - LEFT - 20;
const PANEL = 120;
const GAP = 52;
const STYLE = [
  'path { fill: none; stroke-width: 1.4 } .a { stroke: #b0362b } .b { stroke: #0969da } .axis { stroke: #d0d7de } .storm { fill: #bf8700; opacity: .25 } .adopted { stroke: #1a7f37 } .refused { stroke: #8250df; stroke-width: 2.5 }',
  '.a { stroke: #f47067 } .b { stroke: #58a6ff } .axis { stroke: #444c56 } .adopted { stroke: #57ab5a } .refused { stroke: #b083f0 }',
] as const;

interface Line {
  readonly kind: 'a' | 'b';
  readonly read: (sample: Sample) => number;
}

interface Panel {
  readonly title: string;
  readonly isLogarithmic?: boolean;
  readonly lines: readonly Line[];
}

const PANELS: readonly Panel[] = [
  {
    title: 'Memory, MB: resident (red), heap (blue)',
    lines: [
      { kind: 'a', read: ({ rss }) => rss / MB },
      { kind: 'b', read: ({ heap }) => heap / MB },
    ],
  },
  {
    title: 'Descriptors, logarithmic',
    isLogarithmic: true,
    lines: [{ kind: 'a', read: ({ descriptors }) => descriptors }],
  },
  {
    title: 'Polite clients, ms, logarithmic: p99 (red), p50 (blue)',
    isLogarithmic: true,
    lines: [
      { kind: 'a', read: ({ p99 }) => p99 },
      { kind: 'b', read: ({ p50 }) => p50 },
    ],
  },
];

export function renderPicture(soak: Soak): string {
  const height = 44 + PANELS.length * (PANEL + GAP);
  const legend = `${(soak.lasts / 60).toFixed(0)} minutes · yellow: storms · green: snapshots adopted · violet: builds refused`;
  return svg({ width: WIDTH, height, title: 'A server over time', style: STYLE }, [
    text('A server at half of what the machine can do', { x: 0, y: 18, weight: 600 }),
    text(legend, { x: 0, y: 36 }),
    ...PANELS.flatMap((panel, nth) => panelOf(panel, soak, 44 + nth * (PANEL + GAP))),
  ]);
}

function panelOf({ title, isLogarithmic = false, lines }: Panel, soak: Soak, top: number): readonly string[] {
  const { samples, storms, adoptions, builds, lasts } = soak;
  const x = (at: number) => LEFT + (at / lasts) * PLOT;
  const [upper, lower] = [top + 26, top + 26 + PANEL];
  const most = Math.max(1, ...lines.flatMap(({ read }) => samples.map(read)));
  const least = isLogarithmic ? Math.min(...lines.flatMap(({ read }) => samples.map(read)), most) : 0;
  const share = (value: number) =>
    isLogarithmic ? Math.log(value / (least || 0.01)) / Math.log(most / (least || 0.01) || 1) : value / most;
  const y = (value: number) => lower - Math.max(0, share(value) || 0) * PANEL;
  const tick = (at: number, kind: string, length: number) =>
    `<path class="${kind}" d="M${x(at).toFixed(1)} ${lower}v${-length}"/>`;
  return [
    text(title, { x: LEFT, y: top + 16, weight: 600 }),
    ...storms.map(
      ({ from, to }) =>
        `<rect class="storm" x="${x(from).toFixed(1)}" y="${upper}" width="${Math.max(2, x(to) - x(from)).toFixed(1)}" height="${PANEL}"/>`,
    ),
    `<path class="axis" d="M${LEFT} ${upper}V${lower}H${LEFT + PLOT}"/>`,
    ...[least, most].map((value) =>
      text(value.toFixed(value < 10 ? 1 : 0), { x: LEFT - 6, y: Math.round(y(value)) + 4, anchor: 'end' }),
    ),
    ...adoptions.map((at) => tick(at, 'adopted', 7)),
    ...builds.filter(({ code }) => code !== 0).map(({ at }) => tick(at, 'refused', 12)),
    ...lines.map(
      ({ kind, read }) =>
        `<path class="${kind}" d="M${samples.map((sample) => `${x(sample.at).toFixed(1)} ${y(read(sample)).toFixed(1)}`).join('L')}"/>`,
    ),
  ];
}
