/** An iCalendar file as native records. Every VEVENT becomes an event or part of one, or is named in a finding. */
import { DAY, instantIn, instantOf } from '../../../src/calendar/time.ts';
import type { FeedCounts } from '../../feed-health.ts';
import { boundFindings, checkRecord, emitRecords } from '../../feeds/check.ts';
import { createCategories, type Feed } from '../../feeds/config.ts';
import { createPlaces } from '../../feeds/places.ts';
import type { AddFinding, Emit } from '../../feeds/slice.ts';
import { excerpt } from '../../records.ts';
import type { Allowance } from '../../recurrence/allowance.ts';
import { expandSet } from '../../recurrence/set.ts';
import {
  type ContentLine,
  contentLines,
  type EventComponent,
  type LineNote,
  readComponents,
} from './content.ts';
import {
  type Entry,
  type EntryContext,
  first,
  isPrivate,
  readEntry,
  type Version,
  versionsOf,
} from './entries.ts';
import { eventOf } from './event.ts';
import type { ExpansionCheck } from './recurrence.ts';
import { createZones, definitionsOf } from './zones.ts';

export type IcalFeed = Pick<Feed, 'id' | 'language' | 'defaults' | 'map'>;

interface IcalSummary {
  readonly counts: FeedCounts;
  /** Whether there is a VCALENDAR, or at least a VEVENT. */
  readonly isCalendar: boolean;
  /** False when the file stops in the middle. */
  readonly isComplete: boolean;
}

interface Reading {
  readonly emit: Emit;
  /** When, and up to what day (A11) rules will be expanded: instant and day number. */
  readonly now: number;
  readonly horizonDay: number;
  /** What rules may cost, those of time zones included. */
  readonly allowance: Allowance;
}

export function readCalendar(
  bytes: Buffer,
  feed: IcalFeed,
  { emit, now, horizonDay, allowance }: Reading,
): IcalSummary {
  let dropped = 0;
  const bound = boundFindings(emit);
  const addFinding: AddFinding = (finding) => {
    if (finding.action === 'dropped record' || finding.action === 'left out') dropped++;
    bound.addFinding(finding);
  };
  const notes = createLineNotes(addFinding);
  const { events: components, ...file } = readComponents(notes.watch(contentLines(bytes)), notes.note);
  notes.end();

  const context = {
    feed,
    defaults: feed.defaults,
    zones: createZones(definitionsOf(file.zones), allowance),
    places: createPlaces(feed.id),
    categories: createCategories(feed.map),
    idOf: (uid: string) => `${feed.id}:${uid}`,
    addFinding,
    check: createExpansionCheck({ now, horizonDay, allowance }),
    allowance,
  };
  let events = 0;
  for (const [uid, entries] of entriesByUid(components, context)) {
    const named: AddFinding = (finding) => addFinding({ ...finding, id: context.idOf(uid) });
    for (const version of versionsOf(entries, { addFinding: named })) {
      const event = eventOf(version, context);
      const checked = event === null ? null : checkRecord(event, addFinding);
      if (checked === null) reportParts(version, named);
      else {
        events++;
        emit(checked);
      }
    }
  }
  const entries = components.length;
  const counts = { entries, events, merged: entries - events - dropped, dropped };
  emitRecords(context.places.records(), emit, addFinding);
  bound.end();
  return { counts, isCalendar: file.isCalendar, isComplete: file.isComplete };
}

/** More dates than a large region has in a year. */
const MOST_DATES = 1_000_000;

export class TooManyDates extends Error {}

/**
 * Expands each recurrence set as the build will do later, where that may take its time and memory: a feed of costly rules fails
 * here, by the limits of the process that it is read in, and not the build. Throws TooManyDates.
 */
function createExpansionCheck({
  now,
  horizonDay,
  allowance,
}: Pick<Reading, 'now' | 'horizonDay' | 'allowance'>): ExpansionCheck {
  const until = instantOf((horizonDay + 1) * DAY) - 1;
  let dates = 0;
  return (set) => {
    const misses = new Set(set.except.map((wall) => instantIn(set.clock, wall)));
    const except = new Set(misses);
    const keep = (wall: number) => {
      const instant = instantIn(set.clock, wall);
      misses.delete(instant);
      return !except.has(instant);
    };
    const all = { ...set, except: [] };
    const window = { from: now, until, keep: except.size === 0 ? () => true : keep };
    const { walls, cut } = expandSet(all, window, allowance.forEvent());
    dates += walls.length;
    if (dates > MOST_DATES) throw new TooManyDates(`expected at most ${MOST_DATES} dates, found more`);
    return new Set(cut === null ? [...misses].filter((miss) => miss > now && miss <= until) : []);
  };
}

/** Dates of an event that is left out are named, too. */
function reportParts({ further, overrides }: Version, addFinding: AddFinding): void {
  for (const { component } of [...further, ...overrides]) {
    const expected = 'an event that is kept (this is one of its dates)';
    addFinding({
      action: 'dropped record',
      line: component.line,
      id: null,
      field: 'UID',
      expected,
      found: 'one that is left out',
    });
  }
}

/** In the file's order; those that cannot be dated are left out. */
function entriesByUid(
  components: readonly EventComponent[],
  context: EntryContext,
): ReadonlyMap<string, readonly Entry[]> {
  const byUid = new Map<string, Entry[]>();
  for (const component of components) {
    const entry = readEntry(component, context);
    if (entry === null) continue;
    if (isPrivate(entry)) reportPrivate(entry, context);
    const same = byUid.get(entry.uid);
    if (same === undefined) byUid.set(entry.uid, [entry]);
    else same.push(entry);
  }
  return byUid;
}

/** Of what is private only the date is taken on that it hides. */
function reportPrivate({ component, uid }: Entry, { addFinding, idOf }: EntryContext): void {
  const property = first(component, 'CLASS');
  addFinding({
    action: 'left out',
    line: property?.line ?? component.line,
    id: idOf(uid),
    field: 'CLASS',
    expected: 'PUBLIC',
    found: excerpt(property?.value),
  });
}

const MOST_LINES = 100;

interface LineNotes {
  /** The same lines; tells of those that were not UTF-8. */
  readonly watch: (lines: Iterable<ContentLine>) => Iterable<ContentLine>;
  readonly note: LineNote;
  /** To be called when all lines have been read: says how many more there were. */
  readonly end: () => void;
}

/** What is wrong with lines, whatever they belong to. A file that is no calendar at all is not named line by line. */
function createLineNotes(addFinding: AddFinding): LineNotes {
  let noted = 0;
  let last: number | null = null;

  function say(line: number, expected: string, found: string): void {
    noted++;
    last = line;
    if (noted > MOST_LINES) return;
    addFinding({ action: 'changed value', line, id: null, field: null, expected, found });
  }

  function* watch(lines: Iterable<ContentLine>): Generator<ContentLine, void, undefined> {
    for (const line of lines) {
      if (line.charset !== null)
        say(line.number, 'UTF-8', `${line.charset}, and read as such: ${excerpt(line.text)}`);
      yield line;
    }
  }

  function end(): void {
    if (noted <= MOST_LINES) return;
    const found = `${noted - MOST_LINES} more lines that are not, up to this one`;
    addFinding({
      action: 'changed value',
      line: last,
      id: null,
      field: null,
      expected: 'iCalendar in UTF-8',
      found,
    });
  }

  return {
    watch,
    note: ({ number, text }, expected) => say(number, `${expected} (left out)`, excerpt(text)),
    end,
  };
}
