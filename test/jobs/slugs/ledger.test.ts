/** A17: slugs over several builds: links, look-ups and filters of a server, and the ledger. */
import { createHash } from 'node:crypto';
import { readFileSync, renameSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { findingLine } from '../../../jobs/findings.ts';
import { createReport } from '../../../jobs/report/report.ts';
import { createSlugRegister, NO_SLUGS, type PreviousSlugs } from '../../../jobs/slugs/ledger.ts';
import { openWriter } from '../../../src/snapshot/sqlite.ts';
import { assertIncludes } from '../../helpers/assertions.ts';
import { built } from '../../helpers/build.ts';
import { NOW } from '../../helpers/calendar.ts';
import { rejects } from '../../helpers/errors.ts';
import { temporaryFolder } from '../../helpers/folder.ts';
import { sourceFolder } from '../../helpers/native-source.ts';
import { startServer } from '../../helpers/running.ts';

const test = suite('slug ledger');
const DAY = 86_400;
const dates = [{ start: '2027-05-17 20:00', venue: 'v1' }];
const event = (id: string, more: object = {}) => ({ id, title_nb: 'Julekonsert', dates, ...more });

/** The answers of a server after each of the builds of one folder. */
async function afterBuilds(sources: readonly string[], query: string): Promise<readonly unknown[]> {
  const target = temporaryFolder();
  const answers: unknown[] = [];
  for (const [place, source] of sources.entries()) {
    await built(source, target, { now: NOW + place * DAY, force: true });
    const server = await startServer({ snapshots: target, clock: () => (NOW + place * DAY) * 1_000 });
    const { text } = await server.post(query).finally(server.close);
    answers.push(JSON.parse(text).data);
  }
  return answers;
}

test('A17: should keep the link of an event when a record of the same title is added before it', async () => {
  const renamed = [event('m1', { title_nb: 'Nyttår' }), event('m2', { slug: 'jul' }), event('m0')];
  const answers = await afterBuilds(
    [[event('m2')], [event('m1'), event('m2')], renamed].map((list) => sourceFolder({ 'events.json': list })),
    '{ eventBySlug(eventSlug: "julekonsert") { id event_slug eventLink } events { data { id event_slug } } }',
  );
  const answer = (event_slug: string, ...all: readonly string[]) => {
    const data = all.map((one) => ({ id: one.split(' ')[0], event_slug: one.split(' ')[1] }));
    const eventLink = `https://kalender.example/event/${event_slug}`;
    return { eventBySlug: { id: 'm2', event_slug, eventLink }, events: { data } };
  };
  assert.equal(answers, [
    answer('julekonsert', 'm2 julekonsert'),
    answer('julekonsert', 'm1 julekonsert-2', 'm2 julekonsert'),
    answer('jul', 'm0 julekonsert-3', 'm1 julekonsert-2', 'm2 jul'),
  ]);
});

test('A17: should filter by each slug that a venue or organizer had', async () => {
  const place = (id: string, slug?: string) => ({ id, name: 'Kirka', slug });
  const source = (kirka: object, ...others: readonly object[]) =>
    sourceFolder({
      'venues.json': [...others, kirka],
      'organizers.json': [...others, kirka],
      'events.json': [
        event('e1', { organizers: ['v1'] }),
        event('e2', { dates: [{ start: '2027-05-18 20:00', venue: 'v0' }] }),
      ],
    });
  const found = await afterBuilds(
    [
      source(place('v1')),
      source(place('v1'), place('v0')),
      source(place('v1', 'domkirka'), place('v0', 'kirka')),
    ],
    `{ venues: events(filter: { venues: ["kirka"] }) { data { id venue { slug } } }
      venueSlug: events(filter: { venueSlug: "kirka" }) { data { id } }
      organizers: events(filter: { organizers: ["kirka", "domkirka"] }) { data { id } totalCount }
      organizerSlug: events(filter: { organizerSlug: "kirka" }) { data { id organizers { slug } } }
      eventsBySlugs(eventsSlugs: ["julekonsert", "julekonsert-2", "no-such"]) { id } }`,
  );
  const ids = { data: [{ id: 'e1' }] };
  for (const [build, slug] of ['kirka', 'kirka', 'domkirka'].entries()) {
    assert.equal(found[build], {
      venues: { data: [{ id: 'e1', venue: { slug } }] },
      venueSlug: ids,
      organizers: { ...ids, totalCount: 1 },
      organizerSlug: { data: [{ id: 'e1', organizers: [{ slug }] }] },
      eventsBySlugs: [{ id: 'e1' }, { id: 'e2' }],
    });
  }
});

test('A17: should add a suffix to a slug that another event has, and report it', async () => {
  const target = temporaryFolder();
  await built(sourceFolder({ 'events.json': [event('a'), event('b', { title_nb: 'Revy' })] }), target);
  const report = createReport();
  const source = sourceFolder({ 'events.json': [event('b', { title_nb: 'Revy', slug: 'julekonsert' })] });
  await built(source, target, { now: NOW + DAY, report, force: true });
  const expected = 'a slug that belongs to nothing else, now or within 400 days';
  const line = `events.json:1 "b" slug: changed value, expected ${expected}, found julekonsert`;
  assertIncludes(report.summary().findings.map(findingLine), line);
});

test('H14, A17: should refuse a build without a readable snapshot, and state the loss with --force', async () => {
  const target = temporaryFolder();
  const first = await built(sourceFolder({ 'events.json': [event('a')] }), target);
  assert.equal([first.isFirst, first.warnings], [true, []]);
  truncateSync(join(target, first.file), 5_000);
  const source = sourceFolder({ 'events.json': [event('b')] });
  const manifest = readFileSync(join(target, 'manifest.json'), 'utf8');
  await rejects(
    built(source, target, { now: NOW + DAY }),
    'BUILD_REFUSED',
    /at least one readable snapshot, found none: .*5000.*; if there is a backup .* With --force, slugs, .* may break$/,
  );
  assert.is(readFileSync(join(target, 'manifest.json'), 'utf8'), manifest);
  const { isFirst, warnings } = await built(source, target, { now: NOW + DAY, force: true });
  assert.is(isFirst, true);
  assert.match(warnings.at(-1) ?? '', /start over, .* may break/);
});

test('A17: should warn that a build on an older snapshot cannot know the latest slugs', async () => {
  const target = temporaryFolder();
  await built(sourceFolder({ 'events.json': [event('a')] }), target);
  const second = await built(sourceFolder({ 'events.json': [event('a'), event('b')] }), target, {
    now: NOW + DAY,
  });
  rmSync(join(target, second.file));
  const source = sourceFolder({ 'events.json': [event('c'), event('b'), event('a')] });
  const { isFirst, warnings } = await built(source, target, { now: NOW + 2 * DAY });
  assert.is(isFirst, false);
  assert.match(warnings.at(-1) ?? '', /^calendar-\w+\.sqlite: built at .* is the newest .* since then/);
});

test('H5, G7: should refuse a snapshot of another version, and build it again with its ledgers', async () => {
  const target = temporaryFolder();
  const source = sourceFolder({ 'events.json': [event('m2'), event('m1')] });
  const first = await built(source, target);
  const writer = await openWriter(join(target, first.file));
  await writer.exec(`update meta set value = 'older' where key = 'shape'`);
  await writer.close();
  adoptAs(target, first.file);

  const server = await startServer({ snapshots: target, clock: () => NOW * 1_000 });
  const { lastRefusal } = server.keeper.state();
  assert.match(
    lastRefusal?.reason ?? '',
    /found the form older: another version of almanakk wrote it; build it again with this version/,
  );
  assert.is((await server.send('/readyz')).status, 503);

  const again = await built(source, target, { now: NOW + 60 });
  assert.equal([again.outcome, again.isFirst, again.warnings], ['published', false, []]);
  assert.equal(again.changes, { added: 0, changed: 0, removed: 0, renamed: 0 });
  await server.keeper.check();
  assert.is((await server.send('/readyz')).status, 200);
  await server.close();
});

/** Gives a file that was changed the name and the manifest that it would have. */
function adoptAs(folder: string, file: string): void {
  const bytes = readFileSync(join(folder, file));
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  const id = sha256.slice(0, 16);
  const path = join(folder, 'manifest.json');
  const { compressed: _, ...manifest } = JSON.parse(readFileSync(path, 'utf8'));
  renameSync(join(folder, file), join(folder, `calendar-${id}.sqlite`));
  const changed = { ...manifest, id, file: `calendar-${id}.sqlite`, sha256, bytes: bytes.length };
  writeFileSync(path, JSON.stringify(changed));
}

const OF = { origin: { file: 'events.json' } };

/** A ledger from one register to the next, as a file hands it on. */
function ledgers() {
  let previous: PreviousSlugs = NO_SLUGS;
  return (now: number, ids: readonly string[], merged: Readonly<Record<string, string>> = {}) => {
    const register = createSlugRegister({ kind: 'event', previous, now, report: createReport() });
    const slugs = ids.map(
      (id) => [id, register.assign({ ...OF, id, written: null, ofName: 'fest' })] as const,
    );
    for (const [id, survivor] of Object.entries(merged)) register.merge(id, survivor);
    const shown = slugs.filter(([id]) => !Object.hasOwn(merged, id));
    const ledger = register.ledgerOf(new Set(shown.map(([id]) => id)));
    const owned = shown.map(([id, slug]) => ({ slug, id, isCurrent: true, given: null, held: null }));
    previous = { ...NO_SLUGS, builtAt: now, event: { ...ledger, owned: [...owned, ...ledger.owned] } };
    return { slugs: Object.fromEntries(shown), ...ledger };
  };
}

test('G9, A17: should find the survivor of a merge by the ids and slugs of the others, as long as it is there', () => {
  const build = ledgers();
  assert.equal(build(NOW, ['a', 'b']).slugs, { a: 'fest', b: 'fest-2' });
  const own = { slug: 'fest-2', id: 'b', isCurrent: true, given: null };
  const merged = build(NOW + DAY, ['a'], { b: 'a' });
  assert.equal(merged, {
    slugs: { a: 'fest' },
    owned: [{ ...own, held: null }],
    merged: [{ id: 'b', survivor: 'a' }],
  });
  // The ledger keeps it from build to build, for years, although the source no longer has it.
  assert.equal(build(NOW + 900 * DAY, ['a', 'c']).owned, [{ ...own, held: null }]);
  // Without its survivor it is an id that is gone.
  const alone = build(NOW + 901 * DAY, ['c']);
  assert.equal([alone.owned.length, alone.merged], [2, []]);
  assert.equal(build(NOW + 902 * DAY, ['d', 'c', 'b']).slugs, { d: 'fest-4', c: 'fest-3', b: 'fest-2' });
});

test('G9, A17: should find the survivor by the slug of an event that was merged before it was published', () => {
  const { owned, merged } = ledgers()(NOW, ['a', 'b', 'c'], { c: 'b', b: 'a' });
  assert.equal(
    owned.map(({ id, slug }) => `${id} ${slug}`),
    ['b fest-2', 'c fest-3'],
  );
  assert.equal(
    merged.map(({ id, survivor }) => `${id} ${survivor}`),
    ['b a', 'c a'],
  );
});

test.run();
