/** G9: series beside single events, repeated entries of one source, and places by their parts: what is merged, and what is only reported. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { PlaceRecord } from '../../../jobs/duplicates/place-parts.ts';
import { createPartFinder } from '../../../jobs/duplicates/places.ts';
import type { Finding } from '../../../jobs/findings.ts';
import { builtWithFeeds } from '../../helpers/feeds.ts';
import { temporaryFolder } from '../../helpers/folder.ts';
import { LICENCE, sourceFolder } from '../../helpers/native-source.ts';
import { editionRows } from '../../helpers/snapshot-rows.ts';

const test = suite('G9: series, repeated entries and places');

interface Shown {
  readonly id: string;
  readonly title?: string;
  readonly start?: string;
  /** Wall clock. */
  readonly end?: string;
  readonly place?: string;
  readonly rule?: string;
  readonly url?: string;
}

/** An entry of an iCalendar feed. */
function entry({ id, title = 'Eventyrstund', start = '20260305T100000', ...more }: Shown): string {
  const lines = [
    'BEGIN:VEVENT',
    `UID:${id}`,
    `SUMMARY:${title}`,
    `DTSTART;TZID=Europe/Oslo:${start}`,
    more.end && `DTEND;TZID=Europe/Oslo:${more.end}`,
    more.rule && `RRULE:${more.rule}`,
    `LOCATION:${(more.place ?? 'Biblioteket').replaceAll(',', '\\,')}`,
    more.url && `URL:${more.url}`,
    'END:VEVENT',
  ];
  return lines.filter(Boolean).join('\r\n');
}

type Feeds = Readonly<Record<string, readonly Shown[]>>;

/** Ids of the published events, with the starts of each, and what was found. */
async function joined(feeds: Feeds, { merge = true, own = [] as readonly object[] } = {}) {
  const names = Object.keys(feeds);
  const texts = names.map((name) => {
    const entries = (feeds[name] ?? []).map(entry);
    const all = ['BEGIN:VCALENDAR', 'VERSION:2.0', 'PRODID:t', ...entries, 'END:VCALENDAR'];
    return [`${name}.ics`, `${all.join('\r\n')}\r\n`] as const;
  });
  const source = sourceFolder({
    'licence.json': merge ? { ...LICENCE, duplicates: 'merge' } : LICENCE,
    'events.json': own,
    ...Object.fromEntries(texts),
    'sources.json': names.map((name) => ({ id: name, kind: 'ical', file: `${name}.ics`, language: 'nb' })),
  });
  const target = temporaryFolder();
  const { report } = await builtWithFeeds(source, target, { force: true });
  const rows = await editionRows(
    target,
    `select event_id || ' ' || group_concat(substr(starts, 6, 5), ' ') as text
     from (select * from occurrence order by start_utc) group by event_id order by event_id`,
  );
  const likely = report.findings.filter(({ action }) => action === 'likely same');
  return { rows, target, likely };
}

const WEEKLY = { rule: 'FREQ=WEEKLY;COUNT=4' };
const WEEKS = ['0305', '0312', '0319', '0326'];
const singles = WEEKS.map((day) => ({ id: day, start: `2026${day}T100000` }));
const ALL = WEEKS.map((day) => `${day.slice(0, 2)}-${day.slice(2)}`).join(' ');

test('G9: should merge a weekly series with single events of another source, and keep the id of the series', async () => {
  const series = { id: 's', ...WEEKLY };
  assert.equal((await joined({ a: [series], b: singles })).rows, [`a:s ${ALL}`]);
  assert.equal((await joined({ a: singles, b: [series] })).rows, [`b:s ${ALL}`]);
  // A single one of another day is an event of its own.
  const more = { id: 'x', start: '20260402T100000' };
  const { rows } = await joined({ a: [series], b: [...singles, more] });
  assert.equal(rows, [`a:s ${ALL}`, 'b:x 04-02']);
});

