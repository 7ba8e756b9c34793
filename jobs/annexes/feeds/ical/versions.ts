/**
 * L4, iCalendar as towns write it: which entries with one UID are versions or copies of one event, which are dates of it, and which are
 * events of their own.
 */
import { groupBy } from '../../../../src/calendar/groups.ts';
import { nameKey } from '../../../../src/calendar/text.ts';
import type { AddFinding } from '../last-good.ts';
import { titleWithoutState } from '../title-words.ts';
import { first } from './content.ts';
import { type CalendarEntry, isCancelled, isPrivate } from './entries.ts';
import type { Ids } from './ids.ts';
import { latestBy, withHighestSequence, withoutCopies, withTitles } from './newest.ts';
import { instantOfMoment, type Moment, plainTextOf, seriesReading } from './values.ts';

/** An event: its main entry, and those that only add or change dates. */
export interface Version {
  /** `dates`: the entry of the event itself is missing, and the main entry is one of its dates, which describes it. */
  readonly kind: 'event' | 'dates';
  readonly main: CalendarEntry;
  /** The UID, with a title or a number where other events have the same UID. The event's id is made of it. */
  readonly uid: string;
  /** The latest entries of its other dates, in no certain order. */
  readonly overrides: readonly CalendarEntry[];
  /** Private overrides: their dates must not be shown. An example is an entry with `RECURRENCE-ID:20260309T180000Z` and `CLASS:PRIVATE`. */
  readonly hidden: readonly CalendarEntry[];
  /**
   * Starts of events with this UID, title and place: they are not dates of the series. If one entry has `DTSTART:20260302T180000Z` and
   * `RRULE:FREQ=WEEKLY`, and another one only `DTSTART:20260309T180000Z`, the series gets the start of the second.
   */
  readonly apart: readonly Moment[];
  /** Whether an event with another title has the same UID, so that the title is a part of the id. */
  readonly isOtherTitle: boolean;
}

interface Reports {
  readonly addFinding: AddFinding;
  /** Counts an entry that says the same as another one. */
  readonly addCopy: (entry: CalendarEntry) => void;
}

/**
 * The events among the entries with one UID. Each entry is part of one version, is a copy, or is named in a finding.
 *
 * 1. Private entries are set aside. Those with a RECURRENCE-ID hide dates.
 * 2. Of copies, one stays.
 * 3. Of entries without RECURRENCE-ID, those with the highest SEQUENCE stay, and of these the latest for each start and place.
 * 4. One of them is the main entry. Entries with a RECURRENCE-ID change its dates, and the latest stays for each date.
 * 5. Each entry of step 3 is an event. Those with equal titles share an id and are numbered.
 */
export function versionsOf(
  all: readonly CalendarEntry[],
  ids: Ids,
  { addFinding, addCopy }: Reports,
): readonly Version[] {
  // Step 1.
  const hidden = all.filter((entry) => isPrivate(entry) && entry.recurrenceId !== null);
  // Step 2.
  const distinct = withoutCopies(
    all.filter((entry) => !isPrivate(entry)),
    addCopy,
  );
  // Step 3.
  const masters = withTitles(distinct.filter(({ recurrenceId }) => recurrenceId === null));
  const keyOfTitle = titleKeyOf(masters);
  const newestMasters = withHighestSequence(masters, keyOfTitle, addFinding);
  const current = latestBy(
    newestMasters,
    (entry) => `${startAndPlace(entry)} ${keyOfTitle(entry)}`,
    addFinding,
  );
  // Step 4.
  const mainOfUid = mainIn(current, newestMasters);
  const overrides = overridesIn(distinct, mainOfUid, addFinding);
  if (mainOfUid === undefined) return datesAlone(overrides, hidden);
  // Step 5.
  const others = current.filter((entry) => entry !== mainOfUid);
  const byTitle = groupBy([mainOfUid, ...others], ({ title }) => title);
  return [...byTitle.values()].flatMap((namesakes) =>
    eventsOf(namesakes, { mainOfUid, overrides, hidden, ids }),
  );
}

/** Titles of one event: the former and the present one. */
const MOST_TITLES = 2;

/** If a UID has more titles than one event may have had, the program gives it to all entries: then each title counts separately. */
function titleKeyOf(masters: readonly CalendarEntry[]): (entry: CalendarEntry) => string {
  const isOfMany = new Set(masters.map(({ title }) => title)).size > MOST_TITLES;
  return ({ title }) => (isOfMany ? title : '');
}

