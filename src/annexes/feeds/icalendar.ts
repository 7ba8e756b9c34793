/**
 * iCalendar (RFC 5545, 5546 and 7986): an entry an occurrence. No library is used: those with time zones need a newer Node than this
 * project, and none lets the entries of one event share their common lines.
 */
import type { Organizer } from '../../calendar/model.ts';
import { compacted, compactUtc, HOUR, wallOf } from '../../calendar/time.ts';
import { evenLines, plainLines } from '../common/lines.ts';
import { eventsIn } from '../events/entries.ts';
import { type EventList, termsOf } from '../events/event-list.ts';
import { type ListedEvent, type ListedOccurrence, type LocalText, linkOf } from '../events/listed.ts';
import { nameOf } from '../events/name.ts';
import { pictureAt } from '../events/pictures.ts';
import type { Language } from '../page/reader.ts';

export function* writeICalendar(list: EventList): Generator<string> {
  const { licence, language } = list;
  const name = escaped(nameOf(list));
  const terms = termsOf(licence);
  yield lines([
    'BEGIN:VCALENDAR',
    'VERSION:2.0',
    'PRODID:-//almanakk//almanakk//EN',
    'CALSCALE:GREGORIAN',
    // It also says which language texts without this parameter are in.
    `NAME;LANGUAGE=${language}:${name}`,
    // The property before RFC 7986.
    `X-WR-CALNAME:${name}`,
    terms === null ? null : `DESCRIPTION:${escaped(terms)}`,
    `URL:${licence.siteUrl}`,
    list.address === null ? null : `SOURCE;VALUE=URI:${list.address}`,
    `REFRESH-INTERVAL;VALUE=DURATION:${REFRESH}`,
    `X-PUBLISHED-TTL:${REFRESH}`,
  ]);
  yield TIME_ZONE;
  for (const { event, dates } of eventsIn(list)) {
    const common = linesOfEvent(event, list);
    for (const occurrence of dates()) yield entryOf(occurrence, event, list) + common;
  }
  yield 'END:VCALENDAR\r\n';
}

/** Lists change a few times a day, and thousands of phones poll them. */
const REFRESH = 'PT1H';

/** Lines that all entries of an event end with. */
function linesOfEvent(event: ListedEvent, list: EventList): string {
  const { language } = list;
  const { title, description, labels, organizers, image, created, updated, streamingURL } = event;
  const [organizer] = organizers;
  const picture = image && pictureAt(image.large, 1280, list);
  return lines([
    localLine('SUMMARY', title, language),
    description && localLine('DESCRIPTION', { ...description, text: plainLines(description.text) }, language),
    labels.length === 0 ? null : `CATEGORIES:${labels.map(escaped).join(',')}`,
    organizer === undefined ? null : lineOfOrganizer(organizer),
    picture && `IMAGE;VALUE=URI;DISPLAY=FULLSIZE:${picture}`,
    streamingURL === null ? null : `CONFERENCE;VALUE=URI;FEATURE=VIDEO:${streamingURL}`,
    created === null ? null : `CREATED:${compactUtc(created)}`,
    updated === null ? null : `LAST-MODIFIED:${compactUtc(updated)}`,
    // Public events do not make a subscriber busy.
    'TRANSP:TRANSPARENT',
    'END:VEVENT',
  ]);
}

/** Programs that send mail to an organizer take any address for one of mail. */
function lineOfOrganizer({ name, email, website }: Organizer): string {
  if (email !== null && MAIL.test(email)) return `ORGANIZER;CN=${quoted(name)}:mailto:${email}`;
  const alternative = website === null ? '' : `;ALTREP=${quoted(website)}`;
  return `CONTACT${alternative}:${escaped(name)}`;
}

const MAIL = /^[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,8}$/;

function entryOf(occurrence: ListedOccurrence, event: ListedEvent, { licence, builtAt }: EventList): string {
  const { id, sequence, isCancelled } = occurrence;
  return lines([
    'BEGIN:VEVENT',
    `UID:${escaped(`${id}@${licence.id}`)}`,
    // Without a METHOD this is the time of the entry's last revision (RFC 5545, 3.8.7.2).
    `DTSTAMP:${compactUtc(event.updated ?? event.created ?? builtAt)}`,
    `SEQUENCE:${sequence}`,
    ...dateLines(occurrence),
    `STATUS:${isCancelled ? 'CANCELLED' : 'CONFIRMED'}`,
    `URL:${linkOf(event, occurrence)}`,
    ...placeLines(occurrence, event),
  ]);
}

