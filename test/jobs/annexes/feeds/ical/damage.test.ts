/** Broken and unusual iCalendar files: their whole entries are kept. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { readCalendarFeed } from '../../../../../jobs/annexes/feeds/ical/calendar.ts';
import { assertAtLeast } from '../../../../helpers/assertions.ts';
import { readDocuments, testReadings, wordsOf } from '../../../../helpers/feed-reading.ts';
import { datesOf, icalFile, type ServedFeed, serveFeed } from '../../../../helpers/feeds.ts';
import { type Random, seeded } from '../../../../helpers/random.ts';
import { IS_LONG } from '../../../../helpers/run-options.ts';
import { rowsOf } from '../../../../helpers/tables.ts';
import { readEntries } from './cases.ts';

const test = suite<{ damaged: ServedFeed }>('iCalendar damage');

test.before(async (feeds) => {
  feeds.damaged = await serveFeed(icalFile('damaged.ics'));
});

test.after(async ({ damaged }) => damaged.close());

test('G2: should keep the whole entries of a damaged file', async ({ damaged }) => {
  const ids = await damaged.ids();
  assert.equal(ids, [
    'whole-1',
    'no-end-line',
    'bad-line',
    'no-uid-039303112f021ac5',
    'twice',
    'shared',
    'shared-2',
    "shared/Shares another's UID",
    'bad-bits',
    'whole-2',
  ]);
});

const DAMAGE = rowsOf(`
  no-end-line → changed value END
  bad-start → dropped record start (DTSTART)
  no-start → dropped record start (DTSTART)
  no-title → dropped record title (SUMMARY)
  no-uid-039303112f021ac5 → changed value id (UID)
  twice → left out id (UID)
  shared/Shares another's UID → changed value id (UID)
  bad-recurrence → dropped record date of the series (RECURRENCE-ID)
  bad-bits → changed value end (DTEND) → changed value position (GEO) → dropped reference attachment (ATTACH)
    → dropped date further dates (RDATE)
`);

for (const [uid = '', ...expected] of DAMAGE) {
  test(`G2: should report the faults of ${uid}`, ({ damaged }) => {
    const found = damaged.findingsOf(uid).map(({ action, field }) => `${action} ${field}`);
    assert.equal(found, expected);
  });
}

test('G2: should count each entry once, as an event, as part of one or as left out', ({ damaged }) => {
  assert.equal(damaged.report.feeds[0]?.counts, { entries: 15, events: 10, merged: 0, dropped: 5 });
});

test('L4: should use the newer of two versions of an event', async ({ damaged }) => {
  assert.is((await damaged.event('twice'))?.title_nb, 'Newer');
});

test('L4: should read entries with one UID and different starts as two events', async ({ damaged }) => {
  assert.equal(datesOf(await damaged.event('shared')), ['2026-04-07 12:00:00+02:00']);
  assert.equal(datesOf(await damaged.event('shared-2')), ['2026-04-08 12:00:00+02:00']);
});

test('G2: should report the lines that are not properties', ({ damaged }) => {
  const lines = damaged.report.findings.filter(({ field }) => field === null);
  assert.equal(
    lines.map(({ origin, found }) => `${origin.line} ${found}`),
    ['17 "her er en linje uten navn"', '80 "END:VTODO"'],
  );
});

const times = icalFile('times.ics').toString('utf8');
const FORMS: readonly (readonly [what: string, bytes: Buffer])[] = [
  ['CRLF', Buffer.from(times.replaceAll('\n', '\r\n'))],
  ['carriage returns alone', Buffer.from(times.replaceAll('\n', '\r'))],
  ['a byte order mark', Buffer.from(`\ufeff${times}`)],
  ['small letters', Buffer.from(times.replace(/^[A-Z-]+(?=[:;])/gm, (name) => name.toLowerCase()))],
  ['blank lines between', Buffer.from(times.replaceAll('\n', '\r\n\r\n'))],
  ['no line end at the end', Buffer.from(times.trimEnd())],
  ['folds within characters and names', folded(times, 13)],
  ['a fold after each byte, blanks included', folded(times, 1)],
  ['UTF-16', Buffer.from(`\ufeff${times}`, 'utf16le')],
];

for (const [what, bytes] of FORMS) {
  test(`should read the same from a file with ${what}`, () => {
    const { findings: _, ...reading } = read(bytes);
    const { findings: __, ...same } = read(icalFile('times.ics'));
    assert.equal(reading, same);
  });
}

test('G2: should read bytes that are not UTF-8 as Windows-1252, and report doubtful ones', () => {
  const text =
    'BEGIN:VEVENT\nUID:1\nDTSTART:20260401T100000Z\nSUMMARY:Bl\xe5fj\xe6ra \x80 5\nLOCATION:B\x86r\nEND:VEVENT\n';
  const reading = read(Buffer.from(text, 'latin1'));
  assert.equal(wordsOf(reading), ['Blåfjæra € 5 | 2026-04-01 10:00:00Z | venue: B†r']);
  assert.is(reading.findings.length, 1);
  assert.match(reading.findings[0] ?? '', /^5: changed value, expected UTF-8, found other bytes/);
});

testReadings(
  test,
  readEntries,
  `
# should read quoted-printable text of old programs
  DTSTART:20260401T100000Z
  SUMMARY;CHARSET=UTF-8;ENCODING=QUOTED-PRINTABLE:K=C3=A5re=20=
  synger
  = Kåre synger | 2026-04-01 10:00:00Z
# should list no organizer of a changed date, because dates have no organizers
  UID:1
  DTSTART:20260401T100000Z
  RDATE:20260402T100000Z
  +
  UID:1
  RECURRENCE-ID:20260402T100000Z
  DTSTART:20260402T110000Z
  LAST-MODIFIED:20260101T100000Z
  ORGANIZER;CN=Ingen:mailto:x
  = Kveld | 2026-04-01 10:00:00Z, 2026-04-02 11:00:00Z eventCancelled=false status=RESCHEDULED previousStart=2026-04-02 10:00:00Z | updated_at: 2026-01-01T10:00:00Z
`,
);

test('should read no event from an empty calendar', () => {
  const { counts, isComplete } = read(Buffer.from('BEGIN:VCALENDAR\r\nVERSION:2.0\r\nEND:VCALENDAR\r\n'));
  assert.equal([counts, isComplete], [{ entries: 0, events: 0, merged: 0, dropped: 0 }, true]);
});

test('G2: should recognise a truncated file, and keep its whole entries', () => {
  const { counts, isComplete } = read(icalFile('hall.ics').subarray(0, 1500));
  assert.equal([counts.events, isComplete], [2, false]);
});

test('G2: should count every entry of randomly damaged files', () => {
  const random = seeded(1);
  for (let round = 0; round < (IS_LONG ? 4_000 : 60); round++) {
    const bytes = damagedCopy(
      icalFile(['hall.ics', 'times.ics', 'series.ics', 'damaged.ics'][random(4)] ?? ''),
      random,
    );
    const { counts, events: kept, findings } = read(bytes);
    const { entries, events, merged, dropped } = counts;
    const reported = findings.filter((finding) => /: (?:dropped record|left out), expected/.test(finding));
    assert.is(events, kept.length, `events of round ${round}`);
    assert.is(dropped, reported.length, `dropped entries of round ${round}`);
    assertAtLeast(merged, 0, `merged entries of round ${round}`);
    assert.is(entries, beginnings(bytes), `entries of round ${round}`);
  }
});

function read(bytes: Buffer) {
  return readDocuments(readCalendarFeed, bytes);
}

/** Folded after so many bytes each time, wherever that is. */
function folded(text: string, most: number): Buffer {
  const lines = text.split('\n').map((line) => Buffer.from(line));
  const parts = lines.flatMap((line) => [
    ...Array.from({ length: Math.ceil(line.length / most) }, (_, at) => {
      const part = line.subarray(at * most, (at + 1) * most);
      return at === 0 ? part : Buffer.concat([Buffer.from('\r\n '), part]);
    }),
    Buffer.from('\r\n'),
  ]);
  return Buffer.concat(parts);
}

