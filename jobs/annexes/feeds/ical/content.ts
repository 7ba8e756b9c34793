/**
 * Turns content lines into components (RFC 5545, 3.6), and each line into a property (3.2; RFC 6868). A file may be broken anywhere: its
 * complete parts are used.
 */

import { excerpt } from '../../../records.ts';
import type { ContentLine } from './content-lines.ts';

export interface Component {
  /** In capitals, such as `VEVENT`. */
  readonly name: string;
  /** 1-based line of its BEGIN. */
  readonly line: number;
  readonly properties: readonly Property[];
  readonly components: readonly Component[];
}

export interface EventComponent extends Component {
  /** METHOD and X-WR-TIMEZONE of the calendar that contains it. */
  readonly method: string | null;
  readonly timeZone: Property | null;
  /** False if the file goes on, or ends, without its END. */
  readonly isEnded: boolean;
}

/** Reports the fault of a line; `found` is the line itself by default. */
export type LineNote = (line: ContentLine, expected: string, found?: string) => void;

/** These are never nested, so each ends one that was left open. */
const NOT_NESTED = new Set(['VEVENT', 'VTODO', 'VJOURNAL', 'VFREEBUSY', 'VTIMEZONE']);

/** iCalendar nests three deep. Beyond this depth, a component takes the place of the innermost. */
const MOST_NESTED = 20;

interface Components {
  /** One for each `BEGIN:VEVENT`, in the file's order. */
  readonly events: readonly EventComponent[];
  readonly zones: readonly Component[];
  readonly isCalendar: boolean;
  /** False if the file ends within a component, as one that was cut off does. */
  readonly isComplete: boolean;
}

export function readComponents(lines: Iterable<ContentLine>, note: LineNote): Components {
  const nesting = createNesting();

  function takeProperty(line: ContentLine): void {
    const property = readProperty(line.text, line.number);
    if (property === null) note(line, A_PROPERTY);
    else nesting.take(property);
  }

  for (const line of lines) {
    if (line.isGuess) note(line, 'UTF-8', `other bytes, and read as Windows-1252: ${excerpt(line.text)}`);
    const [, mark = '', name = ''] = MARK.exec(line.text) ?? [];
    if (mark === '') takeProperty(line);
    else if (mark.toUpperCase() === 'BEGIN') nesting.begin(name.toUpperCase(), line.number);
    else if (!nesting.end(name.toUpperCase())) note(line, AN_END);
  }
  return nesting.components();
}

const AN_END = 'an END for an open BEGIN, or none (left out)';
const A_PROPERTY = 'a property such as SUMMARY:Konsert (left out)';

interface Nesting {
  readonly begin: (name: string, line: number) => void;
  /** False if no component of this name is open. */
  readonly end: (name: string) => boolean;
  readonly take: (property: Property) => void;
  readonly components: () => Components;
}

/** Components within one another, as a file begins and ends them. */
function createNesting(): Nesting {
  const events: Open[] = [];
  const zones: Open[] = [];
  const stack: Open[] = [];
  let isCalendar = false;
  let header = NO_HEADER;

  function begin(name: string, line: number): void {
    if (name === 'VCALENDAR') {
      stack.length = 0;
      isCalendar = true;
      header = NO_HEADER;
    }
    const open = NOT_NESTED.has(name) ? stack.findIndex((other) => NOT_NESTED.has(other.name)) : -1;
    stack.length = Math.min(open === -1 ? stack.length : open, MOST_NESTED - 1);
    const component: Open = { name, line, ...header, properties: [], components: [], isEnded: false };
    // Listed at once: an event without an end counts too.
    if (name === 'VEVENT') events.push(component);
    else if (name === 'VTIMEZONE') zones.push(component);
    else stack.at(-1)?.components.push(component);
    stack.push(component);
  }

  function end(name: string): boolean {
    const open = stack.findLastIndex((component) => component.name === name);
    const component = stack[open];
    if (component === undefined) return false;
    component.isEnded = true;
    stack.length = open;
    return true;
  }

  function take(property: Property): void {
    const component = stack.at(-1);
    if (component === undefined || component.name === 'VCALENDAR') takeHeader(property);
    else if (WANTED.has(property.name)) component.properties.push(property);
  }

  function takeHeader(property: Property): void {
    if (property.name === 'METHOD') header = { ...header, method: property.value.trim().toUpperCase() };
    else if (property.name === 'X-WR-TIMEZONE') header = { ...header, timeZone: property };
  }

  const components = (): Components => ({
    events,
    zones,
    isCalendar: isCalendar || events.length > 0,
    isComplete: stack.length === 0,
  });
  return { begin, end, take, components };
}

