/** Municipalities by the register of postal codes. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { openNativeSource } from '../../../jobs/native.ts';
import { createReport } from '../../../jobs/report/report.ts';
import { reportText } from '../../../jobs/report/text.ts';
import { withoutFeeds } from '../../../jobs/source/source.ts';
import { validate } from '../../../jobs/validate/validate.ts';
import { built } from '../../helpers/build.ts';
import { NOW } from '../../helpers/calendar.ts';
import { builtWithFeeds } from '../../helpers/feeds.ts';
import { temporaryFolder } from '../../helpers/folder.ts';
import { type Files, sourceFolder } from '../../helpers/native-source.ts';
import { startServer } from '../../helpers/running.ts';

const test = suite('register of postal codes');

async function validated(files: Files) {
  const report = createReport();
  const source = await openNativeSource(sourceFolder({ 'events.json': [], ...files }));
  const records = await validate(withoutFeeds(source), report);
  const summary = report.summary();
  return { records, summary, findings: summary.findings };
}

const REGISTER = [
  ['7013', 'TRONDHEIM', '5001', 'TRONDHEIM', 'G'],
  ['7550', 'HOMMELVIK', '5031', 'MALVIK', 'G'],
  ['6070', 'TJØRVÅG', '1515', 'HERØY', 'G'],
  ['8850', 'HERØY', '1818', 'HERØY', 'G'],
  ['7374', 'RØROS', '5025', 'RØROS - ROSSE', 'G'],
]
  .map((columns) => columns.join('\t'))
  .join('\n');

interface VenueCase {
  readonly why: string;
  readonly venue: object;
  readonly code: string | null;
  readonly name: string | null;
  readonly number: string | null;
}

/** A venue, and its postal code, municipality and municipality number. */
const VENUES: readonly VenueCase[] = [
  {
    why: 'a venue without any of them',
    venue: {},
    code: null,
    name: null,
    number: null,
  },
  {
    why: 'a code and a place of the register in the address',
    venue: { address: 'Kongens gate 1, 7013 Trondheim' },
    code: '7013',
    name: 'Trondheim',
    number: '5001',
  },
  {
    why: 'a code after a post-office box, with N- before it and the country after the place',
    venue: { address: 'Postboks 1234 Sentrum, N-7550  Hommelvik, Norge' },
    code: '7550',
    name: 'Malvik',
    number: '5031',
  },
  {
    why: 'the last of two codes, although the words before it say that it is out of date',
    venue: { address: '7550 Hommelvik (tidligere 7013 Trondheim)' },
    code: '7013',
    name: 'Trondheim',
    number: '5001',
  },
  {
    why: 'a code without a place',
    venue: { address: 'Kongens gate 1, 7013' },
    code: null,
    name: null,
    number: null,
  },
  {
    why: 'numbers of other kinds than codes',
    venue: { address: 'Storgata 12345 Nord, +47 73501234' },
    code: null,
    name: null,
    number: null,
  },
  {
    why: 'a number of a street, before another part',
    venue: { address: 'Gata 7013, Trondheim' },
    code: null,
    name: null,
    number: null,
  },
  {
    why: 'a code that the register does not have',
    venue: { address: 'Havnegata 9, 9999 Utmarka' },
    code: null,
    name: null,
    number: null,
  },
  {
    why: 'a place in small letters',
    venue: { address: 'Jarleveien 2, 7013 trondheim, Norge' },
    code: '7013',
    name: 'Trondheim',
    number: '5001',
  },
  {
    why: 'the municipality of the code in place of its place',
    venue: { address: 'Storgata 2, 7550 Malvik' },
    code: '7550',
    name: 'Malvik',
    number: '5031',
  },
  {
    why: 'a code with the place of another code',
    venue: { address: 'Kongens gate 1, 7013 Hommelvik' },
    code: null,
    name: null,
    number: null,
  },
  {
    why: 'a number of a street that a place follows',
    venue: { address: '1234 Main Street, Petaluma' },
    code: null,
    name: null,
    number: null,
  },
  {
    why: 'a code that is a part of its own, two parts after its place',
    venue: { address: 'Kongens gate 1, Trondheim, Trøndelag, 7013, Norway' },
    code: '7013',
    name: 'Trondheim',
    number: '5001',
  },
  {
    why: 'a code that is a part of its own, after its place',
    venue: { address: 'Storgata 2, Hommelvik, 7550' },
    code: '7550',
    name: 'Malvik',
    number: '5031',
  },
  {
    why: 'a code that is a part of its own, after the place of another code',
    venue: { address: 'Kongens gate 1, Trondheim, 7550, Norway' },
    code: null,
    name: null,
    number: null,
  },
  {
    why: 'a code of another country',
    venue: { address: 'Vestergade 3, 7013 Herning, Danmark' },
    code: null,
    name: null,
    number: null,
  },
  {
    why: 'a code of its own, rather than that of the address',
    venue: { address: 'Kongens gate 1, 7013 Trondheim', postalCode: '7550' },
    code: '7550',
    name: 'Malvik',
    number: '5031',
  },
  {
    why: 'an empty code of its own',
    venue: { address: 'Kongens gate 1, 7013 Trondheim', postalCode: '' },
    code: '7013',
    name: 'Trondheim',
    number: '5001',
  },
  {
    why: 'a code and a municipality of its own that agree',
    venue: { postalCode: '7013', municipality: 'Trondheim' },
    code: '7013',
    name: 'Trondheim',
    number: '5001',
  },
  {
    why: 'a municipality of its own, rather than that of its code',
    venue: { postalCode: '7013', municipality: 'Malvik' },
    code: '7013',
    name: 'Malvik',
    number: '5031',
  },
  {
    why: 'a municipality of its own in small letters',
    venue: { municipality: 'malvik' },
    code: null,
    name: 'malvik',
    number: '5031',
  },
  {
    why: 'a municipality of its own whose name two have',
    venue: { municipality: 'Herøy' },
    code: null,
    name: 'Herøy',
    number: null,
  },
  {
    why: 'a municipality whose name two have, with a code',
    venue: { municipality: 'Heroy', postalCode: '8850' },
    code: '8850',
    name: 'Heroy',
    number: '1818',
  },
  {
    why: 'a municipality that the register does not have',
    venue: { municipality: 'Nowhere', postalCode: '7013' },
    code: '7013',
    name: 'Nowhere',
    number: null,
  },
  {
    why: 'the number of a municipality, rather than the municipality of its code',
    venue: { municipality: '5031', postalCode: '7013' },
    code: '7013',
    name: 'Malvik',
    number: '5031',
  },
  {
    why: 'a municipality of its own, by one of its two names',
    venue: { municipality: 'Røros' },
    code: null,
    name: 'Røros',
    number: '5025',
  },
  {
    why: 'a municipality of its own, by its other name, with a code',
    venue: { municipality: 'rosse', postalCode: '7374' },
    code: '7374',
    name: 'rosse',
    number: '5025',
  },
  {
    why: 'the number of a municipality that the register does not have',
    venue: { municipality: '0301' },
    code: null,
    name: null,
    number: '0301',
  },
];

