/** A17: the tables of a snapshot that pass the slug ledger on to the next build. */
import { insertRows } from '../../src/snapshot/insert.ts';
import { integerOf, type Reader, type Row, textOf } from '../../src/snapshot/reader.ts';
import type { Writer } from '../../src/snapshot/sqlite.ts';
import type { PreviousSlugs } from './ledger.ts';
import {
  type KindLedger,
  type MergedId,
  type OwnedSlug,
  SLUG_KINDS,
  type SlugKind,
  type SlugLedger,
} from './records.ts';

/** Passes on slugs that the rows of `event` and the lists of venues and organizers do not contain. */
export async function writeSlugLedger(writer: Writer, ledger: SlugLedger): Promise<void> {
  for (const kind of SLUG_KINDS) {
    const ofSlug = ({ isCurrent, ...owned }: OwnedSlug) => ({
      kind,
      ...owned,
      is_current: Number(isCurrent),
    });
    await insertRows(writer, { name: 'slug', cells: ofSlug }, ledger[kind].owned);
    const ofMerger = (merged: MergedId) => ({ kind, ...merged });
    await insertRows(writer, { name: 'merged', cells: ofMerger }, ledger[kind].merged);
  }
}

/** Reads the ledger of a snapshot: the slugs that it shows, and those in the ledger's tables. */
export async function readSlugLedger(query: Reader['all'], builtAt: string): Promise<PreviousSlugs> {
  const ofKind = async (kind: SlugKind): Promise<KindLedger> => {
    const shown = await query(SHOWN[kind], [], shownOf);
    const kept = await query(OWNED, [kind], ownedOf);
    const keptSlugs = new Set(kept.map(({ slug }) => slug));
    const owned = shown.filter(({ slug }) => !keptSlugs.has(slug));
    return { owned: [...owned, ...kept], merged: await query(MERGED_IDS, [kind], mergedOf) };
  };
  return {
    builtAt: Date.parse(builtAt) / 1_000,
    event: await ofKind('event'),
    venue: await ofKind('venue'),
    organizer: await ofKind('organizer'),
  };
}

const listed = (name: 'venues' | 'organizers') =>
  `select value ->> '$.id' as id, value ->> '$.slug' as slug from list_json, json_each(body) where name = '${name}' order by id`;

/** SQL for the ids and slugs of each kind, as every format since 1.0.0 has them. */
const SHOWN: Readonly<Record<SlugKind, string>> = {
  event: 'select id, slug from event order by id',
  venue: listed('venues'),
  organizer: listed('organizers'),
};

const OWNED = 'select slug, id, is_current, given, held from slug where kind = ? order by slug';
const MERGED_IDS = 'select id, survivor from merged where kind = ? order by id';

function shownOf(row: Row): OwnedSlug {
  return { slug: textOf(row, 'slug'), id: textOf(row, 'id'), isCurrent: true, given: null, held: null };
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
