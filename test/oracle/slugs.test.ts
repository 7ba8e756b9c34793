/**
 * A17 read a second time: nothing is handed on from build to build, and whose a slug is follows from the history of all builds. Random
 * calendars are built in a row, and each is held against it.
 */
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { materialise } from '../../jobs/materialise.ts';
import { createAllowance } from '../../jobs/recurrence/allowance.ts';
import { createReport } from '../../jobs/report.ts';
import { NO_SLUGS } from '../../jobs/slug-ledger.ts';
import { NOW } from '../helpers/calendar.ts';
import { temporaryFolder } from '../helpers/folder.ts';
import { date, eventRecord, recordsOf } from '../helpers/records.ts';
import { IS_LONG } from '../helpers/run-options.ts';
import { type Random, randomFrom } from './random.ts';

const test = suite('slugs from build to build');
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

/** Records come, go, change and change places. */
function changed(records: readonly SlugRecord[], { chance, pick, int }: Random) {
  const next = records.map((record) => ({
    ...record,
    ...(chance(0.1) && { title: pick(TITLES) }),
    ...(chance(0.15) && { written: chance(0.5) ? null : pick([...TITLES, 'egen']) }),
    ...(chance(0.25) && { isThere: !record.isThere }),
    ...(chance(0.1) && { isOver: !record.isOver }),
  }));
  return chance(0.3) ? next.sort(() => int(-1, 1)) : next;
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
    // The ledger that `readSlugLedger` makes of a file, made from the calendar directly.
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

function slugsOf(builds: readonly Build[], id: string, now: number): ReadonlySet<string> {
  const slugs = new Set<string>();
  if (lastHeld(builds, id, now) === null) return slugs;
  const holding = [...builds.entries()].filter(([, { held }]) => held.has(id)).reverse();
  for (const [nth, [place, build]] of holding.entries()) {
    const [later, { now: then } = build] = holding[nth - 1] ?? [place + 1];
    if (later !== place + 1 && then - build.now > RESERVED) break;
    slugs.add(build.held.get(id)?.slug ?? '');
  }
  return slugs;
}

/** The first difference of the build at `now` from the definition; null for none. */
function complaintOf(
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

test('A17: should hold against hundreds of random builds in a row', async () => {
  for (let seed = 1; seed <= (IS_LONG ? 20 : 2); seed++) {
    const random = randomFrom(seed);
    const build = createBuilder();
    const builds: Build[] = [];
    let [records, now]: [readonly SlugRecord[], number] = [FIRST, NOW];
    for (let number = 0; number < 200; number++) {
      const where = `seed ${seed}, build ${number}`;
      now += random.pick([3_600, DAY, 30 * DAY, 150 * DAY, 399 * DAY, 401 * DAY]);
      records = changed(records, random);
      const there = records.filter(({ isThere }) => isThere);
      const outcome = await build(there, now);
      assert.is(complaintOf(builds, there, { ...outcome, now }), null, where);
      const givenBy = (id: string) => there.find((one) => one.id === id)?.written ?? null;
      const held = new Map(Array.from(outcome.shown, ([id, slug]) => [id, { slug, given: givenBy(id) }]));
      builds.push({ now, held });
      const ever = new Set(builds.flatMap((one) => Array.from(one.held.values(), ({ slug }) => slug)));
      for (const slug of ever) {
        const owner = ownerOf(builds, slug, now);
        const isShown = owner !== null && outcome.shown.has(owner);
        assert.is(outcome.find(slug), isShown ? owner : null, `${where}: ${slug}`);
      }
    }
  }
});

test.run();
