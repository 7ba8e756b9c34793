/** Tables that calendar programs export (docs/feeds.md promises that they are read), and rows of theirs that are private. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { readTableFeed } from '../../../../../jobs/annexes/feeds/csv/events.ts';
import { readDocuments, testReadings } from '../../../../helpers/feed-reading.ts';
import { datesOf, type ServedFeed, serveFeed } from '../../../../helpers/feeds.ts';

const test = suite('tables that programs export');

testReadings(
  test,
  readTableFeed,
  `
# L1, G2: should read the table of Google’s calendar with American dates, without its private rows
  Subject,Start Date,Start Time,End Date,End Time,All Day Event,Description,Location,Private
  Korøvelse,05/06/2027,10:00 AM,05/06/2027,1:00 PM,False,"Ta med noter, og kaffe","Brygga, Havnegata 2",False
  Loppemarked,07/04/2027,,07/05/2027,,True,,Torget,False
  Styremøte,08/09/2027,6:00 PM,08/09/2027,8:00 PM,False,Hemmelig,Hjemme hos Kari,True
  = Korøvelse | 2027-05-06 10:00 to 2027-05-06 13:00 | desc_nb: Ta med noter, og kaffe
    | venue: Brygga, Havnegata 2
  = Loppemarked | 2027-07-04 to 2027-07-05 | venue: Torget
  ! 4 Private: left out, expected a row that is public, found "True"
# L1: should read the table of Outlook, without private, personal and confidential rows
  "Subject","Start Date","Start Time","End Date","End Time","All day event","Meeting Organizer","Location","Private","Sensitivity"
  "Kor","2/3/2027","7:00:00 PM","2/3/2027","9:30:00 PM","False","kari@kor.example","Brygga","False","Normal"
  "Fest","2/4/2027","12:00:00 AM","2/6/2027","12:00:00 AM","True","kari@kor.example","","False","Normal"
  "Tannlege","2/5/2027","9:00:00 AM","2/5/2027","10:00:00 AM","False","","","True","Private"
  "Lønn","2/6/2027","9:00:00 AM","2/6/2027","10:00:00 AM","False","","","False","Confidential"
  "Trening","2/7/2027","9:00:00 AM","2/7/2027","10:00:00 AM","False","","","False","Personal"
  = Kor | 2027-02-03 19:00 to 2027-02-03 21:30 | Meeting Organizer: null | venue: Brygga
  = Fest | 2027-02-04 to 2027-02-05 | Meeting Organizer: null
  ! 4 Private: left out, expected a row that is public, found "True"
  ! 5 Sensitivity: left out, expected a row that is public, found "Confidential"
  ! 6 Sensitivity: left out, expected a row that is public, found "Personal"
# L1: should read the table of a Norwegian Outlook
  Emne;Startdato;Starttid;Sluttdato;Sluttid;Heldagshendelse;Sted;Privat;Følsomhet
  Kor;05.06.2027;19:00:00;05.06.2027;21:30:00;Usann;Brygga;Usann;Normal
  Tannlege;06.06.2027;09:00:00;06.06.2027;10:00:00;Usann;;Sann;Privat
  Lønn;07.06.2027;09:00:00;07.06.2027;10:00:00;Usann;;Usann;Konfidensielt
  = Kor | 2027-06-05 19:00 to 2027-06-05 21:30 | venue: Brygga
  ! 3 Privat: left out, expected a row that is public, found "Sann"
  ! 4 Følsomhet: left out, expected a row that is public, found "Konfidensielt"
# L1: should read a table in the columns that The Events Calendar imports
  Event Name,Event Start Date,Event Start Time,Event End Date,Event End Time,All Day Event,Event Venue Name,Event Cost
  Kor,2027-05-06,19:00,2027-05-06,21:30,FALSE,Brygga,150
  = Kor | 2027-05-06 19:00 to 2027-05-06 21:30 | venue: Brygga | ticketsInformation: ticketsInfo
    | prices: REGULAR 150
# G2: should drop a row that may be private
  Tittel;Start;Følsomhet
  A;2027-02-14;kanskje
  ! 2 Følsomhet: dropped record, expected ja, nei or a word such as Normal or Privat, found "kanskje"
# G2: should leave out a row with a word that may mean that it is not published, and name the word
  Tittel;Start;Publisert
  A;2027-02-14;Ikke ennå
  B;2027-02-14;VENTER
  C;2027-02-14;nope
  D;2027-02-14;kun medlemmer
  E;2027-02-14;14.02.2026 – 15.02.2026
  F;2027-02-14; JA.
  = F | 2027-02-14
  ! 2 Publisert: dropped record, expected ja, nei, a date or a word such as Publisert, Synlig, Utkast or Skjult, found "Ikke ennå"
  ! 3 Publisert: dropped record, expected ja, nei, a date or a word such as Publisert, Synlig, Utkast or Skjult, found "VENTER"
  ! 4 Publisert: dropped record, expected ja, nei, a date or a word such as Publisert, Synlig, Utkast or Skjult, found "nope"
  ! 5 Publisert: dropped record, expected ja, nei, a date or a word such as Publisert, Synlig, Utkast or Skjult, found "kun medlemmer"
  ! 6 Publisert: dropped record, expected ja, nei, a date or a word such as Publisert, Synlig, Utkast or Skjult, found "14.02.2026 – 15.02.2026"
# G2: should show a row from the date on which it is published, in either order of day and month
  Tittel;Start;Publisert
  A;2027-02-14;01.02.2027 kl. 10.00
  B;2027-02-14;01.12.2025 10:00:00
  C;2027-02-14;12/31/2025
  D;2027-02-14;2026-12-31T10:00:00Z
  = A | 2027-02-14 | publishingDate: 2027-02-01 10:00
  = B | 2027-02-14
  = C | 2027-02-14
  = D | 2027-02-14 | publishingDate: 2026-12-31 10:00Z
# G2: should report rows of one event that are published at different times
  Id;Tittel;Start;Publisert
  a;A;2027-02-14;01.02.2027
  a;A;2027-02-15;02.02.2027
  a;A;2027-02-16;ja
  a;A;2027-02-17;
  = A | 2027-02-14, 2027-02-15, 2027-02-16, 2027-02-17 | publishingDate: 2027-02-01 00:00
  ! 3 "f:a" Publisert: changed value, expected what row 2 says, because it is the same event, found "2027-02-02 00:00"
  ! 4 "f:a" Publisert: changed value, expected what row 2 says, because it is the same event, found "ja"
# G2: should leave out a row that any of its columns hides
  Tittel;Start;Publisert;Synlig
  A;2027-02-14;ja;nei
  B;2027-02-14;ja;ja
  = B | 2027-02-14
  ! 2 Synlig: left out, expected a row that is public, found "nei"
# G2: should drop a row whose publishing date cannot be read
  Tittel;Start;Publiseres
  A;2027-02-14;snart
  B;2027-02-14;2027-01-01
  = B | 2027-02-14 | publishingDate: 2027-01-01 00:00
  ! 2 Publiseres: dropped record, expected a date such as 14.02.2027 kl. 19.00, found "snart"
# G2: should not use the address of a private row for a public one
  Tittel;Start;Sted;Adresse;Privat
  A;2027-02-14;Hjemme;;nei
  B;2027-02-14;Hjemme;Stien 3;ja
  = A | 2027-02-14 | venue: Hjemme
  ! 3 Privat: left out, expected a row that is public, found "ja"
# G2: should publish no address of a person as an organizer
  Tittel,Start,Arrangør
  A,2027-02-14,kari@kor.example; Koret
  = A | 2027-02-14 | organizers: Koret
  ! 2 Arrangør: changed value, expected a name, not an email address, found "kari@kor.example; Koret"
`,
);

test('L1, G2: should serve the dates of a table’s rules and lists, and report its private rows', async () => {
  const table = `Id;Tittel;Dato;Kl;RRULE;Privat;Voksen;Barn;Målgruppe
kor;Kor;04.05.2027;18.00-20.00;"FREQ=WEEKLY;COUNT=2";nei;250;gratis;alle
kino;Kino;01.02.2026 og 02.02.2026;18.00 og 20.00;;nei;;;
lege;Tannlege;05.02.2026;09.00;;ja;;;
`;
  const columns = { prices: ['Voksen', 'Barn'], venue: { value: 'Salen' } };
  const served = await serveFeed(table, { kind: 'csv', columns });
  try {
    await assertServed(served);
  } finally {
    await served.close();
  }
});

async function assertServed(served: ServedFeed): Promise<void> {
  assert.equal([...(await served.ids())].sort(), ['kino', 'kor']);
  assert.equal(datesOf(await served.event('kor')), [
    '2027-05-04 18:00:00+02:00 | 2027-05-04 20:00:00+02:00 | Salen',
    '2027-05-11 18:00:00+02:00 | 2027-05-11 20:00:00+02:00 | Salen',
  ]);
  assert.equal(
    datesOf(await served.event('kino')).map((date) => date.slice(0, 16)),
    ['2026-02-01 18:00', '2026-02-01 20:00', '2026-02-02 18:00', '2026-02-02 20:00'],
  );
  const left = served.report.findings.map(({ action, id, field, found }) => [action, id, field, found]);
  assert.equal(left, [['left out', 'f:lege', 'Privat', '"ja"']]);
  assert.equal(served.report.feeds[0]?.counts, { entries: 3, events: 2, merged: 0, dropped: 1 });
  assert.equal(served.report.ignored, [{ name: 'events.Målgruppe', count: 1 }]);
}

interface HidingColumn {
  readonly column: string;
  /** Words that hide a row. */
  readonly hides: readonly string[];
  readonly shows: readonly string[];
}

