/** The same series as the programs of the world write them. */
import { formatWall } from '../../../../src/calendar/time.ts';
import type { Series } from './random-series.ts';

interface Manner {
  readonly product: string;
  /** What it calls a time zone, and how it defines it. */
  readonly zones: Readonly<Record<Series['zone'], ZoneText>>;
  /** Of a date that is taken out: one property each, or one for all. */
  readonly takesOut: 'each' | 'all';
  readonly length: 'DTEND' | 'DURATION';
  readonly isQuoted?: boolean;
  readonly fold: number;
  readonly lineEnd: '\r\n' | '\n';
  /** Further properties of the calendar and of each event. */
  readonly calendar: readonly string[];
  readonly event: readonly string[];
}

interface ZoneText {
  readonly tzid: string;
  readonly definition: readonly string[];
}

/** A part of a time zone a line: `STANDARD +0200 +0100 19701025T030000 FREQ=YEARLY;…`, offsets before and after, and a rule if it has one. */
export function definedBy(text: string): readonly string[] {
  return text
    .trim()
    .split('\n')
    .flatMap((line) => {
      const [name, from, to, start, rule] = line.trim().split(' ');
      const all = [`BEGIN:${name}`, `TZOFFSETFROM:${from}`, `TZOFFSETTO:${to}`, `DTSTART:${start}`];
      return [...all, ...(rule === undefined ? [] : [`RRULE:${rule}`]), `END:${name}`];
    });
}

/** As most programs define them. */
const COMMON = {
  'Europe/Oslo': {
    tzid: 'Europe/Oslo',
    definition: definedBy(`DAYLIGHT +0100 +0200 19700329T020000 FREQ=YEARLY;BYMONTH=3;BYDAY=-1SU
      STANDARD +0200 +0100 19701025T030000 FREQ=YEARLY;BYMONTH=10;BYDAY=-1SU`),
  },
  'America/New_York': {
    tzid: 'America/New_York',
    definition: definedBy(`DAYLIGHT -0500 -0400 20070311T020000 FREQ=YEARLY;BYMONTH=3;BYDAY=2SU
      STANDARD -0400 -0500 20071104T020000 FREQ=YEARLY;BYMONTH=11;BYDAY=1SU`),
  },
};
/** As Outlook and Exchange do. */
const WINDOWS = {
  'Europe/Oslo': {
    tzid: 'W. Europe Standard Time',
    definition: definedBy(`STANDARD +0200 +0100 16010101T030000 FREQ=YEARLY;BYMONTH=10;BYDAY=-1SU;INTERVAL=1
      DAYLIGHT +0100 +0200 16010101T020000 FREQ=YEARLY;BYMONTH=3;BYDAY=-1SU;INTERVAL=1`),
  },
  'America/New_York': {
    tzid: 'Eastern Standard Time',
    definition: definedBy(`STANDARD -0400 -0500 16010101T020000 FREQ=YEARLY;BYMONTH=11;BYDAY=1SU;INTERVAL=1
      DAYLIGHT -0500 -0400 16010101T020000 FREQ=YEARLY;BYMONTH=3;BYDAY=2SU;INTERVAL=1`),
  },
};
/** Year by year. */
const LISTED = {
  'Europe/Oslo': {
    tzid: 'Europe/Oslo',
    definition: definedBy(`STANDARD +0200 +0100 20251026T030000
      DAYLIGHT +0100 +0200 20260329T020000
      STANDARD +0200 +0100 20261025T030000
      DAYLIGHT +0100 +0200 20270328T020000
      STANDARD +0200 +0100 20271031T030000`),
  },
  'America/New_York': {
    tzid: 'America/New_York',
    definition: definedBy(`STANDARD -0400 -0500 20251102T020000
      DAYLIGHT -0500 -0400 20260308T020000
      STANDARD -0400 -0500 20261101T020000
      DAYLIGHT -0500 -0400 20270314T020000
      STANDARD -0400 -0500 20271107T020000`),
  },
};
/** As Lotus Notes does: rules that tell the hour, a name of its own. */
const LOTUS = {
  'Europe/Oslo': {
    tzid: 'W. Europe',
    definition:
      definedBy(`STANDARD +0200 +0100 19501029T030000 FREQ=YEARLY;BYMINUTE=0;BYHOUR=3;BYMONTH=10;BYDAY=-1SU
      DAYLIGHT +0100 +0200 19500326T020000 FREQ=YEARLY;BYMINUTE=0;BYHOUR=2;BYMONTH=3;BYDAY=-1SU`),
  },
  'America/New_York': {
    tzid: 'Eastern',
    definition:
      definedBy(`STANDARD -0400 -0500 19501105T020000 FREQ=YEARLY;BYMINUTE=0;BYHOUR=2;BYMONTH=11;BYDAY=1SU
      DAYLIGHT -0500 -0400 19500312T020000 FREQ=YEARLY;BYMINUTE=0;BYHOUR=2;BYMONTH=3;BYDAY=2SU`),
  },
};
/** A clock of the file's own, by a name that nobody knows. */
const OWN = {
  'Europe/Oslo': { ...COMMON['Europe/Oslo'], tzid: '/kalender.example/Norge' },
  'America/New_York': { ...COMMON['America/New_York'], tzid: '/kalender.example/Osten' },
};

