/**
 * E7, G10, I9 and J5, written a second time: random builds in a row. What each says of itself and of earlier builds is compared with the
 * history of all builds.
 */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { overAt } from '../../src/calendar/time.ts';
import { createChangesSince } from '../../src/snapshot/changes.ts';
import { openSnapshotFile } from '../../src/snapshot/folder.ts';
import type { Snapshot } from '../../src/snapshot/open.ts';
import { assertAbove, assertDefined } from '../helpers/assertions.ts';
import { built } from '../helpers/build.ts';
import { NOW } from '../helpers/calendar.ts';
import { temporaryFolder } from '../helpers/folder.ts';
import { sourceFolder } from '../helpers/native-source.ts';
import { publicPath, publicRows } from '../helpers/public-file.ts';
import { IS_LONG } from '../helpers/run-options.ts';
import { type Random, randomFrom } from './random.ts';

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
  let now = NOW;
  let venueName = 0;
  let versions = 0;
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

/** One build with what it says of itself and of those before. */
interface Step {
  /** Names the build in the message of a failure. */
  readonly where: string;
  /** All builds so far; this one is the last. */
  readonly builds: readonly Build[];
  readonly counts: ReturnType<typeof countsOf>;
  /** `changes` about each build so far, at a moment of its own. */
  readonly answers: readonly ChangesAnswer[];
  /** The same at the moment of this build. */
  readonly answersAtOnce: readonly ChangesAnswer[];
  /** The table `change` of the public edition, in the order of its moments. */
  readonly log: readonly LogEntry[];
  /** The SEQUENCE of each date, by the id of its event and its start. */
  readonly sequences: ReadonlyMap<string, number>;
}

const SEEDS = IS_LONG ? 40 : 1;
const BUILDS = 22;

const test = suite<{ steps: readonly Step[] }>('changes from build to build', { steps: [] });

test.before(async (context) => {
  const steps: Step[] = [];
  for (let seed = 1; seed <= SEEDS; seed++) steps.push(...(await stepsOf(seed)));
  context.steps = steps;
});

/** Random builds in a row in one folder. */
async function stepsOf(seed: number): Promise<readonly Step[]> {
  const random = randomFrom(seed);
  const source = createSource(random);
  const target = temporaryFolder();
  const builds: Build[] = [];
  const steps: Step[] = [];
  for (let number = 0; number < BUILDS; number++) {
    const where = `seed ${seed}, build ${number}`;
    const { now, events } = source.next();
    const folder = source.folder();
    const { id, file, changes } = await built(folder, target, { now, force: true, isPublic: true });
    rmSync(folder, { recursive: true });
    builds.push({ id, now, events });
    const snapshot = await openSnapshotFile(join(target, file));
    const answersAt = (instantOf: () => number) =>
      Promise.all(builds.map((_, since) => answerOf(snapshot, { builds, since, now: instantOf(), where })));
    steps.push({
      where,
      builds: [...builds],
      counts: changes,
      answers: await answersAt(() => now + random.int(0, 8) * HOUR),
      answersAtOnce: await answersAt(() => now),
      log: await logOf(target),
      sequences: await sequencesOf(snapshot),
    });
    await snapshot.close();
  }
  return steps;
}

interface Question {
  readonly builds: readonly Build[];
  readonly since: number;
  readonly now: number;
  readonly where: string;
}

async function answerOf(snapshot: Snapshot, { builds, since, now, where }: Question): Promise<ChangesAnswer> {
  const id = builds[since]?.id;
  assertDefined(id, `build ${since}`);
  const found = await createChangesSince(snapshot)(id, now);
  assertDefined(found, `${where}: changes since build ${since}`);
  const lists = {
    added: JSON.parse(found.added),
    changed: JSON.parse(found.changed),
    removed: JSON.parse(found.removed),
  };
  return { since, now, lists };
}

interface LogEntry {
  readonly event: unknown;
  readonly kind: unknown;
  /** Instant, in seconds. */
  readonly at: number;
}

async function logOf(target: string): Promise<readonly LogEntry[]> {
  const rows = await publicRows(await publicPath(target), 'select id, kind, at from change order by at');
  return rows.map(({ id, kind, at }) => ({ event: id, kind, at: Date.parse(String(at)) / 1_000 }));
}

