/**
 * G10, what came, went and changed: the changes of the latest builds, as the current snapshot stores them: for `/status` of builders and
 * replicas alike.
 */
import * as z from 'zod';
import { parsedJson } from '../../calendar/json.ts';
import type { Keeper } from '../../snapshot/keeper.ts';
import { metaText } from '../../snapshot/meta.ts';
import { textOf } from '../../snapshot/sqlite.ts';
import { fields, list, NUMBER, TEXT, wordOr } from './reports.ts';

export const KINDS = ['added', 'changed', 'renamed', 'removed'] as const;

const ofEach = <Value extends z.ZodType>(value: Value) =>
  fields({ added: value, changed: value, renamed: value, removed: value });

const CHANGE = fields({
  id: z.string().catch(''),
  /** Null for an event that is no longer in the calendar. */
  title: TEXT,
  /** For a changed event. */
  fields: list(z.string()),
  /** For a renamed event: its former title. */
  from: TEXT,
});

const BUILD = fields({
  builtAt: wordOr(''),
  counts: ofEach(NUMBER),
  /** The first of each kind; changes of events that are not public now are only counted. */
  lists: ofEach(list(CHANGE)),
});

export type NamedChange = z.infer<typeof CHANGE>;
export type BuildChanges = z.infer<typeof BUILD>;

/** The latest first. `now`: in seconds since 1970. */
export async function changesOf(
  keeper: Pick<Keeper, 'pin' | 'state'>,
  now: number,
): Promise<readonly BuildChanges[]> {
  if (keeper.state().current === null) return [];
  const { snapshot, release } = keeper.pin();
  try {
    const written = parsedJson(await metaText({ all: snapshot.query }, 'changes', '[]'));
    const builds = list(BUILD).parse(written);
    const ids = builds.flatMap(({ lists }) => KINDS.flatMap((kind) => lists[kind].map(({ id }) => id)));
    const wanted = [JSON.stringify([...new Set(ids)]), Math.floor(now)];
    const isPublic = new Map(
      await snapshot.query(PUBLICITY, wanted, (row) => [textOf(row, 'id'), row.is_public === 1] as const),
    );
    return builds.map((build) => disclosed(build, isPublic));
  } finally {
    release();
  }
}

/** For each existing event, whether it is public at that second. */
const PUBLICITY = `select event.id as id, event_change.seen <= ?2 as is_public from json_each(?1) as wanted
  join event on event.id = wanted.value join event_change on event_change.event = event.ordinal`;

/** H9, nothing unpublished leaves: nothing of events that are not public; of removed ones only the id, which `changes` names, too. */
function disclosed(build: BuildChanges, isPublic: ReadonlyMap<string, boolean>): BuildChanges {
  const shown = (changes: readonly NamedChange[]) =>
    changes
      .filter(({ id }) => isPublic.get(id) !== false)
      .map((change) => (isPublic.has(change.id) ? change : { ...change, title: null, from: null }));
  const { added, changed, renamed, removed } = build.lists;
  const lists = { added: shown(added), changed: shown(changed), renamed: shown(renamed) };
  return { ...build, lists: { ...lists, removed: shown(removed) } };
}