const USUAL = {
  takesOut: 'all',
  length: 'DTEND',
  fold: 75,
  lineEnd: '\r\n',
  calendar: ['METHOD:PUBLISH'],
} as const;

export const MANNERS: Readonly<Record<string, Manner>> = {
  Google: {
    ...USUAL,
    product: '-//Google Inc//Google Calendar 70.9054//EN',
    zones: COMMON,
    takesOut: 'each',
    calendar: ['METHOD:PUBLISH', 'X-WR-TIMEZONE:Europe/Oslo'],
    event: ['CLASS:PUBLIC', 'SEQUENCE:0', 'STATUS:CONFIRMED'],
  },
  Outlook: {
    ...USUAL,
    product: '-//Microsoft Corporation//Outlook 16.0 MIMEDIR//EN',
    zones: WINDOWS,
    isQuoted: true,
    fold: 72,
    event: ['CLASS:PUBLIC', 'SEQUENCE:0', 'X-MICROSOFT-CDO-BUSYSTATUS:BUSY'],
  },
  Exchange: {
    ...USUAL,
    product: 'Microsoft Exchange Server 2010',
    zones: WINDOWS,
    event: ['STATUS:CONFIRMED', 'X-MICROSOFT-CDO-INSTTYPE:1'],
  },
  Lotus: {
    ...USUAL,
    product: '-//Lotus Development Corporation//NONSGML Notes 9.0//EN_C',
    zones: LOTUS,
    isQuoted: true,
    fold: 72,
    event: ['CLASS:PUBLIC', 'SEQUENCE:0', 'X-LOTUS-CHILD_UID:B41F'],
  },
  Nextcloud: {
    ...USUAL,
    product: '-//IDN nextcloud.com//Calendar app 4.7.6//EN',
    zones: COMMON,
    takesOut: 'each',
    calendar: ['REFRESH-INTERVAL;VALUE=DURATION:PT4H'],
    event: ['SEQUENCE:2', 'STATUS:CONFIRMED'],
  },
  Apple: {
    ...USUAL,
    product: '-//Apple Inc.//macOS 15.1//EN',
    zones: OWN,
    takesOut: 'each',
    length: 'DURATION',
    calendar: ['X-APPLE-CALENDAR-COLOR:#1BADF8'],
    event: ['SEQUENCE:1', 'X-APPLE-TRAVEL-ADVISORY-BEHAVIOR:AUTOMATIC'],
  },
  WordPress: {
    ...USUAL,
    product: '-//Kulturhuset - ECPv6.8.2//NONSGML v1.0//EN',
    zones: LISTED,
    fold: 1_000,
    lineEnd: '\n',
    event: ['URL:https://kulturhuset.example/program/', 'CATEGORIES:Konsert'],
  },
};

