/**
 * The form of snapshot files as one fingerprint: tables, columns, and the contents of ready-made JSON. A file states its form, so that a
 * file of another form gets a clear error, even if FORMAT was not raised.
 */
import { createHash } from 'node:crypto';
import { shapeOf } from '../calendar/json.ts';
import { COLUMN_NAMES, COLUMNS } from './columns.ts';
import { FORMAT, INDEXES, TABLES } from './format.ts';
import { FRAGMENT_SHAPE } from './fragments.ts';
import { isCounts, LIST_SHAPES, META_SHAPES } from './meta.ts';
import { SEARCH_TABLES } from './search.ts';

/** The texts behind the fingerprint: names and kinds. */
export const SHAPE_PARTS: Readonly<Record<string, string>> = {
  tables: [TABLES, SEARCH_TABLES, INDEXES].join(' ').replaceAll(/\s+/g, ' ').trim(),
  columns: COLUMN_NAMES.map((name) => `${name}: ${COLUMNS[name].kinds.join(' or ')}`).join(', '),
  lists: LIST_SHAPES,
  meta: `counts: ${shapeOf(isCounts)}, ${META_SHAPES}`,
  events: FRAGMENT_SHAPE,
};

/** SHA-256 in hex. */
export const SHAPE: string = createHash('sha256').update(JSON.stringify(SHAPE_PARTS)).digest('hex');

/** Message about a file of another form; null for one of this form. */
export function shapeMismatch(found: string): string | null {
  if (found === SHAPE) return null;
  const short = (shape: string) => shape.slice(0, 12) || 'none';
  return (
    `expected format ${FORMAT} in the form ${short(SHAPE)}, found the form ${short(found)}: another version of almanakk wrote ` +
    'it; build it again with this version, which a builder does by itself when it starts'
  );
}
