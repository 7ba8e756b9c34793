/** The same series as each of the usual programs writes them. */
import { formatWall } from '../../../../../src/calendar/time.ts';
import type { Series } from './random-series.ts';

interface Dialect {
  /** Its names of time zones, and their definitions. */
  readonly zones: Readonly<
    Record<Series['zone'], { readonly tzid: string; readonly definition: readonly string[] }>
  >;
  readonly fold: number;
  readonly lineEnd: '\r\n' | '\n';
  /** Further properties of the calendar. */
  readonly calendar: readonly string[];
}

/**
 * The lines of a time zone's parts. Each line of the text is a part: `STANDARD +0200 +0100 19701025T030000 FREQ=YEARLY;…` has the offsets
 * before and after, the first onset, and a rule if there is one.
 */
export function zoneLines(text: string): readonly string[] {
  return text
    .trim()
    .split('\n')
    .flatMap((line) => {
      const [name, from, to, start, rule] = line.trim().split(' ');
      const all = [`BEGIN:${name}`, `TZOFFSETFROM:${from}`, `TZOFFSETTO:${to}`, `DTSTART:${start}`];
      return [...all, ...(rule === undefined ? [] : [`RRULE:${rule}`]), `END:${name}`];
    });
}

const OSLO = `DAYLIGHT +0100 +0200 19700329T020000 FREQ=YEARLY;BYMONTH=3;BYDAY=-1SU
  STANDARD +0200 +0100 19701025T030000 FREQ=YEARLY;BYMONTH=10;BYDAY=-1SU`;
const NEW_YORK = `DAYLIGHT -0500 -0400 20070311T020000 FREQ=YEARLY;BYMONTH=3;BYDAY=2SU
  STANDARD -0400 -0500 20071104T020000 FREQ=YEARLY;BYMONTH=11;BYDAY=1SU`;

/** Norway's clock and New York's, by these names, each part of their definitions changed. */
function zonesOf(oslo: string, newYork: string, change = (text: string) => text): Dialect['zones'] {
  return {
    'Europe/Oslo': { tzid: oslo, definition: zoneLines(change(OSLO)) },
    'America/New_York': { tzid: newYork, definition: zoneLines(change(NEW_YORK)) },
  };
}

/** As most programs define them. */
const COMMON = zonesOf('Europe/Oslo', 'America/New_York');
/** As Outlook and Exchange do. */
const WINDOWS = zonesOf('W. Europe Standard Time', 'Eastern Standard Time', (text) =>
  text.replace(/\d{8}(?=T)/g, '16010101').replace(/SU$/gm, 'SU;INTERVAL=1'),
);
/** Days on which the clocks change, from the autumn of 2025 on. */
const CHANGES = {
  oslo: ['20251026', '20260329', '20261025', '20270328', '20271031'],
  newYork: ['20251102', '20260308', '20261101', '20270314', '20271107'],
};
/** Year by year, in place of a rule. */
const LISTED = zonesOf('Europe/Oslo', 'America/New_York', (text) => {
  const [daylight = '', standard = ''] = text.split('\n').map((part) => part.trim().replace(/ FREQ.*/, ''));
  const from = (part: string, day: string) => part.replace(/\d{8}(?=T)/, day);
  return (text === OSLO ? CHANGES.oslo : CHANGES.newYork)
    .map((day, at) => from(at % 2 === 0 ? standard : daylight, day))
    .join('\n');
});
/** As Lotus Notes does: rules with the hour, and names of its own. */
const LOTUS = zonesOf('W. Europe', 'Eastern', (text) =>
  text.replace(/\d{4}(\d{4}T0(\d)0000 FREQ=YEARLY)/g, '1950$1;BYMINUTE=0;BYHOUR=$2'),
);
/** A time zone that only the file defines, by a name that no database has. */
const CUSTOM_ZONES = zonesOf('/kalender.example/Norge', '/kalender.example/Osten');

const USUAL = { zones: COMMON, fold: 75, lineEnd: '\r\n', calendar: ['METHOD:PUBLISH'] } as const;

export const DIALECTS: Readonly<Record<string, Dialect>> = {
  Google: { ...USUAL, calendar: ['METHOD:PUBLISH', 'X-WR-TIMEZONE:Europe/Oslo'] },
  Outlook: { ...USUAL, zones: WINDOWS, fold: 72 },
  Lotus: { ...USUAL, zones: LOTUS },
  Apple: { ...USUAL, zones: CUSTOM_ZONES, calendar: ['REFRESH-INTERVAL;VALUE=DURATION:PT4H'] },
  WordPress: { ...USUAL, zones: LISTED, fold: 1_000, lineEnd: '\n' },
};

export function written(dialect: Dialect, all: readonly Series[]): string {
  const used = [...new Set(all.filter(({ form }) => form === 'local').map(({ zone }) => zone))];
  const lines = [
    'BEGIN:VCALENDAR',
    'PRODID:-//lillevik.example//NO',
    'VERSION:2.0',
    ...dialect.calendar,
    ...used.flatMap((zone) => {
      const { tzid, definition } = dialect.zones[zone];
      return ['BEGIN:VTIMEZONE', `TZID:${tzid}`, ...definition, 'END:VTIMEZONE'];
    }),
    ...all.flatMap((series) => eventLines(dialect, series)),
    'END:VCALENDAR',
  ];
  return lines.map((line) => `${folded(line, dialect)}${dialect.lineEnd}`).join('');
}

function eventLines({ zones }: Dialect, series: Series): readonly string[] {
  const { uid, form, zone, taken, added, moved, rule } = series;
  const parameters = { date: ';VALUE=DATE', utc: '', local: `;TZID="${zones[zone].tzid}"` }[form];
  const property = (name: string, walls: readonly number[]) =>
    walls.length === 0 ? [] : [`${name}${parameters}:${walls.map((wall) => textOf(wall, form)).join(',')}`];
  const body = (start: number, minutes: number | null, own: readonly string[]) => [
    'BEGIN:VEVENT',
    `UID:${uid}`,
    ...property('DTSTART', [start]),
    ...(minutes === null ? [] : property('DTEND', [start + minutes * 60])),
    ...own,
    `SUMMARY:Kveld ${uid}\\, med mye og mangt som gjør linjen så lang at den må brettes`,
    'CLASS:PUBLIC',
    'SEQUENCE:0',
    'STATUS:CONFIRMED',
    'X-PROGRAM;X-OWN="a:b":what it writes besides',
    'END:VEVENT',
  ];
  const recurring = [
    ...(rule === null ? [] : [`RRULE:${rule}`]),
    ...property('EXDATE', taken),
    ...property('RDATE', added),
  ];
  return [
    ...body(series.start, series.minutes, recurring),
    ...moved.flatMap(({ from, to, minutes, isFuture }) =>
      body(to, minutes, property(`RECURRENCE-ID${isFuture ? ';RANGE=THISANDFUTURE' : ''}`, [from])),
    ),
  ];
}

function textOf(wall: number, form: Series['form']): string {
  const text = formatWall(wall).replace(/[-:]/g, '').replace(' ', 'T');
  if (form === 'date') return text.slice(0, 8);
  return form === 'utc' ? `${text}Z` : text;
}

function folded(line: string, { fold, lineEnd }: Dialect): string {
  const bytes = Buffer.from(line);
  const parts: Buffer[] = [];
  for (let at = 0; at < bytes.length; at += fold) parts.push(bytes.subarray(at, at + fold));
  // Within a character too, as RFC 5545 allows.
  return parts.map((one) => one.toString('latin1')).join(`${lineEnd} `);
}