async function sequencesOf(snapshot: Snapshot): Promise<ReadonlyMap<string, number>> {
  const { event, start, sequence, publishing } = snapshot.columns;
  const names = await snapshot.eventNames([...publishing.keys()]);
  return new Map(
    Array.from(start, (instant, row) => [`${names[event[row] ?? -1]?.id} ${instant}`, sequence[row] ?? -1]),
  );
}

test('G10: should count what each build added, changed, removed and renamed', ({ steps }) => {
  const totals = { added: 0, changed: 0, removed: 0, renamed: 0 };
  for (const { where, builds, counts } of steps) {
    // The first build has none before it to compare with.
    if (builds.length === 1) continue;
    const expected = countsOf(builds);
    assert.equal(counts, expected, where);
    for (const name of ['added', 'changed', 'removed', 'renamed'] as const) totals[name] += expected[name];
  }
  for (const [name, total] of Object.entries(totals)) assertAbove(total, 0, `events that were ${name}`);
});

test('E7: should name what changed since each earlier build', ({ steps }) => {
  const named = { added: 0, changed: 0, removed: 0 };
  for (const { where, builds, answers } of steps) {
    for (const answer of answers) {
      const { since, now, lists } = answer;
      const later = now - (builds.at(-1)?.now ?? Number.NaN);
      assert.is(differenceOf(builds, answer), null, `${where}, since build ${since}, ${later} s later`);
      for (const name of ['added', 'changed', 'removed'] as const) named[name] += lists[name].length;
    }
  }
  for (const [name, count] of Object.entries(named)) assertAbove(count, 0, `events that were ${name}`);
});

test('J5: should record each change that E7 names in the public edition', ({ steps }) => {
  for (const step of steps) {
    for (const answer of step.answersAtOnce) {
      const where = `${step.where}: table change since build ${answer.since}`;
      assert.is(logDifferenceOf(step, answer), null, where);
    }
  }
});

test('I9: should count the changes of each date', ({ steps }) => {
  let highest = 0;
  for (const { where, builds, sequences } of steps) {
    const { now, events } = builds.at(-1) ?? NO_BUILD;
    for (const [id, { dates }] of events) {
      for (const [start, over] of dates) {
        if (over <= now) continue;
        const expected = sequenceOf(builds, id, start);
        assert.is(sequences.get(`${id} ${start}`), expected, `${where}, ${id} ${start}`);
        highest = Math.max(highest, expected);
      }
    }
  }
  assertAbove(highest, 1, 'changes of one date');
});

const NO_BUILD: Build = { id: '', now: 0, events: new Map() };

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

/** E7: the first difference of an answer from the history of all builds; null for none. */
function differenceOf(builds: readonly Build[], { since, now, lists }: ChangesAnswer): string | null {
  const expected = expectedLists(builds, since, now);
  for (const name of ['added', 'changed'] as const) {
    if (lists[name].join() !== expected[name].join())
      return `${name}: expected ${expected[name]}, found ${lists[name]}`;
  }
  const missing = expected.removed.find((id) => !lists.removed.includes(id));
  if (missing !== undefined) return `removed: expected ${missing}, found ${lists.removed}`;
  const extra = lists.removed.find((id) => !expected.mayBeRemoved.has(id));
  if (extra !== undefined) return `removed: found ${extra}, expected no event that was never shown`;
  const isInOrder = lists.removed.join() === [...lists.removed].sort().join();
  return isInOrder ? null : `removed: expected ids in order, found ${lists.removed}`;
}

interface ExpectedLists {
  readonly added: readonly string[];
  readonly changed: readonly string[];
  /** Events that `removed` names. */
  readonly removed: readonly string[];
  /**
   * Events that `removed` may name: also those that the build of `since` did not show, but its server did, because they were published before
   * the next build.
   */
  readonly mayBeRemoved: ReadonlySet<string>;
}

/** E7: the lists at the moment `now` of what has changed since a build, by its number. Ids are in order. */
function expectedLists(builds: readonly Build[], since: number, now: number): ExpectedLists {
  const from = builds[since] ?? NO_BUILD;
  const latest = builds.at(-1) ?? NO_BUILD;
  const added: string[] = [];
  const changed: string[] = [];
  const removed: string[] = [];
  const mayBeRemoved = new Set<string>();
  const ids = new Set(builds.flatMap(({ events }) => [...events.keys()]));
  for (const id of [...ids].sort()) {
    const then = from.events.get(id);
    const today = latest.events.get(id);
    const wasShown = then !== undefined && then.seen <= from.now;
    const isShown = today !== undefined && today.seen <= now && today.over > now;
    const isTouched = isTouchedAfter(builds, since, id);
    if (isShown && !wasShown) added.push(id);
    if (isShown && wasShown && isTouched) changed.push(id);
    if (!isShown && wasShown && isTouched) removed.push(id);
    const isPublicByNow = then !== undefined && then.seen <= now && wasEverShown(builds, id, now);
    if (!isShown && isPublicByNow && isTouched) mayBeRemoved.add(id);
  }
  return { added, changed, removed, mayBeRemoved };
}

