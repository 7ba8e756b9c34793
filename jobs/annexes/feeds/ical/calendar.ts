/** Reads an iCalendar file into native records. Every VEVENT becomes an event or part of one, or is named in a finding. */
import { failureText } from '../../../../src/calendar/failures.ts';
import { addToGroup } from '../../../../src/calendar/groups.ts';
import { excerpt } from '../../../findings.ts';
import { hasNorwaysClock } from '../../../recurrence/clocks.ts';
import { createCollector } from '../collector.ts';
import type { ParsedFeed } from '../config.ts';
import { FeedProblem } from '../feed-problem.ts';
import type { AddFinding } from '../last-good.ts';
import type { FeedReader } from '../reading.ts';
import { ownId } from '../record-ids.ts';
import { cite, citeIn, fieldOf } from './citations.ts';
import { type EventComponent, first, type LineNote, readComponents } from './content.ts';
import { contentLines } from './content-lines.ts';
import { type CalendarContext, type CalendarEntry, isPrivate, readEntry } from './entries.ts';
import { eventOfVersion } from './event.ts';
import { createIds } from './ids.ts';
import type { Property } from './properties.ts';
import { OSLO, textValueOf, type Zone } from './values.ts';
import { versionsOf } from './versions.ts';
import { createZones, type Zones } from './zones.ts';

/** Throws FeedProblem for too many dates, and if there is neither a VCALENDAR nor a VEVENT. */
export const readCalendarFeed: FeedReader = ([document], task, emit) => {
  const { feed, now } = task;
  const collector = createCollector(feed, task, emit);
  const { directory, categories, dates, allowance } = collector;
  const addFinding: AddFinding = ({ field = null, ...finding }) =>
    collector.addFinding({ ...finding, field: field === null ? null : fieldOf(field) });
  const note: LineNote = ({ number, text }, expected, found = excerpt(text)) =>
    addFinding({ action: 'changed value', line: number, expected, found });
  const lines = contentLines(document?.bytes ?? Buffer.alloc(0));
  const { isCalendar, isComplete, ...file } = readComponents(lines, note);
  if (!isCalendar) throw new FeedProblem('not a calendar', failureText('noCalendar'));

  const zones = createZones(file.zones, allowance);
  const homeOf = createHomes({ feed, zones, now }, addFinding);
  const idOf = (uid: string) => ownId(feed.id, uid);
  const context: CalendarContext = {
    feed,
    now,
    zones,
    homeOf,
    idOf,
    addFinding,
    directory,
    categories,
    dates,
    allowance,
  };
  const byUid = entriesByUid(file.events, context);
  const ids = createIds({ lastIds: task.ids ?? [], uids: new Set(byUid.keys()), now, emit });
  const copies = createCopies();
  for (const [uid, entries] of byUid) {
    const addFindingOfUid: AddFinding = (finding) => addFinding({ ...finding, id: idOf(uid) });
    const reports = { addFinding: addFindingOfUid, addCopy: copies.add };
    for (const version of versionsOf(entries, ids, reports)) {
      const isAdded = collector.addEvent(eventOfVersion(version, context));
      if (!isAdded) reportParts(version.overrides, addFindingOfUid);
    }
  }
  ids.end();
  copies.report(addFinding, idOf);
  const summary = collector.end(file.events.length, copies.count());
  if (!isComplete) {
    const found = 'the end of the file; it is read anyway';
    addFinding({ action: 'changed value', field: 'END', expected: 'END:VCALENDAR', found });
  }
  return { ...summary, isComplete };
};

/** The clock of times without a zone, by the feed's settings or by the header of their calendar, which a finding names if it is not Norway's. */
function createHomes(
  { feed, zones, now }: { readonly feed: ParsedFeed; readonly zones: Zones; readonly now: number },
  addFinding: AddFinding,
): CalendarContext['homeOf'] {
  const homes = new Map<Property, Zone>();
  const homeIn = (property: Property): Zone => {
    const zone = zones.find(textValueOf(property));
    if (zone !== null && hasNorwaysClock(zone.offsetAt, now)) return OSLO;
    const unknown = 'a known time zone (times without one are read as Norwegian time)';
    const other = 'Europe/Oslo, or times with a TZID (those without one are read in this zone)';
    const expected = zone === null ? unknown : other;
    addFinding({ ...cite(property), expected });
    return zone ?? OSLO;
  };
  const feedZone = feed.timeZone == null ? null : zones.find(feed.timeZone);
  return ({ timeZone }) => {
    if (feedZone !== null || timeZone === null) return feedZone ?? OSLO;
    const home = homes.get(timeZone) ?? homeIn(timeZone);
    homes.set(timeZone, home);
    return home;
  };
}

interface Copies {
  readonly add: (entry: CalendarEntry) => void;
  readonly count: () => number;
  /** G2: all identical copies of entries are one finding. */
  readonly report: (addFinding: AddFinding, idOf: CalendarContext['idOf']) => void;
}

/** Counts entries that say the same as another one. */
function createCopies(): Copies {
  const uids = new Set<string>();
  let count = 0;
  let first: CalendarEntry | null = null;
  return {
    add: (entry: CalendarEntry) => {
      first ??= entry;
      uids.add(entry.uid);
      count += 1;
    },
    count: () => count,
    report: (addFinding: AddFinding, idOf: CalendarContext['idOf']) => {
      if (first === null) return;
      const { component, uid } = first;
      const copies = count === 1 ? '1 identical copy' : `${count} identical copies`;
      const ofSeveral = uids.size === 1 ? '' : `${uids.size} UIDs, such as `;
      const found = `${copies}, of ${ofSeveral}${excerpt(uid)}`;
      const about = { ...citeIn(component, 'UID'), id: idOf(uid) };
      addFinding({ ...about, action: 'identical copies', expected: 'each entry once', found });
    },
  };
}

/** Dates of a dropped event are reported, too. */
function reportParts(entries: readonly CalendarEntry[], addFinding: AddFinding): void {
  const expected = 'an event that is kept (this is one of its dates)';
  const dropped = {
    action: 'dropped record',
    field: 'UID',
    expected,
    found: 'one that is left out',
  } as const;
  for (const { component } of entries) addFinding({ ...dropped, line: component.line });
}

type EntriesByUid = ReadonlyMap<string, readonly CalendarEntry[]>;

/** In the file's order; entries without a readable date are dropped. */
function entriesByUid(components: readonly EventComponent[], context: CalendarContext): EntriesByUid {
  const byUid = new Map<string, CalendarEntry[]>();
  for (const component of components) {
    const entry = readEntry(component, context);
    if (entry === null) continue;
    if (isPrivate(entry)) reportPrivate(entry, context);
    addToGroup(byUid, entry.uid, entry);
  }
  return byUid;
}

/** The report of a private entry shows only the date that it hides. */
function reportPrivate({ component, uid }: CalendarEntry, { addFinding, idOf }: CalendarContext): void {
  const found = excerpt(first(component, 'CLASS')?.value);
  const about = { ...citeIn(component, 'CLASS'), id: idOf(uid) };
  addFinding({ ...about, action: 'left out', expected: 'PUBLIC', found });
}
