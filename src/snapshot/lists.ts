/** The lists of a snapshot, which a server holds in memory: the directories, and the short texts that columns index. */
import { namesOf, shapesOf } from '../calendar/field.ts';
import { ORGANIZER, VENUE } from '../calendar/fields.ts';
import {
  CATEGORY_FIELDS,
  type Category,
  type EventSource,
  LICENCE_FIELDS,
  type Licence,
  NAME_FIELDS,
  NO_PARENT,
  type Organizer,
  PLACE_FIELDS,
  SOURCE_FIELDS,
  type Venue,
} from '../calendar/model.ts';
import { type Shape, shapeText } from '../calendar/shape.ts';
import type { SnapshotCounts } from './meta.ts';
import { type Reader, textOf } from './reader.ts';
import { expectShape, parseStored, unusable } from './unusable.ts';

export interface Lists {
  readonly licence: Licence;
  readonly venues: readonly Venue[];
  readonly organizers: readonly Organizer[];
  readonly categories: readonly Category[];
  /** E2: in the order of `sources.json`, only the feeds about which it has details. */
  readonly sources: readonly EventSource[];
  readonly containers: readonly string[];
  /** Folded tags. */
  readonly tags: readonly string[];
  /** Tags as written, in Norwegian alphabetical order. */
  readonly spellings: readonly string[];
  readonly earlierSlugs: readonly EarlierSlug[];
}

/** A17: a former slug of a venue or an organizer that has another one now. */
export interface EarlierSlug {
  readonly kind: 'venue' | 'organizer';
  readonly slug: string;
  /** Ordinal of the entity that had it. */
  readonly ordinal: number;
}

/** The shape of each list's JSON. */
const SHAPES: Readonly<Record<keyof Lists, Shape>> = {
  licence: LICENCE_FIELDS,
  venues: [{ ...NAME_FIELDS, ...shapesOf(VENUE), ...PLACE_FIELDS }],
  organizers: [{ ...NAME_FIELDS, ...shapesOf(ORGANIZER) }],
  categories: [CATEGORY_FIELDS],
  sources: [SOURCE_FIELDS],
  containers: '[text]',
  tags: '[text]',
  spellings: '[text]',
  earlierSlugs: [{ kind: 'text /^(?:venue|organizer)$/', slug: 'text', ordinal: 'count' }],
};

export const LIST_NAMES = namesOf(SHAPES);

/** Throws SNAPSHOT_UNUSABLE. */
export async function readLists(reader: Reader): Promise<Lists> {
  const lists: Partial<Record<keyof Lists, unknown>> = {};
  for (const name of LIST_NAMES) {
    const sql = 'select body from list_json where name = ?';
    const [body = ''] = await reader.all(sql, [name], (row) => textOf(row, 'body'));
    lists[name] = parseStored(`list_json ${name}`, body);
  }
  return lists as Lists;
}

/** H7: throws SNAPSHOT_UNUSABLE for lists of another shape, or of other lengths. */
export function checkLists(lists: Lists, counts: SnapshotCounts): void {
  for (const name of LIST_NAMES) expectShape(lists[name], SHAPES[name], `list_json ${name}`);
  for (const name of ['venues', 'organizers', 'categories'] as const) {
    const { length } = lists[name];
    if (length !== counts[name]) throw unusable(`list_json ${name}`, `${counts[name]} entries`, length);
  }
  for (const [ordinal, { parent }] of lists.categories.entries()) {
    if (parent >= NO_PARENT && parent < ordinal) continue;
    const expected = `from ${NO_PARENT} to below ${ordinal}`;
    throw unusable(`list_json categories[${ordinal}].parent`, expected, parent);
  }
  for (const { kind, ordinal } of lists.earlierSlugs) {
    const count = kind === 'venue' ? counts.venues : counts.organizers;
    if (ordinal >= count) throw unusable('list_json earlierSlugs', `the ordinal of a ${kind}`, ordinal);
  }
}

/** For the fingerprint of the format. */
export const LIST_SHAPES = LIST_NAMES.map((name) => `${name}: ${shapeText(SHAPES[name])}`).join(', ');
