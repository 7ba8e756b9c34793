/** F3: the native source: arrays, lines and several files, with the place of each record. */
import { chmodSync, mkdirSync, rmSync, symlinkSync, truncateSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { excerpt } from '../../jobs/findings.ts';
import { openNativeSource } from '../../jobs/native.ts';
import { linesOf } from '../../jobs/source/source-files.ts';
import { CalendarError } from '../../src/calendar/errors.ts';
import { costsAtMost } from '../helpers/cost.ts';
import { all, type Files, LICENCE, sourceFolder, valuesOf } from '../helpers/native-source.ts';
import { asNobody } from '../helpers/nobody.ts';

const test = suite('native source');

async function open(files: Files) {
  return openNativeSource(sourceFolder(files));
}

/** All entries of a list of events with this content. */
async function entriesOf(content: unknown, name = 'events.ndjson') {
  return all((await open({ [name]: content })).events());
}

/** The value or the problem of each line. */
async function linesIn(content: unknown, name?: string) {
  return (await entriesOf(content, name)).map(({ origin, value, problem }) => [
    origin.line,
    problem ?? value,
  ]);
}

/** The message of what `work` throws, which must be INVALID_SOURCE. */
async function refusal(work: () => Promise<unknown>): Promise<string> {
  try {
    await work();
  } catch (error) {
    if (!(error instanceof CalendarError)) throw error;
    assert.is(error.code, 'INVALID_SOURCE');
    return error.message;
  }
  throw new Error('expected it to throw');
}

const RECORDS = [
  { id: 'a', text: 'Ærlig talt, [ikke] {slik} "her" \\ \n' },
  { id: 'b', list: [[], {}, [1]] },
  3,
];

test('F3: should read an array and lines alike, with the place of each record', async () => {
  for (const [file, lines] of [
    ['events.json', [1, 1, 1]],
    ['events.ndjson', [1, 2, 3]],
  ] as const)
    assert.equal(
      await entriesOf(RECORDS, file),
      RECORDS.map((value, at) => ({ origin: { file, line: lines[at] }, value })),
    );
});

test('F1, F2, F8: should read the licence and the postal codes, and missing directories as empty', async () => {
  const register = '7013\tTRONDHEIM\t5001\tTrondheim\tG\r\n\r\n7550\tHOMMELVIK\t5031\tMalvik\tG';
  const licence = `\ufeff${JSON.stringify(LICENCE)}\r\n`;
  const source = await open({ 'events.json': [], 'licence.json': licence, 'postal-codes.tsv': register });
  assert.equal(await source.licence(), { origin: { file: 'licence.json' }, value: LICENCE });
  const at = (line: number) => ({ origin: { file: 'postal-codes.tsv', line } });
  assert.equal(await all(source.postalCodes()), [
    { ...at(1), value: ['7013', 'TRONDHEIM', '5001', 'Trondheim', 'G'] },
    { ...at(3), value: ['7550', 'HOMMELVIK', '5031', 'Malvik', 'G'] },
  ]);
  for (const list of [source.venues, source.organizers, source.events, source.notices])
    assert.equal(await all(list()), []);
});

test('F2: should count lines of NDJSON with a byte order mark, carriage returns and blank lines', async () => {
  assert.equal(await linesIn('\ufeff{"id":"a"}\r\n\r\n \t\r\n{"id":"b"}'), [
    [1, { id: 'a' }],
    [4, { id: 'b' }],
  ]);
});

test('F2: should count lines of an array with a byte order mark, carriage returns and blank lines', async () => {
  const array = '\ufeff\r\n[\r\n  {"a": [1,\n 2], "b": "],\\n"}, 3,\n\n\t[\n4]\n]\r\n';
  assert.equal(await linesIn(array, 'events.json'), [
    [3, { a: [1, 2], b: '],\n' }],
    [4, 3],
    [6, [4]],
  ]);
});

test('F2: should find no record in an empty array or a file of blank lines', async () => {
  assert.equal(await entriesOf(' [ \n ] ', 'events.json'), []);
  for (const text of ['', '\n\r\n']) assert.equal(await entriesOf(text), [], JSON.stringify(text));
});

test('F3: should find the same lines however a file is divided into chunks', async () => {
  const texts = [...RECORDS, 'å\\"', -1.5e3, null, true, '😀 \\\\'].map((value) => JSON.stringify(value));
  const bytes = Buffer.from(`\ufeff${texts.join('\n')}`);
  async function* inChunks(size: number) {
    for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
  }
  for (const size of [1, 2, 3, 5, 7, 64, 1000]) {
    const found: string[] = [];
    for await (const line of linesOf(inChunks(size))) found.push(line.bytes.toString());
    assert.equal(found, texts, `in chunks of ${size}`);
  }
});

test('F3: should read a list larger than its buffers, with characters across two of them', async () => {
  const records = Array.from({ length: 3000 }, (_, at) => ({ id: `e${at}`, text: 'æøå😀'.repeat(at % 90) }));
  for (const name of ['events.json', 'events.ndjson'])
    assert.equal(
      (await entriesOf(records, name)).map(({ value }) => value),
      records,
    );
});

const MAC_ROMAN = Buffer.concat([Buffer.from('[\n{"id":"'), Buffer.from([0x8c]), Buffer.from('"}]')]);

/** Texts of events.json, each with the message that it must cause. */
const MALFORMED: readonly (readonly [content: string | Buffer, message: string])[] = [
  ['', ':1: expected JSON, but nothing is there'],
  ['\n {"events": []}', ': expected an array, found {"events":[]}'],
  ['null', ': expected an array, found null'],
  ['[1, 2,\n]', ':1: expected JSON, but there is one comma too many'],
  ['[1]\n[2]', ':2: expected JSON, but more text after its end'],
  ['{"id": "a"}\n{"id": "b"}', ': expected one value, found one a line: name it events.ndjson'],
  ['[{"id": "a"},\n {"id" "b"}]', ':2: expected JSON, but a colon is missing after "id"'],
  ['[{"a": 1},\n{"b": "\n\n', ':2: expected JSON, but a quotation mark is missing after "'],
  [MAC_ROMAN, ': expected UTF-8, found byte 0x8c at offset 9'],
];

test('G3: should refuse malformed JSON with its file and place', async () => {
  for (const [content, message] of MALFORMED)
    assert.is(
      await refusal(() => entriesOf(content, 'events.json')),
      `events.json${message}`,
      String(content),
    );
  const { licence } = await open({ 'licence.json': '{"id": ', 'events.json': [] });
  assert.is(await refusal(licence), 'licence.json:1: expected JSON, but it ends after :');
});

test('G3: should refuse a JSON file above the limit, and suggest lines', async () => {
  const folder = sourceFolder({ 'events.json': '[' });
  truncateSync(join(folder, 'events.json'), 128 * 1024 * 1024 + 1);
  const source = await openNativeSource(folder);
  assert.is(
    await refusal(() => all(source.events())),
    'events.json: expected at most 134217728 bytes, found more: write it as .ndjson',
  );
});

test('G2: should report a line that is not JSON, or not UTF-8, as one bad record', async () => {
  const bytes = Buffer.concat([
    Buffer.from('{"id":"a"}\nid: b\n{"id":"c'),
    Buffer.from([0x8c]),
    Buffer.from('"}\n{"id":"d"\n'),
  ]);
  assert.equal(await linesIn(bytes), [
    [1, { id: 'a' }],
    [2, { expected: 'JSON', found: 'other text: unexpected id, which has no quotation marks' }],
    [3, { expected: 'UTF-8', found: 'byte 0x8c at offset 8' }],
    [4, { expected: 'JSON', found: 'other text: it ends after "d"' }],
  ]);
});

test('G2: should report a record with half a surrogate pair as a bad one', async () => {
  const half = { expected: 'whole Unicode characters', found: 'half of a surrogate pair' };
  assert.equal(await linesIn('[{"id":"a","title_nb":"\\ud83d"}, "\\ud83d\\ude00"]', 'events.json'), [
    [1, half],
    [1, '😀'],
  ]);
});

test('G2: should report a line above the limit as a bad record, and read the next', async () => {
  const long = `{"id":"long","text":"${'x]},\\"'.repeat(3_000_000)}"}`;
  const problem = {
    expected: 'a record of at most 16777216 bytes',
    found: `a longer one, which begins with ${excerpt(long.slice(0, 200))}`,
  };
  assert.equal(await linesIn(`{"id":"a"}\n${long}\n{"id":"b"}\n`), [
    [1, { id: 'a' }],
    [2, problem],
    [3, { id: 'b' }],
  ]);
});

test('G3: should refuse a record that never ends', async () => {
  const endless = `1\n"${'x'.repeat(17 * 1024 * 1024)}`;
  assert.match(await refusal(() => entriesOf(endless)), /^events\.ndjson:2: expected a complete last line/);
});

test('G3: should refuse an NDJSON file with a truncated last line', async () => {
  const whole = Buffer.from('{"id":"a","title_nb":"Kår"}\n{"id":"b","title_nb":"Blåbær"}');
  const cutOff =
    /:2: expected a complete last line, found one that is cut off: "{.*; wait until the file is complete$/;
  for (let end = whole.indexOf('\n') + 2; end < whole.length; end++)
    assert.match(await refusal(() => entriesOf(whole.subarray(0, end))), cutOff);
  for (const list of ['venues', 'organizers'] as const) {
    const source = await open({ 'events.json': [], [`${list}.ndjson`]: whole.subarray(0, -1) });
    assert.match(await refusal(() => all(source[list]())), cutOff);
  }
  assert.is((await entriesOf(whole)).length, 2);
});

const ENCODED: Readonly<Record<string, (text: string) => Buffer>> = {
  'little-endian': (text) => Buffer.from(`\ufeff${text}`, 'utf16le'),
  'big-endian': (text) => Buffer.from(`\ufeff${text}`, 'utf16le').swap16(),
  'unmarked little-endian': (text) => Buffer.from(text, 'utf16le'),
  'unmarked big-endian': (text) => Buffer.from(text, 'utf16le').swap16(),
};

test('G2: should read UTF-16, with and without a mark', async () => {
  const records = Array.from({ length: 4000 }, (_, at) => ({ id: `e${at}`, text: 'æøå😀'.repeat(at % 9) }));
  for (const [what, encoded] of Object.entries(ENCODED)) {
    const source = await open({
      'licence.json': encoded(JSON.stringify(LICENCE)),
      'events.json': encoded(JSON.stringify(records)),
      'venues.ndjson': encoded(records.map((record) => `${JSON.stringify(record)}\r\n`).join('')),
      'postal-codes.tsv': encoded('7010\tTrondheim\n'),
    });
    assert.equal((await source.licence()).value, LICENCE, what);
    for (const list of [source.events, source.venues]) assert.equal(await valuesOf(list()), records, what);
    assert.equal(await valuesOf(source.postalCodes()), [['7010', 'Trondheim']], what);
  }
});

/** Texts in a character set, as bytes, and as they are read; null where the set is uncertain. */
const SETS: Readonly<Record<string, readonly [bytes: readonly number[], text: string | null]>> = {
  'Latin-1': [[0x42, 0x6c, 0xe5, 0x62, 0xe6, 0x72, 0x20, 0xd8], 'Blåbær Ø'],
  'Windows-1252': [[0x93, 0xc5, 0x94, 0x20, 0x96, 0x20, 0x85, 0x20, 0x80], '“Å” – … €'],
  'Windows-1252 with an apostrophe': [[0x4f, 0x6c, 0x61, 0x92, 0x73], 'Ola’s'],
  'that of old Macintoshes': [[0x42, 0x6c, 0x8c, 0x62, 0xbe, 0x72], null],
  'that of DOS': [[0x62, 0x91, 0x72], null],
  'that of DOS, an å': [[0x62, 0x86, 0x72], null],
  'UTF-8 that was cut': [[0x42, 0xc3, 0xa6, 0x72, 0xc3], null],
};

test('G2: should read Windows-1252 if it is certain, and guess no other encoding', async () => {
  for (const [what, [bytes, text]] of Object.entries(SETS)) {
    const record = Buffer.concat([Buffer.from('[{"text":"'), Buffer.from(bytes), Buffer.from('"}]')]);
    const [line] = await entriesOf(Buffer.concat([record.subarray(1, -1), Buffer.from('\n')]));
    if (text === null) {
      assert.is(line?.problem?.expected, 'UTF-8', what);
      const message = await refusal(() => entriesOf(record, 'events.json'));
      assert.match(message, 'events.json: expected UTF-8, found byte');
    } else
      for (const entry of [line, ...(await entriesOf(record, 'events.json'))])
        assert.equal(entry?.value, { text }, what);
  }
});

/** Deep enough for every recursion to fail, and slow to parse. */
const DEEP = `${'['.repeat(5_000_000)}${']'.repeat(5_000_000)}`;
const TOO_DEEP = { expected: 'JSON', found: 'a value nested deeper than 64 levels' };

test('G2: should report a deeply nested line as a bad record, and no other', async () => {
  const deepest = JSON.parse(`${'['.repeat(64)}${']'.repeat(64)}`);
  assert.equal(await linesIn([deepest], 'events.json'), [[1, deepest]]);
  const text = `1\n{"id":"a","deep":${DEEP},"text":"\\u00e6"}\n2`;
  await costsAtMost(300, async () => {
    assert.equal(
      (await linesIn(text)).map(([, found]) => found),
      [1, TOO_DEEP, 2],
    );
  });
});

test('G3: should refuse a deeply nested JSON file', async () => {
  const files = { 'licence.json': `{"id":${DEEP}}`, 'events.json': `[1,{"deep":${DEEP}},2]` };
  const { licence, events } = await open(files);
  await costsAtMost(300, async () => {
    for (const [file, read] of [
      ['licence', licence],
      ['events', () => all(events())],
    ] as const) {
      const message = await refusal(read);
      assert.is(message, `${file}.json: expected JSON, found a value nested deeper than 64 levels`);
    }
  });
});

test('G3: should name a file that is missing or there twice, and a file in place of a folder', async () => {
  const [noEvents, noLicence] = [sourceFolder({}), sourceFolder({ 'licence.json': undefined })];
  const twice = sourceFolder({ 'events.json': [], 'venues.json': [], 'venues.ndjson': '' });
  const missing = join(tmpdir(), 'almanakk-no-such-folder');
  const file = join(noEvents, 'licence.json');
  const nested = sourceFolder({});
  mkdirSync(join(nested, 'events.json'));
  for (const [folder, message] of [
    [noEvents, `expected events.json or events.ndjson in the source folder ${noEvents}, found none`],
    [noLicence, `expected licence.json in the source folder ${noLicence}, found none`],
    [twice, 'expected one of venues.json and venues.ndjson, found both; remove one of them'],
    [missing, `expected a readable source folder at ${missing}, but it is not there`],
    [file, `expected a readable source folder at ${file}, but a part of its path is not a folder`],
    [nested, 'events.json: expected a file, found none'],
  ] as const)
    assert.match(await refusal(() => openNativeSource(folder)), message);
});

test('F14: should read the files of the folder through links, but none that a link leads out of it to', async () => {
  const venues = [{ id: 'hall', name: 'Storsalen' }];
  const folder = sourceFolder({ 'events.json': [], '..data/venues.json': venues });
  symlinkSync('..data/venues.json', join(folder, 'venues.json'));
  const source = await openNativeSource(folder);
  assert.equal(await valuesOf(source.venues()), venues);
  const outside = sourceFolder({ 'secret.json': [] });
  for (const name of ['licence.json', 'organizers.json', 'sources.json', 'logo.svg']) {
    const linked = sourceFolder({ 'events.json': [] });
    rmSync(join(linked, name), { force: true });
    symlinkSync(join(outside, 'secret.json'), join(linked, name));
    assert.is(
      await refusal(() => openNativeSource(linked)),
      `${name}: expected a file in the source folder, found a link that leads out of it`,
    );
  }
});

test('G3: should name a file that it may not read', async () => {
  const folder = sourceFolder({ 'events.json': [] });
  chmodSync(folder, 0o755);
  chmodSync(join(folder, 'events.json'), 0);
  const source = await openNativeSource(folder);
  const message = await asNobody(() => refusal(() => all(source.events())));
  assert.match(message, 'events.json: expected a readable file, but this user may not read it');
});

test('G5: should have the same hash for the same bytes, read before or after the hash or not at all', async () => {
  const files = { 'events.ndjson': RECORDS, 'venues.json': [], 'postal-codes.tsv': '7013\tA\t5001\tB\tG\n' };
  const before = await open(files);
  const unread = await (await open(files)).hash();
  assert.equal(await valuesOf(before.events()), RECORDS);
  assert.is(await before.hash(), unread);
  assert.match(unread, /^[0-9a-f]{64}$/);
  assert.equal(await valuesOf(before.events()), RECORDS);
});

test('G5: should have another hash when any file of the source is another, has another name or is new', async () => {
  const lists = { 'venues.json': '[]', 'organizers.json': '[]', 'postal-codes.tsv': '' };
  const files = { 'events.ndjson': '{}\n', ...lists };
  const others: readonly Files[] = [
    { 'events.ndjson': '{} \n' },
    { 'venues.json': '[ ]' },
    { 'organizers.json': '[ ]' },
    { 'licence.json': { ...LICENCE, name: 'Malvik' } },
    { 'postal-codes.tsv': '\n' },
    { 'postal-codes.tsv': undefined },
    { 'venues.json': undefined, 'venues.ndjson': '[]' },
    { 'sources.json': '[]' },
  ].map((other) => ({ ...files, ...other }));
  const hashes = await Promise.all([files, ...others].map(async (each) => (await open(each)).hash()));
  assert.is(new Set(hashes).size, hashes.length);
  const unrelated = { ...files, 'README.md': 'Not of the source' };
  assert.is(await (await open(unrelated)).hash(), hashes[0]);
});

test.run();
