/**
 * G10, E and I9 read a second time: all builds as they were published, and what follows from them by definition. Also a client
 * that keeps a copy by what `changes` says, and has to be right at every second.
 */
import type { ChangesJson } from '../../src/snapshot/changes.ts';

const DAY = 86_400;
const HOUR = 3_600;

export interface PublishedEvent {
  readonly id: string;
  /** Instant from which it is public; 0 for always. */
  readonly seen: number;
  /** Instant at which its last date is over; Infinity for a rule without an end. */
  readonly over: number;
  /** All that callers can see of it beside its dates. */
  readonly own: string;
  /** Its listed dates by their starts, those that are over too, and what callers can see of each. */
  readonly dates: ReadonlyMap<number, { readonly over: number; readonly content: string }>;
}

export interface PublishedBuild {
  readonly id: string;
  readonly now: number;
  readonly events: ReadonlyMap<string, PublishedEvent>;
}

export interface Lists {
  readonly added: readonly string[];
  readonly changed: readonly string[];
  readonly removed: readonly string[];
}

export function listsOf({ added, changed, removed }: ChangesJson): Lists {
  return { added: JSON.parse(added), changed: JSON.parse(changed), removed: JSON.parse(removed) };
}

/** What callers can see of it at a second. */
export function contentAt({ own, dates }: PublishedEvent, now: number): string {
  const there = [...dates].filter(([, { over }]) => over > now);
  return JSON.stringify([own, there.map(([start, { content }]) => [start, content])]);
}

const isVisible = (event: PublishedEvent | undefined, now: number) =>
  event !== undefined && event.seen <= now && event.over > now;

/** What is wrong with an answer about `since`; null for nothing. */
export function complaintOf(
  builds: readonly PublishedBuild[],
  since: number,
  now: number,
  lists: Lists,
): string | null {
  const [from, to] = [builds[since], builds.at(-1)];
  if (from === undefined || to === undefined) return 'there is no such build';
  const ids = [...new Set(builds.flatMap(({ events }) => [...events.keys()]))].sort();
  const expected = { added: [] as string[], changed: [] as string[], removed: [] as string[] };
  const mayBeRemoved = new Set<string>();
  for (const id of ids) {
    const [then, today] = [from.events.get(id), to.events.get(id)];
    const wasSeen = then !== undefined && then.seen <= from.now;
    const later = builds.slice(since + 1);
    const isTouched = later.some((build, at) => {
      const [before, after] = [builds[since + at]?.events.get(id), build.events.get(id)];
      if (before === undefined || after === undefined)
        return after !== undefined || (before !== undefined && before.over > build.now);
      return contentAt(before, build.now) !== contentAt(after, build.now);
    });
    if (isVisible(today, now)) {
      if (!wasSeen) expected.added.push(id);
      else if (isTouched) expected.changed.push(id);
    } else if (then !== undefined && then.seen <= now && isTouched) {
      mayBeRemoved.add(id);
      if (wasSeen) expected.removed.push(id);
    }
  }
  for (const name of ['added', 'changed'] as const) {
    if (lists[name].join() !== expected[name].join())
      return `${name}: found ${lists[name]}, expected ${expected[name]}`;
  }
  const missing = expected.removed.find((id) => !lists.removed.includes(id));
  if (missing !== undefined) return `removed: ${missing} is missing`;
  const extra = lists.removed.find((id) => !mayBeRemoved.has(id) || !wasEverSeen(builds, id, now));
  if (extra !== undefined) return `removed: ${extra} is no business of callers`;
  return lists.removed.join() === [...lists.removed].sort().join() ? null : 'removed: in no order';
}

/** A9: while a snapshot was the newest one, or within the hour that the next may have needed. */
function wasEverSeen(builds: readonly PublishedBuild[], id: string, now: number): boolean {
  return builds.some(({ events }, at) => {
    const { seen } = events.get(id) ?? { seen: Number.POSITIVE_INFINITY };
    return seen <= Math.min(now, (builds[at + 1]?.now ?? now) + HOUR);
  });
}

/** Keeps a copy of the calendar. */
export class Client {
  #copy = new Map<string, PublishedEvent>();
  #since: string | null = null;

  /** `ask`: null where all has to be fetched again. */
  async look(
    to: PublishedBuild,
    now: number,
    ask: (since: string) => Promise<Lists | null>,
  ): Promise<string | null> {
    const lists = this.#since === null ? null : await ask(this.#since);
    const visible = [...to.events.values()].filter((event) => isVisible(event, now));
    if (lists === null) this.#copy = new Map(visible.map((event) => [event.id, event]));
    else {
      for (const id of lists.removed) this.#copy.delete(id);
      for (const id of [...lists.added, ...lists.changed]) {
        const found = visible.find((event) => event.id === id);
        if (found === undefined) return `${id} is listed and cannot be fetched`;
        this.#copy.set(id, found);
      }
    }
    this.#since = to.id;
    for (const [id, { over }] of this.#copy) if (over <= now) this.#copy.delete(id);
    const written = (events: Iterable<PublishedEvent>) =>
      Array.from(events, (event) => `${event.id} ${contentAt(event, now)}`)
        .sort()
        .join('\n');
    const [has, should] = [written(this.#copy.values()), written(visible)];
    return has === should ? null : `the copy has\n${has}\nand should have\n${should}`;
  }
}

function thereIn(build: PublishedBuild | undefined, id: string, start: number) {
  const found = build?.events.get(id)?.dates.get(start);
  return build !== undefined && found !== undefined && found.over > build.now ? found : undefined;
}

/** I9: of the last build, by event and start. */
export function sequencesOf(builds: readonly PublishedBuild[]): ReadonlyMap<string, number> {
  let counts = new Map<string, { count: number; held: number; wasRemoved: boolean }>();
  for (const [at, { now, events }] of builds.entries()) {
    const before = builds[at - 1];
    const next = new Map(counts);
    for (const { id, dates } of before?.events.values() ?? []) {
      for (const [start, { over }] of dates) {
        if ((events.get(id)?.dates.get(start)?.over ?? 0) > now) continue;
        const known = counts.get(`${id} ${start}`);
        if (known !== undefined && thereIn(before, id, start) !== undefined)
          next.set(`${id} ${start}`, { ...known, wasRemoved: over > now });
      }
    }
    for (const { id, dates } of events.values()) {
      for (const [start, { over, content }] of dates) {
        if (over <= now) continue;
        const key = `${id} ${start}`;
        const known = next.get(key);
        const earlier = thereIn(before, id, start);
        const isKnown =
          known !== undefined && now - known.held <= 400 * DAY && (known.wasRemoved || known.count > 0);
        const count =
          earlier !== undefined
            ? (known?.count ?? 0) + Number(earlier.content !== content)
            : isKnown
              ? known.count + 1
              : 0;
        next.set(key, { count, held: now, wasRemoved: false });
      }
    }
    counts = next;
  }
  const latest = builds.at(-1)?.now;
  return new Map(
    [...counts].filter(([, { held }]) => held === latest).map(([key, { count }]) => [key, count]),
  );
}
