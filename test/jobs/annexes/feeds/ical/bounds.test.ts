/** Hostile iCalendar files of megabytes: the cost of reading and expanding them grows linearly with their bytes. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { readCalendarFeed } from '../../../../../jobs/annexes/feeds/ical/calendar.ts';
import { costsAtMost } from '../../../../helpers/cost.ts';
import { taskOf } from '../../../../helpers/feed-reading.ts';
import { IS_LONG } from '../../../../helpers/run-options.ts';

const test = suite('iCalendar bounds');

const SIZE = IS_LONG ? 10_000_000 : 100_000;
const FOLDED = IS_LONG ? 10_000_000 : 500_000;
/** References (`costsAtMost`): many times the cost of each file. Quadratic work costs fifty times as many, even at the smaller size. */
const MOST = SIZE / 2_000;

/** `text` again and again, to about so many bytes. */
const filled = (text: string, bytes = SIZE) => text.repeat(Math.ceil(bytes / text.length));
/** Numbered, so that each is another. */
const numbered = (make: (at: number) => string, bytes = SIZE) =>
  Array.from({ length: Math.ceil(bytes / make(100_000).length) }, (_, at) => make(at)).join('');

const START = 'DTSTART:20260401T100000Z\nSUMMARY:Kveld\n';
const NEW_YORK = 'DTSTART;TZID=America/New_York:20260401T100000\nSUMMARY:Kveld\n';
const event = (properties: string, uid = 'a') => `BEGIN:VEVENT\nUID:${uid}\n${properties}\nEND:VEVENT\n`;
const zone = (observances: string) => `BEGIN:VTIMEZONE\nTZID:Eget\n${observances}END:VTIMEZONE\n`;
const ONSET = 'TZOFFSETFROM:+0100\nTZOFFSETTO:+0200\n';
const clock = (at: number) =>
  new Date(Date.UTC(2026, 0, 1) + at * 1000).toISOString().slice(5, 19).replace(/[-:]/g, '');
const instant = (at: number) =>
  `${new Date(Date.UTC(2026, 0, 1) + at * 1000).toISOString().slice(0, 4)}${clock(at)}Z`;

/** The one file that is written as Latin-1. */
const NOT_UTF_8 = 'bytes that are not UTF-8';

