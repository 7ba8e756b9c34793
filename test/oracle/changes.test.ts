/**
 * E, G10, I9 read a second time: random builds in a row, with what each says of itself and of those before it held against all builds as
 * they were published, and what follows from them by definition.
 */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { overAt } from '../../src/calendar/time.ts';
import { createChangesSince } from '../../src/snapshot/changes.ts';
import { openSnapshotFile } from '../../src/snapshot/folder.ts';
import type { Snapshot } from '../../src/snapshot/open.ts';
import { built } from '../helpers/build.ts';
import { NOW } from '../helpers/calendar.ts';
import { temporaryFolder } from '../helpers/folder.ts';
import { sourceFolder } from '../helpers/native-source.ts';
import { publicPath, publicRows } from '../helpers/public-file.ts';
import { IS_LONG } from '../helpers/run-options.ts';
import { type Random, randomFrom } from './random.ts';

const test = suite('changes from build to build');
const HOUR = 3_600;
const DAY = 86_400;

interface Published {
  readonly id: string;
  readonly title: string;
  /** Instant from which it is public; 0 for always. */
  readonly seen: number;
  /** Instant at which its last date is over; Infinity for never. */
  readonly over: number;
  /** All that callers can see of it, and of each of its dates. */
  readonly content: string;
  /** When each of its listed dates is over, by their starts; those that are over too. */
  readonly dates: ReadonlyMap<number, number>;
}

interface Build {
  readonly id: string;
  readonly now: number;
  readonly events: ReadonlyMap<string, Published>;
}

/** The public content of an event at a second. */
const contentAt = ({ content, dates }: Published, now: number) =>
  JSON.stringify([content, [...dates].filter(([, over]) => over > now)]);

const ALWAYS = { seen: 0, over: Number.POSITIVE_INFINITY, content: '', dates: new Map() };

/** A source whose records come, go and change; times are whole hours, so that moments meet. */
function createSource({ chance, pick, int }: Random) {
  let [now, venueName, versions] = [NOW, 0, 0];
  const known = Array.from({ length: 7 }, (_, at) => ({
    id: `e${at}`,
    isThere: chance(0.6),
    title: `Tittel ${at}`,
    slug: null as string | null,
    publishing: null as number | null,
    starts: [NOW + (2 + at) * DAY],
    hours: 2,
    note: '',
    venue: 'v0',
  }));

  function published({ id, isThere, ...own }: (typeof known)[number]): readonly Published[] {
    const { title, publishing, starts, hours } = own;
    const dates = new Map(starts.map((start) => [start, overAt(start, start + hours * HOUR)]));
    const over = Math.max(...dates.values());
    if (!isThere || over <= now) return [];
    const content = JSON.stringify([{ ...own, starts: null }, own.venue === 'v0' ? venueName : '']);
    return [{ id, title, seen: Math.max(0, publishing ?? 0), over, content, dates }];
  }

  /** Changes the source, and gives the events of the next build. */
  function next(): Omit<Build, 'id'> {
    now += pick([HOUR, 6 * HOUR, DAY, 3 * DAY]);
    if (chance(0.1)) venueName++;
    for (const one of known) {
      if (chance(0.15)) one.isThere = !one.isThere;
      if (chance(0.1)) one.title = `Tittel ${++versions}`;
      if (chance(0.05)) one.slug = `s-${++versions}`;
      if (chance(0.15)) one.publishing = chance(0.4) ? null : now + int(-4, 12) * 6 * HOUR;
      if (chance(0.1)) one.note = `${++versions}`;
      if (chance(0.1)) one.venue = pick(['v0', 'v1']);
      if (chance(0.1)) one.hours = pick([1, 2, 30]);
      if (chance(0.2)) one.starts = Array.from({ length: int(1, 3) }, () => now + int(-6, 30) * 6 * HOUR);
      one.starts = [...new Set(one.starts)].sort((left, right) => left - right);
    }
    const events = [...known.flatMap(published), { ...ALWAYS, id: 'z', title: 'Alltid' }];
    return { now, events: new Map(events.map((event) => [event.id, event])) };
  }

  function folder(): string {
    const iso = (instant: number) => new Date(instant * 1_000).toISOString();
    const there = known.filter(({ isThere }) => isThere);
    const events = there.map(({ id, title, slug, publishing, starts, hours, note, venue }) => ({
      id,
      title_nb: title,
      slug,
      venue,
      venueNote: note || null,
      ...(publishing !== null && { publishingDate: iso(publishing) }),
      dates: starts.map((start) => ({ start: iso(start), duration: hours * 60 })),
    }));
    return sourceFolder({
      'venues.json': [
        { id: 'v0', slug: 'v0', name: `Sal ${venueName}` },
        { id: 'v1', name: 'Scene' },
      ],
      'events.json': [...events, { id: 'z', title_nb: 'Alltid', dates: [{ start: '2031-01-01 12:00' }] }],
    });
  }

  return { next, folder };
}