test('G9: should add missing values to dates of a series, in the order of the sources', async () => {
  const [first, ...others] = singles;
  const longer = { ...first, id: 'f', end: '20260305T113000' };
  const series = { id: 's', ...WEEKLY, end: '20260305T110000' };
  const ends = "select substr(coalesce(ends, ''), 12, 5) as text from occurrence order by start_utc";
  const endsOf = async (feeds: Feeds) => editionRows((await joined(feeds)).target, ends);
  assert.equal(await endsOf({ a: [longer, ...others], b: [series] }), ['11:30', '11:00', '11:00', '11:00']);
  assert.equal(await endsOf({ a: [series], b: [longer, ...others] }), ['11:00', '11:00', '11:00', '11:00']);
  const { end: _, ...open } = series;
  assert.equal((await endsOf({ a: [open], b: [longer, ...others] }))[0], '11:30');
});

test('G9: should not merge single events with a series whose title is a part of theirs', async () => {
  const films = [
    { id: 'f1', title: 'Filmklubb: Alien' },
    { id: 'f2', title: 'Filmklubb: Solaris', start: '20260312T100000' },
  ];
  const { rows, likely } = await joined({ a: [{ id: 's', title: 'Filmklubb', ...WEEKLY }], b: films });
  assert.is(rows.length, 3);
  assert.match(likely[0]?.expected ?? '', 'may be the same event as several others');
});

test('G9: should prefer an equal title to one that contains another', async () => {
  const two = (more: string) => [
    { id: 'one', title: 'Eventyrstund' },
    { id: 'small', title: `Eventyrstund for ${more}` },
  ];
  const { rows, likely } = await joined({ a: two('de minste'), b: two('de minste') });
  assert.equal(rows, ['a:one 03-05', 'a:small 03-05']);
  assert.equal(likely, []);
});

const DOUBLES = [
  { id: 'x', end: '20260305T110000' },
  { id: 'y', end: '20260305T110000' },
];

test('G9: should merge repeated entries of one feed with "merge", and report them without', async () => {
  assert.equal((await joined({ a: DOUBLES })).rows, ['a:x 03-05']);
  const { rows, likely } = await joined({ a: DOUBLES }, { merge: false });
  assert.equal(rows, ['a:x 03-05', 'a:y 03-05']);
  assert.match(likely[0]?.expected ?? '', /^one event once: .*"duplicates": "merge"/);
});

const APART: readonly (readonly [what: string, other: Partial<Shown>])[] = [
  ['end', { end: '20260305T120000' }],
  ['place', { place: 'Storsalen' }],
  ['title', { title: 'Eventyrstund for voksne' }],
];

test('G9: should not merge entries of one feed with different titles, ends or places', async () => {
  for (const [what, other] of APART) {
    const [first, second] = DOUBLES;
    const { rows } = await joined({ a: [first, { ...second, ...other }] as readonly Shown[] });
    assert.is(rows.length, 2, what);
  }
});

test('G9: should report repeated records of the folder, which only people merge', async () => {
  const one = { id: 'n1', title_nb: 'Basar', dates: [{ start: '2026-03-05 10:00' }] };
  const { rows, likely } = await joined(
    { a: [{ id: 'x', title: 'Noe annet' }] },
    { own: [one, { ...one, id: 'n2' }] },
  );
  assert.equal(rows, ['a:x 03-05', 'n1 03-05', 'n2 03-05']);
  assert.equal(
    likely.map(({ id }: Finding) => id),
    ['n1'],
  );
  assert.match(
    likely[0]?.expected ?? '',
    'decide in a correction sheet or in duplicates.json; nothing else merges records of the folder itself',
  );
});

interface PlacePair {
  readonly place: string;
  readonly other: string;
  readonly isOne: boolean;
}

