/** Figures and tables as people read them: Markdown. */

/** Three significant digits; two below one. */
export function figure(value: number): string {
  return value >= 100 ? thousands(Math.round(value)) : value.toPrecision(value < 1 ? 2 : 3);
}

export type Range = readonly [lowest: number, highest: number];

export function rangeOf(values: readonly number[]): Range {
  return [Math.min(...values), Math.max(...values)];
}

/** Lowest and highest; one figure if they are the same. */
export function rangeText([lowest, highest]: Range): string {
  const ends = [figure(lowest), figure(highest)];
  return ends[0] === ends[1] ? figure(lowest) : ends.join('–');
}

export function thousands(value: number): string {
  return value.toLocaleString('en');
}

/** The first columns are texts; the others are figures. */
export function markdownTable(
  head: readonly string[],
  rows: readonly (readonly string[])[],
  texts = 1,
): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  const rule = head.map((_, column) => (column < texts ? '---' : '---:'));
  return [line(head), line(rule), ...rows.map(line)].join('\n');
}
