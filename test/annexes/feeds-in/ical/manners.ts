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

const part = (name: string, offsets: string, start: string, rule: string) => [
  `BEGIN:${name}`,
  `TZOFFSETFROM:${offsets.split(' ')[0]}`,
  `TZOFFSETTO:${offsets.split(' ')[1]}`,
  `DTSTART:${start}`,
  ...(rule === '' ? [] : [`RRULE:${rule}`]),
  `END:${name}`,
];
const EUROPE = ['FREQ=YEARLY;BYMONTH=3;BYDAY=-1SU', 'FREQ=YEARLY;BYMONTH=10;BYDAY=-1SU'] as const;
const AMERICA = ['FREQ=YEARLY;BYMONTH=3;BYDAY=2SU', 'FREQ=YEARLY;BYMONTH=11;BYDAY=1SU'] as const;

const lotus = (hour: number, rule: string) =>
  rule.replace('FREQ=YEARLY', `FREQ=YEARLY;BYMINUTE=0;BYHOUR=${hour}`);

/** As most programs define them. */
const COMMON = {
  'Europe/Oslo': {
    tzid: 'Europe/Oslo',
    definition: [
      'X-LIC-LOCATION:Europe/Oslo',
      ...part('DAYLIGHT', '+0100 +0200', '19700329T020000', EUROPE[0]),
      ...part('STANDARD', '+0200 +0100', '19701025T030000', EUROPE[1]),
    ],
  },
  'America/New_York': {
    tzid: 'America/New_York',
    definition: [
      ...part('DAYLIGHT', '-0500 -0400', '20070311T020000', AMERICA[0]),
      ...part('STANDARD', '-0400 -0500', '20071104T020000', AMERICA[1]),
    ],
  },
};
/** As Outlook and Exchange do. */
const WINDOWS = {
  'Europe/Oslo': {
    tzid: 'W. Europe Standard Time',
    definition: [
      ...part('STANDARD', '+0200 +0100', '16010101T030000', `${EUROPE[1]};INTERVAL=1`),
      ...part('DAYLIGHT', '+0100 +0200', '16010101T020000', `${EUROPE[0]};INTERVAL=1`),
    ],
  },
  'America/New_York': {
    tzid: 'Eastern Standard Time',
    definition: [
      ...part('STANDARD', '-0400 -0500', '16010101T020000', `${AMERICA[1]};INTERVAL=1`),
      ...part('DAYLIGHT', '-0500 -0400', '16010101T020000', `${AMERICA[0]};INTERVAL=1`),
    ],
  },
};
/** Year by year. */
const LISTED = {
  'Europe/Oslo': {
    tzid: 'Europe/Oslo',
    definition: [
      ...part('STANDARD', '+0200 +0100', '20251026T030000', ''),
      ...part('DAYLIGHT', '+0100 +0200', '20260329T020000', ''),
      ...part('STANDARD', '+0200 +0100', '20261025T030000', ''),
      ...part('DAYLIGHT', '+0100 +0200', '20270328T020000', ''),
      ...part('STANDARD', '+0200 +0100', '20271031T030000', ''),
    ],
  },
  'America/New_York': {
    tzid: 'America/New_York',
    definition: [
      ...part('STANDARD', '-0400 -0500', '20251102T020000', ''),
      ...part('DAYLIGHT', '-0500 -0400', '20260308T020000', ''),
      ...part('STANDARD', '-0400 -0500', '20261101T020000', ''),
      ...part('DAYLIGHT', '-0500 -0400', '20270314T020000', ''),
      ...part('STANDARD', '-0400 -0500', '20271107T020000', ''),
    ],
  },
};
/** As Lotus Notes does: rules that tell the hour, a name of its own. */
const LOTUS = {
  'Europe/Oslo': {
    tzid: 'W. Europe',
    definition: [
      ...part('STANDARD', '+0200 +0100', '19501029T030000', lotus(3, EUROPE[1])),
      ...part('DAYLIGHT', '+0100 +0200', '19500326T020000', lotus(2, EUROPE[0])),
    ],
  },
  'America/New_York': {
    tzid: 'Eastern',
    definition: [
      ...part('STANDARD', '-0400 -0500', '19501105T020000', lotus(2, AMERICA[1])),
      ...part('DAYLIGHT', '-0500 -0400', '19500312T020000', lotus(2, AMERICA[0])),
    ],
  },
};
/** A clock of the file's own, by a name that nobody knows. */
const OWN = {
  'Europe/Oslo': {
    ...COMMON['Europe/Oslo'],
    tzid: '/kalender.example/Norge',
    definition: COMMON['Europe/Oslo'].definition.slice(1),
  },
  'America/New_York': { ...COMMON['America/New_York'], tzid: '/kalender.example/Osten' },
};

