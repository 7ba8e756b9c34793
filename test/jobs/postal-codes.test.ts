/** Municipalities by the register of postal codes. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { openNativeSource } from '../../jobs/native.ts';
import { createReport } from '../../jobs/report.ts';
import { validate } from '../../jobs/validate.ts';
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
]
  .map((columns) => columns.join('\t'))
  .join('\n');

/** A venue, and its postal code, municipality and municipality number. */
const VENUES: readonly (readonly [
  venue: object,
  code: string | null,
  name: string | null,
  number: string | null,
])[] = [
  [{}, null, null, null],
  [{ address: 'Kongens gate 1, 7013 Trondheim' }, '7013', 'Trondheim', '5001'],
  [{ address: 'Postboks 1234 Sentrum, N-7550  Hommelvik, Norge' }, '7550', 'Malvik', '5031'],
  [{ address: '7550 Hommelvik (tidligere 7013 Trondheim)' }, '7013', 'Trondheim', '5001'],
  [{ address: 'Kongens gate 1, 7013' }, null, null, null],
  [{ address: 'Storgata 12345 Nord, +47 73501234' }, null, null, null],
  [{ address: 'Gata 7013, Trondheim' }, null, null, null],
  [{ address: 'Havnegata 9, 9999 Utmarka' }, null, null, null],
  [{ address: 'Jarleveien 2, 7013 trondheim, Norge' }, '7013', 'Trondheim', '5001'],
  [{ address: 'Storgata 2, 7550 Malvik' }, '7550', 'Malvik', '5031'],
  [{ address: 'Kongens gate 1, 7013 Hommelvik' }, null, null, null],
  [{ address: '1234 Main Street, Petaluma' }, null, null, null],
  [{ address: 'Vestergade 3, 7013 Herning, Danmark' }, null, null, null],
  [{ address: 'Kongens gate 1, 7013 Trondheim', postalCode: '7550' }, '7550', 'Malvik', '5031'],
  [{ address: 'Kongens gate 1, 7013 Trondheim', postalCode: '' }, '7013', 'Trondheim', '5001'],
  [{ postalCode: '7013', municipality: 'Trondheim' }, '7013', 'Trondheim', '5001'],
  [{ postalCode: '7013', municipality: 'Malvik' }, '7013', 'Malvik', '5031'],
  [{ municipality: 'malvik' }, null, 'malvik', '5031'],
  [{ municipality: 'Herøy' }, null, 'Herøy', null],
  [{ municipality: 'Heroy', postalCode: '8850' }, '8850', 'Heroy', '1818'],
  [{ municipality: 'Nowhere', postalCode: '7013' }, '7013', 'Nowhere', null],
  [{ municipality: '5031', postalCode: '7013' }, '7013', 'Malvik', '5031'],
  [{ municipality: '0301' }, null, null, '0301'],
];

test('F8: should find postal code and municipality in the venue, its address and the register', async () => {
  for (const [venue, code, name, number] of VENUES) {
    const { records } = await validated({
      'venues.json': [{ id: 'v', name: 'V', ...venue }],
      'postal-codes.tsv': REGISTER,
    });
    const [read] = records.venues;
    const found = [read?.postalCode, read?.municipality, read?.municipalityNumber];
    assert.equal(found, [code, name, number], JSON.stringify(venue));
  }
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

test.run();
