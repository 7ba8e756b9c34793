/** Tables that calendar programs export (docs/feeds.md promises that they are read), and rows of theirs that are private. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { readTableFeed } from '../../../jobs/annexes/feeds/csv/events.ts';
import { type Reading, readDocuments } from '../../helpers/feed-reading.ts';
import { datesOf, serveFeed } from '../../helpers/feeds.ts';

const read = (table: string, feed = {}) => readDocuments(readTableFeed, table, feed);

const test = suite<{ google: Reading }>('tables that programs export');

test.before((context) => {
  context.google = read(GOOGLE);
});

/** Google's own form for tables of events, with all of its columns; every day could be of another month. */
const GOOGLE = `Subject,Start Date,Start Time,End Date,End Time,All Day Event,Description,Location,Private
Korøvelse,05/06/2027,10:00 AM,05/06/2027,1:00 PM,False,"Ta med noter, og kaffe","Brygga, Havnegata 2",False
Loppemarked,07/04/2027,,07/05/2027,,True,,Torget,False
Styremøte,08/09/2027,6:00 PM,08/09/2027,8:00 PM,False,Hemmelig,Hjemme hos Kari,True
`;

test('L1: should read the table of Google’s calendar, whose dates are American', ({ google }) => {
  assert.equal(
    google.events.map(({ title_nb, dates }) => [title_nb, dates]),
    [
      ['Korøvelse', [{ start: '2027-05-06 10:00', end: '2027-05-06 13:00' }]],
      ['Loppemarked', [{ start: '2027-07-04', end: '2027-07-05' }]],
    ],
  );
  assert.equal(
    google.venues.map(({ name, address }) => [name, address]),
    [
      ['Brygga', 'Havnegata 2'],
      ['Torget', undefined],
    ],
  );
});

test('G2: should leave out what Google’s table calls private, and say so without a word of it', ({
  google,
}) => {
  assert.equal(google.findings, ['4 Private: left out, expected a row that is public, found "True"']);
  assert.equal(google.counts, { entries: 3, events: 2, merged: 0, dropped: 1 });
});

const OUTLOOK_HEAD =
  '"Subject","Start Date","Start Time","End Date","End Time","All day event","Reminder on/off","Meeting Organizer","Description","Location","Private","Sensitivity","Show time as"';
const OUTLOOK = `${OUTLOOK_HEAD}
"Kor","2/3/2027","7:00:00 PM","2/3/2027","9:30:00 PM","False","False","kari@kor.example","","Brygga","False","Normal","2"
"Fest","2/4/2027","12:00:00 AM","2/6/2027","12:00:00 AM","True","False","kari@kor.example","","","False","Normal","3"
"Tannlege","2/5/2027","9:00:00 AM","2/5/2027","10:00:00 AM","False","True","","","","True","Private","2"
"Lønn","2/6/2027","9:00:00 AM","2/6/2027","10:00:00 AM","False","True","","","","False","Confidential","2"
"Trening","2/7/2027","9:00:00 AM","2/7/2027","10:00:00 AM","False","True","","","","False","Personal","2"
`;

test('L1: should read what Outlook exports, without what is private, personal or confidential', () => {
  const { events, counts } = read(OUTLOOK);
  assert.equal(
    events.map(({ title_nb, dates }) => [title_nb, dates]),
    [
      ['Kor', [{ start: '2027-02-03 19:00', end: '2027-02-03 21:30' }]],
      ['Fest', [{ start: '2027-02-04', end: '2027-02-05' }]],
    ],
  );
  assert.equal(counts, { entries: 5, events: 2, merged: 0, dropped: 3 });
});

test('L1: should read what a Norwegian Outlook exports', () => {
  const { events } = read(
    `Emne;Startdato;Starttid;Sluttdato;Sluttid;Heldagshendelse;Sted;Privat;Følsomhet
Kor;05.06.2027;19:00:00;05.06.2027;21:30:00;Usann;Brygga;Usann;Normal
Tannlege;06.06.2027;09:00:00;06.06.2027;10:00:00;Usann;;Sann;Privat
Lønn;07.06.2027;09:00:00;07.06.2027;10:00:00;Usann;;Usann;Konfidensielt
`,
  );
  assert.equal(
    events.map(({ title_nb, dates }) => [title_nb, dates]),
    [['Kor', [{ start: '2027-06-05 19:00', end: '2027-06-05 21:30' }]]],
  );
});

test('L1: should read what The Events Calendar takes', () => {
  const { events } = read(
    `Event Name,Event Start Date,Event Start Time,Event End Date,Event End Time,All Day Event,Event Venue Name,Event Cost
Kor,2027-05-06,19:00,2027-05-06,21:30,FALSE,Brygga,150
`,
  );
  assert.equal(
    [events[0]?.title_nb, events[0]?.dates, events[0]?.prices],
    ['Kor', [{ start: '2027-05-06 19:00', end: '2027-05-06 21:30' }], [{ type: 'REGULAR', price: '150' }]],
  );
});

