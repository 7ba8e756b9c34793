/** E, I7, changes.json: what builds changed after a snapshot. */
import type { Snapshot } from './open.ts';
import { integerOf, type Row, textOf } from './sqlite.ts';

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
 * listed, unless a build changed it since. An event whose publishing date passes (A9, scheduled events) is added at that second, whichever
 * snapshot contained it before. `now`: instant, whole seconds. Null for an unknown snapshot.
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
  const [lists] = await query(CHANGES, [from.number, from.builtAt, now], listsOf);
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

function listsOf(row: Row): typeof NONE {
  return { added: textOf(row, 'added'), changed: textOf(row, 'changed'), removed: textOf(row, 'removed') };
}