const PARTS: readonly PlacePair[] = [
  { place: 'Kulturhuset', other: 'Kulturhuset, Storgata 1', isOne: true },
  { place: 'Kulturhuset', other: 'Storsalen, Kulturhuset, Storgata 1, 7170 Åfjord', isOne: true },
  { place: 'Storsalen', other: 'Kulturhuset, Storsalen', isOne: true },
  { place: 'Kulturhuset, Storgt. 1', other: 'Storsalen, Kulturhuset, Storgata 1', isOne: true },
  { place: 'Storgata 1', other: 'Kulturhuset, Storgata 1, 7170 Åfjord', isOne: true },
  { place: 'Petaluma Library', other: 'Meeting Room at Petaluma Regional Library', isOne: true },
  { place: 'Storsalen, Kulturhuset', other: 'Lillesalen, Kulturhuset', isOne: false },
  { place: 'Kulturhuset, Storgata 1', other: 'Kulturhuset, Torget 4', isOne: false },
  {
    place: 'Kulturhuset, Storgata 1, 7170 Åfjord',
    other: 'Kulturhuset, Storgata 1, 7290 Støren',
    isOne: false,
  },
  { place: 'Åfjord', other: 'Kulturhuset, Storgata 1, 7170 Åfjord', isOne: false },
  { place: 'Petaluma Library', other: 'Old Petaluma Library', isOne: false },
  { place: 'Room 1 at Petaluma Library', other: 'Room 2 at Petaluma Library', isOne: false },
  { place: 'Library', other: 'Petaluma Library', isOne: false },
];

test('G9: should match a place with its room or a part of its address, and with no other room, house or town', async () => {
  for (const { place, other, isOne } of PARTS) {
    const { rows } = await joined({ a: [{ id: 'x', place }], b: [{ id: 'y', place: other }] });
    assert.is(rows.length, isOne ? 1 : 2, `${place} | ${other}`);
  }
});

test('G9: should take no region after a postal code for a house, also if the record has the code in its own field', () => {
  for (const postalCode of [null, '7170']) {
    const venue = (id: string, name: string, address: string): PlaceRecord => ({
      id,
      name,
      address,
      postalCode,
      municipality: null,
      location: null,
    });
    const isPart = createPartFinder([
      venue('hall', 'Storsalen', 'Kulturhuset, 7170 Åfjord'),
      venue('house', 'Kulturhuset', '7170 Åfjord, Fosen'),
    ]);
    assert.ok(isPart('hall', 'house'), `postalCode: ${postalCode}`);
  }
});

test('G9: should report repeated records of a calendar without feeds, and publish each', async () => {
  const calendarEvent = (id: string, more: object = {}) => ({
    id,
    title_nb: 'Eventyrstund',
    dates: [{ start: '2026-03-05 10:00' }],
    venue: 'biblioteket',
    ...more,
  });
  const likelyOf = async (...events: readonly object[]) => {
    const venues = ['biblioteket', 'kirken'].map((id) => ({ id, name: id }));
    const source = sourceFolder({ 'events.json': events, 'venues.json': venues });
    const { report, result } = await builtWithFeeds(source, temporaryFolder());
    assert.is(result.counts.events, events.length);
    return report.findings.flatMap(({ action, id, found }) =>
      action === 'likely same' ? [`${id} ${found}`] : [],
    );
  };
  const twice = ['a also "b" (listed twice in one source)'];
  assert.equal(await likelyOf(calendarEvent('a'), calendarEvent('b')), twice);
  assert.equal(await likelyOf(calendarEvent('a'), calendarEvent('b', { title_nb: 'EVENTYRSTUND' })), twice);
  const weekly = { dates: [], repeats: [{ start: '2026-03-05 10:00', rule: 'FREQ=WEEKLY;COUNT=3' }] };
  assert.equal(await likelyOf(calendarEvent('a', weekly), calendarEvent('b')), twice);
  for (const other of [
    { title_nb: 'Eventyrstund for store' },
    { dates: [{ start: '2026-03-05 11:00' }] },
    { venue: 'kirken' },
    { publishingDate: '2026-02-20 12:00' },
  ])
    assert.equal(await likelyOf(calendarEvent('a'), calendarEvent('b', other)), []);
});

test('G9: should report an event that may be the same as several others', async () => {
  const { rows, likely } = await joined({
    a: [{ id: 'x', title: 'Konsert' }],
    b: [{ id: 'y', title: 'Konsert med kor' }],
    c: [{ id: 'z', title: 'Konsert med korps og kor' }],
    d: [{ id: 'w', title: 'Konsert med band' }],
  });
  assert.is(rows.length, 4);
  assert.is(likely.length, 1);
  assert.match(likely[0]?.expected ?? '', 'may be the same event as several others');
  assert.match(likely[0]?.found ?? '', '"b:y"');
});

test.run();