/** The latest entry for each date of the main entry that has an entry of its own. */
function overridesIn(
  entries: readonly CalendarEntry[],
  mainOfUid: CalendarEntry | undefined,
  addFinding: AddFinding,
): readonly CalendarEntry[] {
  const dateKey = (date: Moment) =>
    mainOfUid === undefined ? instantOfMoment(date) : seriesReading(mainOfUid.start, date);
  return latestBy(
    entries.filter(({ recurrenceId }) => recurrenceId !== null),
    ({ recurrenceId, isThisAndFuture }) =>
      recurrenceId === null ? '' : `${dateKey(recurrenceId)} ${isThisAndFuture}`,
    addFinding,
  );
}

/** Changed dates of a series that is missing. The first date that is not cancelled and whose title names no state describes the event. */
function datesAlone(entries: readonly CalendarEntry[], hidden: readonly CalendarEntry[]): readonly Version[] {
  const byDate = [...entries].sort(
    (left, right) => instantOfMoment(left.start) - instantOfMoment(right.start),
  );
  const titled = byDate.filter(({ title }) => title !== '');
  const stateless = titled.filter(({ title }) => titleWithoutState(title) === title);
  const main = stateless.find((entry) => !isCancelled(entry)) ?? stateless[0] ?? titled[0] ?? byDate[0];
  if (main === undefined) return [];
  const overrides = byDate.filter((entry) => entry !== main);
  return [{ kind: 'dates', main, uid: main.uid, overrides, hidden, apart: [], isOtherTitle: false }];
}

interface UidGroup extends Pick<Version, 'overrides' | 'hidden'> {
  /** The main entry of the UID, whether it repeats or not. */
  readonly mainOfUid: CalendarEntry;
  readonly ids: Ids;
}

/** The events of entries with one UID and title. */
function eventsOf(
  namesakes: readonly CalendarEntry[],
  { mainOfUid, overrides, hidden, ids }: UidGroup,
): readonly Version[] {
  const title = namesakes[0]?.title;
  const isOtherTitle = title !== mainOfUid.title;
  const base = isOtherTitle ? `${mainOfUid.uid}/${title}` : mainOfUid.uid;
  const uids = ids.assign(base, namesakes.map(startAndPlace));
  return namesakes.map((entry, nth) => ({
    kind: 'event',
    main: entry,
    uid: uids[nth] ?? base,
    overrides: entry === mainOfUid ? overrides : [],
    hidden: mayHavePrivateDates(entry, mainOfUid) ? hidden : [],
    apart: entry === mainOfUid ? startsBeside(mainOfUid, namesakes) : [],
    isOtherTitle,
  }));
}

/**
 * Whether a private date of the UID may be one of this entry's, which then must not show it. For example, the UID has a weekly series
 * `Øving` in Salen, an entry for `20260309T180000Z`, and the private date `RECURRENCE-ID:20260309T180000Z`. If that entry is also `Øving` in
 * Salen, it repeats the date of the series, and must not show it. If it is `Konsert`, it is another event, and stays. Without a series, the
 * private date may be any entry's.
 */
function mayHavePrivateDates(entry: CalendarEntry, mainOfUid: CalendarEntry): boolean {
  if (!isRecurring(mainOfUid)) return true;
  return entry.title === mainOfUid.title && locationOf(entry) === locationOf(mainOfUid);
}

/** The starts of events at the place of a series, without the dates of the series; none if there is no series. */
function startsBeside(mainOfUid: CalendarEntry, namesakes: readonly CalendarEntry[]): readonly Moment[] {
  if (!isRecurring(mainOfUid)) return [];
  const place = locationOf(mainOfUid);
  const beside = namesakes.filter((entry) => entry !== mainOfUid && locationOf(entry) === place);
  return beside.map(({ start }) => start);
}

/**
 * The entry whose id is the UID alone: the series, or else the latest entry of the first start. Before entries at several places were events
 * of their own, the id was that entry's.
 */
function mainIn(
  current: readonly CalendarEntry[],
  newestMasters: readonly CalendarEntry[],
): CalendarEntry | undefined {
  const [latestOfFirstStart] = latestBy(newestMasters, ({ start }) => `${instantOfMoment(start)}`, IGNORE);
  return current.find(isRecurring) ?? current.find((entry) => entry === latestOfFirstStart) ?? current[0];
}

/** For a comparison whose result is reported elsewhere. */
const IGNORE: AddFinding = () => undefined;

function isRecurring({ component }: CalendarEntry): boolean {
  return first(component, 'RRULE') !== null || first(component, 'RDATE') !== null;
}

function startAndPlace(entry: CalendarEntry): string {
  const { start } = entry;
  return `${instantOfMoment(start)} ${start.isDate} ${locationOf(entry)}`;
}

/** LOCATION, folded; empty without it. */
function locationOf({ component }: CalendarEntry): string {
  const location = first(component, 'LOCATION');
  return location === null ? '' : nameKey(plainTextOf(location));
}
