/**
 * L4, iCalendar as towns write it: which entries with one UID are versions or copies of one event, which are dates of it, and which are
 * events of their own.
 */
import { groupBy } from '../../../../src/calendar/groups.ts';
import { nameKey } from '../../../../src/calendar/text.ts';
import { excerpt } from '../../../records.ts';
import type { AddFinding } from '../last-good.ts';
import { type EventComponent, first } from './content.ts';
import { type Entry, isCancelled, isPrivate } from './entries.ts';
import type { Ids } from './ids.ts';
import { instantOfMoment, type Moment, plainTextOf, seriesReading } from './values.ts';

/** An event: its main entry, and those that only add or change dates. */
export interface Version {
  readonly main: Entry;
  /** The UID, with a title or a number where other events have the same UID. The event's id is made of it. */
  readonly uid: string;
  /** Ordered by the dates of the series that they concern. */
  readonly overrides: readonly Entry[];
  /** Private overrides: their dates must not be shown. */
  readonly hidden: readonly Entry[];
  /** Starts of events with this UID, title and place: they are not dates of the series. */
  readonly apart: readonly Moment[];
  /** Whether an event with another title has the same UID, so that the title is a part of the id. */
  readonly isOtherTitle: boolean;
}

interface Reports {
  readonly addFinding: AddFinding;
  /** Counts an entry that says the same as another one. */
  readonly addCopy: (entry: Entry) => void;
}

/** The events among the entries with one UID. Each entry is part of one version, is a copy, or is named in a finding. */
export function versionsOf(
  all: readonly Entry[],
  ids: Ids,
  { addFinding, addCopy }: Reports,
): readonly Version[] {
  const visible = all.filter((entry) => !isPrivate(entry));
  const hidden = all.filter((entry) => isPrivate(entry) && entry.recurrenceId !== null);
  const entries = withoutCopies(visible, addCopy);
  const whole = withTitles(entries.filter(({ recurrenceId }) => recurrenceId === null));
  const current = newest(whole, addFinding);
  const masters = latestBy(current, startAndPlace, addFinding);
  const series = mainOf(masters, current);
  const overrides = overridesIn(entries, series, addFinding);
  if (series === undefined) return orphans(overrides, hidden);
  const byTitle = groupBy([series, ...masters.filter((master) => master !== series)], ({ title }) => title);
  return [...byTitle.values()].flatMap((same) => eventsOf(same, { series, overrides, hidden, ids }));
}

/** The entries that concern a date of the series, each date once. */
function overridesIn(
  entries: readonly Entry[],
  series: Entry | undefined,
  addFinding: AddFinding,
): readonly Entry[] {
  const dateKey = (date: Moment) =>
    series === undefined ? instantOfMoment(date) : seriesReading(series.start, date);
  return latestBy(
    entries.filter(({ recurrenceId }) => recurrenceId !== null),
    ({ recurrenceId, isThisAndFuture }) =>
      recurrenceId === null ? '' : `${dateKey(recurrenceId)} ${isThisAndFuture}`,
    addFinding,
  );
}

/** Changed dates of a series that is not there. */
function orphans([main, ...overrides]: readonly Entry[], hidden: readonly Entry[]): readonly Version[] {
  if (main === undefined) return [];
  return [{ main, uid: main.uid, overrides, hidden, apart: [], isOtherTitle: false }];
}

interface UidGroup extends Pick<Version, 'overrides' | 'hidden'> {
  /** The main entry of the UID, whether it repeats or not. */
  readonly series: Entry;
  readonly ids: Ids;
}

/** Entries with one UID and title: each is an event. */
function eventsOf(same: readonly Entry[], { series, overrides, hidden, ids }: UidGroup): readonly Version[] {
  const isOtherTitle = same[0]?.title !== series.title;
  const base = isOtherTitle ? `${series.uid}/${same[0]?.title}` : series.uid;
  const uids = ids.assign(base, same.map(startAndPlace));
  return same.map((main, nth) => ({
    main,
    uid: uids[nth] ?? base,
    overrides: main === series ? overrides : [],
    hidden,
    apart: main === series ? startsBeside(series, same) : [],
    isOtherTitle,
  }));
}

/** The starts of events at the series' place that are not its dates. */
function startsBeside(series: Entry, same: readonly Entry[]): readonly Moment[] {
  if (!isRecurring(series)) return [];
  const place = placeKey(series);
  return same.filter((other) => other !== series && placeKey(other) === place).map(({ start }) => start);
}

