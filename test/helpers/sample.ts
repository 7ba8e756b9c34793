/** The sample calendar, built and opened, and values for arguments to it. */

import { build } from '../../jobs/build.ts';
import { createReport } from '../../jobs/report.ts';
import { ACCESSIBILITY } from '../../src/calendar/accessibility.ts';
import { packagePath } from '../../src/package.ts';
import type { Result } from '../../src/serve/graphql/execute.ts';
import { openSnapshot, type Snapshot } from '../../src/snapshot/open.ts';
import { temporaryFolder } from './folder.ts';
import { EnumValue, type Random, type Values } from './random-operations.ts';

export const BUILT_AT = Date.UTC(2026, 5, 15, 8) / 1000;
const HOUR = 3_600;
const FEATURE_NAMES = ACCESSIBILITY.map((word) => new EnumValue(word));

export interface Sample {
  readonly snapshot: Snapshot;
  readonly values: Values;
}

let built: Promise<string> | undefined;

/** The sample's snapshot as of `BUILT_AT`: all files of tests in one process have one. */
export const sampleFile = (): Promise<string> => {
  built ??= buildSample();
  return built;
};

async function buildSample(): Promise<string> {
  const target = temporaryFolder();
  const source = packagePath('data/sample');
  const options = { source, target, now: BUILT_AT, horizonMonths: 18, report: createReport() };
  return `${target}/${(await build(options)).file}`;
}

export async function openSample(): Promise<Sample> {
  const snapshot = await openSnapshot(await sampleFile());
  return { snapshot, values: valuesFor(snapshot) };
}

/** For the context of a suite, which is empty until its `before` has run. */
export function wholeSample({ snapshot, values }: Partial<Sample>): Sample {
  if (snapshot === undefined || values === undefined) throw new Error('expected a snapshot, found none');
  return { snapshot, values };
}

/** Values that mean something in the sample, and some that mean nothing or are wrong. */
function valuesFor({ lists }: Snapshot): Values {
  const venues = lists.venues.map(({ slug }) => slug);
  const organizers = lists.organizers.map(({ slug }) => slug);
  const categories = lists.categories.map(({ id }) => id);
  const pick = <T>(random: Random, from: readonly T[]): T | undefined => from[random(from.length)];
  const several = <T>(random: Random, from: readonly T[]) =>
    random(8) === 0
      ? pick(random, from)
      : Array.from({ length: random(4) }, () => (random(9) === 0 ? null : pick(random, from)));
  const withoutNull = (list: unknown) => (Array.isArray(list) ? list.filter((item) => item !== null) : list);
  const date = (random: Random) => {
    if (random(12) === 0)
      return pick(random, ['', 'yesterday', '2026-06-15', '2026-02-30 10:00:00Z', '2026-06-15 25:00:00Z']);
    const instant = new Date((BUILT_AT + (random(500) - 50) * 24 * HOUR) * 1000);
    const iso = instant.toISOString();
    return random(6) === 0 ? iso : iso.replace(/\.\d+Z$/, random(2) === 0 ? 'Z' : '+02:00');
  };
  const ids = Array.from({ length: 220 }, (_, place) => `evt-${String(place).padStart(3, '0')}`);
  const flag = (random: Random) => pick(random, [true, true, false, null]);
  const table: Readonly<Record<string, (random: Random) => unknown>> = {
    first: (random) => pick(random, [1, 1, 2, 5, 10, 10, 1_000, 3, random(20) === 0 ? 0 : null]),
    page: (random) => pick(random, [0, 0, 0, 1, 2, 50, -1, null]),
    pageSize: (random) => pick(random, [1, 3, 10, 10, 40, 0, 2_000, null]),
    fromDate: date,
    untilDate: date,
    fromStartDate: date,
    period: (random) => new EnumValue(pick(random, ['TODAY', 'TOMORROW', 'WEEKEND', 'WEEK']) ?? ''),
    free: flag,
    // No null among them: a list of the interface's words has none.
    accessibility: (random) => withoutNull(several(random, FEATURE_NAMES)),
    categories: (random) => several(random, [...categories, 'NO_SUCH']),
    notCategories: (random) => several(random, categories),
    venues: (random) => several(random, [...venues, 'no-such']),
    venueSlug: (random) => pick(random, venues),
    organizers: (random) => several(random, [...organizers, 'no-such']),
    organizerSlug: (random) => pick(random, organizers),
    searchTerm: (random) =>
      pick(random, ['konsert', 'konsrt', 'ærlig', 'BARN', 'a', '"', '  ', 'kor og', '😀']),
    tag: (random) => pick(random, [...lists.tags, 'Øl', 'nix']),
    mode: (random) => pick(random, ['online', 'offline', 'offline', 'both']),
    superEvent: (random) => pick(random, [...lists.containers, 'nix']),
    hoursRange: (random) => pick(random, ['10:00-14:00', '18:00-24:00', '22:00-02:00', '25:00-26:00', '']),
    municipality: (random) => pick(random, ['Trondheim', 'TRONDHEIM', '5001', 'Atlantis']),
    municipalities: (random) =>
      withoutNull(several(random, ['Trondheim', 'trondheim', '5001', 'Malvik', 'Atlantis'])),
    postalCodes: (random) => several(random, ['7010', '7030', '7491', '0000']),
    onlyFeatured: flag,
    onlyFeaturedSpecialEvent: flag,
    cancelledNotIncluded: flag,
    soldOutNotIncluded: flag,
    groupRepetitionsByDay: flag,
    sortBy: () => 'startDate',
    eventID: (random) => pick(random, ids) ?? '',
    eventSlug: () => 'sprakkafe-pa-biblioteket',
    eventsSlugs: (random) => several(random, ['sprakkafe-pa-biblioteket', 'orgelmeditasjon', 'nix']) ?? [],
    since: () => 'unknown',
    title: () => 'Orgelmeditasjon',
    lan: (random) => pick(random, ['nb', 'en', 'de']),
    minLatitude: (random) => pick(random, [60, 63.4, 91]),
    maxLatitude: (random) => pick(random, [63.5, 70]),
    minLongitude: (random) => pick(random, [10.3, -180, 170]),
    maxLongitude: (random) => pick(random, [10.5, 180, -170]),
    latitude: (random) => pick(random, [63.43, 63.4305, 60, -91]),
    longitude: (random) => pick(random, [10.4, 10.3951, -180, 181]),
    km: (random) => pick(random, [0.5, 2, 40, 1_000, 0]),
  };
  return (name, random) => {
    const make = table[name];
    if (make === undefined) throw new Error(`expected values for every argument, found none for ${name}`);
    return make(random);
  };
}

/** What goes out of an answer, readable. */
export function asSent({ body, failed }: Result): { readonly body: string; readonly failed: boolean } {
  return { body: textOf(body), failed };
}

/** Of an answer in one piece or in slices. */
export function textOf(body: Buffer | readonly Buffer[]): string {
  return (Buffer.isBuffer(body) ? body : Buffer.concat(body)).toString();
}
