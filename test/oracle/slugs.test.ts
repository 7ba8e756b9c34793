/**
 * A17, written a second time: the owner of a slug follows from the history of all builds, and no ledger is passed on. Random calendars are
 * built in a row, and each is compared with it.
 */
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { materialise } from '../../jobs/materialise/materialise.ts';
import { createAllowance } from '../../jobs/recurrence/allowance.ts';
import { createReport } from '../../jobs/report/report.ts';
import { NO_SLUGS } from '../../jobs/slugs/ledger.ts';
import { assertAbove } from '../helpers/assertions.ts';
import { NOW } from '../helpers/calendar.ts';
import { temporaryFolder } from '../helpers/folder.ts';
import { date, eventRecord, recordsOf } from '../helpers/records.ts';
import { IS_LONG } from '../helpers/run-options.ts';
import { type Random, randomFrom } from './random.ts';

const DAY = 86_400;
const RESERVED = 400 * DAY;

const TITLES = ['jazz', 'jazz-2', 'kor', 'ny'];

interface SlugRecord {
  readonly id: string;
  readonly title: string;
  /** The slug that the record gives; null for none. */
  readonly written: string | null;
  readonly isThere: boolean;
  /** Whether the source has the event, but not the calendar. */
  readonly isOver: boolean;
}

const FIRST = Array.from({ length: 9 }, (_, at): SlugRecord => {
  return { id: `id${at}`, title: 'jazz', written: null, isThere: false, isOver: false };
});

/** Records come, go, change and, at times, are in another order. */
function changed(records: readonly SlugRecord[], random: Random): readonly SlugRecord[] {
  const { chance, pick } = random;
  const next = records.map((record) => ({
    ...record,
    ...(chance(0.1) && { title: pick(TITLES) }),
    ...(chance(0.15) && { written: chance(0.5) ? null : pick([...TITLES, 'egen']) }),
    ...(chance(0.25) && { isThere: !record.isThere }),
    ...(chance(0.1) && { isOver: !record.isOver }),
  }));
  return chance(0.3) ? shuffled(next, random) : next;
}

/** The method of Fisher and Yates. */
function shuffled<T>(list: readonly T[], { int }: Random): readonly T[] {
  const rest = [...list];
  return Array.from(list, () => rest.splice(int(0, rest.length - 1), 1)).flat();
}

interface Build {
  readonly now: number;
  /** Slugs by id of the events in the calendar. */
  readonly held: ReadonlyMap<string, { readonly slug: string; readonly given: string | null }>;
}

interface Outcome {
  /** Slugs by id, of all that is in the calendar. */
  readonly shown: ReadonlyMap<string, string>;
  /** The id of the event that a slug finds; null for none. */
  readonly find: (slug: string) => string | null;
  /** Ids whose slug the report names. */
  readonly reported: ReadonlySet<string | null | undefined>;
}

/** Builds in a row, each on the ledger of the one before. */
function createBuilder() {
  let slugs = NO_SLUGS;
  const scratch = join(temporaryFolder(), 'texts');

  return async (records: readonly SlugRecord[], now: number): Promise<Outcome> => {
    const reported = new Set<string | null | undefined>();
    const report = {
      ...createReport(),
      addFinding: ({ field, id }: { field?: unknown; id?: string | null }) => {
        if (field === 'slug') reported.add(id);
      },
    };
    const events = records.map(({ id, title, written, isOver }) => {
      const start = now + (isOver ? -2 : 1) * DAY;
      const dates = [{ ...date('2026-01-01 20:00'), start, end: start }];
      return eventRecord({ id, title_nb: title, slug: written, dates });
    });
    const options = { now, horizonDay: 40_000, allowance: createAllowance(), report, slugs, scratch };
    const calendar = await materialise(recordsOf(events), options);
    await calendar.close();
    // In place of `readSlugLedger`, which reads the same from the file: hundreds of files would take most of the time.
    const shown = new Map(calendar.events.map(({ id, slug }) => [id, slug]));
    const { owned } = calendar.slugs.event;
    const kept = new Set(owned.map(({ slug }) => slug));
    const current = [...shown].map(([id, slug]) => ({ slug, id, isCurrent: true, given: null, held: null }));
    const all = [...current.filter(({ slug }) => !kept.has(slug)), ...owned];
    slugs = { ...NO_SLUGS, builtAt: now, event: { owned: all, merged: [] } };
    const find = (slug: string) => all.find((one) => one.slug === slug && one.held === null)?.id ?? null;
    return { shown, find, reported };
  };
}

/** How the id was held last, unless that is too long ago. */
function lastHeld(builds: readonly Build[], id: string, now: number) {
  const last = builds.findLast(({ held }) => held.has(id));
  if (last === undefined || (last !== builds.at(-1) && now - last.now > RESERVED)) return null;
  return last.held.get(id) ?? null;
}

/** The owner of a slug: the id that has had it since the slug was last unused for too long. */
function ownerOf(builds: readonly Build[], slug: string, now: number): string | null {
  const ids = new Set(builds.flatMap(({ held }) => [...held.keys()]));
  return [...ids].find((id) => slugsOf(builds, id, now).has(slug)) ?? null;
}

