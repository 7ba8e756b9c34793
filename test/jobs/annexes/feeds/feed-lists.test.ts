/** F18: lists of feeds, through whole builds with a real server. */
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { feedsOfLists } from '../../../../jobs/annexes/feeds/lists/listed-feeds.ts';
import { readFeedList } from '../../../../jobs/annexes/feeds/lists/sheet.ts';
import { type Finding, findingLine } from '../../../../jobs/findings.ts';
import { failingLines, feedLines } from '../../../../jobs/report/sections.ts';
import { plainly } from '../../../../src/annexes/operator/reasons.ts';
import { assertIncludes } from '../../../helpers/assertions.ts';
import { NOW } from '../../../helpers/calendar.ts';
import { closedAfterEach } from '../../../helpers/closing.ts';
import { rejects } from '../../../helpers/errors.ts';
import { withKindsIn } from '../../../helpers/feed-kinds.ts';
import { readDocuments, refusalOf } from '../../../helpers/feed-reading.ts';
import { type Handler, startFeedServer } from '../../../helpers/feed-server.ts';
import { builtWithFeeds, FEED_SETTINGS } from '../../../helpers/feeds.ts';
import { temporaryFolder } from '../../../helpers/folder.ts';
import { LICENCE, sourceFolder } from '../../../helpers/native-source.ts';

const test = suite('F18: lists of feeds');
const opened = closedAfterEach(test);

const BLANK = {
  municipality: null,
  categories: [],
  link: null,
  licence: null,
  follow: null,
  expectChangesWithinDays: null,
  mayBeEmpty: false,
  fault: null,
};

interface Case {
  readonly sheet: string;
  readonly feeds: readonly object[];
  readonly findings?: readonly string[];
}

const CASES: readonly Case[] = [
  {
    sheet: [
      'Navn;Adresse;Type;Id;Kommune;Kategori;Nettsted;Lisens;Følg;Endres innen dager;Kan være tom;Merknad',
      'Lillevik kino;https://kino.example/program;Nettside;kino;roan;Musikk;www.kino.example;CC BY 4.0;/film/;30;ja;ring Kari',
      ';;;;;;;;;;;bare en merknad',
      'Menigheten;webcal://kirken.example/kalender;Kalender;;;;;;;;nei;',
    ].join('\n'),
    feeds: [
      {
        id: 'kino',
        name: 'Lillevik kino',
        url: 'https://kino.example/program',
        kind: 'jsonld',
        municipality: 'Roan',
        categories: ['MUSIC'],
        link: 'https://www.kino.example',
        licence: 'CC BY 4.0',
        follow: '/film/',
        expectChangesWithinDays: 30,
        mayBeEmpty: true,
        fault: null,
      },
      {
        ...BLANK,
        id: 'menigheten',
        name: 'Menigheten',
        url: 'https://kirken.example/kalender',
        kind: 'ical',
      },
    ],
  },
  {
    sheet: [
      'Name,URL,Municipality,Category,Website,Follow,Changes within days,May be empty',
      'Kino,https://kino.example/a.ICS,Oslo,Musikkk,kino,/film/,0,kanskje',
      'Laget,http://10.0.0.1/a.xlsx?key=secret,,,,,,',
      'Laget,https://laget.example/a.csv,,,,,,',
      ',https://navnlos.example/a.ics,,,,,,',
      'Koret,file:///etc/passwd,,,,,,',
      'Kaia,https://ola:secret@kaia.example/feed,,,,,,',
    ].join('\n'),
    feeds: [
      {
        ...BLANK,
        id: 'kino',
        name: 'Kino',
        url: 'https://kino.example/a.ICS',
        kind: 'ical',
        fault: 'feed roan:2 Municipality: expected a municipality of this list (Roan, Åfjord), found "Oslo"',
      },
      // F18: it is refused when it is fetched.
      { ...BLANK, id: 'laget', name: 'Laget', url: 'http://10.0.0.1/a.xlsx?key=secret', kind: 'csv' },
      {
        ...BLANK,
        id: 'koret',
        name: 'Koret',
        url: null,
        kind: 'ical',
        fault: 'feed roan:6 URL: expected an http or https URL, found "file:///etc/passwd"',
      },
      {
        ...BLANK,
        id: 'kaia',
        name: 'Kaia',
        url: 'https://ola:secret@kaia.example/feed',
        kind: 'ical',
        fault: 'feed roan:7 Type: expected kalender, regneark or nettside, found nothing',
      },
    ],
    findings: [
      '2 "kino" Follow: dropped value, expected the beginning of a path, such as /arrangement/, for a nettside, found "/film/"',
      '2 "kino" Website: dropped value, expected an http or https URL, found "kino"',
      '2 "kino" May be empty: dropped value, expected ja or nei, found "kanskje"',
      '2 "kino" Municipality: dropped value, expected a municipality of this list (Roan, Åfjord), found "Oslo"',
      '2 "kino" Category: dropped value, expected a category of the licence; the nearest is "MUSIC", found "Musikkk"',
      '2 "kino" Changes within days: dropped value, expected a whole number from 1 to 366, found "0"',
      '4 "laget" Name: dropped record, expected a name or an id that no earlier row has, found "Laget"',
      '5 Name: dropped record, expected the name of a feed, found nothing',
      '6 "koret" URL: dropped value, expected an http or https URL, found "file:///etc/passwd"',
      '7 "kaia" Type: dropped value, expected kalender, regneark or nettside, found nothing',
    ],
  },
];