/** Whether a build after that of `since` has added, changed or removed the event. */
function isTouchedAfter(builds: readonly Build[], since: number, id: string): boolean {
  return builds.some(({ now, events }, at) => {
    if (at <= since) return false;
    const before = builds[at - 1]?.events.get(id);
    const after = events.get(id);
    if (before === undefined) return after !== undefined;
    // Once it is over, an event goes without being removed.
    if (after === undefined) return before.over > now;
    return contentAt(before, now) !== contentAt(after, now);
  });
}

/** A9: while a snapshot was the newest one, or within the hour that the next may have needed. */
function wasEverShown(builds: readonly Build[], id: string, now: number): boolean {
  return builds.some(({ events }, at) => {
    const seen = events.get(id)?.seen ?? Number.POSITIVE_INFINITY;
    return seen <= Math.min(now, (builds[at + 1]?.now ?? now) + HOUR);
  });
}

/** J5: the first difference of the table `change` from an answer of `changes` at the moment of the build; null for none. */
function logDifferenceOf({ builds, log }: Step, { since, now, lists }: ChangesAnswer): string | null {
  const from = builds[since] ?? NO_BUILD;
  const { latestKinds, added } = readLog(log, from.now);
  const isRemoved = (event: unknown) => latestKinds.get(event) === 'removed';
  // The table may name an event that is as it was: to fetch it again is no harm, to miss it would be.
  const missing = [...lists.added, ...lists.changed].find(
    (event) => !latestKinds.has(event) || isRemoved(event),
  );
  if (missing !== undefined)
    return `expected ${missing} as added or changed, found ${latestKinds.get(missing)}`;
  // A copy of that build shows no event that was not public then, or is over by the dates of then.
  const isInCopy = (event: string) => {
    const then = from.events.get(event);
    return then !== undefined && then.seen <= from.now && then.over > now;
  };
  const kept = lists.removed.find((event) => !isRemoved(event) && isInCopy(event));
  if (kept !== undefined) return `expected ${kept} as removed, found ${latestKinds.get(kept)}`;
  const removed = [...latestKinds.keys()].map(String).filter(isRemoved);
  // A copy does not have an event that was added after it.
  const extra = removed.find((event) => !lists.removed.includes(event) && !added.has(event));
  return extra === undefined ? null : `expected ${extra} as it was, found it removed`;
}

/** What the table says of the time after a moment: the latest kind of change of each event, and the events whose first change is that they were added. */
function readLog(log: readonly LogEntry[], after: number) {
  const latestKinds = new Map<unknown, unknown>();
  const added = new Set<unknown>();
  for (const { event, kind, at } of log) {
    if (at <= after) continue;
    if (!latestKinds.has(event) && kind === 'added') added.add(event);
    latestKinds.set(event, kind);
  }
  return { latestKinds, added };
}

/**
 * I9: how often a date has changed, from 0. While it is away, the count is remembered for 400 days, if the date had changed, or if it was
 * taken away before it was over.
 */
function sequenceOf(builds: readonly Build[], id: string, start: number): number {
  let count = 0;
  /** The latest build that had the date, and the date in it. */
  let last: {
    readonly at: number;
    readonly now: number;
    readonly over: number;
    readonly shown: string;
  } | null = null;
  let wasTakenAway = false;
  for (const [at, { now, events }] of builds.entries()) {
    const { dates, content = '' } = events.get(id) ?? {};
    const over = dates?.get(start) ?? 0;
    const wasThere = last?.at === at - 1;
    if (over <= now) {
      if (last !== null && wasThere) wasTakenAway = last.over > now;
      continue;
    }
    const shown = JSON.stringify([content, over]);
    if (last !== null && wasThere && last.shown !== shown) count++;
    if (last !== null && !wasThere) {
      const isRemembered = now - last.now <= 400 * DAY && (wasTakenAway || count > 0);
      count = isRemembered ? count + 1 : 0;
    }
    last = { at, now, over, shown };
  }
  return count;
}

test.run();