for (const { why, venue, code, name, number } of VENUES) {
  test(`F8: should find the postal code and municipality of a venue: ${why}`, async () => {
    const { records } = await validated({
      'venues.json': [{ id: 'v', name: 'V', ...venue }],
      'postal-codes.tsv': REGISTER,
    });
    const [read] = records.venues;
    const found = {
      code: read?.postalCode,
      name: read?.municipality,
      number: read?.municipalityNumber,
    };
    assert.equal(found, { code, name, number }, JSON.stringify(venue));
  });
}

test('F8, G2: should read the register as Bring publishes it, in Windows-1252', async () => {
  const lines = `${REGISTER}\n9840\tVARANGERBOTN\t5636\tUNJÁRGGA NESSEBY\tB\n`;
  const { records, findings } = await validated({
    'venues.json': [
      { id: 'v', name: 'V', address: 'Sjøgata 1, 6070 Tjørvåg' },
      { id: 'w', name: 'W', address: 'Storgata 2, 9840 Varangerbotn' },
    ],
    'postal-codes.tsv': Buffer.from(lines.replaceAll('\n', '\r\n'), 'latin1'),
  });
  assert.equal(
    records.venues.map(({ municipality, municipalityNumber }) => [municipality, municipalityNumber]),
    [
      ['Herøy', '1515'],
      ['Unjárgga Nesseby', '5636'],
    ],
  );
  assert.equal(findings, []);
});

