/**
 * The format of snapshot files as one fingerprint: tables, columns, and the contents of ready-made JSON. A file states its fingerprint, so that
 * a file of another format gets a clear error, even if FORMAT was not raised.
 */
import { createHash } from 'node:crypto';
import { COLUMN_NAMES, COLUMNS } from './columns.ts';
import { FILTER_COLUMN_NAMES } from './filters.ts';
import { TABLES } from './format.ts';
import { FRAGMENT_SHAPE } from './fragments.ts';
import { LIST_SHAPES } from './lists.ts';
import { META_SHAPES } from './meta.ts';

const columnKinds = [
  ...COLUMN_NAMES.map((name) => `${name}: ${COLUMNS[name].kinds.join(' or ')}`),
  ...FILTER_COLUMN_NAMES.map((name) => `${name}: i32`),
];

/** The texts that the fingerprint is made of: names and kinds. */
export const FINGERPRINT_PARTS: Readonly<Record<string, string>> = {
  tables: TABLES.replaceAll(/\s+/g, ' ').trim(),
  columns: columnKinds.join(', '),
  lists: LIST_SHAPES,
  meta: META_SHAPES,
  events: FRAGMENT_SHAPE,
};

/** SHA-256 in hex. */
export const FINGERPRINT: string = createHash('sha256')
  .update(JSON.stringify(FINGERPRINT_PARTS))
  .digest('hex');