const HIDING_COLUMNS: readonly HidingColumn[] = [
  {
    column: 'Privat',
    hides: ['ja', 'Sann', 'x', '1', 'Privat'],
    shows: ['nei', 'Usann', '0', '', 'Offentlig'],
  },
  { column: 'Private', hides: ['True', 'yes', 'Private'], shows: ['False', 'no', 'Public'] },
  {
    column: 'Følsomhet',
    hides: ['Privat', 'Personlig', 'Konfidensielt', 'Fortrolig'],
    shows: ['Normal', 'Vanlig', ''],
  },
  {
    column: 'Sensitivity',
    hides: ['Private', 'Personal', 'Confidential'],
    shows: ['Normal', 'Public'],
  },
  { column: 'Synlighet', hides: ['Skjult', 'Intern'], shows: ['Alle', 'Åpen'] },
  {
    column: 'Publisert',
    hides: ['nei', 'Utkast', 'Fortrolig', 'Slettet', 'IKKE  publisert!', 'snart'],
    shows: ['ja', '', 'X', 'Publisert.', 'publish', '2027-01-01', '01.12.2025', '✓'],
  },
  {
    column: 'Synlig',
    hides: ['nei', 'usynlig', 'Skjul', 'ikkje synleg', 'kanskje', '19.00'],
    shows: ['JA', 'TRUE', 'Synlig', 'På', 'Alle', ''],
  },
  {
    column: 'Status',
    hides: [
      'Utkast',
      'draft',
      'Upublisert',
      'Privat',
      'slettet',
      'Fortrolig',
      'Personlig',
      'Hemmelig',
      'Intern',
      'Utkast.',
    ],
    shows: ['Bekreftet', 'Avlyst', 'Utsolgt', 'publish', 'få plasser igjen'],
  },
];

for (const { column, hides, shows } of HIDING_COLUMNS) {
  test(`G2: should leave out rows that the column ${column} hides, and keep the others`, () => {
    const rows = [...hides, ...shows].map((word) => `${word || 'tom'};2027-02-14;${word}`);
    const { events, counts } = readDocuments(readTableFeed, [`Tittel;Start;${column}`, ...rows].join('\n'));
    assert.equal(
      events.map(({ title_nb }) => title_nb),
      shows.map((word) => word || 'tom'),
    );
    assert.is(counts.dropped, hides.length, 'rows left out');
  });
}

test.run();
