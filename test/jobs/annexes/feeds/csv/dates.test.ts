/** Dates in tables: the order of day and month, formats, times, several dates in a cell, rules. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { readTableFeed } from '../../../../../jobs/annexes/feeds/csv/events.ts';
import { datesIn, readDocuments, refusalOf, testReadings } from '../../../../helpers/feed-reading.ts';
import { tableOf } from '../../../../helpers/tables.ts';

const test = suite('dates of tables');
const read = (table: string, feed = {}) => readDocuments(readTableFeed, table, feed);

/** The dates of all rows in a table with these columns and a title. */
function datesOf(head: string, rows: readonly string[], feed = {}): string {
  const table = [`Tittel;${head}`, ...rows.map((row, place) => `T${place};${row}`)].join('\n');
  return read(table, feed).events.flatMap(datesIn).join(', ');
}

const ORDERS = tableOf(
  ['hint', 'head', 'rows', 'starts'],
  `
  a day above 12 in second place → Start → 05/06/2027, 12/24/2027, 7/4/2027 → 2027-05-06, 2027-12-24, 2027-07-04
  a day above 12 in first place → Start → 05/06/2027, 24/12/2027, 7-4-2027 → 2027-06-05, 2027-12-24, 2027-04-07
  another column → Start;Slutt → 05/06/2027;05/06/2027, 05/12/2027;05/13/2027 → 2027-05-06, 2027-05-12 to 2027-05-13
  AM and PM in the cell → Start → 05/06/2027 7:00 PM → 2027-05-06 19:00
  AM and PM in a column of its own → Dato;Kl → 05/06/2027;10:00 AM → 2027-05-06 10:00
  dots, which are Norwegian → Start → 05.06.2027 → 2027-06-05
  days that are the same either way → Start → 05/05/2027 → 2027-05-05
  years in front → Start → 2027/05/06, 2027-05-07 → 2027-05-06, 2027-05-07
`,
);

for (const { hint, head, rows, starts } of ORDERS) {
  test(`L1: should recognise the order of day and month by ${hint}`, () =>
    assert.is(datesOf(head, rows.split(', ')), starts));
}

test('L1: should drop a single date in another order than the table’s', () => {
  const days = Array.from({ length: 11 }, (_, place) => `${13 + place}/06/2027`);
  const dates = datesOf('Start', [...days, '06/30/2027', '05/06/2027']).split(', ');
  assert.is(dates.length, 12, 'dates');
  assert.is(dates.at(-1), '2027-06-05', 'date of the last row');
});

/** From the first of January 2027 on. */
const DAYS_400 = Array.from({ length: 400 }, (_, place) =>
  new Date(Date.UTC(2027, 0, 1 + place)).toISOString().slice(0, 10),
).join(' + ');

