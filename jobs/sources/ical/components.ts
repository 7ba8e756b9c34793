/** Content lines become components (RFC 5545, 3.6). A file may be broken anywhere: what is whole in it is kept. */
import type { ContentLine } from './lines.ts';
import { type Property, readProperty } from './property.ts';

export interface Component {
  /** In capitals, such as `VEVENT`. */
  readonly name: string;
  /** 1-based line of its BEGIN. */
  readonly line: number;
  readonly properties: readonly Property[];
  /** The first of each name: what an entry is asked for again and again. */
  readonly firsts: ReadonlyMap<string, Property>;
  readonly components: readonly Component[];
}

export interface EventComponent extends Component {
  /** METHOD of the calendar that it stands in. */
  readonly method: string | null;
  /** False when the file goes on, or stops, without its END. */
  readonly isEnded: boolean;
}

export interface Components {
  /** One for each `BEGIN:VEVENT`, in the file's order. */
  readonly events: readonly EventComponent[];
  readonly zones: readonly Component[];
  /** Whether there is a calendar at all. */
  readonly isCalendar: boolean;
  /** False when the file stops within a component, as one does that was cut off. */
  readonly isComplete: boolean;
}

/** What is wrong with a line; `field` is the property, or null when the line is none. */
export type LineNote = (line: ContentLine, expected: string) => void;

interface Open {
  readonly name: string;
  readonly line: number;
  readonly properties: Property[];
  readonly firsts: Map<string, Property>;
  readonly components: Component[];
  readonly method: string | null;
  isEnded: boolean;
}

/** These never stand within one another, so that each ends what was left open. */
const NOT_NESTED = new Set(['VEVENT', 'VTODO', 'VJOURNAL', 'VFREEBUSY', 'VTIMEZONE']);

/** iCalendar nests three deep. What is further within is passed over, down to its end. */
const MOST_NESTED = 20;

export function readComponents(lines: Iterable<ContentLine>, note: LineNote): Components {
  const events: EventComponent[] = [];
  const zones: Component[] = [];
  const stack: Open[] = [];
  let isCalendar = false;
  let method: string | null = null;
  /** How many components begun further within have not ended yet. */
  let passedOver = 0;

  function begin(name: string, line: number): void {
    if (name === 'VCALENDAR') {
      closeTo(0);
      isCalendar = true;
      method = null;
    } else if (NOT_NESTED.has(name)) {
      const open = stack.findIndex((component) => NOT_NESTED.has(component.name));
      closeTo(open === -1 ? Math.min(stack.length, MOST_NESTED - 1) : open);
    }
    if (stack.length === MOST_NESTED) {
      passedOver++;
      return;
    }
    const component: Open = {
      name,
      line,
      properties: [],
      firsts: new Map(),
      components: [],
      method,
      isEnded: false,
    };
    // Listed at once: an event whose end never comes is one all the same.
    if (name === 'VEVENT') events.push(component);
    else if (name === 'VTIMEZONE') zones.push(component);
    else stack.at(-1)?.components.push(component);
    stack.push(component);
  }

  function end(name: string): boolean {
    if (passedOver > 0 && name !== 'VCALENDAR' && !NOT_NESTED.has(name)) {
      passedOver--;
      return true;
    }
    const open = stack.findLastIndex((component) => component.name === name);
    if (open === -1) return false;
    const component = stack[open];
    if (component !== undefined) component.isEnded = true;
    closeTo(open);
    return true;
  }

  function closeTo(length: number): void {
    stack.length = length;
    passedOver = 0;
  }

  for (const line of lines) {
    const mark = MARK.exec(line.text);
    const name = mark?.[2]?.toUpperCase() ?? '';
    if (mark?.[1]?.toUpperCase() === 'BEGIN') begin(name, line.number);
    else if (mark !== null) {
      if (!end(name)) note(line, `an END of what was begun before, or none`);
    } else {
      const property = readProperty(line.text, line.number);
      if (property === null) note(line, 'a property such as SUMMARY:Konsert');
      else if (stack.length === 0 || stack.at(-1)?.name === 'VCALENDAR') {
        if (property.name === 'METHOD') method = property.value.trim().toUpperCase();
      } else if (WANTED.has(property.name) && passedOver === 0) add(property, stack.at(-1));
    }
  }
  return { events, zones, isCalendar: isCalendar || events.length > 0, isComplete: stack.length === 0 };
}

function add(property: Property, component: Open | undefined): void {
  component?.properties.push(property);
  if (component?.firsts.has(property.name) === false) component.firsts.set(property.name, property);
}

const MARK = /^(BEGIN|END):\s*([A-Za-z0-9-]+)\s*$/i;

/** Properties that something is made of. The others are not kept: they may be most of a file. */
const WANTED = new Set([
  ...['UID', 'RECURRENCE-ID', 'SEQUENCE', 'STATUS', 'CLASS', 'CREATED', 'LAST-MODIFIED'],
  ...['DTSTART', 'DTEND', 'DURATION', 'RRULE', 'RDATE', 'EXDATE', 'EXRULE'],
  ...['SUMMARY', 'DESCRIPTION', 'LOCATION', 'GEO', 'CATEGORIES', 'URL', 'CONFERENCE'],
  ...['IMAGE', 'ATTACH', 'ORGANIZER'],
  ...['TZID', 'TZOFFSETFROM', 'TZOFFSETTO', 'X-LIC-LOCATION'],
]);
