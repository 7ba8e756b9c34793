/** E, G10, I9: random builds in a row, with what each says of itself and of those before it held against all of them. */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createReport } from '../../jobs/report.ts';
import { overAt } from '../../src/calendar/time.ts';
import { changesSince } from '../../src/snapshot/changes.ts';
import { openSnapshot, type Snapshot } from '../../src/snapshot/open.ts';
import { built } from '../helpers/build.ts';
import { NOW } from '../helpers/calendar.ts';
import { temporaryFolder } from '../helpers/folder.ts';
import { sourceFolder } from '../helpers/native-source.ts';
import {
  Client,
  complaintOf,
  contentAt,
  listsOf,
  type PublishedBuild,
  type PublishedEvent,
  sequencesOf,
} from './changes.ts';
import { type Random, randomFrom } from './random.ts';

const test = suite('changes from build to build');
const isLong = process.env.ALMANAKK_TEST_LONG === '1';
const HOUR = 3_600;
const DAY = 86_400;

interface Known {
  readonly id: string;
  isThere: boolean;
  title: string;
  slug: string | null;
  publishing: number | null;
  starts: number[];
  hours: number;
  note: string;
  venue: string;
  isRule: boolean;
}

/** A source whose records come, go and change; times are whole hours, so that moments meet. */
class RandomSource {
  readonly #random: Random;
  readonly #known: Known[];
  #venue = 0;
  #versions = 0;
  now = NOW;

  constructor(random: Random) {
    this.#random = random;
    this.#known = Array.from({ length: 7 }, (_, at) => ({
      id: `e${at}`,
      isThere: random.chance(0.6),
      title: `Tittel ${at}`,
      slug: null,
      publishing: null,
      starts: [NOW + (2 + at) * DAY],
      hours: 2,
      note: '',
      venue: 'v0',
      isRule: at === 6,
    }));
  }

  next(): PublishedBuild['events'] {
    const { chance, pick, int } = this.#random;
    this.now += pick([HOUR, 6 * HOUR, DAY, 3 * DAY]);
    if (chance(0.1)) this.#venue++;
    for (const one of this.#known) {
      if (chance(0.15)) one.isThere = !one.isThere;
      if (chance(0.1)) one.title = `Tittel ${++this.#versions}`;
      if (chance(0.05)) one.slug = `s-${++this.#versions}`;
      if (chance(0.15)) one.publishing = chance(0.4) ? null : this.now + int(-4, 12) * 6 * HOUR;
      if (chance(0.1)) one.note = `${++this.#versions}`;
      if (chance(0.1)) one.venue = pick(['v0', 'v1']);
      if (chance(0.1)) one.hours = pick([1, 2, 30]);
      if (chance(0.2))
        one.starts = Array.from({ length: int(1, 3) }, () => this.now + int(-6, 30) * 6 * HOUR);
      one.starts = [...new Set(one.starts)].sort((left, right) => left - right);
    }
    const events = this.#known.map((one) => this.#published(one));
    return new Map(events.filter((event) => event !== null).map((event) => [event.id, event]));
  }

  #published({ id, isThere, isRule, starts, hours, ...own }: Known): PublishedEvent | null {
    const { title, slug, publishing, note, venue } = own;
    const place = venue === 'v1' ? '' : this.#venue;
    const all = JSON.stringify([title, slug, publishing, note, venue, place, hours, isRule]);
    const endOf = (start: number) => overAt(start, start + hours * HOUR);
    const over = isRule ? Number.POSITIVE_INFINITY : Math.max(...starts.map(endOf));
    if (!isThere || over <= this.now) return null;
    const listed = isRule ? [] : starts;
    const dates = new Map(listed.map((start) => [start, { over: endOf(start), content: all }]));
    return { id, seen: Math.max(0, publishing ?? 0), over, own: all, dates };
  }

  folder(): string {
    const iso = (instant: number) => new Date(instant * 1_000).toISOString();
    const events = this.#known
      .filter(({ isThere }) => isThere)
      .map(({ id, title, slug, publishing, starts, hours, note, venue, isRule }) => ({
        id,
        title_nb: title,
        slug,
        venue,
        venueNote: note || null,
        ...(publishing !== null && { publishingDate: iso(publishing) }),
        ...(isRule
          ? { repeats: [{ rule: 'FREQ=DAILY', start: '2025-12-01 12:00', duration: hours * 60 }] }
          : { dates: starts.map((start) => ({ start: iso(start), duration: hours * 60 })) }),
      }));
    const always = { id: 'z', title_nb: 'Alltid', dates: [{ start: '2031-01-01 12:00' }] };
    return sourceFolder({
      'venues.json': [
        { id: 'v0', slug: 'v0', name: `Sal ${this.#venue}` },
        { id: 'v1', name: 'Scene' },
      ],
      'events.json': [...events, always],
    });
  }
}