testReadings(
  test,
  readTableFeed,
  `
# G3, L3: should stop a table with only dates that can be read both ways, and show them
  Tittel;Start
  A;05/06/2027
  B;07/04/2027
  ! unreadable answer: expected dates in the column "Start" whose order is certain, found "05/06/2027", which is 2027-06-05 by DD/MM/YYYY and 2027-05-06 by MM/DD/YYYY; set "format": "DD/MM/YYYY" or "format": "MM/DD/YYYY", with " HH:mm" if the column has times
# G3, L3: should read such a table by its format
  @ {"format": "MM/DD/YYYY"}
  Tittel;Start
  A;05/06/2027
  = A | 2027-05-06
# G3, L3: should stop a table with dates in both orders, and show them
  Tittel;Dato;Kl
  A;05/06/2027;19:00
  B;24/12/2027;19:00
  C;12/24/2027;19:00
  ! unreadable answer: expected dates in the column "Dato" whose order is certain, found both "24/12/2027" and "12/24/2027"; set "format": "DD/MM/YYYY" or "format": "MM/DD/YYYY", with " HH:mm" if the column has times
# G2: should report a date in another form than the format, and not guess
  @ {"format": "MM/DD/YYYY"}
  Tittel;Start
  A;14/02/2027
  ! 2 Start: dropped record, expected a date of the form MM/DD/YYYY, found "14/02/2027"
# G2: should keep the day of a row whose start cannot be read, and report it
  Tittel;Dato;Start
  A;14.02.2027;sent
  = A | 2027-02-14
  ! 2 Start: changed value, expected a time of day such as 19.00 or 19.00–21.00 (the date is read as a whole day), found "sent"
# G2: should read a date as a whole day if its time cannot be read, and report it
  Tittel;Dato;Tid
  A;14.02.2027;ettermiddag
  B;14.02.2027;25.00
  = A | 2027-02-14
  = B | 2027-02-14
  ! 2 Tid: changed value, expected a time of day such as 19.00 or 19.00–21.00 (the date is read as a whole day), found "ettermiddag"
  ! 3 Tid: changed value, expected a time of day such as 19.00 or 19.00–21.00 (the date is read as a whole day), found "25.00"
# L1: should give each of several dates of a row its end
  Tittel;Dato;Kl;Slutt
  A;14.02.2027 og 15.02.2027;19;21
  B;16.02.2027;19;21
  = A | 2027-02-14 19:00 to 2027-02-14 21:00, 2027-02-15 19:00 to 2027-02-15 21:00
  = B | 2027-02-16 19:00 to 2027-02-16 21:00
# G2: should drop a row if a part of its list of dates is unreadable
  Tittel;Dato
  A;14.02.2027 og en til
  ! 2 Dato: dropped record, expected a date such as 14.02.2027 kl. 19.00 or 2027-02-14 19:00, found "14.02.2027 og en til"
# L1, F4: should repeat a date by the rule of its row, except on the days of its column Unntak
  Tittel;Start;Slutt;RRULE;Unntak
  A;16.02.2027 18.00;20.00;"RRULE:FREQ=WEEKLY;BYDAY=TU";"23.02.2027, 02.03.2027"
  = A
    | 2027-02-16 18:00 to 2027-02-16 20:00 rule=FREQ=WEEKLY;BYDAY=TU except=2027-02-23 18:00 + 2027-03-02 18:00
# G2: should keep the first date of a row whose rule cannot be read
  Tittel;Start;RRULE
  A;2027-02-14;hver uke
  = A | 2027-02-14
  ! 2 RRULE: changed value, expected a part NAME=value with one of FREQ, INTERVAL, COUNT, UNTIL, WKST, BYSECOND, BYMINUTE, BYHOUR, BYDAY, BYMONTHDAY, BYYEARDAY, BYWEEKNO, BYMONTH, BYSETPOS (the first date is kept), found "hver uke"
# L1: should keep the offset of an end in the start's cell
  Tittel;Start
  A;2027-06-14 19:00Z - 2027-06-14 21:00Z
  B;2027-06-14T19:00:00+00:00 - 2027-06-14T20:30:00+00:00
  C;2027-06-14 19:00Z - 2027-06-15 21:00
  D;2027-06-14 19:00Z-21:00
  E;2027-06-14 19:00Z, 2027-06-15 19:00Z-21:00
  = A | 2027-06-14 19:00Z to 2027-06-14 21:00Z
  = B | 2027-06-14 19:00+00:00 to 2027-06-14 20:30+00:00
  = C | 2027-06-14 19:00Z to 2027-06-15 21:00
  = D | 2027-06-14 19:00Z to 2027-06-14 21:00Z
  = E | 2027-06-14 19:00Z, 2027-06-15 19:00Z to 2027-06-15 21:00Z
# L1, F4: should except each day of a range, and report an exception that is not a day
  Tittel;Start;RRULE;Unntak
  A;14.02.2027 19.00;FREQ=DAILY;14.–16. februar 2027
  B;14.02.2027;FREQ=DAILY;20.02.2027, 27.02.2027 - 01.03.2027
  C;14.02.2027 19.00;FREQ=DAILY;19.00
  D;14.02.2027 19.00;FREQ=DAILY;16.02.2027 - 14.02.2027
  E;14.02.2027 19.00;FREQ=DAILY;14.02.2027 19.00 - 16.02.2027 21.00
  = A
    | 2027-02-14 19:00 rule=FREQ=DAILY except=2027-02-14 19:00 + 2027-02-15 19:00 + 2027-02-16 19:00
  = B
    | 2027-02-14 rule=FREQ=DAILY except=2027-02-20 + 2027-02-27 + 2027-02-28 + 2027-03-01
  = C
    | 2027-02-14 19:00 rule=FREQ=DAILY
  = D
    | 2027-02-14 19:00 rule=FREQ=DAILY
  = E
    | 2027-02-14 19:00 rule=FREQ=DAILY
  ! 4 Unntak: changed value, expected days such as 14.02.2027, 21.02.2027 or 14.–16. februar 2027, found "19.00"
  ! 5 Unntak: changed value, expected days such as 14.02.2027, 21.02.2027 or 14.–16. februar 2027, found "16.02.2027 - 14.02.2027"
  ! 6 Unntak: changed value, expected days such as 14.02.2027, 21.02.2027 or 14.–16. februar 2027, found "14.02.2027 19.00 - 16.02.2027 21.00"
# L1: should except at most 400 days, and report the rest
  Tittel;Start;RRULE;Unntak
  A;14.02.2027;FREQ=YEARLY;01.01.2027 - 31.12.2999
  = A
    | 2027-02-14 rule=FREQ=YEARLY except=${DAYS_400}
  ! 2 Unntak: changed value, expected at most 400 days (the rest is left out), found "01.01.2027 - 31.12.2999"
# L1: should read times in the zone that a column or the feed names
  @ {"timeZone": "America/New_York"}
  Event Name,Event Start Date,Event Start Time,Event End Time,Event Timezone,RRULE
  A,2027-07-02,19:00,21:00,Europe/Oslo,
  B,2027-07-02,19:00,21:00,Europe/London,
  C,2027-07-02,19:00,21:00,Mars,
  D,2027-07-02,,,Europe/London,
  E,2027-07-02,19:00,,Europe/London,FREQ=WEEKLY
  F,2027-07-02,19:00,,,
  = A | 2027-07-02 19:00 to 2027-07-02 21:00
  = B | 2027-07-02 18:00:00Z to 2027-07-02 20:00:00Z
  = C | 2027-07-02 19:00 to 2027-07-02 21:00
  = D | 2027-07-02
  = E | 2027-07-02 18:00:00Z
  = F | 2027-07-02 23:00:00Z
  ! 4 Event Timezone: changed value, expected a time zone such as Europe/Oslo (read as Norwegian time), found "Mars"
  ! 6 RRULE: changed value, expected no rule, or Norwegian time, which all rules use (the first date is kept), found "FREQ=WEEKLY"
# L1: should read a time without its end, and an offset to the west
  Tittel;Dato;Tid
  A;14.02.2027;19:00 -
  B;2027-02-14T19:00-05:00;
  C;2027-02-14 19:00:00-05:00;
  = A | 2027-02-14 19:00
  = B | 2027-02-14 19:00-05:00
  = C | 2027-02-14 19:00-05:00
`,
);

