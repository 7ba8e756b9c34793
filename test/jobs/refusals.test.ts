/** The table of refusals in docs/: every message has its row, and every row a message. */
import { appendFileSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { runBuild } from '../../jobs/annexes/schedule/run-build.ts';
import { faultOf } from '../../jobs/machine-fault.ts';
import { readLedger } from '../../jobs/notices/ledger.ts';
import { holdBuilds } from '../../jobs/publish/hold.ts';
import { withLock } from '../../jobs/publish/lock.ts';
import { createReport } from '../../jobs/report/report.ts';
import { messageOf } from '../../src/calendar/errors.ts';
import { assertAbove } from '../helpers/assertions.ts';
import { built, events, invalidEvents, sourceOfEvents } from '../helpers/build.ts';
import { NOW } from '../helpers/calendar.ts';
import { temporaryFolder } from '../helpers/folder.ts';
import { LICENCE, sourceFolder } from '../helpers/native-source.ts';
import { allPages, readPage, sectionsIn } from '../readme/document.ts';

const test = suite('refusals');

/** The first column of the table of refusals, wherever it is: forms of a message. */
const ROWS = allPages()
  .flatMap((page) => sectionsIn(readPage(page)))
  .flatMap(({ text }) => text.match(/^\|[^|]*message[^|]*\|.*\n(?:\|.*\n)+/m) ?? [])
  .flatMap((table) => table.match(/^\| `[^|]+/gm) ?? [])
  .map((cell) => [...cell.matchAll(/`([^`]+)`/g)].map(([, text = '']) => text));

const RETIRED = { ...LICENCE, retiredCategories: { OLD: ['MUSIC'] } };
const back = {
  ...LICENCE,
  categories: [...LICENCE.categories, { id: 'OLD', name_nb: 'Gml', name_en: 'Old' }],
};

/** Sources that are refused after a good one of twenty events. */
const SOURCES: Readonly<Record<string, () => string>> = {
  'no events': () => sourceOfEvents(10, { 'events.json': undefined }),
  'an empty list': () => sourceOfEvents(10, { 'events.json': [] }),
  'no licence': () => sourceOfEvents(10, { 'licence.json': undefined }),
  'no folder': () => '/nowhere/at/all',
  'two lists of events': () => sourceOfEvents(10, { 'events.ndjson': events(10) }),
  'half an array': () => sourceOfEvents(10, { 'events.json': '[{"id":"e1"' }),
  'half a line': () =>
    sourceOfEvents(10, { 'events.json': undefined, 'events.ndjson': '{"id":"e1"}\n{"id":' }),
  'an object': () => sourceOfEvents(10, { 'events.json': '{"events":[]}' }),
  'no JSON': () => sourceOfEvents(10, { 'events.json': '[{"id":e1}]' }),
  'a list by the name of lines': () =>
    sourceOfEvents(10, { 'events.json': undefined, 'events.ndjson': '[\n]' }),
  'letters of an old Macintosh': () =>
    sourceOfEvents(10, { 'events.json': Buffer.from('[{"id":"\x8c"}]', 'latin1') }),
  'a licence without a name': () => sourceOfEvents(10, { 'licence.json': { ...LICENCE, name: '' } }),
  'a feed of no kind': () => sourceOfEvents(10, { 'sources.json': [{ id: 'f', kind: 'fax' }] }),
  'no valid event': () => sourceOfEvents(10, { 'events.json': invalidEvents(3) }),
  'many invalid events': () => sourceOfEvents(10, { 'events.json': [...events(16), ...invalidEvents(8)] }),
  'few events': () => sourceOfEvents(4),
  'a mistyped category': () =>
    sourceOfEvents(10, {
      'licence.json': { ...RETIRED, categories: [{ ...LICENCE.categories[0], id: 'MUSCI' }] },
    }),
  'a retired category': () => sourceOfEvents(10, { 'licence.json': back }),
  'a category that is both': () =>
    sourceOfEvents(10, { 'licence.json': { ...back, ...RETIRED, categories: back.categories } }),
};

async function refusalOf(work: () => Promise<unknown> | unknown): Promise<string> {
  try {
    await work();
  } catch (thrown) {
    return messageOf(thrown);
  }
  throw new Error('expected a refusal');
}

/** The names in a folder and its manifest. A build that stops changes neither. */
const contentOf = (target: string) => [
  ...readdirSync(target).sort(),
  readFileSync(join(target, 'manifest.json'), 'utf8'),
];

/** A build whose source is written to when it is read first. */
async function changing(name: string): Promise<unknown> {
  const source = sourceOfEvents(50);
  let isAppended = false;
  const countRead = () => {
    if (!isAppended) appendFileSync(join(source, name), ' ');
    isAppended = true;
  };
  return built(source, temporaryFolder(), { report: { ...createReport(), countRead } });
}

test('G3: a refused build should leave the folder as it is, and have its row in the docs', async () => {
  const target = temporaryFolder();
  await built(sourceOfEvents(20, { 'licence.json': RETIRED }), target);
  const messages: string[] = [];
  const before = contentOf(target);
  for (const [what, source] of Object.entries(SOURCES)) {
    messages.push(await refusalOf(() => built(source(), target, { now: NOW + 60 })));
    assert.equal(contentOf(target), before, what);
  }
  for (const name of ['events.json', 'licence.json']) messages.push(await refusalOf(() => changing(name)));
  messages.push(await refusalOf(() => withLock(target, () => built(sourceFolder({}), target))));
  messages.push(await refusalOf(() => readLedger('')));
  const lost = temporaryFolder();
  const { file } = await built(sourceOfEvents(1), lost);
  writeFileSync(join(lost, file), 'damaged');
  messages.push(await refusalOf(() => built(sourceOfEvents(2), lost)));
  const held = temporaryFolder();
  await holdBuilds(held, 'restored another');
  messages.push(await refusalOf(() => built(sourceFolder({}), held)));
  messages.push(messageOf(faultOf(target, Object.assign(new Error('full'), { code: 'ENOSPC' }))));
  const command = ['--eval', 'setInterval(() => {}, 1000)'];
  const { record } = await runBuild({
    command,
    timeoutMs: 1,
    signal: new AbortController().signal,
    clock: Date.now,
  });
  messages.push(record.reason ?? '');

  assertAbove(ROWS.length, 10, 'rows');
  for (const message of messages) {
    assert.ok(
      ROWS.some((row) => row.some((text) => message.includes(text))),
      `expected a row for: ${message}`,
    );
  }
  for (const row of ROWS) {
    for (const text of row)
      assert.ok(
        messages.some((message) => message.includes(text)),
        `expected a message with: ${text}`,
      );
  }
});

test.run();
