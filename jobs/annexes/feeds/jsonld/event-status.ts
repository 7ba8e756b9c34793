/** The state of a linked-data event: `eventStatus`, and words that programs write in its place. */
import type { JsonObject } from '../../../../src/calendar/json.ts';
import { fold } from '../../../../src/calendar/text.ts';
import type { DateValues } from '../event-assembly.ts';
import { writtenAt } from '../native-dates.ts';
import { A_NEW_DATE } from '../title-words.ts';
import { momentOf, type Note } from './dates.ts';
import { schemaNames } from './linked-data.ts';

/** What a word says of an event, or of an offer. `online`: held as planned, on the web. */
type State = 'cancelled' | 'postponed' | 'rescheduled' | 'soldOut' | 'online' | 'held';

interface EventState {
  readonly status: DateValues['status'];
  /** As a native date has it. */
  readonly previousStart: string | null;
  readonly isSoldOut: boolean;
}

/** E12. Unknown words, and a postponement without a new date, are reported. */
export function readStatus(event: JsonObject, note: Note): EventState {
  const names = schemaNames(event.eventStatus);
  const states = names.map(stateNamed);
  const report = (expected: string) => note('changed value', 'eventStatus', expected, names[0]);
  if (states.includes('postponed')) report(A_NEW_DATE);
  if (states.includes(undefined)) report(A_STATUS);
  const previousStart = previousStartOf(event, note);
  return {
    status: statusBy(states, previousStart),
    previousStart,
    isSoldOut: states.includes('soldOut'),
  };
}

const A_STATUS = 'a status such as EventScheduled or EventCancelled (it is ignored)';

function statusBy(
  states: readonly (State | undefined)[],
  previousStart: string | null,
): DateValues['status'] {
  if (states.includes('cancelled')) return 'CANCELLED';
  if (states.includes('postponed')) return 'POSTPONED';
  return states.includes('rescheduled') || previousStart !== null ? 'RESCHEDULED' : null;
}

/** As a native date has it: a day for an event of whole days. */
function previousStartOf({ startDate, previousStartDate }: JsonObject, note: Note): string | null {
  const previous = momentOf(previousStartDate, 'previousStartDate', note);
  if (previous === null) return null;
  const isOfWholeDays = momentOf(startDate, 'startDate', null)?.time === null;
  const { day, time, offset } = previous;
  return time === null || isOfWholeDays ? day : writtenAt({ day, time, offset });
}

/** `https://example.org/Event-Cancelled` and `cancelled` are one word. Undefined for an unknown one. */
export function stateNamed(name: string): State | undefined {
  const word = fold(name)
    .replace(/^.*[/#:]/, '')
    .replace(/[^a-z]/g, '')
    .replace(/^event/, '');
  return STATES.get(word);
}

/** Folded, without signs and without `event` before them. */
const WORDS_BY_STATE: Readonly<Record<State, string>> = {
  cancelled: 'cancelled canceled avlyst kansellert',
  postponed: 'postponed utsatt utsett',
  rescheduled: 'rescheduled flyttet flytta',
  soldOut: 'soldout utsolgt utseld utselt',
  online: 'movedonline onlineeventattendancemode online',
  held: 'scheduled confirmed active published onsale planned planlagt bekreftet stadfesta',
};

const STATES: ReadonlyMap<string, State> = new Map(
  Object.entries(WORDS_BY_STATE).flatMap(([state, words]) =>
    words.split(' ').map((word) => [word, state as State] as const),
  ),
);