const FORMATS = tableOf(
  ['format', 'head', 'row', 'start'],
  `
  MM/DD/YYYY h:mm A → Dato;Kl → 05/06/2027;7:00 PM → 2027-05-06 19:00
  MM/DD/YYYY HH:mm → Dato;Kl → 05/06/2027;19:00 → 2027-05-06 19:00
  DD/MM/YYYY, HH:mm → Dato;Kl → 05/06/2027;19:00 → 2027-06-05 19:00
  HH.mm D. MMMM YYYY → Dato;Kl → 5. juni 2027;19.00 → 2027-06-05 19:00
  MM/DD/YYYY → Start → 05/06/2027 19:00 → 2027-05-06 19:00
  YYYYMMDD → Dato;Kl → 20270506;1900 → 2027-05-06 19:00
  MM/DD/YYYY HH:mm → Start → 02/14/2027 19:00 → 2027-02-14 19:00
  M/D/YYYY h:mm A → Start → 2/14/2027 7:00 PM → 2027-02-14 19:00
  D. MMMM YYYY [kl.] HH.mm → Start → 14. februar 2027 kl. 19.00 → 2027-02-14 19:00
  YYYYMMDD HHmm → Start → 20270214 1900 → 2027-02-14 19:00
  MM/DD/YYYY → Start → 2027-02-14 19:00 → 2027-02-14 19:00
`,
);