/** Bytes changed, lines dropped, doubled and swapped, the end cut off. */
function damagedCopy(bytes: Buffer, random: Random): Buffer {
  const lines = bytes.toString('latin1').split('\n');
  for (let times = random(6); times > 0; times--) {
    const at = random(lines.length);
    const line = lines[at] ?? '';
    const replaced = random(3);
    const dropped: string[] = [];
    const doubled = [line, line];
    const moved = [lines[random(lines.length)] ?? ''];
    const overlong = ['x'.repeat(random(2_000))];
    const replacement = [dropped, doubled, moved, overlong][random(4)] ?? [];
    lines.splice(at, replaced, ...replacement);
  }
  const copy = Buffer.from(lines.join(random(2) === 0 ? '\n' : '\r\n'), 'latin1');
  for (let times = random(20); times > 0; times--) copy[random(copy.length)] = random(256);
  return random(4) === 0 ? copy.subarray(0, random(copy.length)) : copy;
}

/** Lines `BEGIN:VEVENT`, counted another way. */
function beginnings(bytes: Buffer): number {
  const text = bytes.toString('latin1').replace(/[\r\n]+[ \t]/g, '');
  return text.split(/[\r\n]+/).filter((line) => /^BEGIN: *VEVENT\s*$/i.test(line)).length;
}

test.run();
