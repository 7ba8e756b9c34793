import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { materialise } from '../../jobs/materialise.ts';
import type { EventRecord, Finding, KindLedger, SlugKind } from '../../jobs/records.ts';
import { createAllowance } from '../../jobs/recurrence/allowance.ts';
import { createReport } from '../../jobs/report.ts';
import { NO_SLUGS, type PreviousSlugs } from '../../jobs/slug-ledger.ts';
import { NOW } from '../helpers/calendar.ts';
import { temporaryFolder } from '../helpers/folder.ts';
import { date, eventRecord, organizerRecord, recordsOf, venueRecord } from '../helpers/records.ts';
import { type Random, randomFrom } from './random.ts';
import { type Observed, SlugHistory, type SlugRecord } from './slugs.ts';

const test = suite('slugs from build to build');
const DAY = 86_400;
const isLong = process.env.ALMANAKK_TEST_LONG === '1';

const TITLES = ['jazz', 'jazz-2', 'kor', 'ny'];
const IDS = Array.from({ length: 9 }, (_, at) => `id${at}`);

/** What each id's record says; some come, go, change and change places from build to build. */
class RandomSource {
  readonly #random: Random;
  #known = IDS.map((id) => ({
    id,
    title: 'jazz',
    own: null as string | null,
    isThere: false,
    isOver: false,
  }));
  now = NOW;

  constructor(random: Random) {
    this.#random = random;
  }

  next({ merging }: { readonly merging: boolean }): readonly SlugRecord[] {
    const { chance, pick, int } = this.#random;
    const maybe = <Value>(value: Value, share: number, make: () => Value) => (chance(share) ? make() : value);
    this.now += pick([3_600, DAY, 30 * DAY, 150 * DAY, 399 * DAY, 401 * DAY]);
    this.#known = this.#known.map(({ id, title, own, isThere, isOver }) => ({
      id,
      title: maybe(title, 0.1, () => pick(TITLES)),
      own: maybe(own, 0.15, () => (chance(0.5) ? null : pick([...TITLES, 'egen']))),
      isThere: maybe(isThere, 0.25, () => !isThere),
      isOver: maybe(isOver, 0.1, () => !isOver),
    }));
    if (chance(0.3)) this.#known.sort(() => int(-1, 1));
    const there = this.#known.filter(({ isThere }) => isThere);
    const survivors = there.filter(({ isOver }) => !isOver).slice(0, 2);
    return there.map(({ id, title, own, isOver }) => {
      const isSurvivor = survivors.some((one) => one.id === id);
      const mergedInto =
        merging && !isSurvivor && survivors.length > 0 && chance(0.15) ? pick(survivors).id : null;
      return { id, title, own, isOver, mergedInto };
    });
  }
}

/** Of each kind as one build has left it. */
type Outcome = Readonly<Record<SlugKind, Observed>>;

/** A report that keeps each finding: its own summary has three examples of those that are alike. */
function recordingReport() {
  const report = createReport();
  const findings: Finding[] = [];
  const addFinding = (finding: Finding) => {
    findings.push(finding);
    report.addFinding(finding);
  };
  return { report: { ...report, addFinding }, findings };
}

const reportedIn = (findings: readonly Finding[], file: string) =>
  new Set(
    findings.flatMap(({ field, id, origin }) =>
      field === 'slug' && origin.file.startsWith(file) ? (id ?? []) : [],
    ),
  );

/** What `readSlugLedger` makes of a file, made of the calendar at once. */
class InMemory {
  #previous: PreviousSlugs = NO_SLUGS;
  readonly #folder = temporaryFolder();

  async build(records: readonly SlugRecord[], now: number): Promise<Outcome> {
    const { report, findings } = recordingReport();
    const slugs = this.#previous;
    const listed = records.filter(({ mergedInto }) => mergedInto === null);
    const events = listed.map(({ id, title, own, isOver }): EventRecord => {
      const start = now + (isOver ? -2 : 1) * DAY;
      return eventRecord({
        id,
        title_nb: title,
        slug: own,
        dates: [{ ...date('2026-01-01 20:00'), start, end: start }],
      });
    });
    const others = listed.filter(({ isOver }) => !isOver);
    const merged = () =>
      records.flatMap(({ id, mergedInto: survivor }) => {
        const pair = survivor === null ? [] : [{ id, survivor }];
        return (['event', 'venue', 'organizer'] as const).flatMap((kind) =>
          pair.map((one) => ({ kind, ...one })),
        );
      });
    const venues = others.map(({ id, title, own }) => venueRecord(id, title, own));
    const organizers = others.map(({ id, title, own }) => ({ ...organizerRecord(id, title), slug: own }));
    const source = { ...recordsOf(events, { venues, organizers }), merged };
    const scratch = join(this.#folder, 'texts');
    const allowance = createAllowance();
    const calendar = await materialise(source, {
      now,
      horizonDay: 40_000,
      allowance,
      report,
      slugs,
      scratch,
    });
    await calendar.close();
    const kindOf = (kind: SlugKind, entities: readonly { readonly id: string; readonly slug: string }[]) => {
      const { owned, merged } = calendar.slugs[kind];
      const shown = new Map(entities.map(({ id, slug }) => [id, slug]));
      const own = entities.map(({ id, slug }) => ({ slug, id, isCurrent: true, given: null, held: null }));
      const kept = new Set(owned.map(({ slug }) => slug));
      const all = [...own.filter(({ slug }) => !kept.has(slug)), ...owned];
      const find = (slug: string) => {
        const id = all.find((one) => one.slug === slug && one.held === null)?.id;
        return id === undefined ? null : (merged.find((one) => one.id === id)?.survivor ?? id);
      };
      const ledger: KindLedger = { owned: all, merged };
      return { ledger, observed: { shown, find, reported: reportedIn(findings, 'events') } };
    };
    const [event, venue, organizer] = [
      kindOf('event', calendar.events),
      kindOf('venue', calendar.venues),
      kindOf('organizer', calendar.organizers),
    ];
    this.#previous = { builtAt: now, event: event.ledger, venue: venue.ledger, organizer: organizer.ledger };
    return { event: event.observed, venue: venue.observed, organizer: organizer.observed };
  }
}

test('A17: should hold against hundreds of random builds in a row', async () => {
  for (let seed = 1; seed <= (isLong ? 20 : 2); seed++) {
    const source = new RandomSource(randomFrom(seed));
    const builder = new InMemory();
    const histories = { event: new SlugHistory(), venue: new SlugHistory(), organizer: new SlugHistory() };
    for (let build = 0; build < 200; build++) {
      const records = source.next({ merging: seed % 2 === 0 });
      const outcome = await builder.build(records, source.now);
      for (const kind of ['event', 'venue', 'organizer'] as const) {
        const complaint = await histories[kind].enter(records, source.now, outcome[kind]);
        assert.is(complaint, null, `seed ${seed}, build ${build}, ${kind}`);
      }
    }
  }
});

test.run();
