/** An iCalendar file as native records. Every VEVENT becomes an event or part of one, or is named in a complaint. */
import { checkRecord } from '../../feeds/check.ts';
import { createCategories, type Feed } from '../../feeds/config.ts';
import type { FeedCounts } from '../../feeds/health.ts';
import type { Complain, Emit, FeedLine } from '../../feeds/slice.ts';
import type { Allowance } from '../../recurrence/allowance.ts';
import { excerpt } from '../../report/excerpt.ts';
import { type EventComponent, readComponents } from './components.ts';
import { type Entry, type EntryContext, first, readEntry } from './entry.ts';
import { eventOf } from './event.ts';
import { createLineNotes } from './line-notes.ts';
import { contentLines } from './lines.ts';
import { createPlaces } from './places.ts';
import type { Series } from './series.ts';
import { type Version, versionsOf } from './versions.ts';
import { definitionsOf } from './zone-definitions.ts';
import { createZones } from './zones.ts';

export type IcalFeed = Pick<Feed, 'id' | 'language' | 'defaults' | 'map'>;

export interface IcalSummary {
  readonly counts: FeedCounts;
  /** Whether there is a VCALENDAR, or at least a VEVENT. */
  readonly isCalendar: boolean;
  /** False when the file stops in the middle. */
  readonly isComplete: boolean;
}

export interface Reading {
  readonly emit: Emit;
  /** Told of every recurrence. */
  readonly rehearse: (series: Series) => void;
  /** What rules may cost, those of time zones included. */
  readonly allowance: Allowance;
}

export function readCalendar(
  bytes: Buffer,
  feed: IcalFeed,
  { emit, rehearse, allowance }: Reading,
): IcalSummary {
  let dropped = 0;
  let complaints = 0;
  const complain: Complain = (complaint) => {
    complaints++;
    if (complaint.action === 'dropped record') dropped++;
    if (complaints <= MOST_COMPLAINTS) emit({ list: 'complaints', ...complaint });
  };
  const notes = createLineNotes(complain);
  const { events: components, ...file } = readComponents(notes.watch(contentLines(bytes)), notes.note);
  notes.end();

  const context = {
    feed,
    defaults: feed.defaults,
    zones: createZones(definitionsOf(file.zones), allowance),
    places: createPlaces(feed.id),
    categories: createCategories(feed.map),
    idOf: (uid: string) => `${feed.id}:${uid}`,
    complain,
    rehearse,
  };
  let events = 0;
  for (const [uid, entries] of entriesByUid(components, context)) {
    const named: Complain = (complaint) => complain({ ...complaint, id: context.idOf(uid) });
    for (const version of versionsOf(entries, { complain: named })) {
      const event = eventOf(version, context);
      const checked = event === null ? null : checkRecord(event, complain);
      if (checked === null) complainOfParts(version, named);
      else {
        events++;
        emit(checked);
      }
    }
  }
  const entries = components.length;
  const counts = { entries, events, merged: entries - events - dropped, dropped };
  for (const record of context.places.records()) {
    const checked = checkRecord(record, complain);
    if (checked !== null) emit(checked);
  }
  if (complaints > MOST_COMPLAINTS) emit(leftOut(complaints - MOST_COMPLAINTS));
  return { counts, isCalendar: file.isCalendar, isComplete: file.isComplete };
}

/** More than a report keeps. */
const MOST_COMPLAINTS = 20_000;

function leftOut(complaints: number): FeedLine {
  const expected = `at most ${MOST_COMPLAINTS} complaints about a feed`;
  const found = `${complaints} more, which are only counted`;
  return { list: 'complaints', action: 'changed value', line: null, id: null, field: null, expected, found };
}

/** Dates of an event that is left out are named, too. */
function complainOfParts({ further, overrides }: Version, complain: Complain): void {
  for (const { component } of [...further, ...overrides]) {
    const expected = 'an event that is kept (this is one of its dates)';
    complain({
      action: 'dropped record',
      line: component.line,
      id: null,
      field: 'UID',
      expected,
      found: 'one that is left out',
    });
  }
}

/** In the file's order; those that cannot be dated or are private are left out. */
function entriesByUid(
  components: readonly EventComponent[],
  context: EntryContext,
): ReadonlyMap<string, readonly Entry[]> {
  const byUid = new Map<string, Entry[]>();
  for (const component of components) {
    const entry = readEntry(component, context);
    if (entry === null || !isPublic(entry, context)) continue;
    const same = byUid.get(entry.uid);
    if (same === undefined) byUid.set(entry.uid, [entry]);
    else same.push(entry);
  }
  return byUid;
}

/** RFC 5545, 3.8.1.3: what its owner calls private is not for a public calendar. */
function isPublic({ component, uid }: Entry, { complain, idOf }: EntryContext): boolean {
  const property = first(component, 'CLASS');
  if (property === null || !/^\s*(?:PRIVATE|CONFIDENTIAL)\s*$/i.test(property.value)) return true;
  const { line, value } = property;
  complain({
    action: 'dropped record',
    line,
    id: idOf(uid),
    field: 'CLASS',
    expected: 'PUBLIC',
    found: excerpt(value),
  });
  return false;
}
