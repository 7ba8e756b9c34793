/** Municipalities by the register of postal codes. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { openNativeSource } from '../../jobs/native.ts';
import { createReport } from '../../jobs/report.ts';
import { reportText } from '../../jobs/report-text.ts';
import { validate } from '../../jobs/validate.ts';
import { built } from '../helpers/build.ts';
import { temporaryFolder } from '../helpers/folder.ts';
import { type Files, sourceFolder } from '../helpers/native-source.ts';

const test = suite('register of postal codes');

async function validated(files: Files) {
  const report = createReport();
  const source = await openNativeSource(sourceFolder({ 'events.json': [], ...files }));
  const records = await validate(source, report);
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
  readonly venue: object;
  readonly code: string | null;
  readonly name: string | null;
  readonly number: string | null;
}

/** A venue, and its postal code, municipality and municipality number. */
const VENUES: readonly VenueCase[] = [
  { venue: {}, code: null, name: null, number: null },
  { venue: { address: 'Kongens gate 1, 7013 Trondheim' }, code: '7013', name: 'Trondheim', number: '5001' },
  {
    venue: { address: 'Postboks 1234 Sentrum, N-7550  Hommelvik, Norge' },
    code: '7550',
    name: 'Malvik',
    number: '5031',
  },
  {
    venue: { address: '7550 Hommelvik (tidligere 7013 Trondheim)' },
    code: '7013',
    name: 'Trondheim',
    number: '5001',
  },
  { venue: { address: 'Kongens gate 1, 7013' }, code: null, name: null, number: null },
  { venue: { address: 'Storgata 12345 Nord, +47 73501234' }, code: null, name: null, number: null },
  { venue: { address: 'Gata 7013, Trondheim' }, code: null, name: null, number: null },
  { venue: { address: 'Havnegata 9, 9999 Utmarka' }, code: null, name: null, number: null },
  {
    venue: { address: 'Jarleveien 2, 7013 trondheim, Norge' },
    code: '7013',
    name: 'Trondheim',
    number: '5001',
  },
  { venue: { address: 'Storgata 2, 7550 Malvik' }, code: '7550', name: 'Malvik', number: '5031' },
  { venue: { address: 'Kongens gate 1, 7013 Hommelvik' }, code: null, name: null, number: null },
  { venue: { address: '1234 Main Street, Petaluma' }, code: null, name: null, number: null },
  { venue: { address: 'Vestergade 3, 7013 Herning, Danmark' }, code: null, name: null, number: null },
  {
    venue: { address: 'Kongens gate 1, 7013 Trondheim', postalCode: '7550' },
    code: '7550',
    name: 'Malvik',
    number: '5031',
  },
  {
    venue: { address: 'Kongens gate 1, 7013 Trondheim', postalCode: '' },
    code: '7013',
    name: 'Trondheim',
    number: '5001',
  },
  {
    venue: { postalCode: '7013', municipality: 'Trondheim' },
    code: '7013',
    name: 'Trondheim',
    number: '5001',
  },
  { venue: { postalCode: '7013', municipality: 'Malvik' }, code: '7013', name: 'Malvik', number: '5031' },
  { venue: { municipality: 'malvik' }, code: null, name: 'malvik', number: '5031' },
  { venue: { municipality: 'Herøy' }, code: null, name: 'Herøy', number: null },
  { venue: { municipality: 'Heroy', postalCode: '8850' }, code: '8850', name: 'Heroy', number: '1818' },
  { venue: { municipality: 'Nowhere', postalCode: '7013' }, code: '7013', name: 'Nowhere', number: null },
  { venue: { municipality: '5031', postalCode: '7013' }, code: '7013', name: 'Malvik', number: '5031' },
  { venue: { municipality: 'Røros' }, code: null, name: 'Røros', number: '5025' },
  { venue: { municipality: 'rosse', postalCode: '7374' }, code: '7374', name: 'rosse', number: '5025' },
  { venue: { municipality: '0301' }, code: null, name: null, number: '0301' },
];

test('F8: should find postal code and municipality in the venue, its address and the register', async () => {
  for (const { venue, code, name, number } of VENUES) {
    const { records } = await validated({
      'venues.json': [{ id: 'v', name: 'V', ...venue }],
      'postal-codes.tsv': REGISTER,
    });
    const [read] = records.venues;
    const found = [read?.postalCode, read?.municipality, read?.municipalityNumber];
    assert.equal(found, [code, name, number], JSON.stringify(venue));
  }
});

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
    { id: 'd', venue: 'barn', dates: [{ start: '2026-02-04 19:00' }] },
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
  });
  const corrected = [{ id: 'barn', name: 'Låven', municipality: '5031' }];
  const complete = await reportOf({ 'postal-codes.tsv': REGISTER, 'venues.json': corrected });
  assert.is(complete.line, undefined);
});

test.run();