for (const { format, head, row, start } of FORMATS) {
  test(`L1: should read ${row} in the columns ${head} by the format ${format}`, () =>
    assert.is(datesOf(head, [row], { format }), start));
}

/** Times of day, read from a column of their own and after the day. */
const SPANS = [
  '19:00-22:00',
  '19–22',
  '19-22',
  'kl. 19.00 - 22.00',
  'kl 19.00 - kl 22.00',
  '19:00:00-22:00:00',
  '1900-2200',
  '7:00 PM - 10:00 PM',
  '7-10 pm',
  'fra kl. 19 til 22',
  '19h-22h',
];

for (const clock of SPANS) {
  test(`L1: should read ${clock} as a start and an end`, () => {
    const date = '2027-02-14 19:00 to 2027-02-14 22:00';
    assert.is(datesOf('Dato;Tid', [`14.02.2027;${clock}`]), date);
    assert.is(datesOf('Start', [`2027-02-14 ${clock}`]), date);
  });
}

/** The rows from `date;start_time` on are as public tables were found to write dates. */
const DATES = tableOf(
  ['head', 'row', 'date'],
  `
  Start;Slutt → 14.02.2027 kl. 19.00;14.02.2027 kl. 21.30 → 2027-02-14 19:00 to 2027-02-14 21:30
  Start → 14.2.27 19:00 → 2027-02-14 19:00
  Start → søndag 14. februar 2027 kl. 19 → 2027-02-14 19:00
  Start → 2027-02-14T19:00:00.000Z → 2027-02-14 19:00Z
  Start → 2027-07-14 19:00:00+02:00 → 2027-07-14 19:00+02:00
  Start → February 14, 2027 7:00 PM → 2027-02-14 19:00
  Start → 14/02/2027, 19:00 → 2027-02-14 19:00
  Start → 14.02.2027 → 2027-02-14
  Start;Slutt → 14.02.2027;16.02.2027 → 2027-02-14 to 2027-02-16
  Start;Kl → 14.02.2027;hele dagen → 2027-02-14
  Dato;Tid → 14.02.2027;19.00–21.30 → 2027-02-14 19:00 to 2027-02-14 21:30
  Dato;Fra;Til → 14.02.2027;22.00;02.00 → 2027-02-14 22:00 to 2027-02-15 02:00
  Dato;Fra;Til → 14.02.2027;20.00;24.00 → 2027-02-14 20:00 to 2027-02-15 00:00
  Dato;Start;Slutt → 14.02.2027;19:00;21:00 → 2027-02-14 19:00 to 2027-02-14 21:00
  Startdato;Starttid;Sluttdato;Sluttid → 14.02.2027;19:00;15.02.2027;02:00 → 2027-02-14 19:00 to 2027-02-15 02:00
  Startdato;Starttid;Sluttdato;Sluttid → 14.02.2027;19:00;14.02.2027; → 2027-02-14 19:00
  Start;Slutt → 14.02.2027 19.00;15.02.2027 → 2027-02-14 19:00 to 2027-02-16 00:00
  Start;Varighet → 14.02.2027 19.00;1 t 30 min → 2027-02-14 19:00 for 90 min
  Start;Varighet → 14.02.2027 19.00;90 → 2027-02-14 19:00 for 90 min
  Start;Varighet → 14.02.2027 19.00;1:30 → 2027-02-14 19:00 for 90 min
  Startdato;Starttid;Sluttdato;Sluttid;Heldagshendelse → 14.02.2027;00:00;16.02.2027;00:00;Sann → 2027-02-14 to 2027-02-15
  Event Start Date;Event Start Time;Event End Time;All Day → 2027-02-14;7:00 PM;10 PM;False → 2027-02-14 19:00 to 2027-02-14 22:00
  Dato → 14.02.2027 – 16.02.2027 → 2027-02-14 to 2027-02-16
  Dato → 14.–16. februar 2027 → 2027-02-14 to 2027-02-16
  Dato → 14-16.02.2027 → 2027-02-14 to 2027-02-16
  Dato → 27. februar – 2. mars 2027 → 2027-02-27 to 2027-03-02
  Dato → 27.2. - 2.3.2027 → 2027-02-27 to 2027-03-02
  Dato → 27/2–2/3-2027 → 2027-02-27 to 2027-03-02
  Dato → fredag 28. desember til søndag 6. januar 2028 → 2027-12-28 to 2028-01-06
  Dato → 14.02.2027, hele dagen → 2027-02-14
  Dato → Lørdag 14/2 2027 10-15 → 2027-02-14 10:00 to 2027-02-14 15:00
  Dato → 2027-02-14 til 2027-02-16 → 2027-02-14 to 2027-02-16
  Dato → 14.02.2027 kl. 19.00 – 15.02.2027 kl. 02.00 → 2027-02-14 19:00 to 2027-02-15 02:00
  Start → 28.03.2027 02.30 → 2027-03-28 02:30
  date;start_time;end_time → 2027-02-14;11:00;12:30 → 2027-02-14 11:00 to 2027-02-14 12:30
  date;starttime;endtime → 2027-02-14;11:00;12:30 → 2027-02-14 11:00 to 2027-02-14 12:30
  Date & Time → 2/3/2027 through 2/14/2027 → 2027-02-03 to 2027-02-14
  date → 2/Feb/2027 → 2027-02-02
  date → 20270214 → 2027-02-14
  date;time → 2015/03/7;9:30pm → 2015-03-07 21:30
  Start;End → 2/14/27 13:00;2/14/2027 13:01 PM → 2027-02-14 13:00 to 2027-02-14 13:01
  date;duration → 2027-02-14 11:00;02:30h → 2027-02-14 11:00 for 150 min
  date;duration → 2027-02-14 11:00;~2:00 hours → 2027-02-14 11:00 for 120 min
`,
);

