/** The ledger of slugs in a snapshot: its rows as they are written, and read back by the next build. */
import { readSlug } from '../../src/calendar/text.ts';
import { integerOf, type Reader, type Row, textOf, type Writer } from '../../src/snapshot/sqlite.ts';
import {
  type KindLedger,
  type MergedId,
  type OwnedSlug,
  SLUG_KINDS,
  type SlugKind,
  type SlugLedger,
} from '../records.ts';
import { insertRows, type Table } from '../write/tables.ts';
import type { PreviousSlugs } from './slugs.ts';

/** What a build hands on beside the ids and slugs that stand in `event`, `venue` and `organizer`. */
export async function writeSlugLedger(writer: Writer, ledger: SlugLedger): Promise<void> {
  for (const kind of SLUG_KINDS) {
    const { owned, merged } = ledger[kind];
    await insertRows(writer, slugTable(kind), owned);
    await insertRows(writer, mergedTable(kind), merged);
  }
}

const slugTable = (kind: SlugKind): Table<OwnedSlug> => ({
  name: 'slug',
  cells: ({ slug, id, isCurrent, given, held }) => ({
    kind,
    slug,
    id,
    is_current: Number(isCurrent),
    given,
    held,
  }),
});

const mergedTable = (kind: SlugKind): Table<MergedId> => ({
  name: 'merged',
  cells: ({ id, survivor }) => ({ kind, id, survivor }),
});

/** Of a snapshot from before there was this ledger: the slugs that its ids had. */
export async function readSlugLedger(query: Reader['all'], builtAt: string): Promise<PreviousSlugs> {
  const tables = await query(TABLES, [], (row) => textOf(row, 'name'));
  const hasLedger = tables.length === 2;
  const ofKind = async (kind: SlugKind): Promise<KindLedger> => {
    const shown = await query(`select id, slug from ${kind} order by id`, [], shownOf);
    if (!hasLedger) return { owned: shown, merged: [] };
    const kept = await query(OWNED, [kind], ownedOf);
    const given = new Map(kept.map((one) => [one.slug, one]));
    const owned = shown.filter(({ slug }) => !given.has(slug));
    return { owned: [...owned, ...kept], merged: await query(MERGED_IDS, [kind], mergedOf) };
  };
  return {
    builtAt: Date.parse(builtAt) / 1_000,
    event: await ofKind('event'),
    venue: await ofKind('venue'),
    organizer: await ofKind('organizer'),
  };
}

const TABLES = "select name from sqlite_schema where type = 'table' and name in ('slug', 'merged')";
const OWNED = 'select slug, id, is_current, given, held from slug where kind = ? order by slug';
const MERGED_IDS = 'select id, survivor from merged where kind = ? order by id';

/** G8: the first format had slugs that are none today; they find their ids, which get others. */
function shownOf(row: Row): OwnedSlug {
  const slug = textOf(row, 'slug');
  return { slug, id: textOf(row, 'id'), isCurrent: readSlug(slug) === slug, given: null, held: null };
}

function ownedOf(row: Row): OwnedSlug {
  return {
    slug: textOf(row, 'slug'),
    id: textOf(row, 'id'),
    isCurrent: integerOf(row, 'is_current') === 1,
    given: row.given === null ? null : textOf(row, 'given'),
    held: row.held === null ? null : integerOf(row, 'held'),
  };
}

function mergedOf(row: Row): MergedId {
  return { id: textOf(row, 'id'), survivor: textOf(row, 'survivor') };
}