const FILES: Readonly<Record<string, () => string>> = {
  'carriage returns within a line': () => event(`${START}DESCRIPTION:${filled('\r')}x`),
  'a folded line': () => event(`${START}DESCRIPTION:${filled('mange ord\n ', FOLDED)}slutt`),
  'a line folded after each letter': () => event(`${START}DESCRIPTION:${filled('x\n ', FOLDED)}`),
  'quoted-printable folds': () =>
    event(`${START}DESCRIPTION;ENCODING=QUOTED-PRINTABLE:${filled('=C3=A5=\n', FOLDED)}`),
  'semicolons before a colon': () => event(`${START}X${filled(';')}:x`),
  'parameters by the million': () => event(`${START}DESCRIPTION${numbered((at) => `;P${at}=1`)}:x`),
  'quotes in a parameter': () => event(`${START}DESCRIPTION;ALTREP=${filled('" "')}:x`),
  'blanks within a quoted parameter': () => event(`${START}ORGANIZER;CN="x"${filled(' ')}y:mailto:x`),
  'at signs in a name': () => event(`${START}ORGANIZER;CN=${filled('@')} x:mailto:x`),
  backslashes: () => event(`${START}DESCRIPTION:${filled('\\')}`),
  'blanks between BEGIN and its name': () => event(`${START}BEGIN:${filled(' ')}!`),
  'components within one another': () =>
    `BEGIN:VCALENDAR\n${filled('BEGIN:X\n', SIZE / 2)}${filled('END:Y\n', SIZE / 2)}`,
  'tasks within one another': () =>
    `BEGIN:VCALENDAR\n${filled('BEGIN:X\n', SIZE / 2)}${filled('BEGIN:VTODO\nBEGIN:X\n', SIZE / 2)}`,
  'a zone’s name of one kind of letter': () =>
    event(`DTSTART;TZID=${filled('a')}:20260401T100000\nSUMMARY:x`),
  'a zone’s name of slashes': () => event(`DTSTART;TZID=${filled('a/')}1:20260401T100000\nSUMMARY:x`),
  'unknown zones': () =>
    numbered((at) =>
      event(`DTSTART;TZID=Area/Zone${'abcdefghij'.repeat(2)}${at}:20260401T100000\nSUMMARY:x`, `${at}`),
    ),
  observances: () =>
    zone(filled(`BEGIN:STANDARD\n${ONSET}DTSTART:19700101T000000\nRRULE:FREQ=YEARLY\nEND:STANDARD\n`)) +
    numbered(
      (at) => event(`DTSTART;TZID=Eget:20260401T100000\nRRULE:FREQ=DAILY;COUNT=2\nSUMMARY:x`, `${at}`),
      SIZE / 20,
    ),
  onsets: () =>
    zone(
      `BEGIN:STANDARD\n${ONSET}DTSTART:19700101T000000\nRDATE:${numbered((at) => `${instant(at).slice(0, -1)},`)}\nEND:STANDARD\n`,
    ) +
    numbered(
      (at) => event(`DTSTART;TZID=Eget:20260401T100000\nRRULE:FREQ=DAILY;COUNT=2\nSUMMARY:x`, `${at}`),
      SIZE / 100,
    ),
  'dates taken out': () =>
    event(`${NEW_YORK}RRULE:FREQ=DAILY\nEXDATE:${numbered((at) => `${instant(at * 60)},`)}`),
  'dates taken out of many rules': () =>
    event(
      `DTSTART:20260401T100000\nSUMMARY:x\n${filled('RRULE:FREQ=DAILY;COUNT=2\n', SIZE / 50)}EXDATE:${numbered((at) => `${instant(at * 60)},`, SIZE / 10)}`,
    ),
  periods: () => event(`${START}RDATE;VALUE=PERIOD:${numbered((at) => `${instant(at * 60)}/PT1H,`)}`),
  'unreadable dates': () => event(`${START}RDATE:${filled('never,')}`),
  rules: () => event(`${NEW_YORK}${numbered((at) => `RRULE:FREQ=YEARLY;COUNT=${at + 1}\n`)}`),
  'a rule with values by the million': () => event(`${START}RRULE:FREQ=MONTHLY;BYDAY=${filled('MO,')}MO`),
  'a rule of semicolons': () => event(`${START}RRULE:${filled(';')}`),
  'changes of all that follows': () =>
    event(`${NEW_YORK}RRULE:FREQ=HOURLY`) +
    numbered((at) => event(`RECURRENCE-ID;RANGE=THISANDFUTURE:${instant(at * 60)}\n${NEW_YORK}`)),
  'overrides of an event with a long title': () =>
    event(`${START}RRULE:FREQ=DAILY`).replace('Kveld', filled('x', SIZE / 2)) +
    numbered((at) => event(`RECURRENCE-ID:${instant(at * 86_400)}\n${START}`), SIZE / 2),
  'overrides of an event with many properties': () =>
    event(`${filled('CATEGORIES:x\n', SIZE / 2)}${START}RRULE:FREQ=DAILY`) +
    numbered((at) => event(`RECURRENCE-ID:${instant(at * 86_400)}\n${START}`), SIZE / 2),
  'events with one UID, and a long title among them': () =>
    event(START).replace('Kveld', filled('x', SIZE / 2)) +
    numbered((at) => event(START).replace('Kveld', `Kveld ${at}`), SIZE / 2),
  'versions of one event': () => numbered((at) => event(`${START}SEQUENCE:${at}`)),
  'events without a UID': () => filled(event(START).replace('UID:a\n', '')),
  places: () => numbered((at) => event(`${START}LOCATION:Sal ${at}\\, Gata 1`, `${at}`)),
  'a place of commas': () => event(`${START}LOCATION:${filled('\\, ')}`),
  'marks of letters': () => event(`${START}LOCATION:${filled('a\u0301\u0316')}`),
  images: () => event(`${START}${filled('ATTACH:https://x.example/.png.png.\n')}`),
  'an image with dots': () => event(`${START}ATTACH:https://${filled('.png')}x`),
  coordinates: () => event(`${START}GEO:1.${filled('1')}`),
  categories: () => event(`${START}CATEGORIES:${numbered((at) => `tag${at},`)}`),
  'lines without a property': () => event(`${START}${filled('ingenting\n')}`),
  [NOT_UTF_8]: () => event(`${START}DESCRIPTION:${filled('\u00e5')}`),
};

for (const [what, text] of Object.entries(FILES)) {
  test(`G12: should read ${what} in linear time`, async () => {
    const bytes = Buffer.from(text(), what === NOT_UTF_8 ? 'latin1' : 'utf8');
    await costsAtMost(MOST, () => {
      const { counts } = readCalendarFeed([{ origin: null, bytes }], taskOf(), () => undefined);
      assert.is(counts.events + counts.merged + counts.dropped, counts.entries, 'counted entries');
    });
  });
}

test.run();
