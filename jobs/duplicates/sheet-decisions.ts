/** F15: the decisions on duplicates in correction sheets. They name events as corrections do (F13), so they are read once all events are known. */
import { outsideFeeds } from '../corrections/limits.ts';
import { excerpt, originText, type Reporter } from '../findings.ts';
import { idsNamed } from '../naming/event-names.ts';
import type { Naming } from '../naming/naming.ts';
import { expectedEvent } from '../naming/unusable-names.ts';
import type { EventRecord } from '../records.ts';
import type { SheetDecision } from '../source/source.ts';
import { createNearestId, type NearestId } from '../validate/unknown-fields.ts';
import type { RejectedStatement, Statement } from './decided.ts';
import { createNamedEvents, type KnownEvent, type NamedEvents } from './named-events.ts';

interface SheetOptions
  extends Pick<Naming, 'readNameOrSlug' | 'findArea' | 'addresses' | 'isFormerId' | 'heldBack'> {
  readonly report: Pick<Reporter, 'addFinding'>;
}

export interface SheetDecisions {
  readonly isEmpty: boolean;
  /** Called with each published event. */
  readonly note: (record: EventRecord) => void;
  /** What the rows say of these events. Reports each name that does not identify exactly one event. */
  readonly statements: (numbersById: ReadonlyMap<string, number>) => readonly SheetStatement[];
  readonly reportRejected: (rejected: readonly RejectedStatement<SheetStatement>[]) => void;
}

/** A statement, with the cell that it is from. */
interface SheetStatement extends Statement {
  readonly row: SheetDecision;
  /** The id of the row's event. */
  readonly id: string;
  readonly column: string;
  readonly written: string;
}

export async function readSheetDecisions(
  source: AsyncIterable<SheetDecision>,
  { readNameOrSlug, ...options }: SheetOptions,
): Promise<SheetDecisions> {
  const rows: SheetDecision[] = [];
  for await (const row of source) rows.push(row);
  const names = createNamedEvents(rows, readNameOrSlug);
  const { report } = options;

  function statements(numbersById: ReadonlyMap<string, number>): readonly SheetStatement[] {
    if (rows.length === 0) return [];
    const nearestId = createNearestId([...numbersById.keys()].map((id) => [id, id]));
    return rows.flatMap((row) => statementsOf(row, { ...options, names, numbersById, nearestId }));
  }

  function reportRejected(rejected: readonly RejectedStatement<SheetStatement>[]): void {
    for (const { statement, because } of rejected) {
      const from =
        because === null ? 'duplicates.json' : `${because.column} in ${originText(because.row.origin)}`;
      const does = statement.isSame ? 'keeps these events apart' : 'joins these events';
      report.addFinding({
        action: 'dropped value',
        origin: statement.row.origin,
        id: statement.id,
        field: statement.column,
        expected: `nothing, because ${from} ${does}`,
        found: excerpt(statement.written),
      });
    }
  }

  return { isEmpty: rows.length === 0, note: names.note, statements, reportRejected };
}

interface Resolving extends Omit<SheetOptions, 'readNameOrSlug'> {
  readonly names: NamedEvents;
  readonly numbersById: ReadonlyMap<string, number>;
  readonly nearestId: NearestId;
}

/** None, after a finding, for a row whose own event cannot be used. */
function statementsOf(row: SheetDecision, resolving: Resolving): readonly SheetStatement[] {
  const own = eventOf({ row, field: 'id', written: row.id, id: null }, resolving);
  if (own === null) return [];
  const { id } = own;
  const fields = ['same', 'different'] as const;
  return fields.flatMap((field) =>
    row[field].flatMap((written): readonly SheetStatement[] => {
      const cell = { row, field, written, id };
      const other = eventOf(cell, resolving);
      if (other === null) return [];
      const column = row.columns[field];
      if (other.number !== own.number)
        return [{ isSame: field === 'same', pair: [own.number, other.number], row, id, column, written }];
      // The other one may be gone since it was merged into this one.
      if (other.isItself) addFinding(cell, { expected: 'an event other than that of the row' }, resolving);
      return [];
    }),
  );
}

/** A cell, or one of several events that it names. */
interface Cell {
  readonly row: SheetDecision;
  readonly field: 'id' | 'same' | 'different';
  readonly written: string;
  /** The id of the row's event; null for the cell that names this. */
  readonly id: string | null;
}

interface Flaw {
  readonly expected: string;
  readonly foundText?: string;
}

function addFinding(
  { row, field, written, id }: Cell,
  { expected, foundText = excerpt(written) }: Flaw,
  { report }: Pick<Resolving, 'report'>,
): void {
  // The correction's own reader reports this cell.
  if (field === 'id' && row.isCorrection) return;
  report.addFinding({
    action: 'left out',
    origin: row.origin,
    id,
    field: row.columns[field],
    expected,
    found: foundText,
  });
}

interface FoundEvent {
  readonly id: string;
  readonly number: number;
  /** False if the name is that of an event which was merged into this one. */
  readonly isItself: boolean;
}

/** The event that a cell names, unless the sheet must not decide on it. */
function eventOf(cell: Cell, resolving: Resolving): FoundEvent | null {
  const picked = pickOne(cell, resolving);
  if (picked === null || !isAllowedHere(picked.event, cell, resolving)) return null;
  const { event, isItself } = picked;
  const number = resolving.numbersById.get(event.id);
  return number === undefined ? null : { id: event.id, number, isItself };
}

interface PickedEvent extends Pick<FoundEvent, 'isItself'> {
  readonly event: KnownEvent;
}

/** Null for none or several, after a finding unless the event is over. */
function pickOne(cell: Cell, resolving: Resolving): PickedEvent | null {
  const { named, exact, merged } = resolving.names.find(cell.written);
  const isItself = exact.length > 0;
  const events = isItself ? exact : merged;
  const [event, ...others] = events;
  if (event === undefined) {
    const isOver = idsNamed(named).some(resolving.isFormerId);
    if (!isOver) addFinding(cell, { expected: expectedEvent(named, resolving) }, resolving);
    return null;
  }
  if (others.length > 0) {
    const ids = events.slice(0, MOST_LISTED).map(({ id }) => id);
    const expected = `the id of an event, because several have this address (${ids.join(', ')})`;
    addFinding(cell, { expected }, resolving);
    return null;
  }
  return { event, isItself };
}

/** Events of one address that a finding lists. */
const MOST_LISTED = 5;

/** Whether the event is one of the feeds and the area that the sheet is limited to. False after a finding. */
function isAllowedHere(event: KnownEvent, cell: Cell, resolving: Resolving): boolean {
  const { onlyFeeds, onlyIn } = cell.row;
  const elsewhere = () => (onlyIn === null ? null : resolving.findArea(onlyIn).findingFor(event.venues));
  const outside = outsideFeeds(onlyFeeds, event.feed) ?? elsewhere();
  if (outside !== null) addFinding(cell, outside, resolving);
  return outside === null;
}
