/** The results at a glance: what a request costs as a multiple of the floor, on a logarithmic scale. SVG. */
import { figure, thousands } from '../goals.ts';
import type { RatedRow, Results } from '../results.ts';
import { svg, text } from './svg.ts';

const WIDTH = 760;
const LABELS = 250;
const BAR = 18;
const GAP = 7;
const PLOT = WIDTH - LABELS - 90;
const TITLE = 'CPU per request of almanakk and of other servers';
const STYLE = [
  'rect { fill: #9aa4b0 } .own { fill: #b0362b }',
  'rect { fill: #59636e } .own { fill: #e5695c }',
] as const;
/** The scale ends here at the earliest. */
const LEAST_END = 100;

export function renderChart(results: Results): string {
  const groups = [
    { title: 'The same request again and again', rows: pick(results, 'repeated', ['repeated-large']) },
    {
      title: `Every request different, ${thousands(results.nodes.small)} events`,
      rows: pick(results, 'random', NOT_OF_ALL),
    },
  ];
  const end = Math.max(LEAST_END, ...groups.flatMap(({ rows }) => rows.map(({ ratio }) => ratio)));
  const scale = (ratio: number) => (Math.log10(Math.max(1, ratio)) / Math.log10(end)) * PLOT;
  let y = 58;
  const parts: string[] = [];
  for (const { title, rows } of groups) {
    parts.push(text(title, { x: 0, y, weight: 600 }));
    y += 14;
    for (const row of rows) {
      parts.push(bar(row, { y, width: scale(row.ratio) }));
      y += BAR + GAP;
    }
    y += 26;
  }
  return svg({ width: WIDTH, height: y, title: TITLE, style: STYLE }, [
    text('CPU per request, as a multiple of node:http sending the same bytes', { x: 0, y: 18, weight: 600 }),
    text('shorter is better · logarithmic scale · npm run bench', { x: 0, y: 36 }),
    ...parts,
  ]);
}

/** What peers are not asked. */
const NOT_OF_ALL = [
  'random-page',
  'random-top',
  'random-series-variables',
  'random-series-literals',
  'random-large-variables',
  'random-large-literals',
];

function pick({ rows }: Results, prefix: string, without: readonly string[]): readonly RatedRow[] {
  return rows
    .filter(({ id }) => id.startsWith(prefix) && !without.includes(id))
    .sort((left, right) => left.ratio - right.ratio);
}

function bar(
  { label, ratio }: RatedRow,
  { y, width }: { readonly y: number; readonly width: number },
): string {
  const drawn = Math.max(2, width);
  const own = label.startsWith('almanakk') ? ' class="own"' : '';
  return [
    text(label, { x: LABELS - 10, y: y + 13, anchor: 'end' }),
    `<rect${own} x="${LABELS}" y="${y}" width="${drawn.toFixed(1)}" height="${BAR}" rx="2"/>`,
    text(`${figure(ratio)} ×`, { x: LABELS + drawn + 8, y: y + 13 }),
  ].join('\n');
}
