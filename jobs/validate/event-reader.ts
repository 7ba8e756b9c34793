/** Reads the events of a source one by one, and settles the references between them. */
import { type Finding, type Origin, withCause } from '../findings.ts';
import type { EventRecord, EventReferences } from '../records.ts';
import type { RawEntry } from '../source/source.ts';
import { type ReadEntry, readEntry, readValue, reportIfTaken } from './entry.ts';
import { addFinding, type Subject } from './entry-findings.ts';
import { eventRecordOf, type Surroundings, titlesOf } from './event.ts';
import { capacitySchema, eventSchema, type RawEvent } from './schemas.ts';
import { datesMissingFrom, FIELDS } from './unknown-fields.ts';

/** F13: whether the editor hides an event. Then nothing is reported about it. */
export type IsHidden = (event: EventRecord) => boolean;

/** Reads events one by one; each id is taken once. */
export function createEventReader(surroundings: Surroundings) {
  const { licence, report } = surroundings;
  const ids = new Map<string, Origin>();
  const references = createReferences(surroundings, ids);

  /**
   * The validated event; null, after a finding, if it is dropped (G2). Findings wait until its fate is known: of a dropped event, only the
   * reason is reported, and of a hidden one, nothing.
   */
  function read(entry: RawEntry, isHidden: IsHidden = () => false): EventRecord | null {
    const pending: Finding[] = [];
    const findings = { addFinding: (finding: Finding) => void pending.push(finding) };
    const valid = readEntry(entry, { ...EVENTS, report, findings });
    const event = valid && eventIn(entry, valid);
    if (valid === null || event === null) return dropped(pending);
    if (!isDated(event)) {
      report.addFinding(undatedOf(event, datesMissingFrom(entry.value), pending));
      return dropped(pending);
    }
    ids.set(event.id, entry.origin);
    report.countKept('events');
    if (isHidden(event)) return event;
    for (const finding of pending) report.addFinding(finding);
    references.add(event, valid);
    return event;
  }

  /** Reports why an event is dropped. */
  function dropped(pending: readonly Finding[]): null {
    const reasons = pending.filter(({ action }) => action === 'dropped record');
    for (const finding of reasons) report.addFinding(finding);
    return null;
  }

  /** Null, after a finding, for an event without a title, or with the id of another one. */
  function eventIn(
    { value, feed, series, rooms, statedPlaces }: RawEntry,
    { raw, subject }: ReadEntry<RawEvent>,
  ): EventRecord | null {
    const titles = titlesOf(raw, value, subject);
    if (titles === null || reportIfTaken(ids, raw.id, subject)) return null;
    // F9: without registration, these values of records are not read.
    const reading = { schema: capacitySchema, at: [], subject, lost: 'dropped value' } as const;
    const capacity = licence.registration ? readValue(value, reading) : null;
    const parts = { feed, rooms, titles, series, subject, surroundings };
    const record = eventRecordOf({ ...raw, ...capacity }, parts);
    return statedPlaces === undefined ? record : { ...record, statedPlaces };
  }

  return { read, has: (id: string) => ids.has(id), references: references.resolve };
}

/** References to events, which may precede their targets: `ids` grows while events are read. */
function createReferences(
  { licence, subject: licenceSubject, report }: Surroundings,
  ids: ReadonlyMap<string, unknown>,
) {
  const unresolved: OpenReference[] = [];
  const superEvent = superEventAmong(ids);

  /** Only unresolved references are stored, so that a well-ordered list costs nothing. */
  function add(event: EventRecord, { raw, subject }: ReadEntry<RawEvent>): void {
    const { id, super_event } = event;
    if (super_event === null || superEvent(event) !== null) return;
    const field = typeof raw.superEvent === 'string' ? 'superEvent' : 'super_event';
    // By then, the event's own findings have been passed on, so this one goes directly to the report.
    unresolved.push({ event: { id, super_event }, field, subject: { ...subject, reporter: report } });
  }

  /** G2: once all events are read, a reference to an unknown one is dropped. */
  function resolve(): EventReferences {
    for (const { event, field, subject } of unresolved) {
      if (superEvent(event) !== null) continue;
      const expected = 'the id of another event that is kept';
      addFinding(subject, 'dropped reference', { at: [field], expected, found: event.super_event });
    }
    const { specialEvent } = licence;
    if (specialEvent === null || ids.has(specialEvent)) return { superEvent, specialEvent };
    const expected = 'the id of an event that is kept';
    addFinding(licenceSubject, 'dropped reference', { at: ['specialEvent'], expected, found: specialEvent });
    return { superEvent, specialEvent: null };
  }

  return { add, resolve };
}

/** Creates the function that finds an event's container: null for itself, and for an event that is not among these. */
export function superEventAmong(ids: Pick<ReadonlySet<string>, 'has'>): EventReferences['superEvent'] {
  return ({ id, super_event }) =>
    super_event !== null && super_event !== id && ids.has(super_event) ? super_event : null;
}

/** A reference to an event that is not read yet. */
interface OpenReference {
  readonly event: Pick<EventRecord, 'id' | 'super_event'>;
  readonly field: string;
  readonly subject: Subject;
}

const EVENTS = { kind: 'events', schema: eventSchema, fields: FIELDS.events } as const;

function isDated({ isSuperEvent, dates, series }: EventRecord): boolean {
  return isSuperEvent || dates.length > 0 || series.length > 0;
}

/** The finding about an event without a valid date, with the faults of those that it gave. */
function undatedOf({ origin, id }: EventRecord, found: string, findings: readonly Finding[]): Finding {
  const expected = 'at least one valid date or repeat';
  const undated: Finding = { action: 'dropped record', origin, id, field: 'dates', expected, found };
  const causes = findings.filter(({ action }) => action === 'dropped date' || action === 'dropped series');
  return withCause(undated, causes);
}