for (const { sheet, feeds, findings = [] } of CASES) {
  withKindsIn(JSON.stringify(feeds), test)(`F18: should read ${JSON.stringify(sheet.slice(0, 60))}`, () => {
    const settings = { id: 'roan', municipalities: ['Roan', 'Åfjord'], categoryNames: { musikk: 'MUSIC' } };
    const read = readDocuments(readFeedList, sheet, settings);
    assert.equal([read.feeds, read.findings], [feeds, findings]);
  });
}

test('F18: should refuse a list without the necessary columns, or with too many feeds', () => {
  const missing = 'expected a first row that names the columns Navn and Adresse, found "Navn", "Kommune"';
  assertIncludes(refusalOf(readFeedList, 'Navn;Kommune\nKino;Roan'), missing);
  assert.is(plainly(missing).nb, 'den første raden mangler kolonnen Navn eller Adresse');
  const rows = Array.from({ length: 101 }, (_, at) => `${at};https://kino.example/${at}.ics\n`).join('');
  assert.is(
    refusalOf(readFeedList, `Navn;Adresse\n${rows}`),
    'size limit: expected at most 100 feeds, found more',
  );
});

test('F18: should use at most 1,000 feeds of all lists together', async () => {
  const rows = (list: string) =>
    Array.from({ length: 600 }, (_, at) => ({
      line: at + 2,
      value: { ...BLANK, id: `${list}${at}`, name: null, url: null, kind: 'ical' },
    }));
  const lists = ['nord', 'sor'].map((id) => ({
    feed: { id, kind: 'feeds', url: null, defaults: {} },
    lastGood: { records: () => rows(id) },
  }));
  const lines: string[] = [];
  const reporter = { addFinding: (finding: Finding) => void lines.push(findingLine(finding)) };
  const feeds = await feedsOfLists(lists as never, reporter);
  assert.equal([feeds.length, feeds.at(-1)?.id, lines.length], [1000, 'sor.sor399', 200]);
  assert.is(
    lines[0],
    'feed sor:402 "sor.sor400": dropped record, expected at most 1000 feeds in all lists, found more',
  );
});

const eventIn = (uid: string, day: number) =>
  `BEGIN:VEVENT\nUID:${uid}\nSUMMARY:${uid}\nDTSTART:202602${day}T180000Z\nLOCATION:Huset\nEND:VEVENT\n`;
const calendarOf = (...events: readonly string[]) => `BEGIN:VCALENDAR\n${events.join('')}END:VCALENDAR\n`;

/** The list `roan` of a municipality, whose rows each build is given, and a server elsewhere, which `sources.json` does not name. */
async function startListOfFeeds() {
  const pages: Record<string, string> = {
    '/kino.ics': calendarOf(eventIn('film', 10)),
    '/kor.ics': calendarOf(eventIn('korkveld', 11)),
  };
  const answer: Handler = ({ url = '', headers }, response) => {
    // The key of the list is not for its feeds.
    const isOpen = (headers['x-api-key'] === 'k') === (url === '/liste');
    const body = pages[url];
    response.writeHead(body === undefined || !isOpen ? 404 : 200).end(body);
  };
  const server = await startFeedServer(answer);
  const elsewhere = await startFeedServer(answer);
  const list = {
    id: 'roan',
    kind: 'feeds',
    url: `${server.url}/liste`,
    apiKeyEnv: 'KEY',
    municipalities: ['Roan'],
    defaults: { categories: ['SOCIAL'] },
  };
  const desk = { id: 'desk', kind: 'corrections', file: 'desk.csv', feeds: ['roan'] };
  const source = sourceFolder({
    'licence.json': LICENCE,
    'events.json': [{ id: 'own', title_nb: 'Own', dates: [{ start: '2026-02-03 18:00' }] }],
    'desk.csv': 'Id;Skjul\nroan.kor:korkveld;ja\nown;ja\n',
    'sources.json': [desk, list],
  });
  const target = temporaryFolder();
  let builds = 0;
  return {
    kino: `Kino;kino;${server.url}/kino.ics;;`,
    kor: `Kor;kor;${server.url}/kor.ics;;`,
    annet: `Annet;annet;${elsewhere.url}/kino.ics;;`,
    elsewhere,
    /** Builds with these rows, a quarter of an hour after the build before. */
    build: async (...rows: readonly string[]) => {
      pages['/liste'] = ['Navn;Id;Adresse;Type;Kommune', ...rows].join('\n');
      builds++;
      const { all, report } = await builtWithFeeds(source, target, {
        now: NOW + builds * 900,
        feedSettings: { ...FEED_SETTINGS, variable: () => 'k' },
      });
      return {
        all,
        lines: report.findings.map(findingLine),
        states: Object.fromEntries(
          all.feeds.map(({ id, state, counts }) => [id, `${state} ${counts.events}`]),
        ),
        whyOf: (feed: string) => all.feeds.find(({ id }) => id === feed)?.why ?? '',
      };
    },
    /** Gives the list another setting. */
    set: (changes: object) =>
      writeFileSync(join(source, 'sources.json'), JSON.stringify([desk, { ...list, ...changes }])),
    keptFiles: () => readdirSync(join(target, 'feeds')),
    close: async () => {
      await server.close();
      await elsewhere.close();
    },
  };
}

