/** References to events: what is not among those that were read when the build ends is dropped. */
import type { EventRecord, EventReferences, Origin } from '../records.ts';
import { addFinding, type Subject } from './entry.ts';
import type { ValidLicence } from './licence.ts';

interface Note {
  readonly event: Pick<EventRecord, 'id' | 'super_event'>;
  readonly field: string;
  readonly subject: Subject;
}

/**
 * References to events, which may precede their target: recorded while reading, resolved after all are read. `ids` are those of the
 * accepted events; the set grows while they are read.
 */
export function createOpenReferences(
  ids: ReadonlyMap<string, Origin>,
  { licence, subject: licenceSubject }: ValidLicence,
) {
  const open: Note[] = [];

  const superEvent: EventReferences['superEvent'] = ({ id, super_event }) =>
    super_event !== null && super_event !== id && ids.has(super_event) ? super_event : null;

  function note(event: EventRecord, field: string, subject: Subject): void {
    const { id, super_event } = event;
    // Only unresolved references are stored, so that a well-ordered list costs nothing.
    if (super_event !== null && superEvent(event) === null)
      open.push({ event: { id, super_event }, field, subject });
  }

  function settle(): EventReferences {
    for (const { event, field, subject } of open) {
      if (superEvent(event) !== null) continue;
      const expected = 'the id of another event that is kept';
      addFinding(subject, 'dropped reference', { at: [field], expected, found: event.super_event });
    }
    return { superEvent, specialEvent: specialEvent() };
  }

  function specialEvent(): string | null {
    const id = licence.specialEvent;
    if (id === null || ids.has(id)) return id;
    const expected = 'the id of an event that is kept';
    addFinding(licenceSubject, 'dropped reference', { at: ['specialEvent'], expected, found: id });
    return null;
  }

  return { note, settle };
}
