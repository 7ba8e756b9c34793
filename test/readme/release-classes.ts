/** The table of docs/releases.md that says which parts are stable. */
import { readPage, tableIn } from './document.ts';

/** The paths of the interface that a column of the table names. */
export function pathsNamed(column: 'stable' | 'experimental'): readonly string[] {
  const table = tableIn(readPage('docs/releases.md'), 'What is stable, and what is experimental');
  const [head = [], ...rows] = table.split('\n').map((line) => line.replace(/ \|$/, '').split(' | '));
  const cell = rows.find(([name]) => name === '| Interface')?.[head.indexOf(column)] ?? '';
  return [...cell.matchAll(/`(\/[^`]+)`/g)].map(([, path = '']) => path);
}