interface Open extends EventComponent {
  readonly properties: Property[];
  readonly components: Component[];
  isEnded: boolean;
}

const NO_HEADER: Pick<EventComponent, 'method' | 'timeZone'> = { method: null, timeZone: null };

export function first({ properties }: Component, name: string): Property | null {
  return properties.find((property) => property.name === name) ?? null;
}

const MARK = /^(BEGIN|END):\s*([A-Za-z0-9-]+)\s*$/i;

/** Properties that are used. The others are not stored: they may be most of a file. */
const WANTED = new Set([
  'UID',
  'RECURRENCE-ID',
  'SEQUENCE',
  'STATUS',
  'CLASS',
  'CREATED',
  'LAST-MODIFIED',
  'DTSTART',
  'DTEND',
  'DURATION',
  'RRULE',
  'RDATE',
  'EXDATE',
  'EXRULE',
  'SUMMARY',
  'DESCRIPTION',
  'LOCATION',
  'GEO',
  'CATEGORIES',
  'URL',
  'CONFERENCE',
  'IMAGE',
  'ATTACH',
  'ORGANIZER',
  'X-COST',
  'X-TICKETS-URL',
  'TZID',
  'TZOFFSETFROM',
  'TZOFFSETTO',
  'X-LIC-LOCATION',
]);

export interface Property {
  /** In capitals. */
  readonly name: string;
  /** By name in capitals; of a repeated parameter, the first. */
  readonly parameters: ReadonlyMap<string, string>;
  readonly value: string;
  /** 1-based line in the feed. */
  readonly line: number;
}

/** A sign that ends a parameter, or a part of its value. */
const TOKEN = new RegExp(
  [
    '[;:]',
    '"[^"]*"',
    // Some programs write `;TZID=(UTC+01:00) Amsterdam:` without quotes: the first colon ends nothing.
    '\\((?:UTC|GMT)[+-]\\d{1,2}:',
    '[^;:"(]+',
    // A quote that is never closed is a character.
    '["(]',
  ].join('|'),
  'gi',
);

/** Null if the line does not have the form `NAME;PARAMETER=value:value`. */
function readProperty(text: string, line: number): Property | null {
  const [name] = /^[A-Za-z0-9-]+(?=[;:])/.exec(text) ?? [];
  if (name === undefined) return null;
  const parameters: string[] = [];
  for (const { 0: token, index } of text.slice(name.length).matchAll(TOKEN)) {
    if (token === ';') parameters.push('');
    else if (token !== ':') parameters.push(`${parameters.pop()}${token}`);
    else {
      const value = text.slice(name.length + index + 1);
      return { name: name.toUpperCase(), parameters: parametersOf(parameters), value, line };
    }
  }
  return null;
}

function parametersOf(written: readonly string[]): Property['parameters'] {
  const parameters = new Map<string, string>();
  for (const part of written) {
    const [, name = part, value = ''] = /^([^=]*)=(.*)$/s.exec(part) ?? [];
    const plain = value.replace(/"/g, '').replace(/\^[n'^]/g, (caret) => CARETS[caret] ?? caret);
    const key = name.trim().toUpperCase();
    // vCalendar 1.0 omits the name if the value suffices: `;QUOTED-PRINTABLE:`.
    const [parameter, content] = /^(?:QUOTED-PRINTABLE|BASE64)$/.test(key) ? ['ENCODING', key] : [key, plain];
    if (!parameters.has(parameter)) parameters.set(parameter, content);
  }
  return parameters;
}

const CARETS: Readonly<Record<string, string>> = { '^n': '\n', "^'": '"', '^^': '^' };
