/** An open snapshot: its columns, lists and search index in memory, and the few queries that read the file. */
import { CalendarError } from '../calendar/errors.ts';
import { freeMemory } from './bitmaps.ts';
import { checkColumns, checkOccurrences } from './column-checks.ts';
import { COLUMN_NAMES, type Columns, liftColumns } from './columns.ts';
import { idOfPath } from './folder.ts';
import { FRAGMENT_SQL } from './fragments.ts';
import type { Lift } from './lift.ts';
import { type Lists, liftLists, type Meta, readMeta, sizesOf } from './meta.ts';
import { checkSearchIndex, readSearchIndex, type SearchIndex } from './search.ts';
import {
  integerOf,
  openReader,
  type Reader,
  type ReaderOptions,
  type ReadRow,
  type Row,
  textOf,
  type Value,
} from './sqlite.ts';

type Language = 'nb' | 'en';

/** Ordinals follow the order of event ids by code point: ascending ordinals are A8's second criterion. */
export interface Snapshot {
  readonly id: string;
  readonly path: string;
  readonly meta: Meta;
  readonly columns: Columns;
  readonly lists: Lists;
  readonly searchIndex: SearchIndex;
  /** Fragments (see `fragments.ts`) in the order of the ordinals, read by one statement. */
  readonly eventBodies: (ordinals: readonly number[]) => Promise<readonly string[]>;
  readonly ordinalById: (id: string) => Promise<number | null>;
  readonly ordinalBySlug: (slug: string) => Promise<number | null>;
  /** Ascending, each event once; unknown slugs are ignored. */
  readonly ordinalsBySlugs: (slugs: readonly string[]) => Promise<readonly number[]>;
  /** Ascending; titles compare exactly and are not unique. */
  readonly ordinalsByTitle: (title: string, language: Language) => Promise<readonly number[]>;
  /** Runs any other query. `sql` is a constant: each text is prepared once and stays prepared. */
  readonly query: <T>(sql: string, values: readonly Value[], read: ReadRow<T>) => Promise<readonly T[]>;
  /** Called when it is closed, to free what was computed from it. */
  readonly onClose: (listener: () => void) => void;
  /** Waits for running statements, then frees its memory: nothing may be read of it any more. */
  readonly close: () => Promise<void>;
}

export interface OpenOptions extends ReaderOptions {
  /** What another process has read of this very file and checked: for a million occurrences this takes a second. */
  readonly lift?: Lift | null;
  /** Takes what was read while its values are checked. */
  readonly handOver?: (lift: Lift) => Promise<unknown>;
}

/** Throws SNAPSHOT_UNUSABLE if the file holds anything that this program does not write. */
export async function openSnapshot(path: string, options: OpenOptions = {}): Promise<Snapshot> {
  const { lift = null, handOver } = options;
  const reader = await openReader(path, options);
  try {
    const meta = await readMeta(reader);
    const lists = await liftLists(reader, meta.counts);
    const columns = lift?.columns ?? (await liftColumns(reader, COLUMN_NAMES));
    const searchIndex = await readSearchIndex(reader.all, lift);
    if (lift === null) {
      const handing = handOver?.({ columns, ...searchIndex });
      checkColumns(columns, sizesOf(meta.counts, lists));
      checkOccurrences(columns);
      checkSearchIndex(searchIndex);
      await handing;
    }
    // All arrays of a lift lie in one piece of memory.
    const listeners = lift === null ? [] : [() => freeMemory(lift.columns.start.buffer)];
    const close = async () => {
      await reader.close();
      for (const listener of listeners.splice(0)) listener();
    };
    const onClose = (listener: () => void) => void listeners.push(listener);
    const id = idOfPath(path);
    return { id, path, meta, columns, lists, searchIndex, ...questionsTo(reader), onClose, close };
  } catch (cause) {
    await reader.close();
    throw cause;
  }
}

function questionsTo(reader: Reader) {
  const ordinals = (sql: string, value: string) => reader.all(sql, [value], ordinalOf);
  return {
    eventBodies: (wanted: readonly number[]) => readBodies(reader, wanted),
    ordinalById: async (id: string) => (await ordinals(BY_ID, id))[0] ?? null,
    ordinalBySlug: async (slug: string) => (await ordinals(BY_SLUG, slug))[0] ?? null,
    ordinalsBySlugs: (slugs: readonly string[]) => ordinals(BY_SLUGS, JSON.stringify(slugs)),
    ordinalsByTitle: (title: string, language: Language) => ordinals(BY_TITLE[language], title),
    query: reader.all,
  };
}

const ordinalOf = (row: Row): number => integerOf(row, 'ordinal');

/** G9: an id that was merged into another finds that event. */
const BY_ID = `select ordinal from event where id = ?1
  union all
  select ordinal from merged join event on event.id = survivor where kind = 'event' and merged.id = ?1`;