for (const { head, row, date } of DATES) {
  test(`F4, L1: should read ${row} in the columns ${head}`, () => {
    const { events, findings } = read(`Tittel;${head}\nA;${row}`);
    assert.equal(findings, []);
    assert.equal(events.flatMap(datesIn), [date]);
  });
}

/** `cells` are those of the columns `Dato` and `Kl`. */
const LISTS = tableOf(
  ['cells', 'starts'],
  `
  14.02.2027, 15.02.2027 og 21.02.2027;19.00 → 2027-02-14 19:00, 2027-02-15 19:00, 2027-02-21 19:00
  14., 15. og 21. februar 2027; → 2027-02-14, 2027-02-15, 2027-02-21
  14. og 15. februar 2027 kl. 19.00; → 2027-02-14 19:00, 2027-02-15 19:00
  14.02.2027 kl. 18, 15.02.2027 kl. 20; → 2027-02-14 18:00, 2027-02-15 20:00
  30. desember og 2. januar 2028; → 2027-12-30, 2028-01-02
  14.02. og 1.03.2027; → 2027-02-14, 2027-03-01
  "2027-02-14; 2027-02-15"; → 2027-02-14, 2027-02-15
  2027-02-14, 2027-02-15; → 2027-02-14, 2027-02-15
  14.02.2027;18.00 og 20.00 → 2027-02-14 18:00, 2027-02-14 20:00
  14.02.2027 kl. 18 og 20; → 2027-02-14 18:00, 2027-02-14 20:00
  lørdag 13. og søndag 14. februar 2027; → 2027-02-13, 2027-02-14
  2027-02-14;7&9pm → 2027-02-14 19:00, 2027-02-14 21:00
  "February 14, 2027 and February 15, 2027"; → 2027-02-14, 2027-02-15
`,
);

for (const { cells, starts } of LISTS) {
  test(`L1: should read the dates in ${cells}`, () => assert.is(datesOf('Dato;Kl', [cells]), starts));
}

test('G2: should drop a row with more than 400 dates in a cell, and report it', () => {
  const days = Array.from({ length: 401 }, () => '2027-02-14').join(', ');
  assert.match(read(`Tittel;Dato\nA;${days}\n`).findings[0] ?? '', /^2 Dato: dropped record, /);
});

test('L3: should refuse a table whose rules give more dates than a region has', () => {
  const rows = Array.from({ length: 1_000 }, (_, place) => `T${place},2027-02-14 10:00,FREQ=MINUTELY`);
  const table = ['Tittel,Start,RRULE', ...rows].join('\n');
  assert.match(refusalOf(readTableFeed, table), /at most 1000000 dates/);
});

test.run();
