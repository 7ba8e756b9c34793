/** Texts of feeds are made safe and bounded where they are read, so that later steps of a build do not depend on their size. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { readTableFeed } from '../../../../jobs/annexes/feeds/csv/events.ts';
import { readCalendarFeed } from '../../../../jobs/annexes/feeds/ical/calendar.ts';
import { assertBelow, assertDefined, assertIncludes } from '../../../helpers/assertions.ts';
import { costsAtMost } from '../../../helpers/cost.ts';
import { sourceWithFeed, vcalendar, vevent } from '../../../helpers/feed-files.ts';
import { type FeedContents, readDocuments } from '../../../helpers/feed-reading.ts';
import { builtWithFeeds } from '../../../helpers/feeds.ts';
import { temporaryFolder } from '../../../helpers/folder.ts';

const test = suite('feeds made safe');

const MARKUP = '<b>'.repeat(1_250_000);

test('G12: should cut a description of 1,250,000 elements where it is read, at a bounded cost', async () => {
  const evening = vcalendar(vevent('a', `DESCRIPTION:${MARKUP}\r\n`));
  let reading: FeedContents | undefined;
  await costsAtMost(200, () => {
    reading = readDocuments(readCalendarFeed, evening);
  });
  assertDefined(reading, 'a reading');
  const description = String(reading.events[0]?.desc_nb);
  assert.is(description.replace(/<\/?b>/g, ''), '');
  assertBelow(description.length, 400, 'letters');
  const [madeSafe = '', cut = '', ...others] = reading.findings;
  assertIncludes(madeSafe, '"f:a" desc_nb: made safe, expected markup that only formats text');
  assertIncludes(cut, '"f:a" desc_nb: cut text, expected at most 20000 characters, found 3750000');
  assert.equal(others, []);
});

test('G12: should read 200,000 tags and references of a feed, and 100 more for each record', () => {
  const entries = Array.from({ length: 21 }, (_, nth) =>
    vevent(`e${nth}`, `DESCRIPTION:${'&'.repeat(10_000)}\r\n`),
  );
  const { events, findings } = readDocuments(readCalendarFeed, vcalendar(...entries));
  const lengths = events.map(({ desc_nb }) => String(desc_nb).length);
  assert.equal(lengths, [...Array.from({ length: 20 }, () => 10_000), 2_100]);
  assert.equal(findings.length, 1);
  assert.match(
    String(findings[0]),
    /"f:e20" desc_nb: cut text, expected at most 200000 tags and references in a feed, and 100 for each of its records, found more, from letter 2101 /,
  );
});

test('G12: should bound tags by record, so that prose of a feed of any size is read whole', () => {
  const entries = Array.from({ length: 2_100 }, (_, nth) =>
    vevent(`e${nth}`, `DESCRIPTION:${'&'.repeat(100)}\r\n`),
  );
  const { events, findings } = readDocuments(readCalendarFeed, vcalendar(...entries));
  assert.is(events.length, 2_100);
  assert.equal(findings, []);
});

test('G8: should make each text of a feed safe where it is read', () => {
  const rows = [
    ['Tittel', 'Start', 'Sted', 'Emneord', 'Beskrivelse', 'Lenke'],
    [
      'Kor <i>nå</i>',
      '2026-12-01 19:00',
      'Hallen <b>1</b>',
      '<u>kor</u>',
      '<p onclick="x">Hei</p>',
      'https://x.example/<b>',
    ],
  ];
  const table = rows
    .map((cells) => cells.map((cell) => `"${cell.replaceAll('"', '""')}"`).join(','))
    .join('\n');
  const { events, venues } = readDocuments(readTableFeed, table);
  const [event] = events;
  assert.equal(
    [event?.title_nb, event?.tags, event?.desc_nb, event?.moreInfoURL, venues[0]?.name],
    ['Kor nå', ['kor'], '<p>Hei</p>', 'https://x.example/%3Cb%3E', 'Hallen 1'],
  );
});

test('G12: should report removed markup of a feed once', async () => {
  const evening = vcalendar(vevent('a', 'DESCRIPTION:<script>x</script>Hei\r\n'));
  const { report } = await builtWithFeeds(
    sourceWithFeed({ file: 'hall.ics' }, { 'hall.ics': evening }),
    temporaryFolder(),
  );
  assert.equal(
    report.findings.map(({ action, field, origin }) => [action, field, origin]),
    [['made safe', 'desc_nb', { file: 'feed hall', line: 3 }]],
  );
});

test.run();