export const MANNERS: Readonly<Record<string, Manner>> = {
  Google: {
    product: '-//Google Inc//Google Calendar 70.9054//EN',
    zones: COMMON,
    takesOut: 'each',
    length: 'DTEND',
    fold: 75,
    lineEnd: '\r\n',
    calendar: [
      'CALSCALE:GREGORIAN',
      'METHOD:PUBLISH',
      'X-WR-CALNAME:Kulturhuset',
      'X-WR-TIMEZONE:Europe/Oslo',
    ],
    event: ['CLASS:PUBLIC', 'SEQUENCE:0', 'STATUS:CONFIRMED', 'TRANSP:OPAQUE'],
  },
  Outlook: {
    product: '-//Microsoft Corporation//Outlook 16.0 MIMEDIR//EN',
    zones: WINDOWS,
    takesOut: 'all',
    length: 'DTEND',
    isQuoted: true,
    fold: 72,
    lineEnd: '\r\n',
    calendar: ['METHOD:PUBLISH', 'X-MS-OLK-FORCEINSPECTOROPEN:TRUE'],
    event: ['CLASS:PUBLIC', 'PRIORITY:5', 'SEQUENCE:0', 'X-MICROSOFT-CDO-BUSYSTATUS:BUSY'],
  },
  Exchange: {
    product: 'Microsoft Exchange Server 2010',
    zones: WINDOWS,
    takesOut: 'all',
    length: 'DTEND',
    fold: 75,
    lineEnd: '\r\n',
    calendar: ['METHOD:PUBLISH', 'X-WR-CALNAME:Kalender'],
    event: ['STATUS:CONFIRMED', 'X-MICROSOFT-CDO-INSTTYPE:1', 'X-MICROSOFT-DISALLOW-COUNTER:FALSE'],
  },
  Lotus: {
    product: '-//Lotus Development Corporation//NONSGML Notes 9.0//EN_C',
    zones: LOTUS,
    takesOut: 'all',
    length: 'DTEND',
    isQuoted: true,
    fold: 72,
    lineEnd: '\r\n',
    calendar: ['METHOD:PUBLISH'],
    event: [
      'CLASS:PUBLIC',
      'SEQUENCE:0',
      'TRANSP:OPAQUE',
      'X-LOTUS-CHILD_UID:B41F',
      'X-LOTUS-NOTESVERSION:2',
    ],
  },
  Nextcloud: {
    product: '-//IDN nextcloud.com//Calendar app 4.7.6//EN',
    zones: COMMON,
    takesOut: 'each',
    length: 'DTEND',
    fold: 75,
    lineEnd: '\r\n',
    calendar: ['CALSCALE:GREGORIAN', 'REFRESH-INTERVAL;VALUE=DURATION:PT4H', 'X-PUBLISHED-TTL:PT4H'],
    event: ['SEQUENCE:2', 'STATUS:CONFIRMED'],
  },
  Apple: {
    product: '-//Apple Inc.//macOS 15.1//EN',
    zones: OWN,
    takesOut: 'each',
    length: 'DURATION',
    fold: 75,
    lineEnd: '\r\n',
    calendar: ['CALSCALE:GREGORIAN', 'X-APPLE-CALENDAR-COLOR:#1BADF8'],
    event: ['SEQUENCE:1', 'TRANSP:OPAQUE', 'X-APPLE-TRAVEL-ADVISORY-BEHAVIOR:AUTOMATIC'],
  },
  WordPress: {
    product: '-//Kulturhuset - ECPv6.8.2//NONSGML v1.0//EN',
    zones: LISTED,
    takesOut: 'all',
    length: 'DTEND',
    fold: 1_000,
    lineEnd: '\n',
    calendar: ['CALSCALE:GREGORIAN', 'METHOD:PUBLISH', 'X-ORIGINAL-URL:https://kulturhuset.example'],
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