/** A17: events by former slugs, their own or of ids that were merged into them. */
const BY_EARLIER_SLUG = `select ordinal from slug
  left join merged on merged.kind = 'event' and merged.id = slug.id
  join event on event.id = coalesce(survivor, slug.id)
  where slug.kind = 'event' and slug.slug`;
const BY_SLUG = `select ordinal from event where slug = ?1 union ${BY_EARLIER_SLUG} = ?1`;
const BY_SLUGS = `with wanted as (select value from json_each(?))
  select ordinal from event where slug in wanted union ${BY_EARLIER_SLUG} in wanted order by ordinal`;
const BY_TITLE = {
  nb: 'select ordinal from event where title_nb = ? order by ordinal',
  en: 'select ordinal from event where title_en = ? order by ordinal',
} satisfies Record<Language, string>;

/**
 * One text for any number of ordinals, so that it is prepared once. The rows come in the order of the list without a sort. 10 bodies of
 * 2.5 KB take about 0.1 ms and 1,000 about 6 ms, nearly all of it decoding UTF-8.
 */
const BODIES = `select ${FRAGMENT_SQL} as body from json_each(?) as wanted
  cross join event on event.ordinal = wanted.value
  order by wanted.rowid`;

async function readBodies(reader: Reader, wanted: readonly number[]): Promise<readonly string[]> {
  if (wanted.length === 0) return [];
  const bodies = await reader.all(BODIES, [JSON.stringify(wanted)], (row) => textOf(row, 'body'));
  if (bodies.length !== wanted.length) {
    const found = `expected the bodies of ${wanted.length} events, found ${bodies.length}`;
    throw new CalendarError('SNAPSHOT_UNUSABLE', found);
  }
  return bodies;
}

/** Lists of event ids in code point order, as JSON. */
export interface ChangesJson {
  /** Snapshot ids. */
  readonly from: string;
  readonly to: string;
  /** Instant at which the snapshot `to` was built. */
  readonly builtAt: number;
  readonly added: string;
  readonly changed: string;
  readonly removed: string;
}

/** E: seconds after which a snapshot is no longer known. */
const KNOWN = 90 * 86_400;

/**
 * E, I7: what builds changed after a snapshot. A file records the builds of the last 90 days: for each event the build that changed it
 * last (`event_change`), and the earlier state of events that appeared, disappeared or got another publishing date (`history`).
 *
 * A client that applies each answer to its copy is exact at every second. It must follow the clock itself: an event that is over is not
 * listed, unless a build changed it since. An event whose publishing date passes (A9) is added at that second, whichever snapshot
 * contained it before. `now`: instant, whole seconds. Null for an unknown snapshot.
 */
export async function changesSince(
  snapshot: Snapshot,
  since: string,
  now: number,
): Promise<ChangesJson | null> {
  const { id, meta, query } = snapshot;
  const [from] = await query(BUILD, [since, Number(since === id)], (row) => ({
    number: integerOf(row, 'number'),
    builtAt: integerOf(row, 'built_at'),
  }));
  if (from === undefined || now - from.builtAt > KNOWN) return null;
  const [lists] = await query(CHANGES, [from.number, from.builtAt, now], readLists);
  return { from: since, to: id, builtAt: Math.floor(Date.parse(meta.builtAt) / 1_000), ...NONE, ...lists };
}

const NONE = { added: '[]', changed: '[]', removed: '[]' };

/** A file does not contain its own id: its build is the one without an id. */
const BUILD =
  'select number, built_at from build where id = ?1 or (id is null and ?2) order by number desc limit 1';

/**
 * ?1: number of the earlier build, ?2: its instant, ?3: now. `before`: when the event became visible in that snapshot, null for never;
 * `seen` and `over` are the present values.
 */
const CHANGES = `with
  first as (select id, seen, min(build) as build from history where build > ?1 group by id),
  listed as materialized (
    select event.id as id, event_change.seen <= ?3 and event_change.over > ?3 as is_there, event_change.changed > ?1 as is_changed,
      iif(first.id is null, event_change.seen, first.seen) as before
    from event_change join event on event.ordinal = event_change.event left join first on first.id = event.id
    where event_change.changed > ?1 or event_change.seen > ?2
    union all
    select first.id, 0, exists (select 1 from history where history.id = first.id and build > ?1 and changed > ?1), first.seen
    from first where not exists (select 1 from event where event.id = first.id)
  )
  select
    (select json_group_array(id order by id) from listed where is_there and coalesce(before > ?2, 1)) as added,
    (select json_group_array(id order by id) from listed where is_there and before <= ?2 and is_changed) as changed,
    (select json_group_array(id order by id) from listed where not is_there and before <= ?3 and is_changed) as removed`;

function readLists(row: Row): typeof NONE {
  return { added: textOf(row, 'added'), changed: textOf(row, 'changed'), removed: textOf(row, 'removed') };
}