function placeLines({ venue }: ListedOccurrence, { isOnline, streamingURL }: ListedEvent): readonly Line[] {
  if (venue === null) return isOnline && streamingURL !== null ? [`LOCATION:${escaped(streamingURL)}`] : [];
  const { name, address, location } = venue;
  return [
    `LOCATION:${escaped(address === null ? name : `${name}, ${address}`)}`,
    location && `GEO:${location.latitude};${location.longitude}`,
  ];
}

function dateLines({ start, end, startText, endText, isAllDay }: ListedOccurrence): readonly Line[] {
  const isLocal = isPlain(start) && isPlain(end);
  const writeTime = isLocal ? writeLocal : writeUtc;
  const write = isAllDay ? writeDay : writeTime;
  return [`DTSTART${write(startText, start)}`, end > start ? `DTEND${write(endText, end)}` : null];
}

const writeDay = (text: string) => `;VALUE=DATE:${compacted(text).slice(0, 8)}`;
const writeLocal = (text: string) => `;TZID=${ZONE}:${compacted(text)}`;
const writeUtc = (_: string, instant: number) => `:${compactUtc(instant)}`;

/** Whether TIME_ZONE covers the instant, and its local time is not one that exists twice, which readers treat differently. */
function isPlain(instant: number): boolean {
  const wall = wallOf(instant);
  return instant >= ZONE_BEGINS && wallOf(instant - HOUR) !== wall && wallOf(instant + HOUR) !== wall;
}

const ZONE = 'Europe/Oslo';

/** The first change of the rules in TIME_ZONE, 31 March 1996. */
const ZONE_BEGINS = Date.UTC(1996, 2, 31, 1) / 1_000;

const TIME_ZONE = [
  'BEGIN:VTIMEZONE',
  `TZID:${ZONE}`,
  'BEGIN:DAYLIGHT',
  'DTSTART:19960331T020000',
  'RRULE:FREQ=YEARLY;BYMONTH=3;BYDAY=-1SU',
  'TZOFFSETFROM:+0100',
  'TZOFFSETTO:+0200',
  'TZNAME:CEST',
  'END:DAYLIGHT',
  'BEGIN:STANDARD',
  'DTSTART:19961027T030000',
  'RRULE:FREQ=YEARLY;BYMONTH=10;BYDAY=-1SU',
  'TZOFFSETFROM:+0200',
  'TZOFFSETTO:+0100',
  'TZNAME:CET',
  'END:STANDARD',
  'END:VTIMEZONE',
  '',
].join('\r\n');

/** `language`: the list's, which needs no parameter. */
function localLine(name: string, text: LocalText, language: Language): string {
  const parameter = text.language === language ? '' : `;LANGUAGE=${text.language}`;
  return `${name}${parameter}:${escaped(text.text)}`;
}

/** TEXT (RFC 5545, 3.3.11). */
function escaped(text: string): string {
  return evenLines(text).replace(/[\\;,\n]/g, (letter) => (letter === '\n' ? '\\n' : `\\${letter}`));
}

/** The value of a parameter (RFC 6868). */
function quoted(text: string): string {
  const value = evenLines(text).replace(/[\^"\n]/g, (letter) => PARAMETER_ESCAPES[letter] ?? '');
  return `"${value}"`;
}

const PARAMETER_ESCAPES: Readonly<Record<string, string>> = { '^': '^^', '"': "^'", '\n': '^n' };

/** A property, or nothing if its value is missing. */
type Line = string | null;

function lines(properties: readonly Line[]): string {
  const present = properties.filter((line) => line !== null);
  return present.map(folded).join('');
}

/** RFC 5545, 3.1: octets of a line, without its end. */
const LONGEST_LINE = 75;

function folded(line: string): string {
  const clean = line.replace(CONTROLS, '');
  // A UTF-16 unit takes at most three octets.
  if (3 * clean.length <= LONGEST_LINE) return `${clean}\r\n`;
  const bytes = Buffer.from(clean);
  let text = '';
  let from = 0;
  for (let room = LONGEST_LINE; bytes.length - from > room; room = LONGEST_LINE - 1) {
    let to = from + room;
    // Never within a character.
    while (((bytes[to] ?? 0) & 0xc0) === 0x80) to--;
    text += `${bytes.toString('utf8', from, to)}\r\n `;
    from = to;
  }
  return `${text}${bytes.toString('utf8', from)}\r\n`;
}

/**
 * I9: line ends that remain when line breaks are escaped. Readers that split as Unicode does would end a line there.
 */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for.
const CONTROLS = /[\0-\x08\x0a-\x1f\x7f-\x9f\u2028\u2029]/g;