const ALWAYS: PublishedEvent = {
  id: 'z',
  seen: 0,
  over: Number.POSITIVE_INFINITY,
  own: '',
  dates: new Map(),
};

test('E, G10, I9: should say of random builds what all of them together say', async () => {
  for (let seed = 1; seed <= (isLong ? 40 : 2); seed++) {
    const random = randomFrom(seed);
    const source = new RandomSource(random);
    const target = temporaryFolder();
    const builds: PublishedBuild[] = [];
    const clients = [new Client(), new Client(), new Client()];
    for (let number = 0; number < 22; number++) {
      const published = source.next();
      const report = createReport();
      const folder = source.folder();
      const { id, file, changes } = await built(folder, target, { now: source.now, report, force: true });
      rmSync(folder, { recursive: true });
      builds.push({ id, now: source.now, events: new Map([...published, ['z', ALWAYS]]) });
      const snapshot = await openSnapshot(join(target, file));
      const where = `seed ${seed}, build ${number}`;
      if (number > 0) assert.equal(changes, countsOf(builds), where);
      for (let look = 0; look < 4; look++) {
        const now = source.now + random.int(0, 8) * HOUR;
        await lookAt(snapshot, {
          builds,
          now,
          client: random.pick(clients),
          where: `${where}, ${now - source.now} s later`,
        });
      }
      await checkSequences(snapshot, builds, where);
      await snapshot.close();
    }
  }
});

interface Look {
  readonly builds: readonly PublishedBuild[];
  readonly now: number;
  readonly client: Client;
  readonly where: string;
}

async function lookAt(snapshot: Snapshot, { builds, now, client, where }: Look): Promise<void> {
  for (const [since, { id }] of builds.entries()) {
    const found = await changesSince(snapshot, id, now);
    if (found === null) assert.unreachable(`${where}: ${id} is not known`);
    else assert.is(complaintOf(builds, since, now, listsOf(found)), null, `${where}, since build ${since}`);
  }
  const to = builds.at(-1);
  if (to === undefined) return;
  const complaint = await client.look(to, now, async (since) => {
    const found = await changesSince(snapshot, since, now);
    return found === null ? null : listsOf(found);
  });
  assert.is(complaint, null, where);
}

function countsOf(builds: readonly PublishedBuild[]) {
  const [before, after] = [builds.at(-2), builds.at(-1)];
  const counts = { added: 0, changed: 0, removed: 0, renamed: 0 };
  if (before === undefined || after === undefined) return counts;
  for (const id of new Set([...before.events.keys(), ...after.events.keys()])) {
    const [was, is] = [before.events.get(id), after.events.get(id)];
    if (was === undefined) counts.added++;
    else if (is === undefined) counts.removed += Number(was.over > after.now);
    else if (contentAt(was, after.now) !== contentAt(is, after.now)) counts.changed++;
    if (was !== undefined && is !== undefined && titleOf(was) !== titleOf(is)) counts.renamed++;
  }
  return counts;
}

const titleOf = ({ own }: PublishedEvent) => /Tittel \d+/.exec(own)?.[0];

async function checkSequences(
  snapshot: Snapshot,
  builds: readonly PublishedBuild[],
  where: string,
): Promise<void> {
  const { event, start, sequence, publishing } = snapshot.columns;
  const ids = (await snapshot.eventNames([...publishing.keys()])).map(({ id }) => id);
  for (const [key, count] of sequencesOf(builds)) {
    const row = start.findIndex((instant, at) => `${ids[event[at] ?? -1]} ${instant}` === key);
    assert.is(sequence[row], count, `${where}, ${key}`);
  }
}

test.run();
