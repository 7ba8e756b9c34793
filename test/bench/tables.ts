/** Figures and tables as people read them: Markdown. */

/** Three significant digits; two below one. */
export function figure(value: number): string {
  return value >= 100 ? thousands(Math.round(value)) : value.toPrecision(value < 1 ? 2 : 3);
}

export function thousands(value: number): string {
  return value.toLocaleString('en');
}

export function markdownTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  const rule = head.map((_, column) => (column === 0 ? '---' : '---:'));
  return [line(head), line(rule), ...rows.map(line)].join('\n');
}