/** Without a register: an address, and its code. */
const WITHOUT: readonly (readonly [address: string, code: string | null])[] = [
  ['Kongens gate 1, 7013 Trondheim', '7013'],
  ['Kongens gate 1, 7013 Trondheim, Norge', '7013'],
  ['Kongens gate 1, 7013 Trondheim, Norway', '7013'],
  ['Kongens gate 1, Trondheim, 7013, Norge', '7013'],
  ['Kongens gate 1, 7013', null],
  ['Vestergade 3, Herning, 7400, Denmark', null],
  ['1234 Main Street, Petaluma, California', null],
  ['7013 Trondheim', null],
  ['Vestergade 3, 7400 Herning, Danmark', null],
  ['Bahnhofstrasse 1, 8001 Zürich, Switzerland', null],
  ['George Street 5, Sydney 2000 NSW, Australia', null],
  ['Main Street, 1600 Amphitheatre Road, USA', null],
];

test('F8: should take no house number, and no code of another country, without a register', async () => {
  for (const [address, code] of WITHOUT) {
    const { records } = await validated({ 'venues.json': [{ id: 'v', name: 'V', address }] });
    assert.is(records.venues[0]?.postalCode ?? null, code, address);
  }
});

const NAMES = {
  TRONDHEIM: 'Trondheim',
  'AURSKOG-HØLAND': 'Aurskog-Høland',
  'EVJE OG HORNNES': 'Evje og Hornnes',
  'HERØY (NORDLAND)': 'Herøy (Nordland)',
  'KÁRÁŠJOHKA - KARASJOK': 'Kárášjohka - Karasjok',
  'NES PÅ ROMERIKE': 'Nes på Romerike',
  'SAND I RYFYLKE': 'Sand i Ryfylke',
  OG: 'Og',
  'Nore og Uvdal': 'Nore og Uvdal',
  'NORE og UVDAL': 'NORE og UVDAL',
};

test('F10: should show municipalities that the register writes in capitals as people write them', async () => {
  for (const [written, shown] of Object.entries(NAMES)) {
    const { records } = await validated({
      'venues.json': [
        { id: 'v', name: 'V', postalCode: '7013' },
        { id: 'w', name: 'W', municipality: '5001' },
      ],
      'postal-codes.tsv': `7013\tSTEDET\t5001\t${written}\tG`,
    });
    assert.equal(
      records.venues.map(({ municipality }) => municipality),
      [shown, shown],
    );
  }
});

test('G2: should leave out bad and repeated lines of the register', async () => {
  const register =
    'Postnummer\tPoststed\n7013\tTRONDHEIM\t5001\tTrondheim\tG\n7013\tTRONDHEIM\t5001\tTrondheim\n';
  const { findings, summary } = await validated({ 'postal-codes.tsv': register });
  assert.equal(summary.lists.postalCodes, { read: 3, kept: 1, dropped: 2 });
  const columns =
    'four-digit code, place, four-digit municipality number, municipality name, category between tabs';
  assert.equal(
    findings.map(({ action, origin, expected, found }) => [action, origin.line, expected, found]),
    [
      ['dropped record', 1, columns, '["Postnummer","Poststed"]'],
      ['dropped record', 3, 'each postal code once', '"7013"'],
    ],
  );
});