/** The one whose id is the UID alone: the series, else the one that it was before entries with one UID were events of their own. */
function mainOf(masters: readonly Entry[], current: readonly Entry[]): Entry | undefined {
  const [published] = latestBy(current, ({ start }) => `${instantOfMoment(start)}`, IGNORE);
  return masters.find(isRecurring) ?? masters.find((entry) => entry === published) ?? masters[0];
}

/** For a comparison whose result is reported elsewhere. */
const IGNORE: AddFinding = () => undefined;

function isRecurring({ component }: Entry): boolean {
  return first(component, 'RRULE') !== null || first(component, 'RDATE') !== null;
}

function startAndPlace(entry: Entry): string {
  const { start } = entry;
  return `${instantOfMoment(start)} ${start.isDate} ${placeKey(entry)}`;
}

function placeKey({ component }: Entry): string {
  const location = first(component, 'LOCATION');
  return location === null ? '' : nameKey(plainTextOf(location));
}

/** Programs write an entry again for each calendar, or tag, that it is in. */
function withoutCopies(entries: readonly Entry[], addCopy: (entry: Entry) => void): readonly Entry[] {
  if (entries.length < 2) return entries;
  const seen = new Map<string, Entry>();
  for (const entry of entries) {
    const key = contentOf(entry.component);
    const same = seen.get(key);
    if (same !== undefined) addCopy(entry);
    if (same === undefined || entry.modified > same.modified) seen.set(key, entry);
  }
  return [...seen.values()];
}

/** The contents of an entry, without the moments at which it was written. */
function contentOf({ properties, method }: EventComponent): string {
  const content = properties.filter(({ name }) => name !== 'LAST-MODIFIED' && name !== 'CREATED');
  const values = content.map(({ name, parameters, value }) => [name, [...parameters], value]);
  return JSON.stringify([method, values]);
}

/** RFC 5546, 3.2.5: a cancellation may omit the title of what it cancels. */
function withTitles(masters: readonly Entry[]): readonly Entry[] {
  const titled = masters.find(({ title }) => title !== '');
  return masters.map((entry) => {
    if (titled === undefined || entry.title !== '' || !isCancelled(entry)) return entry;
    const { sequence, modified, start } = entry;
    return { ...titled, sequence, modified, start, component: { ...titled.component, method: 'CANCEL' } };
  });
}

/**
 * RFC 5545, 3.8.7.4: a higher SEQUENCE replaces a lower one, whatever else it changes. If a UID has several titles, the program gives it
 * to all entries: then each title counts separately.
 */
function newest(masters: readonly Entry[], addFinding: AddFinding): readonly Entry[] {
  const isShared = new Set(masters.map(({ title }) => title)).size > MOST_TITLES;
  const keyOf = ({ title }: Entry) => (isShared ? title : '');
  const highest = new Map<string, number>();
  for (const entry of masters)
    highest.set(keyOf(entry), Math.max(highest.get(keyOf(entry)) ?? 0, entry.sequence));
  return masters.filter((entry) => {
    const isNewest = entry.sequence === highest.get(keyOf(entry));
    if (!isNewest) reportOlder(entry, addFinding);
    return isNewest;
  });
}

/** Titles of one event: the former and the present one. */
const MOST_TITLES = 2;

/** The latest entry for each key. The others are reported. */
function latestBy(
  entries: readonly Entry[],
  keyOf: (entry: Entry) => string,
  addFinding: AddFinding,
): readonly Entry[] {
  const latest = new Map<string, Entry>();
  for (const entry of entries) {
    const key = keyOf(entry);
    const present = latest.get(key);
    const newness = present === undefined ? 0 : compareAge(entry, present);
    // If two equally new entries have different titles, neither is a version of the other: the UID is not unique.
    const isOtherEvent = present !== undefined && newness === 0 && entry.title !== present.title;
    const ownKey = isOtherEvent ? `${key} ${entry.title}` : key;
    const earlier = latest.get(ownKey);
    const isLater = earlier === undefined || (!isOtherEvent && newness > 0);
    if (isLater) latest.set(ownKey, entry);
    const older = isLater ? earlier : entry;
    if (older !== undefined) reportOlder(older, addFinding);
  }
  return [...latest.values()];
}

/** Positive if the first is newer, 0 if both are equally new. */
function compareAge(left: Entry, right: Entry): number {
  return left.sequence - right.sequence || left.modified - right.modified;
}

/** Reports an entry that a later version replaces. */
export function reportOlder({ component, uid, sequence }: Entry, addFinding: AddFinding): void {
  const expected = 'a UID that no other entry has (the latest version is used)';
  const found = `${excerpt(uid)}, SEQUENCE ${sequence}`;
  addFinding({ action: 'left out', line: component.line, field: 'UID', expected, found });
}
