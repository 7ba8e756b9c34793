/** Turns content lines into components (RFC 5545, 3.6). A file may be broken anywhere: its complete parts are used. */
import { excerpt } from '../../../findings.ts';
import type { ContentLine } from './content-lines.ts';
import { type Property, readProperty } from './properties.ts';

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

/** The events and zones of a file. `note` reports lines that are no part of a component. */
export function readComponents(lines: Iterable<ContentLine>, note: LineNote): Components {
  const nesting = createNesting();

  function takeProperty(line: ContentLine): void {
    const property = readProperty(line.text, line.number);
    if (property === null) note(line, A_PROPERTY);
    else nesting.take(property);
  }

  for (const line of lines) {
    if (line.isGuess) note(line, 'UTF-8', `other bytes, and read as Windows-1252: ${excerpt(line.text)}`);
    const [, bound = '', name = ''] = BOUND.exec(line.text) ?? [];
    if (bound === '') takeProperty(line);
    else if (bound.toUpperCase() === 'BEGIN') nesting.begin(name.toUpperCase(), line.number);
    else if (!nesting.end(name.toUpperCase())) note(line, AN_END);
  }
  return nesting.components();
}

/** The line at which a component begins or ends, and its name. */
const BOUND = /^(BEGIN|END):\s*([A-Za-z0-9-]+)\s*$/i;

const AN_END = 'an END for an open BEGIN, or none (left out)';
const A_PROPERTY = 'a property such as SUMMARY:Konsert (left out)';

interface Nesting {
  readonly begin: (name: string, line: number) => void;
  /** Ends the innermost component of that name. False if none is open. */
  readonly end: (name: string) => boolean;
  /** Adds a property to the innermost component, if it is used. */
  readonly take: (property: Property) => void;
  readonly components: () => Components;
}

/** Components within one another, as a file begins and ends them. */
function createNesting(): Nesting {
  const events: OpenComponent[] = [];
  const zones: OpenComponent[] = [];
  const stack: OpenComponent[] = [];
  let isCalendar = false;
  let header = NO_HEADER;

  function begin(name: string, line: number): void {
    if (name === 'VCALENDAR') {
      stack.length = 0;
      isCalendar = true;
      header = NO_HEADER;
    }
    if (NOT_NESTED.has(name)) closeNotNested();
    stack.length = Math.min(stack.length, MOST_NESTED - 1);
    const component: OpenComponent = {
      name,
      line,
      ...header,
      properties: [],
      components: [],
      isEnded: false,
    };
    // Listed at once: an event without an end counts too.
    if (name === 'VEVENT') events.push(component);
    else if (name === 'VTIMEZONE') zones.push(component);
    else stack.at(-1)?.components.push(component);
    stack.push(component);
  }

  /** Closes a component that cannot contain the next one: its end is missing. */
  function closeNotNested(): void {
    const depth = stack.findIndex(({ name }) => NOT_NESTED.has(name));
    if (depth !== -1) stack.length = depth;
  }

  function end(name: string): boolean {
    const depth = stack.findLastIndex((component) => component.name === name);
    const component = stack[depth];
    if (component === undefined) return false;
    component.isEnded = true;
    stack.length = depth;
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

/** A component while its lines are read. */
interface OpenComponent extends EventComponent {
  readonly properties: Property[];
  readonly components: Component[];
  isEnded: boolean;
}

/** A calendar without properties that its events need. */
const NO_HEADER: Pick<EventComponent, 'method' | 'timeZone'> = { method: null, timeZone: null };

/** The first property of that name; null without one. */
export function first({ properties }: Component, name: string): Property | null {
  return properties.find((property) => property.name === name) ?? null;
}

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
