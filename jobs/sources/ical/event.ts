/** The entries of one event as a native record. */
import { type Feed, withDefaults } from '../../feeds/config.ts';
import type { Complain, FeedRecord } from '../../feeds/slice.ts';
import { excerpt } from '../../report/excerpt.ts';
import { datesOf } from './dates.ts';
import { type Entry, type EntryContext, first } from './entry.ts';
import { type FieldContext, type Fields, fieldsOf, isCancelled, statusOf, venueOf } from './fields.ts';
import type { Series } from './series.ts';
import type { Version } from './versions.ts';

export interface EventContext extends EntryContext, FieldContext {
  readonly defaults: Feed['defaults'];
  readonly rehearse: (series: Series) => void;
}

/** Null, after a complaint, when it has no title. */
export function eventOf(version: Version, context: EventContext): FeedRecord | null {
  const { main, further, overrides } = version;
  const { title } = main;
  const id = version.isSecond ? `${context.idOf(main.uid)}/${title}` : context.idOf(main.uid);
  const complain: Complain = (complaint) => context.complain({ ...complaint, id });
  const line = main.component.line;
  if (title === '') {
    complain({ action: 'dropped record', line, id, field: 'SUMMARY', expected: 'a title', found: 'nothing' });
    return null;
  }
  if (version.isSecond) complainOfUid(main, complain);
  complainOfTitles(main, overrides, complain);
  const named = { ...context, complain };
  const said = { ...fieldsOf(main, named), ...updatedOf(main, [...further, ...overrides], named) };
  const dates = datesOf(version, { ...named, ownOf: (entry) => ownOf(entry, main, named) });
  return {
    list: 'events',
    line,
    value: { id, ...withoutBlanks(withDefaults(said, context.defaults)), ...dates },
  };
}

function withoutBlanks(fields: Fields): Fields {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null));
}

/** What one date may have of its own (F5). */
function ownOf(entry: Entry, main: Entry, context: FieldContext): Fields {
  const venue = entry === main ? null : venueOf(entry, context);
  const isOff = isCancelled(entry) || (statusOf(entry.component) === null && isCancelled(main));
  return { eventCancelled: isOff, ...(venue === null ? {} : { venue }) };
}

/** The event has changed when any of its dates has. */
function updatedOf(main: Entry, others: readonly Entry[], context: FieldContext): Fields {
  const newest = others.reduce((latest, entry) => (entry.modified > latest.modified ? entry : latest), main);
  if (newest === main) return {};
  return { updated_at: fieldsOf(newest, { ...context, complain: () => {} }).updated_at };
}

function complainOfUid({ component, uid }: Entry, complain: Complain): void {
  const expected = 'a UID that no event with another title has (this one is told apart by its title)';
  const line = first(component, 'UID')?.line ?? component.line;
  complain({ action: 'changed value', line, id: null, field: 'UID', expected, found: excerpt(uid) });
}

function complainOfTitles(main: Entry, overrides: readonly Entry[], complain: Complain): void {
  for (const entry of overrides) {
    const { title } = entry;
    if (title === '' || title === main.title) continue;
    const line = entry.component.line;
    const expected = 'the title of the series (its dates have none of their own)';
    complain({ action: 'changed value', line, id: null, field: 'SUMMARY', expected, found: excerpt(title) });
  }
}
