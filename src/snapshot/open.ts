/** An open snapshot: its columns, lists and search index in memory, and the few queries that read the file. */
import { CalendarError } from '../calendar/errors.ts';
import { checkColumns, checkOccurrences } from './column-checks.ts';
import { type Columns, liftColumns } from './columns.ts';
import { idOfPath } from './folder.ts';
import { FRAGMENT_SQL } from './fragments.ts';
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
  /** Waits for running statements. */
  readonly close: () => Promise<void>;
}

interface OpenOptions extends ReaderOptions {
  /**
   * Whether another process has opened this very file and checked every value: for 250,000 occurrences this takes tens of milliseconds,
   * in which requests would wait.
   */
  readonly isVerified?: boolean;
}

/** Throws SNAPSHOT_UNUSABLE if the file holds anything that this program does not write. */
export async function openSnapshot(path: string, options: OpenOptions = {}): Promise<Snapshot> {
  const { isVerified = false } = options;
  const reader = await openReader(path, options);
  try {
    const meta = await readMeta(reader);
    const lists = await liftLists(reader, meta.counts);
    const columns = await liftColumns(reader);
    const searchIndex = await readSearchIndex(reader.all);
    if (!isVerified) {
      checkColumns(columns, sizesOf(meta.counts, lists));
      checkOccurrences(columns);
      checkSearchIndex(searchIndex);
    }
    return { id: idOfPath(path), path, meta, columns, lists, searchIndex, ...questionsTo(reader) };
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
    close: reader.close,
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