/** Each slug that the id has had, back to the last gap in its history that was longer than 400 days. */
function slugsOf(builds: readonly Build[], id: string, now: number): ReadonlySet<string> {
  const slugs = new Set<string>();
  if (lastHeld(builds, id, now) === null) return slugs;
  let later: { readonly place: number; readonly now: number } | null = null;
  for (const [place, { now: then, held }] of [...builds.entries()].reverse()) {
    const shown = held.get(id);
    if (shown === undefined) continue;
    const isGap = later !== null && later.place !== place + 1;
    if (isGap && later !== null && later.now - then > RESERVED) break;
    slugs.add(shown.slug);
    later = { place, now: then };
  }
  return slugs;
}

/** The first difference of the build at `now` from A17; null for none. */
function differenceOf(
  builds: readonly Build[],
  records: readonly SlugRecord[],
  { now, shown, reported }: Outcome & { readonly now: number },
): string | null {
  if (new Set(shown.values()).size !== shown.size) return 'two ids have one slug';
  const taken = new Set([
    ...shown.values(),
    ...records.flatMap(({ written, title }) => [written ?? '', title]),
  ]);
  for (const { id, written, title } of records) {
    const slug = shown.get(id);
    if (slug === undefined) continue;
    const before = lastHeld(builds, id, now);
    const isAskedAnew = written !== null && written !== before?.given && written !== before?.slug;
    if (before !== null && !isAskedAnew) {
      if (slug !== before.slug) return `${id} lost ${before.slug} unasked, and has ${slug}`;
      continue;
    }
    const wanted = written ?? title;
    const owner = ownerOf(builds, slug, now);
    if (owner !== null && owner !== id) return `${id} has ${slug}, which is ${owner}'s`;
    if (slug === wanted) continue;
    if (!new RegExp(`^${wanted}-\\d+$`).test(slug)) return `${id} wanted ${wanted}, and has ${slug}`;
    if (written !== null && !reported.has(id))
      return `${id} has ${slug} in place of ${written}, and no report says so`;
    if (ownerOf(builds, wanted, now) === null && !taken.has(wanted)) return `${id} could have ${wanted}`;
  }
  return null;
}

interface Step {
  /** Names the build in the message of a failure. */
  readonly where: string;
  readonly now: number;
  readonly earlier: readonly Build[];
  /** The records that the source has. */
  readonly records: readonly SlugRecord[];
  readonly outcome: Outcome;
  readonly build: Build;
}

const SEEDS = IS_LONG ? 20 : 2;
const BUILDS = 200;

const test = suite<{ steps: readonly Step[] }>('slugs from build to build', { steps: [] });

test.before(async (context) => {
  const steps: Step[] = [];
  for (let seed = 1; seed <= SEEDS; seed++) steps.push(...(await stepsOf(seed)));
  context.steps = steps;
});

async function stepsOf(seed: number): Promise<readonly Step[]> {
  const random = randomFrom(seed);
  const build = createBuilder();
  const steps: Step[] = [];
  let records: readonly SlugRecord[] = FIRST;
  let now = NOW;
  for (let number = 0; number < BUILDS; number++) {
    now += random.pick([3_600, DAY, 30 * DAY, 150 * DAY, 399 * DAY, 401 * DAY]);
    records = changed(records, random);
    const there = records.filter(({ isThere }) => isThere);
    const outcome = await build(there, now);
    const givenBy = (id: string) => there.find((one) => one.id === id)?.written ?? null;
    const held = new Map(Array.from(outcome.shown, ([id, slug]) => [id, { slug, given: givenBy(id) }]));
    const earlier = steps.map((step) => step.build);
    const where = `seed ${seed}, build ${number}`;
    steps.push({ where, now, earlier, records: there, outcome, build: { now, held } });
  }
  return steps;
}

test('A17: should give each event a slug that no other event owns, and keep it', ({ steps }) => {
  for (const { where, now, earlier, records, outcome } of steps)
    assert.is(differenceOf(earlier, records, { ...outcome, now }), null, where);
  assertAbove(steps.filter(({ outcome }) => outcome.reported.size > 0).length, 10, 'builds with a collision');
});

test('A17: should find the owner of each slug that was ever published', ({ steps }) => {
  let formerSlugs = 0;
  for (const { where, now, earlier, outcome, build } of steps) {
    const builds = [...earlier, build];
    const published = new Set(builds.flatMap(({ held }) => Array.from(held.values(), ({ slug }) => slug)));
    for (const slug of published) {
      const owner = ownerOf(builds, slug, now);
      const expected = owner !== null && outcome.shown.has(owner) ? owner : null;
      assert.is(outcome.find(slug), expected, `${where}: ${slug}`);
      if (expected !== null && outcome.shown.get(expected) !== slug) formerSlugs++;
    }
  }
  assertAbove(formerSlugs, 100, 'look-ups by a former slug');
});

test.run();
