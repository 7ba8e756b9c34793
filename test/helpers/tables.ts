/** Tables of cases as plain text: `kr 150 → REGULAR 150`. `→` begins the next column; at the beginning of a line, the row goes on. */

/** Rows of a table, one a line, as cells. */
export function rowsOf(text: string): readonly (readonly string[])[] {
  const rows = text.replace(/\n\s*(?=→)/g, ' ').split('\n');
  return rows.flatMap((row) => (row.trim() === '' ? [] : [row.trim().split(/\s+→\s*/)]));
}

/** As `rowsOf`, with the cells of each row by the names of their columns. A row has as many cells as there are columns. */
export function tableOf<Column extends string>(
  columns: readonly Column[],
  text: string,
): readonly Readonly<Record<Column, string>>[] {
  return rowsOf(text).map((cells) => {
    if (cells.length !== columns.length)
      throw new Error(`expected the cells ${columns.join(', ')}, found ${cells.join(' → ')}`);
    const named = Object.fromEntries(columns.map((column, place) => [column, cells[place]]));
    return named as Record<Column, string>;
  });
}
