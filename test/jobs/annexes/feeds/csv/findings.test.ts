/** G2, L3: what is reported of the rows and cells of a spreadsheet that cannot be read. */
import { suite } from 'uvu';
import { readTableFeed } from '../../../../../jobs/annexes/feeds/csv/events.ts';
import { testReadings } from '../../../../helpers/feed-reading.ts';

const test = suite('findings of spreadsheets');

testReadings(
  test,
  readTableFeed,
  `
# G2, L3: should drop rows without a title or a readable date, and report them
  Tittel;Start
  A;2027-02-14
  B;
  C;30.02.2027
  ;2027-02-14
  = A | 2027-02-14
  ! 3 Start: dropped record, expected a date such as 14.02.2027 kl. 19.00 or 2027-02-14 19:00, found nothing
  ! 4 Start: dropped record, expected a date such as 14.02.2027 kl. 19.00 or 2027-02-14 19:00, found "30.02.2027"
  ! 5 Tittel: dropped record, expected a title, found nothing
# G2, L3: should name the column that the date is missing from
  Tittel;Dato;Kl
  A;14.02.2027;19.00
  B;;19.00
  = A | 2027-02-14 19:00
  ! 3 Dato: dropped record, expected a date such as 14.02.2027 kl. 19.00 or 2027-02-14 19:00, found nothing
# G2, L3: should report a time without a day
  Dato;Start;Tittel
  2027-02-14;19.00;A
  ;19.00;B
  = A | 2027-02-14 19:00
  ! 3 Start: dropped record, expected a date such as 14.02.2027 kl. 19.00 or 2027-02-14 19:00, found "19.00"
# G2, L3: should report ends that are unreadable, or before the start
  Tittel;Start;Slutt
  A;2027-02-14 19:00;sent
  B;2027-02-14 19:00;2027-02-13 19:00
  C;2027-02-14;2027-02-13
  = A | 2027-02-14 19:00
  = B | 2027-02-14 19:00
  = C | 2027-02-14
  ! 2 Slutt: changed value, expected a date such as 14.02.2027 kl. 19.00 or 2027-02-14 19:00, found "sent"
  ! 3 Slutt: changed value, expected an end that is not before the start, found "2027-02-13 19:00"
  ! 4 Slutt: changed value, expected an end that is not before the start, found "2027-02-13"
# G2, L3: should report a range that ends before it begins
  Tittel;Dato
  A;16.02.2027 – 14.02.2027
  = A | 2027-02-16
  ! 2 Dato: changed value, expected an end that is not before the start, found "16.02.2027 – 14.02.2027"
# G2, G8, L3: should report links and pictures without an http address
  Tittel;Start;Lenke;Billetter;Bilde
  A;2027-02-14;javascript:alert(1);i døra;bilde.jpg
  = A | 2027-02-14
  ! 2 Billetter: changed value, expected an http or https URL, found "i døra"
  ! 2 Lenke: changed value, expected an http or https URL, found "javascript:alert(1)"
  ! 2 Bilde: changed value, expected the http or https URL of an image, found "bilde.jpg"
# G2, L3: should report unreadable flags and numbers
  Tittel;Start;Avlyst;Breddegrad;Sted
  A;2027-02-14;kanskje;nord;Her
  = A | 2027-02-14 | venue: Her
  ! 2 Breddegrad: changed value, expected a latitude and a longitude such as 63.83 and 10.05, found "nord"
  ! 2 Avlyst: changed value, expected ja or nei, found "kanskje"
# G2: should report a punctuation mark in place of a yes or no
  Tittel;Start;Avlyst
  A;2027-02-14;!
  = A | 2027-02-14
  ! 2 Avlyst: changed value, expected ja or nei, found "!"
# G2, L3: should report rows of one event with different titles
  Id;Tittel;Start
  1;Kor;2027-02-14
  1;Korps;2027-02-15
  = Kor | 2027-02-14, 2027-02-15 | desc_nb: 2027-02-15: Korps
  ! 3 "f:1" Tittel: changed value, expected the title of the series (this title is put before the description, with its date), found "Korps"
# G2, L3: should report a repeated row
  Tittel;Start
  A;2027-02-14
  A;2027-02-14
  = A | 2027-02-14
  ! 3 "f:a-87428fc5": left out, expected a date that no earlier row of the event has, found that of row 2
# G2, L3: should report a quote that is never closed
  Tittel;Start
  A;2027-02-14
  "B;2027-02-15
  C;2027-02-16
  = A | 2027-02-14
  ! 3: dropped record, expected a closing quote (the rest is not read), found the end of the file
# G2, L3: should drop all rows of an id with markup, report each, and count a copy once
  Id;Tittel;Start
  <b>;A;2027-02-14
  <b>;A;2027-02-14
  <b>;A;2027-02-15
  B;B;2027-02-14
  = B | 2027-02-14
  ! 3 "f:<b>": left out, expected a date that no earlier row of the event has, found that of row 2
  ! 2 "f:<b>" id: dropped record, expected an id without markup and control characters, found "f:<b>"
  ! 3 "<b>": dropped record, expected an event that is kept (this row is one of its dates), found one that is left out
  ! 4 "<b>": dropped record, expected an event that is kept (this row is one of its dates), found one that is left out
`,
);

test.run();
