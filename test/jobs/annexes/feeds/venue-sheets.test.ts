/** F16: sheets with venues, through whole builds with real servers. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { readVenueSheet } from '../../../../jobs/annexes/feeds/venues/sheet.ts';
import { findingLine } from '../../../../jobs/findings.ts';
import { feedLines } from '../../../../jobs/report/sections.ts';
import { assertIncludes } from '../../../helpers/assertions.ts';
import { NOW } from '../../../helpers/calendar.ts';
import { shownAfter } from '../../../helpers/corrections.ts';
import { rejects } from '../../../helpers/errors.ts';
import { readDocuments, refusalOf } from '../../../helpers/feed-reading.ts';
import { always, startFeedServer } from '../../../helpers/feed-server.ts';
import { builtWithFeeds } from '../../../helpers/feeds.ts';
import { temporaryFolder } from '../../../helpers/folder.ts';
import { type Files, LICENCE, sourceFolder } from '../../../helpers/native-source.ts';

const test = suite('F16: sheets with venues');

interface Case {
  readonly sheet: string;
  readonly venues: readonly object[];
  readonly findings?: readonly string[];
}

const BLANK = { address: null, postalCode: null, municipality: null, aliases: [], accessibility: [] };

const CASES: readonly Case[] = [
  {
    sheet:
      'Postnr;STED:;Adresse;Poststed;Kommune;Breddegrad;Lengdegrad;Andre navn;Tilgjengelighet;Id\n150;Kroa;Torget 2;Oslo;Oslo;59,91;10,75;"Kroen; Kro & kafé";rullestol;kroa\n;;;;;;;;;',
    venues: [
      {
        name: 'Kroa',
        address: 'Torget 2, 0150 Oslo',
        postalCode: '0150',
        municipality: 'Oslo',
        latitude: 59.91,
        longitude: 10.75,
        id: 'kroa',
        aliases: ['Kroen', 'Kro & kafé'],
        accessibility: ['WHEELCHAIR'],
      },
    ],
  },
  {
    sheet: 'Name,Address,Coordinates\n"Kulturhuset, Storsalen","Storgata 1, 7170 Lillevik","63.83, 10.05"',
    venues: [
      {
        ...BLANK,
        name: 'Kulturhuset, Storsalen',
        address: 'Storgata 1, 7170 Lillevik',
        latitude: 63.83,
        longitude: 10.05,
        id: 'steder:kulturhuset-storsalen',
      },
    ],
  },
  {
    sheet: 'Sted\tLat\tAccessibility\tFarge\n\t63.8\t\t\nKroa\tnord\tsprett\t',
    venues: [{ ...BLANK, name: 'Kroa', id: 'steder:kroa' }],
    findings: [
      '1: changed value, expected each of Sted, Id, Adresse, Postnummer, Poststed, Kommune, Breddegrad, Lengdegrad, Andre navn, Tilgjengelighet at most once (other columns are not read), found "Farge"',
      '2 "steder:2" Sted: dropped record, expected the name of a place, found nothing',
      '3 "steder:kroa" Lat: dropped value, expected a latitude and a longitude such as 63.83 and 10.05, found "nord"',
      '3 "steder:kroa" Accessibility: dropped value, expected words such as rullestol, teleslynge, tegnspråk or synstolking, found "sprett"',
    ],
  },
];

for (const { sheet, venues, findings = [] } of CASES) {
  test(`F16: should read ${JSON.stringify(sheet.slice(0, 60))}`, () => {
    const read = readDocuments(readVenueSheet, sheet, { id: 'steder' });
    assert.equal([read.venues, read.findings], [venues, findings]);
  });
}

const REFUSED: Readonly<Record<string, string>> = {
  'Id;Adresse\na;Torget 1': 'expected a first row that names the column Sted, found "Id", "Adresse"',
  '\n\n': 'expected a first row that names the column Sted, found no row',
  'Sted\n"Kroa': 'truncated: expected a closing quote, found the end of the sheet',
  [`Sted\n${'a\n'.repeat(10_001)}`]: 'size limit: expected at most 10000 venues, found more',
};

test('F16: should refuse a sheet that does not name its places, is cut off or too long', () => {
  for (const [sheet, message] of Object.entries(REFUSED))
    assertIncludes(refusalOf(readVenueSheet, sheet), message);
});

const FEST = [
  'Id,Tittel,Start,Sted',
  'quiz,Quiz,2026-02-05 19:00,Storsalen',
  'revy,Revy,2026-02-06 19:00,Kroen',
  'tur,Tur,2026-02-07 19:00,Storsalen',
].join('\n');
const FEEDS = [
  { id: 'fest', kind: 'csv', file: 'fest.csv' },
  { id: 'desk', kind: 'corrections', file: 'desk.csv' },
];
const SHEET = { id: 'steder', kind: 'venues', file: 'steder.csv' };
const FILES: Files = {
  'licence.json': LICENCE,
  'venues.json': [{ id: 'hall', name: 'Kulturhuset', address: 'Storgata 1, 7170 Lillevik' }],
  'events.json': [{ id: 'kor', title_nb: 'Kor', venue: 'kroa', dates: [{ start: '2026-02-03 18:00' }] }],
  'fest.csv': FEST,
  'desk.csv': 'Id;Sted\nfest:quiz;kroa\n',
  'sources.json': [...FEEDS, SHEET],
};

test('F16: should add the venues of a sheet to those of venues.json, which win', async () => {
  const sheet = [
    'Sted;Id;Adresse;Andre navn;Kommune;Breddegrad;Lengdegrad',
    'Kroa;kroa;Torget 2, 7170 Lillevik;Kroen',
    'Bryggeriet;hall;Havna 3, 7170 Lillevik;Brygga',
    'kulturhuset;;Storgata 1, 7170 Lillevik;Huset',
    'Kulturhuset;;Torget 9, 7180 Roan;',
    'Brygga;;;Storsalen',
    'Brygga;;Havna 1, 7170 Lillevik;',
    'Biblioteket;bib-1;;;Lillevik',
    'Biblioteket;bib-2;;;Roan',
    'Biblioteket;bib-3;;;Roan;63,9;10,1',
    'Samfunnshuset;hus-1;;;;63,9;10,1',
    'Samfunnshuset;hus-2;;;;63,5;10,1',
  ].join('\n');
  const { dates, lines, all } = await shownAfter({ ...FILES, 'steder.csv': sheet });
  assert.equal(dates('kor'), ['02-03 18:00 Kroa']);
  assert.equal(dates('fest:revy'), ['02-06 19:00 Kroa']);
  assert.equal(dates('fest:tur'), ['02-07 19:00 Brygga']);
  // By the correction sheet.
  assert.equal(dates('fest:quiz'), ['02-05 19:00 Kroa']);
  const expected = 'expected a place that neither venues.json nor an earlier row has';
  assert.equal(
    lines.filter((line) => line.startsWith('feed steder')),
    [
      `feed steder:3 "hall": left out, ${expected}, found "hall"`,
      `feed steder:4 "steder:kulturhuset": left out, ${expected}, found "hall"`,
      `feed steder:7 "steder:brygga": left out, ${expected}, found "steder:brygga"`,
      `feed steder:10 "bib-3": left out, ${expected}, found "bib-2"`,
    ],
  );
  assertIncludes(feedLines(all).join('\n'), 'feed steder: 11 entries, 11 venues, 0 dropped');
});

interface Failure {
  readonly status?: number;
  readonly body: string;
  readonly why: string;
}

const MANY = Array.from({ length: 11 }, (_, at) => `Sal ${at};;\n`).join('');
const GOOD = `Sted;Id;Adresse\nKroa;kroa;Torget 2, 7170 Lillevik\n${MANY}`;
const FAILURES: readonly Failure[] = [
  { status: 503, body: '', why: 'expected HTTP 200, found 503' },
  { body: '<!doctype html><title>Logg inn</title>', why: 'found HTML or XML' },
  {
    body: GOOD.replace('Adresse', 'Vei'),
    why: 'expected the column Adresse, which had values before, found none of this name',
  },
  {
    body: GOOD.replace('Sted', 'Hus'),
    why: 'expected a first row that names the column Sted',
  },
  { body: 'Sted;Id;Adresse\n', why: 'expected venues, as before (12), found none' },
];

test('F16: should keep the previous venues of a sheet that fails, and take it again', async () => {
  const server = await startFeedServer(always(200, GOOD));
  const remote = { ...SHEET, file: undefined, url: `${server.url}/steder?output=csv` };
  const source = sourceFolder({ ...FILES, 'sources.json': [...FEEDS, remote] });
  const target = temporaryFolder();
  const unknown = 'expected the id of a venue';
  const after = async (step: number) => {
    const { report } = await builtWithFeeds(source, target, { now: NOW + step * 900 });
    const lines = report.findings.map(findingLine);
    return { steder: report.feeds.at(-1), hasVenue: !lines.some((line) => line.includes(unknown)) };
  };
  const first = await after(0);
  assert.equal([first.steder?.state, first.hasVenue], ['ok', true]);
  for (const [step, { status = 200, body, why }] of FAILURES.entries()) {
    server.answer = always(status, body);
    const { steder, hasVenue } = await after(step + 1);
    assert.equal([steder?.state, hasVenue], ['stale', true], why);
    assertIncludes(steder?.why ?? '', why);
  }
  server.answer = always(200, GOOD.replace('Kroa;kroa', 'Kroa;pub'));
  const last = await after(20).finally(server.close);
  assert.equal([last.steder?.state, last.hasVenue], ['ok', false]);
});

const CONTRADICTIONS: Readonly<Record<string, object>> = {
  'defaults: expected only for feeds with events': { defaults: { tags: ['a'] } },
  'feeds: expected only for kind "corrections"': { feeds: ['fest'] },
  'columns: expected only for kind "csv"': { columns: { venue: 'Hus' } },
};

test('F16: should stop the build for settings that a sheet with venues cannot have', async () => {
  for (const [message, settings] of Object.entries(CONTRADICTIONS)) {
    const files = { ...FILES, 'steder.csv': GOOD, 'sources.json': [...FEEDS, { ...SHEET, ...settings }] };
    const error = await rejects(builtWithFeeds(sourceFolder(files), temporaryFolder()), 'INVALID_SOURCE');
    assertIncludes(error.message, `"steder" ${message}`);
  }
});

test.run();