/** Upcoming events at places: two in Trondheim, two whose place has no postal code, one without a place, and one that is over. */
const OF_TOWNS: Files = {
  'venues.json': [
    { id: 'hall', name: 'Hallen', address: 'Kongens gate 1, 7013 Trondheim' },
    { id: 'barn', name: 'Låven', address: 'Bygdaveien 3' },
    { id: 'shed', name: 'Skuret', municipality: 'Oppdal' },
  ],
  'events.json': [
    { id: 'a', venue: 'hall', dates: [{ start: '2026-02-01 19:00' }] },
    {
      id: 'b',
      dates: [
        { start: '2026-02-02 19:00', venue: 'barn' },
        { start: '2026-02-03 19:00', venue: 'hall' },
      ],
    },
    { id: 'c', venue: 'barn', repeats: [{ rule: 'FREQ=WEEKLY', start: '2026-02-01 19:00' }] },
    // A1: without an end, it lasts until three hours after its start, an hour before the build.
    { id: 'd', venue: 'barn', dates: [{ start: '2026-01-01 12:00' }] },
    { id: 'e', venue: 'shed', dates: [{ start: '2026-02-05 19:00' }] },
    { id: 'nowhere', dates: [{ start: '2026-02-05 19:00' }] },
    { id: 'over', venue: 'barn', dates: [{ start: '2025-02-05 19:00' }] },
  ].map((event) => ({ title_nb: event.id, ...event })),
};

const LINE = /^ {2}\d+ events? with a place .*$/m;

test('G2, F8: should count upcoming events whose places have no municipality, and say why', async () => {
  const reportOf = async (files: Files) => {
    const report = createReport();
    await built(sourceFolder({ ...OF_TOWNS, ...files }), temporaryFolder(), { report });
    return { line: LINE.exec(reportText(report))?.[0], proposals: report.summary().proposals };
  };
  const without = await reportOf({});
  assert.is(
    without.line,
    "  4 events with a place have no municipality, and no town's page shows them: the source folder has no register of postal codes, postal-codes.tsv",
  );
  const { line, proposals } = await reportOf({ 'postal-codes.tsv': REGISTER });
  assert.is(
    line,
    "  2 events with a place have no municipality, and no town's page shows them: their places name neither a municipality nor a postal code that postal-codes.tsv lists: Låven (2)",
  );
  assert.equal(proposals?.withoutMunicipality, {
    hasRegister: true,
    events: 2,
    places: [{ name: 'Låven', events: 2 }],
    feeds: [],
  });
  const corrected = [{ id: 'barn', name: 'Låven', municipality: '5031' }];
  const complete = await reportOf({ 'postal-codes.tsv': REGISTER, 'venues.json': corrected });
  assert.is(complete.line, undefined);
});

const table = (...rows: readonly string[]) =>
  [
    'Id,Tittel,Start,Sted,Adresse,Kommune',
    ...rows.map((row, at) => row.replace('DATO', `2026-02-0${at + 1}`)),
    '',
  ].join('\n');

