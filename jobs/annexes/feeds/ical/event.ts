/** A native event of the VEVENTs of one UID: its fields, and what single dates have of their own. */
import type { EventStatus } from '../../../../src/calendar/status.ts';
import { excerpt } from '../../../findings.ts';
import type { FeedEvent } from '../collector.ts';
import type { DateTitle } from '../date-titles.ts';
import {
  assembleEvent,
  type DateValues,
  holdLostDates,
  ownFields,
  statusFields,
  withTitleState,
} from '../event-assembly.ts';
import type { AddFinding, NewFinding } from '../last-good.ts';
import { A_NEW_DATE, stateOfDate, stateOfEvent, THE_SAME_TITLE, titleWithoutState } from '../title-words.ts';
import { citeIn, fieldOf } from './citations.ts';
import { first } from './content.ts';
import { type CalendarContext, type CalendarEntry, isCancelled, statusOf } from './entries.ts';
import { fieldsOfEntry, readTimestamp, venueOf } from './entry-fields.ts';
import { AN_EVENT, isAvailability } from './not-for-all.ts';
import { datesOfVersion } from './recurrence.ts';
import { instantOfMoment, textsOf } from './values.ts';
import type { Version } from './versions.ts';

/** Null, after a finding, if it has no title. */
export function eventOfVersion(version: Version, context: CalendarContext): FeedEvent | null {
  const { main, overrides } = version;
  const id = context.idOf(version.uid);
  const { addFinding, lost } = holdLostDates(id, context.addFinding);
  if (main.title === '') {
    const missing = { ...citeIn(main.component, 'SUMMARY'), expected: 'a title', found: 'nothing' };
    addFinding({ ...missing, action: 'dropped record' });
    return null;
  }
  reportIdAndTitle(version, addFinding);
  const reading = { ...context, addFinding };
  const categories = main.component.properties.filter(({ name }) => name === 'CATEGORIES');
  const named = context.categories.sortNames(categories.flatMap(textsOf));
  const state = stateOfAllDates(version);
  const fieldsOfMain = fieldsOfEntry(main, named.fields, reading);
  const dateTitles = dateTitlesOf(version, addFinding);
  const fields = {
    ...fieldsOfMain,
    ...statusFields(state.status),
    eventSoldOut: state.eventSoldOut || null,
    updated_at: updatedOf([main, ...overrides], addFinding),
  };
  const dateFieldsOf = (entry: CalendarEntry) =>
    ownFields(dateValuesOf(entry, { main, state }, reading), { venue: null, ticketsURL: null });
  const { entriesAsDates, ...programme } = datesOfVersion(version, { ...reading, dateFieldsOf });
  const record = assembleEvent({ id, line: main.component.line, fields, dateTitles, programme }, context);
  return { record, lost: lost.map(withCitedField), unnamed: named.unnamed, entriesAsDates };
}

/** Reports what the UID and the title of an event say that they should not. */
function reportIdAndTitle({ main, isOtherTitle }: Version, addFinding: AddFinding): void {
  if (isOtherTitle) reportUid(main, addFinding);
  if (stateOfEvent(main.title).status === 'POSTPONED') reportTitle(main, A_NEW_DATE, addFinding);
  if (isAvailability(main.title)) reportTitle(main, AN_EVENT, addFinding);
}

/** The collector passes these on unchanged. */
function withCitedField(finding: NewFinding): NewFinding {
  return { ...finding, field: fieldOf(finding.field ?? '') };
}

/** The state that all dates of an event have, unless they have one of their own. */
interface EventState {
  readonly status: EventStatus | null;
  readonly eventSoldOut: boolean;
  /** Whether its entry is cancelled. */
  readonly isCancelled: boolean;
  /** With which the titles of dates are compared. */
  readonly title: string;
}

/** L0: the state from the title or from STATUS. A single date says nothing about the others. */
function stateOfAllDates({ kind, main }: Version): EventState {
  const { title } = main;
  if (kind === 'dates')
    return { status: null, eventSoldOut: false, isCancelled: false, title: titleWithoutState(title) };
  const { status, eventSoldOut } = stateOfEvent(title);
  const isOff = isCancelled(main);
  return { status: status ?? (isOff ? 'CANCELLED' : null), eventSoldOut, isCancelled: isOff, title };
}

interface EventOfDate {
  readonly main: CalendarEntry;
  readonly state: EventState;
}

/** Values that one date may have of its own (F5). */
function dateValuesOf(
  entry: CalendarEntry,
  { main, state }: EventOfDate,
  context: CalendarContext,
): DateValues {
  const isOff = isCancelled(entry) || (statusOf(entry.component) === null && state.isCancelled);
  const values: DateValues = {
    venue: entry === main ? null : venueOf(entry, context),
    ticketsURL: null,
    tickets: null,
    // The event may be cancelled, and this date not.
    status: isOff ? 'CANCELLED' : 'SCHEDULED',
    eventSoldOut: state.eventSoldOut,
  };
  return withTitleState(values, stateOfDate(entry.title, state.title), (expected) => {
    // The event's own title is reported once.
    if (entry.title !== main.title) reportTitle(entry, expected, context.addFinding);
  });
}

function reportTitle({ component, title }: CalendarEntry, expected: string, addFinding: AddFinding): void {
  addFinding({ ...citeIn(component, 'SUMMARY'), expected, found: excerpt(title) });
}

/** The event has changed if any of its dates has. */
function updatedOf(entries: readonly CalendarEntry[], addFinding: AddFinding): string | null {
  const newest = entries.reduce((latest, entry) => (entry.modified > latest.modified ? entry : latest));
  return readTimestamp(first(newest.component, 'LAST-MODIFIED'), addFinding);
}

function reportUid({ component, uid }: CalendarEntry, addFinding: AddFinding): void {
  const expected = 'a UID that no event with another title has (the title becomes part of this one’s id)';
  addFinding({ ...citeIn(component, 'UID'), expected, found: excerpt(uid) });
}

function dateTitlesOf({ main, overrides }: Version, addFinding: AddFinding): readonly DateTitle[] {
  const renamed = overrides.filter(({ title }) => stateOfDate(title, main.title).isOwn);
  return renamed.map((entry) => {
    reportTitle(entry, THE_SAME_TITLE, addFinding);
    const { start, title } = entry;
    return { start: instantOfMoment(start), isAllDay: start.isDate, title };
  });
}