test('E, G10, I9: should agree with the history of all random builds', async () => {
  for (let seed = 1; seed <= (IS_LONG ? 40 : 2); seed++) {
    const random = randomFrom(seed);
    const source = createSource(random);
    const target = temporaryFolder();
    const builds: Build[] = [];
    for (let number = 0; number < 22; number++) {
      const where = `seed ${seed}, build ${number}`;
      const { now, events } = source.next();
      const folder = source.folder();
      const { id, file, changes } = await built(folder, target, { now, force: true, isPublic: true });
      rmSync(folder, { recursive: true });
      builds.push({ id, now, events });
      if (number > 0) assert.equal(changes, countsOf(builds), where);
      const snapshot = await openSnapshotFile(join(target, file));
      for (const [since, build] of builds.entries()) {
        const asked = now + random.int(0, 8) * HOUR;
        const found = await createChangesSince(snapshot)(build.id, asked);
        if (found === null) assert.unreachable(`${where}: ${build.id} is not known`);
        const listOf = (name: 'added' | 'changed' | 'removed') => JSON.parse(found?.[name] ?? '[]');
        const lists = { added: listOf('added'), changed: listOf('changed'), removed: listOf('removed') };
        const complaint = complaintOf(builds, { since, now: asked, lists });
        assert.is(complaint, null, `${where}, since build ${since}, ${asked - now} s later`);
      }
      await checkPublicLog(snapshot, { builds, target, where });
      await checkSequences(snapshot, builds, where);
      await snapshot.close();
    }
  }
});

/** G10: the changes that a build counts against the one before. */
function countsOf(builds: readonly Build[]) {
  const [before, after] = builds.slice(-2);
  const counts = { added: 0, changed: 0, removed: 0, renamed: 0 };
  if (before === undefined || after === undefined) return counts;
  for (const id of new Set([...before.events.keys(), ...after.events.keys()])) {
    const [was, is] = [before.events.get(id), after.events.get(id)];
    if (was === undefined) counts.added++;
    else if (is === undefined) counts.removed += Number(was.over > after.now);
    else if (contentAt(was, after.now) !== contentAt(is, after.now)) counts.changed++;
    if (was !== undefined && is !== undefined && was.title !== is.title) counts.renamed++;
  }
  return counts;
}

interface ChangesAnswer {
  /** The number of the build that is asked about. */
  readonly since: number;
  readonly now: number;
  readonly lists: Readonly<Record<'added' | 'changed' | 'removed', readonly string[]>>;
}

