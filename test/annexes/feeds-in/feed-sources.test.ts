/** Sources with feeds from files: what they may cost, how they are merged, and how they are listed. */
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { readFeeds } from '../../../jobs/annexes/feeds/config.ts';
import { parseDocuments } from '../../../jobs/annexes/feeds/parser.ts';
import { NOW } from '../../helpers/calendar.ts';
import { calendar, entry, folderOf, GOOD, OWN } from '../../helpers/feed-files.ts';
import { builtWithFeeds } from '../../helpers/feeds.ts';
import { temporaryFolder } from '../../helpers/folder.ts';
import { sourceFolder } from '../../helpers/native-source.ts';

const test = suite('feed sources');

test('should kill a parser that takes too long or too much', async () => {
  const [feed] = await readFeeds(folderOf({ file: 'hall.ics' }));
  if (feed === undefined) throw new Error('expected a feed');
  const bytes = Buffer.from(calendar(...Array.from({ length: 100_000 }, (_, at) => entry(`e${at}`))));
  const parse = (limits: { readonly milliseconds: number; readonly megabytes: number }) =>
    parseDocuments({
      kind: 'ical',
      feed,
      now: NOW,
      horizonDay: 21_000,
      place: '',
      config: '',
      documents: [{ url: null, bytes }],
      output: join(temporaryFolder(), 'slice'),
      limits,
    });
  for (const limits of [
    { milliseconds: 200, megabytes: 1024 },
    { milliseconds: 60_000, megabytes: 24 },
  ]) {
    const problem = await parse(limits).then(
      () => null,
      (thrown: unknown) => thrown,
    );
    assert.match(String(problem), /FeedProblem: expected the feed to be parsed within its limits/);
  }
});

test('should refuse a feed whose rules would fill the calendar', async () => {
  const flood = Array.from({ length: 1_100 }, (_, at) => entry(`e${at}`, 'RRULE:FREQ=MINUTELY\r\n'));
  const { report, result } = await builtWithFeeds(
    folderOf({ file: 'hall.ics' }, { 'hall.ics': calendar(...flood) }),
    temporaryFolder(),
    // Work that ends by what it has made, on a slow machine too.
    { parse: (parse) => parseDocuments({ ...parse, limits: { milliseconds: 600_000, megabytes: 1_024 } }) },
  );
  assert.equal([report.feeds[0]?.reason, result.counts.events], ['size limit', 3]);
});

test('should be the same place to two feeds, and to the folder’s own directory', async () => {
  const at = (location: string) => calendar(entry('x', `LOCATION:${location}\r\n`));
  const { report, result } = await builtWithFeeds(
    sourceFolder({
      'events.json': OWN,
      'venues.json': [{ id: 'v1', name: 'Rockheim', address: 'Brattørkaia 14, 7010 Trondheim' }],
      'a.ics': at('Kafé Ø\\, Gata 1'),
      'b.ics': at('KAFE Ø\\,  gata 1'),
      'c.ics': at('rockheim'),
      'd.ics': at('Kafé Ø\\, Gata 2'),
      'sources.json': ['a', 'b', 'c', 'd'].map((id) => ({ id, kind: 'ical', file: `${id}.ics` })),
    }),
    temporaryFolder(),
  );
  assert.is(result.counts.venues, 3);
  // G9: both feeds have the same evening.
  assert.equal(
    report.findings.map(({ action }) => action),
    ['likely same'],
  );
});

test('should do with feeds alone', async () => {
  const source = sourceFolder({
    'hall.ics': GOOD,
    'sources.json': [{ id: 'hall', kind: 'ical', file: 'hall.ics' }],
  });
  assert.is((await builtWithFeeds(source, temporaryFolder())).result.counts.events, 2);
});

const REFUSED: readonly (readonly [written: unknown, message: string])[] = [
  [
    `${'['.repeat(5_000_000)}${']'.repeat(5_000_000)}`,
    'sources.json: expected JSON, got a value nested deeper than 64 levels',
  ],
  [{}, 'sources.json: expected a list of feeds, found {}'],
  [[{ id: 'a', kind: 'ical' }], 'sources.json: [0]: expected either "url" or "file"'],
  [
    [{ id: 'a', kind: 'ical', url: 'ftp://x.example/' }],
    'sources.json: [0].url: expected an http or https URL, found "ftp://x.example/"',
  ],
  [
    [{ id: 'a', kind: 'rss', url: 'https://x.example/' }],
    'sources.json: [0].kind: expected "ical", "csv", "jsonld" or "graphql", found "rss"',
  ],
  [
    [{ id: 'a', kind: 'ical', file: 'x', format: 'DD.MM.YYYY' }],
    'sources.json: [0].format: expected of tables only',
  ],
  [
    [{ id: 'a', kind: 'csv', file: 'x', format: 'HH:mm' }],
    'sources.json: [0].format: expected how dates are written, such as "DD.MM.YYYY HH:mm", found "HH:mm"',
  ],
  [
    [{ id: 'a', kind: 'ical', url: ['https://x.example/'] }],
    'sources.json: [0].url: expected one URL, found a list',
  ],
  [
    [{ id: 'a', kind: 'jsonld', url: Array.from({ length: 201 }, () => 'https://x.example/') }],
    'sources.json: [0].url: expected at most 200 pages, found 201',
  ],
  [[{ id: 'a', kind: 'graphql', file: 'x' }], 'sources.json: [0].url: expected the URL of an endpoint'],
  [
    [1, 2].map(() => ({ id: 'a', kind: 'ical', file: 'x' })),
    'sources.json: [1].id: expected each id once, found "a" again',
  ],
  [
    [{ id: 'a', kind: 'ical', file: 'x', defaults: { categories: 'MUSIC' } }],
    'sources.json: [0].defaults.categories: expected a list of strings, found "MUSIC"',
  ],
];

for (const [written, message] of REFUSED) {
  test(`should refuse a list of feeds with the words: ${message}`, async () => {
    const source = sourceFolder({ 'sources.json': written });
    const thrown = await readFeeds(source).then(
      () => null,
      (cause: unknown) => cause,
    );
    assert.is(thrown instanceof Error ? thrown.message : '', message);
  });
}

test.run();
