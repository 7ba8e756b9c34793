/** G10: the changes of the latest builds, as the current snapshot stores them: for `/status` of builders and replicas alike. */
import { isObject, type JsonObject, parsedJson } from '../../calendar/json.ts';
import type { Keeper } from '../../snapshot/keeper.ts';
import { metaText } from '../../snapshot/meta.ts';
import type { Snapshot } from '../../snapshot/open.ts';
import { textOf } from '../../snapshot/sqlite.ts';
import { cut } from './reports.ts';

export interface BuildChanges {
  readonly builtAt: string;
  readonly counts: Readonly<Record<Kind, number>>;
  /** The first of each kind; changes of events that are not public now are only counted. */
  readonly lists: Readonly<Record<Kind, readonly NamedChange[]>>;
}

export const KINDS = ['added', 'changed', 'renamed', 'removed'] as const;
type Kind = (typeof KINDS)[number];

export interface NamedChange {
  readonly id: string;
  /** Null for an event that is no longer in the calendar. */
  readonly title: string | null;
  /** For a changed event. */
  readonly fields: readonly string[];
  /** For a renamed event: its former title. */
  readonly from: string | null;
}

/** The latest first. `now`: in seconds since 1970. */
export async function changesOf(
  keeper: Pick<Keeper, 'pin' | 'state'>,
  now: number,
): Promise<readonly BuildChanges[]> {
  if (keeper.state().current === null) return [];
  const { snapshot, release } = keeper.pin();
  try {
    const written = parsedJson(await metaText({ all: snapshot.query }, 'changes', '[]'));
    const builds = (Array.isArray(written) ? written : []).filter(isObject);
    const known = await publicityOf(snapshot, idsIn(builds), now);
    return builds.map((build) => disclosed(build, known));
  } finally {
    release();
  }
}

/** For each existing event, whether it is public at that second. */
async function publicityOf(
  { query }: Snapshot,
  ids: readonly string[],
  now: number,
): Promise<ReadonlyMap<string, boolean>> {
  const found = await query(PUBLICITY, [JSON.stringify(ids), Math.floor(now)], (row) => ({
    id: textOf(row, 'id'),
    isPublic: row.is_public === 1,
  }));
  return new Map(found.map(({ id, isPublic }) => [id, isPublic]));
}

const PUBLICITY = `select event.id as id, event_change.seen <= ?2 as is_public from json_each(?1) as wanted
  join event on event.id = wanted.value join event_change on event_change.event = event.ordinal`;

function idsIn(builds: readonly JsonObject[]): readonly string[] {
  return [
    ...new Set(
      builds.flatMap((build) => KINDS.flatMap((kind) => entriesOf(build, kind).map(({ id }) => String(id)))),
    ),
  ];
}

function entriesOf({ lists }: JsonObject, kind: Kind): readonly JsonObject[] {
  const entries = isObject(lists) ? lists[kind] : [];
  return Array.isArray(entries) ? entries.filter(isObject) : [];
}

/** H9: nothing of events that are not public; of removed ones only the id, which `changes` names, too. */
function disclosed(build: JsonObject, known: ReadonlyMap<string, boolean>): BuildChanges {
  const { builtAt } = build;
  const counts = isObject(build.counts) ? build.counts : {};
  const ofEach = <Value>(make: (kind: Kind) => Value) =>
    Object.fromEntries(KINDS.map((kind) => [kind, make(kind)])) as Record<Kind, Value>;
  return {
    builtAt: String(builtAt),
    counts: ofEach((kind) => Number(counts[kind] ?? 0)),
    lists: ofEach((kind) =>
      entriesOf(build, kind).flatMap(({ id, title, fields, from }) => {
        const isPublic = known.get(String(id));
        if (isPublic === false) return [];
        const texts =
          isPublic === true ? { title: text(title), from: text(from) } : { title: null, from: null };
        return { id: String(id), ...texts, fields: Array.isArray(fields) ? fields.map(String) : [] };
      }),
    ),
  };
}

const text = (value: unknown): string | null => (typeof value === 'string' ? cut(value) : null);
