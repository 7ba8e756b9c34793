import type { EventRecord, EventReferences } from '../records.ts';
import { complain, type Subject } from './complaints.ts';

/** References to events, which may stand before the event they mean: noted while reading, settled when all are read. */
export interface OpenReferences {
  readonly note: (event: EventRecord, field: 'superEvent' | 'super_event', subject: Subject) => void;
  readonly settle: () => EventReferences;
}

/** The licence's special event, and the licence for a complaint about it. */
export interface SpecialEvent {
  readonly id: string | null;
  readonly subject: Subject;
}

interface Note {
  readonly event: Pick<EventRecord, 'id' | 'super_event'>;
  readonly field: string;
  readonly subject: Subject;
}

/** `ids` are those of the events that are kept; the set grows while they are read. */
export function createOpenReferences(ids: ReadonlySet<string>, special: SpecialEvent): OpenReferences {
  const open: Note[] = [];

  const superEvent: EventReferences['superEvent'] = ({ id, super_event }) =>
    super_event !== null && super_event !== id && ids.has(super_event) ? super_event : null;

  function note(event: EventRecord, field: string, subject: Subject): void {
    const { id, super_event } = event;
    // Only what cannot be told yet is kept, so that a list in good order costs nothing.
    if (super_event !== null && superEvent(event) === null)
      open.push({ event: { id, super_event }, field, subject });
  }

  function settle(): EventReferences {
    for (const { event, field, subject } of open) {
      if (superEvent(event) !== null) continue;
      const expected = 'the id of another event that is kept';
      complain(subject, 'dropped reference', { at: [field], expected, found: event.super_event });
    }
    return { superEvent, specialEvent: specialEvent() };
  }

  function specialEvent(): string | null {
    const { id, subject } = special;
    if (id === null || ids.has(id)) return id;
    const expected = 'the id of an event that is kept';
    complain(subject, 'dropped reference', { at: ['specialEvent'], expected, found: id });
    return null;
  }

  return { note, settle };
}