/** The feeds of two towns, and one of neither. Each event has its place, address and municipality as the source writes them. */
const FEEDS_OF_TOWNS: Files = {
  'events.json': [],
  'postal-codes.tsv': REGISTER,
  'venues.json': [
    { id: 'torg', name: 'Torget' },
    { id: 'brygga', name: 'Brygga', municipality: 'Malvik' },
  ],
  'trondheim.csv': table(
    'bibliotek,Bokkveld,DATO 19:00,Biblioteket,,',
    'kode,Kor,DATO 19:00,Hallen,"Storgata 1, 7550 Hommelvik",',
    'kolonne,Revy,DATO 19:00,Låven,,Oppdal',
    'egen,Marked,DATO 19:00,Torget,,',
    'annen,Sjøsang,DATO 19:00,Brygga,,',
    'uten,Foredrag,DATO 19:00,,,',
  ),
  'malvik.csv': table('bibliotek,Lesesirkel,DATO 12:00,biblioteket,,', 'tur,Tur,DATO 12:00,,,'),
  'ukjent.csv': table('kro,Quiz,DATO 21:00,Kroa,,', 'bibliotek,Sang,DATO 21:00,Biblioteket,,'),
};
const SOURCES = [
  { id: 't', kind: 'csv', file: 'trondheim.csv', defaults: { municipality: ' trondheim ' } },
  { id: 'm', kind: 'csv', file: 'malvik.csv', defaults: { municipality: '5031', venue: 'torg' } },
  { id: 'u', kind: 'csv', file: 'ukjent.csv' },
];

interface TownsAnswer {
  readonly all: Nodes;
  readonly malvik: Nodes;
}

interface Nodes {
  readonly data: readonly {
    readonly id: string;
    readonly venue: { readonly municipality: string | null } | null;
  }[];
}

/** Each event's municipality, and the events of one, as the endpoint gives them. */
async function servedTowns(files: Files) {
  const target = temporaryFolder();
  const { all: report } = await builtWithFeeds(sourceFolder({ ...FEEDS_OF_TOWNS, ...files }), target);
  const { ask, close } = await startServer({ snapshots: target, clock: () => NOW * 1000 });
  const { all, malvik } = await ask<TownsAnswer>(`{
    all: events(pageSize: 100) { data { id venue { municipality } } }
    malvik: events(filter: { municipality: "5031" }) { data { id } } }`).finally(close);
  return {
    report,
    municipalities: Object.fromEntries(all.data.map(({ id, venue }) => [id, venue?.municipality])),
    inMalvik: malvik.data.map(({ id }) => id),
  };
}

test('F8, F11: should use the default municipality of a feed for its places that are in no other', async () => {
  const { municipalities, inMalvik, report } = await servedTowns({ 'sources.json': SOURCES });
  assert.equal(municipalities, {
    't:bibliotek': 'Trondheim',
    't:kode': 'Malvik',
    't:kolonne': 'Oppdal',
    't:egen': 'Trondheim',
    't:annen': 'Malvik',
    't:uten': undefined,
    'm:bibliotek': 'Malvik',
    'm:tur': 'Trondheim',
    'u:kro': null,
    'u:bibliotek': 'Trondheim',
  });
  assert.equal(inMalvik, ['m:bibliotek', 't:kode', 't:annen']);
  assert.equal(report.proposals?.withoutMunicipality.feeds, [{ name: 'u', events: 1 }]);
});

test('F8, G2: should report a default municipality that the register lacks, and use none', async () => {
  const [first, ...others] = SOURCES;
  const mistyped = { ...first, defaults: { municipality: 'Trondhiem' } };
  const { municipalities, report } = await servedTowns({ 'sources.json': [mistyped, ...others] });
  assert.is(municipalities['t:bibliotek'], null);
  assert.equal(
    report.findings
      .filter(({ field }) => field === 'defaults.municipality')
      .map(({ origin, expected, found }) => [origin.file, expected, found]),
    [
      [
        'feed t',
        'the name or number of a municipality that postal-codes.tsv lists; the nearest is "Trondheim"',
        '"Trondhiem"',
      ],
    ],
  );
});

test('G2: should name the feeds for which a default municipality would help', async () => {
  const without = SOURCES.map(({ defaults: _, ...feed }) => feed);
  const report = createReport();
  const source = sourceFolder({ ...FEEDS_OF_TOWNS, 'sources.json': without });
  await builtWithFeeds(source, temporaryFolder(), { report });
  assert.match(
    reportText(report),
    '  "municipality" in the "defaults" of a feed could give these events one: t (2), u (2), m (1)\n',
  );
});

test.run();
