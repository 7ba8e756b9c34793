/**
 * G15: what a build takes over from a snapshot folder of 1.0.0. `test/fixtures/release-1.0.0` was written by that release, in two builds:
 * the second one moved, renamed, added and removed an event, and retired a category.
 */
import { cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { readSentLog } from '../../jobs/annexes/announce/sent.ts';
import { build } from '../../jobs/build.ts';
import { openPreviousContent } from '../../jobs/changes/history.ts';
import { findPrevious, type Previous } from '../../jobs/previous.ts';
import { createReport } from '../../jobs/report/report.ts';
import { annexSteps } from '../helpers/annex.ts';
import { BUILD_CHOICES } from '../helpers/build-choices.ts';
import { rejects } from '../helpers/errors.ts';
import { temporaryFolder } from '../helpers/folder.ts';
import { publishRelease, RELEASE } from '../helpers/formats.ts';
import { type Running, startServer } from '../helpers/running.ts';

const test = suite<{ running: Running[] }>('from 1.0.0', { running: [] });

test.after.each(async ({ running }) => {
  for (const server of running.splice(0)) await server.close();
});

const [FIRST, SECOND] = ['4bd500263dea49d1', 'c0f95f55c028e188'];
const NOW = Date.UTC(2026, 10, 26, 12) / 1_000;

function oldFolder(): string {
  const folder = temporaryFolder();
  publishRelease(folder);
  return folder;
}

type Edit = (name: string, text: string) => string;

async function rebuilt(target: string, edit: Edit = (_, text) => text, now = NOW) {
  const source = temporaryFolder();
  cpSync(join(RELEASE, 'source'), source, { recursive: true });
  for (const name of readdirSync(source)) {
    const path = join(source, name);
    writeFileSync(path, edit(name, readFileSync(path, 'utf8')));
  }
  const sources = edit('sources.json', '');
  if (sources !== '') writeFileSync(join(source, 'sources.json'), sources);
  const options = { source, target, now, horizonMonths: 18, report: createReport() };
  return build({ ...BUILD_CHOICES, ...options, ...(await annexSteps()) });
}

interface Found {
  readonly events: { readonly data: readonly { readonly id: string; readonly event_slug: string }[] };
  readonly changes: { readonly added: string[]; readonly changed: string[]; readonly removed: string[] };
}

async function serve({ running }: { running: Running[] }, snapshots: string): Promise<Running> {
  const server = await startServer({ snapshots, clock: () => NOW * 1_000 });
  running.push(server);
  return server;
}

test('G15: should take over ids, slugs, history and SEQUENCE from a folder of 1.0.0', async (context) => {
  const folder = oldFolder();
  const { outcome, changes, warnings, isFirst } = await rebuilt(folder);
  assert.equal([outcome, isFirst, warnings], ['published', false, []]);
  assert.equal(changes, { added: 0, removed: 0, changed: 0, renamed: 0 });
  const server = await serve(context, folder);
  const query = `{ events { data { id event_slug } } changes(since: "${FIRST}") { added changed removed } }`;
  const found = await server.ask<Found>(query);
  assert.equal(Object.fromEntries(found.events.data.map(({ id, event_slug }) => [id, event_slug])), {
    new: 'kirkekaffe',
    steady: 'allsang',
    renamed: 'hostfest',
    moved: 'julekonsert',
  });
  assert.equal(found.changes, { added: ['new'], changed: ['moved', 'renamed'], removed: ['gone'] });
  const { changes: since } = await server.ask<Found>(
    `{ changes(since: "${SECOND}") { added changed removed } }`,
  );
  assert.equal(since, { added: [], changed: [], removed: [] });
  // The slug that it had, and one of an event that is gone.
  const ask = (slug: string) =>
    server.ask<{ eventBySlug: { id: string } | null }>(`{ eventBySlug(eventSlug: "${slug}") { id } }`);
  assert.equal(await ask('hostfest'), { eventBySlug: { id: 'renamed' } });
  assert.is((await server.send('/events/loppemarked.html')).status, 410);
  const { text } = await server.send('/events.ics?repetitions=all');
  assert.equal(sequencesIn(text), { moved: 1, renamed: 1, steady: 0, new: 0 });
});

/** The SEQUENCE of each event. */
function sequencesIn(text: string): Record<string, number> {
  const found: Record<string, number> = {};
  for (const entry of text.split('BEGIN:VEVENT').slice(1))
    found[/UID:([a-z]+)/.exec(entry)?.[1] ?? ''] = Number(/SEQUENCE:(\d+)/.exec(entry)?.[1] ?? 0);
  return found;
}

test('G15: should tell what was edited along with the upgrade from what the upgrade changed', async (context) => {
  const folder = oldFolder();
  const edit: Edit = (name, text) =>
    name === 'events.json'
      ? text
          .replace('"title_nb": "Allsang"', '"title_nb": "Allsang ute"')
          .replace('2027-08-08 14:00', '2027-08-08 15:00')
      : text;
  const { changes } = await rebuilt(folder, edit);
  assert.equal(changes, { added: 0, removed: 0, changed: 2, renamed: 1 });
  const server = await serve(context, folder);
  assert.equal(sequencesIn((await server.send('/events.ics?repetitions=all')).text), {
    moved: 1,
    renamed: 1,
    steady: 1,
    new: 1,
  });
  const { changes: since } = await server.ask<Found>(
    `{ changes(since: "${SECOND}") { added changed removed } }`,
  );
  assert.equal(since, { added: [], changed: ['new', 'steady'], removed: [] });
});

test('G15: should keep the last good records of a feed that 1.0.0 has read, while it fails', async (context) => {
  const folder = oldFolder();
  cpSync(join(RELEASE, 'feeds'), join(folder, 'feeds'), { recursive: true });
  const feed = { id: 'kaia', kind: 'ical', url: 'http://127.0.0.1:9/program.ics' };
  const { warnings } = await rebuilt(folder, (name, text) =>
    name === 'sources.json' ? JSON.stringify([feed]) : text,
  );
  assert.equal(warnings, []);
  const server = await serve(context, folder);
  const { eventByID } = await server.ask<{ eventByID: { title_nb: string } | null }>(
    '{ eventByID(eventID: "kaia:sang@lillevik.example") { title_nb } }',
  );
  assert.is(eventByID?.title_nb, 'Allsang på kaia');
});

test('G15, G4: should know the category ids that 1.0.0 has retired', async () => {
  const edit: Edit = (name, text) => {
    if (name !== 'licence.json') return text;
    const { retiredCategories: _, categories, ...licence } = JSON.parse(text);
    return JSON.stringify({
      ...licence,
      categories: [...categories, { id: 'OLD', name_nb: 'Gammelt', name_en: 'Old' }],
    });
  };
  await rejects(
    rebuilt(oldFolder(), edit),
    'BUILD_REFUSED',
    /expected no id that an earlier snapshot has retired, found "OLD"/,
  );
});

test('G15: should not go on without the history if the machine cannot read the file', async () => {
  const folder = oldFolder();
  const { previous } = await findPrevious(folder, { now: NOW, force: false });
  assert.is(previous?.isComparable, false);
  const path = join(folder, 'gone', 'calendar.sqlite');
  await rejects(
    openPreviousContent({ ...(previous as Previous), path }),
    'SNAPSHOT_UNUSABLE',
    /calendar\.sqlite/,
  );
});

test('G15: should know what 1.0.0 has announced', async () => {
  const keyFile = join(temporaryFolder(), 'keys.json');
  mkdirSync(`${keyFile}.announced`);
  cpSync(join(RELEASE, 'told.ndjson'), join(`${keyFile}.announced`, 'told.ndjson'));
  const sent = await readSentLog(keyFile);
  assert.equal([sent.has(['avisen'], 'retired-old'), sent.has(['avisen'], 'another')], [true, false]);
});

test.run();