/** E: the fault of an answer; null for none. */
function complaintOf(builds: readonly Build[], { since, now, lists }: ChangesAnswer): string | null {
  const [from, to] = [builds[since], builds.at(-1)];
  const expected = { added: [] as string[], changed: [] as string[], removed: [] as string[] };
  const mayBeRemoved = new Set<string>();
  for (const id of [...new Set(builds.flatMap(({ events }) => [...events.keys()]))].sort()) {
    const [then, today] = [from?.events.get(id), to?.events.get(id)];
    const wasSeen = then !== undefined && then.seen <= (from?.now ?? 0);
    const isTouched = builds.slice(since + 1).some((build, at) => {
      const [before, after] = [builds[since + at]?.events.get(id), build.events.get(id)];
      if (before === undefined || after === undefined)
        return after !== undefined || (before !== undefined && before.over > build.now);
      return contentAt(before, build.now) !== contentAt(after, build.now);
    });
    if (today !== undefined && today.seen <= now && today.over > now) {
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
function wasEverSeen(builds: readonly Build[], id: string, now: number): boolean {
  return builds.some(({ events }, at) => {
    const { seen } = events.get(id) ?? { seen: Number.POSITIVE_INFINITY };
    return seen <= Math.min(now, (builds[at + 1]?.now ?? now) + HOUR);
  });
}

/** J5: the table `change` of the public edition says of each earlier build what `changes` says at the moment of this one. */
async function checkPublicLog(
  snapshot: Snapshot,
  {
    builds,
    target,
    where,
  }: { readonly builds: readonly Build[]; readonly target: string; readonly where: string },
): Promise<void> {
  const rows = await publicRows(await publicPath(target), 'select id, kind, at from change order by at');
  const now = builds.at(-1)?.now ?? 0;
  for (const [since, { id, now: from }] of builds.entries()) {
    const latest = new Map<unknown, unknown>();
    const isNew = new Set<unknown>();
    for (const { id: event, kind, at } of rows) {
      if (Date.parse(String(at)) / 1_000 <= from) continue;
      if (!latest.has(event) && kind === 'added') isNew.add(event);
      latest.set(event, kind);
    }
    const of = (isWanted: (kind: unknown) => boolean) =>
      [...latest].flatMap(([event, kind]) => (isWanted(kind) ? [event] : [])).sort();
    const answer = await createChangesSince(snapshot)(id, now);
    const [added, changed, removed] = [answer?.added, answer?.changed, answer?.removed].map((list) =>
      JSON.parse(list ?? '[]'),
    );
    const about = `${where}: change since build ${since}`;
    // It may name an event that is as it was: to fetch it again is no harm, to miss it would be.
    const there = of((kind) => kind !== 'removed');
    for (const event of [...added, ...changed])
      assert.ok(there.includes(event), `${about}: ${event} is there`);
    const gone = of((kind) => kind === 'removed');
    // A copy of that build shows no event that was not public then, or is over by the dates of then.
    const isShown = ({ seen, over }: Published) => seen <= from && over > now;
    for (const event of removed) {
      const then = builds[since]?.events.get(event);
      assert.ok(gone.includes(event) || then === undefined || !isShown(then), `${about}: ${event} is gone`);
    }
    for (const event of gone)
      assert.ok(removed.includes(event) || isNew.has(event), `${about}: ${event} is not`);
  }
}

async function checkSequences(snapshot: Snapshot, builds: readonly Build[], where: string): Promise<void> {
  const { event, start, sequence, publishing } = snapshot.columns;
  const ids = (await snapshot.eventNames([...publishing.keys()])).map(({ id }) => id);
  const { now = 0, events = new Map<string, Published>() } = builds.at(-1) ?? {};
  for (const [id, { dates }] of events) {
    for (const [at, over] of dates) {
      const row = start.findIndex((instant, nth) => ids[event[nth] ?? -1] === id && instant === at);
      if (over > now) assert.is(sequence[row], sequenceOf(builds, id, at), `${where}, ${id} ${at}`);
    }
  }
}

/**
 * I9: how often a date has changed, from 0; while it is away it is remembered for 400 days if it had changed, or if it was taken away
 * before it was over.
 */
function sequenceOf(builds: readonly Build[], id: string, start: number): number {
  let count = 0;
  /** The last build that had the event, and the event of then. */
  let held: { readonly at: number; readonly now: number; readonly content: string } | undefined;
  let wasRemoved = false;
  for (const [at, { now, events }] of builds.entries()) {
    const { dates, content = '' } = events.get(id) ?? {};
    const isThere = (dates?.get(start) ?? 0) > now;
    if (!isThere) {
      if (held?.at === at - 1) wasRemoved = (builds[at - 1]?.events.get(id)?.dates.get(start) ?? 0) > now;
      continue;
    }
    if (held?.at === at - 1) count += Number(held.content !== JSON.stringify([content, dates?.get(start)]));
    else if (held !== undefined)
      count = now - held.now <= 400 * DAY && (wasRemoved || count > 0) ? count + 1 : 0;
    held = { at, now, content: JSON.stringify([content, dates?.get(start)]) };
  }
  return count;
}

test.run();