export function written(manner: Manner, all: readonly Series[]): string {
  const used = [...new Set(all.filter(({ form }) => form === 'local').map(({ zone }) => zone))];
  const lines = [
    'BEGIN:VCALENDAR',
    `PRODID:${manner.product}`,
    'VERSION:2.0',
    ...manner.calendar,
    ...used.flatMap((zone) => {
      const { tzid, definition } = manner.zones[zone];
      return ['BEGIN:VTIMEZONE', `TZID:${tzid}`, ...definition, 'END:VTIMEZONE'];
    }),
    ...all.flatMap((series) => eventLines(manner, series)),
    'END:VCALENDAR',
  ];
  return lines.map((line) => `${folded(line, manner)}${manner.lineEnd}`).join('');
}

function eventLines(manner: Manner, series: Series): readonly string[] {
  const { uid, taken, added, moved, rule } = series;
  const at = (name: string, walls: readonly number[]) =>
    walls.length === 0
      ? []
      : [`${name}${parametersOf(manner, series)}:${walls.map((wall) => textOf(wall, series)).join(',')}`];
  const takenOut =
    manner.takesOut === 'all' ? at('EXDATE', taken) : taken.flatMap((wall) => at('EXDATE', [wall]));
  const body = (start: number, minutes: number | null, own: readonly string[]) => [
    'BEGIN:VEVENT',
    'DTSTAMP:20251201T100000Z',
    `UID:${uid}`,
    ...at('DTSTART', [start]),
    ...lengthOf(manner, series, { start, minutes }),
    ...own,
    `SUMMARY:Kveld ${uid}\\, med mye og mangt som gjør linjen så lang at den må brettes`,
    ...manner.event,
    'END:VEVENT',
  ];
  return [
    ...body(series.start, series.minutes, [
      ...(rule === null ? [] : [`RRULE:${rule}`]),
      ...takenOut,
      ...at('RDATE', added),
    ]),
    ...moved.flatMap(({ from, to, minutes, isFuture }) => {
      const range = isFuture ? ';RANGE=THISANDFUTURE' : '';
      const [id = ''] = at('RECURRENCE-ID', [from]);
      return body(to, minutes, [id.replace('RECURRENCE-ID', `RECURRENCE-ID${range}`)]);
    }),
  ];
}

function parametersOf({ zones, isQuoted }: Manner, { form, zone }: Series): string {
  if (form === 'date') return ';VALUE=DATE';
  if (form === 'utc') return '';
  const { tzid } = zones[zone];
  return isQuoted ? `;TZID="${tzid}"` : `;TZID=${tzid}`;
}

function textOf(wall: number, { form }: Pick<Series, 'form'>): string {
  const text = formatWall(wall).replace(/[-:]/g, '').replace(' ', 'T');
  if (form === 'date') return text.slice(0, 8);
  return form === 'utc' ? `${text}Z` : text;
}

function lengthOf(
  manner: Manner,
  series: Series,
  { start, minutes }: { readonly start: number; readonly minutes: number | null },
): readonly string[] {
  if (minutes === null) return [];
  if (manner.length === 'DTEND')
    return [`DTEND${parametersOf(manner, series)}:${textOf(start + minutes * 60, series)}`];
  return series.form === 'date' ? [`DURATION:P${minutes / 1440}D`] : [`DURATION:PT${minutes}M`];
}

function folded(line: string, { fold, lineEnd }: Manner): string {
  const bytes = Buffer.from(line);
  const parts: Buffer[] = [];
  for (let at = 0; at < bytes.length; at += fold) parts.push(bytes.subarray(at, at + fold));
  // Within a character too, as RFC 5545 allows.
  return parts.map((one) => one.toString('latin1')).join(`${lineEnd} `);
}