test('F18: should read the feeds of a list, without its key, and correct only their events', async () => {
  const { build, kino, kor } = opened(await startListOfFeeds());
  const { all, states, lines } = await build(kino, kor);
  assert.equal(states, { desk: 'ok 0', roan: 'ok 0', 'roan.kino': 'ok 1', 'roan.kor': 'ok 1' });
  assertIncludes(feedLines(all).join('\n'), 'feed roan: 2 entries, 2 feeds, 0 dropped');
  const [hidden] = all.corrections;
  assert.equal([hidden?.at, hidden?.events], ['feed desk:2', 1]);
  assertIncludes(lines.at(-1) ?? '', "expected an event of roan, found one of the folder's own records");
});

test('F18: should ask private addresses of a list only at the host and port of sources.json', async () => {
  const { build, kino, annet, elsewhere } = opened(await startListOfFeeds());
  const { states, whyOf } = await build(kino, annet);
  assert.equal(states, { desk: 'ok 0', roan: 'ok 0', 'roan.kino': 'ok 1', 'roan.annet': 'failed 0' });
  const why = whyOf('roan.annet');
  assertIncludes(why, 'found a private or reserved one; a list of feeds may not name those');
  assertIncludes(plainly(why).en, 'only sources.json may have such addresses');
  assert.is(elsewhere.requests.length, 0);
});

test('F18: should keep the last records of a feed while its row is wrong', async () => {
  const { build, kino, kor } = opened(await startListOfFeeds());
  await build(kino, kor);
  const { all, states, whyOf } = await build('Kino;kino;kino.ics;;', kor);
  assert.equal(states, { desk: 'ok 0', roan: 'ok 0', 'roan.kino': 'stale 1', 'roan.kor': 'ok 1' });
  const why = whyOf('roan.kino');
  assert.is(why, 'feed roan:2 Adresse: expected an http or https URL, found "kino.ics"');
  assertIncludes(failingLines(all).join('\n'), 'feed roan.kino: last good records kept (1 event)');
  assert.is(plainly(why).nb, 'rad 2 i kildelisten roan kan ikke brukes; rett "kino.ics" under Adresse');
});

test('F18: should keep reading the feeds of a list that has lost its rows', async () => {
  const { build, kino, kor } = opened(await startListOfFeeds());
  await build(kino, kor);
  const { states, whyOf } = await build();
  assert.equal([states.roan, states['roan.kor']], ['stale 0', 'ok 1']);
  assertIncludes(whyOf('roan'), 'expected feeds, as before (2), found none');
});

test('F18: should forget a feed whose row is gone, with its records', async () => {
  const { build, kino, kor, keptFiles } = opened(await startListOfFeeds());
  await build(kino, kor);
  const { states } = await build(kor);
  assert.equal(Object.keys(states), ['desk', 'roan', 'roan.kor']);
  assert.equal(
    keptFiles().filter((name) => name.includes('kino')),
    [],
  );
});

test('F18: should hold back the events of all feeds of a list that needs approval', async () => {
  const { build, kino, kor, set } = opened(await startListOfFeeds());
  set({ needsApproval: true });
  const { all } = await build(kor, kino);
  assert.equal(all.waiting.counts, { 'roan.kor': 0, 'roan.kino': 1 });
});

const CONTRADICTIONS: Readonly<Record<string, object>> = {
  'keepIds: expected only for feeds with events': { keepIds: true },
  'feeds: expected only for kind "corrections"': { feeds: ['roan'] },
};

test('F18: should stop the build for settings that a list cannot have', async () => {
  for (const [message, settings] of Object.entries(CONTRADICTIONS)) {
    const list = { id: 'roan', kind: 'feeds', file: 'liste.csv', ...settings };
    const source = sourceFolder({ 'licence.json': LICENCE, 'sources.json': [list] });
    const error = await rejects(builtWithFeeds(source, temporaryFolder()), 'INVALID_SOURCE');
    assertIncludes(error.message, `"roan" ${message}`);
  }
});

test.run();