test('L1, G2: should build a table with a rule and several dates in a cell, and nothing of its private rows', async () => {
  const table = `Id;Tittel;Dato;Kl;RRULE;Privat;Voksen;Barn
kor;Kor;04.05.2027;18.00-20.00;"FREQ=WEEKLY;COUNT=3";nei;250;gratis
kino;Kino;01.02.2026 og 02.02.2026;18.00 og 20.00;;nei;;
lege;Tannlege;05.02.2026;09.00;;ja;;
`;
  const columns = { prices: ['Voksen', 'Barn'], venue: { value: 'Salen' } };
  const served = await serveFeed(table, { kind: 'csv', columns });
  try {
    assert.equal([...(await served.ids())].sort(), ['kino', 'kor']);
    assert.equal(datesOf(await served.event('kor')), [
      '2027-05-04 18:00:00+02:00 | 2027-05-04 20:00:00+02:00 | Salen',
      '2027-05-11 18:00:00+02:00 | 2027-05-11 20:00:00+02:00 | Salen',
      '2027-05-18 18:00:00+02:00 | 2027-05-18 20:00:00+02:00 | Salen',
    ]);
    assert.equal(datesOf(await served.event('kino')), [
      '2026-02-01 18:00:00+01:00 | Salen',
      '2026-02-01 20:00:00+01:00 | Salen',
      '2026-02-02 18:00:00+01:00 | Salen',
      '2026-02-02 20:00:00+01:00 | Salen',
    ]);
    const left = served.report.findings.map(({ action, id, field, found }) => [action, id, field, found]);
    assert.equal(left, [['left out', 'f:lege', 'Privat', '"ja"']]);
    assert.equal(served.report.feeds[0]?.counts, { entries: 3, events: 2, merged: 0, dropped: 1 });
  } finally {
    await served.close();
  }
});

/** By column: words that hide a row, and words that do not. */
const HIDING: readonly (readonly [column: string, hides: readonly string[], shows: readonly string[]])[] = [
  ['Privat', ['ja', 'Sann', 'x', '1', 'Privat'], ['nei', 'Usann', '0', '', 'Offentlig']],
  ['Private', ['True', 'yes', 'Private'], ['False', 'no', 'Public']],
  ['Følsomhet', ['Privat', 'Personlig', 'Konfidensielt', 'Fortrolig'], ['Normal', 'Vanlig', '']],
  ['Sensitivity', ['Private', 'Personal', 'Confidential'], ['Normal', 'Public']],
  ['Synlighet', ['Skjult', 'Intern'], ['Alle', 'Åpen']],
  ['Publisert', ['nei', 'Utkast'], ['ja', '', '2027-01-01']],
  [
    'Status',
    ['Utkast', 'draft', 'Upublisert', 'Privat', 'slettet'],
    ['Bekreftet', 'Avlyst', 'Utsolgt', 'publish'],
  ],
];

for (const [column, hides, shows] of HIDING) {
  test(`G2: should leave out rows that the column ${column} hides`, () => {
    const words = [...hides, ...shows];
    const rows = words.map((word, place) => `${place};2027-02-14;${word}`);
    const { events, counts } = read([`Tittel;Start;${column}`, ...rows].join('\n'));
    assert.equal(
      events.map(({ title_nb }) => title_nb),
      shows.map((_, place) => String(place + hides.length)),
    );
    assert.is(counts.dropped, hides.length);
  });
}

test('G2: should drop a row that may be private', () => {
  const { events, findings } = read('Tittel;Start;Følsomhet\nA;2027-02-14;kanskje\n');
  assert.is(events.length, 0);
  assert.equal(findings, [
    '2 Følsomhet: dropped record, expected ja, nei or a word such as Normal or Privat, found "kanskje"',
  ]);
});

test('G2: should drop a row of which cannot be told from when it may be shown', () => {
  const { events, findings } = read('Tittel;Start;Publiseres\nA;2027-02-14;snart\nB;2027-02-14;2027-01-01\n');
  assert.equal(
    events.map(({ title_nb, publishingDate }) => [title_nb, publishingDate]),
    [['B', '2027-01-01 00:00']],
  );
  assert.equal(findings, [
    '2 Publiseres: dropped record, expected a date such as 14.02.2027 kl. 19.00, found "snart"',
  ]);
});

test('should take nothing of a private row for the others', () => {
  const { venues } = read(
    'Tittel;Start;Sted;Adresse;Privat\nA;2027-02-14;Hjemme;;nei\nB;2027-02-14;Hjemme;Stien 3;ja\n',
  );
  assert.equal(
    venues.map(({ name, address }) => [name, address]),
    [['Hjemme', undefined]],
  );
});

test('should publish no address of a person as an organizer', () => {
  const { organizers, findings } = read('Tittel,Start,Arrangør\nA,2027-02-14,kari@kor.example; Koret\n');
  assert.equal(
    organizers.map(({ name }) => name),
    ['Koret'],
  );
  assert.equal(findings, [
    '2 Arrangør: changed value, expected a name, and no address of a person, found "kari@kor.example; Koret"',
  ]);
});

test.run();
