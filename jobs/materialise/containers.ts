/** A10: a container without dates spans its programme. */
import type { Occurrence } from '../../src/calendar/model.ts';
import { timeOfDay, wallOf } from '../../src/calendar/time.ts';
import type { OwnValues } from '../records.ts';

export interface Programmes {
  /** What belongs to a container; `span` is null for a container that itself has no dates. */
  readonly add: (part: Part) => void;
  /** Null when nothing of the programme has a date. */
  readonly spanOf: (container: string) => Span | null;
}

interface Part {
  readonly id: string;
  readonly container: string | null;
  readonly span: Span | null;
  /** It has no dates of its own: its own programme counts. */
  readonly isDateless: boolean;
}

/** Programmes within programmes are looked into that deep; a source that nests them further means mischief. */
const DEEPEST = 10;

export function createProgrammes(): Programmes {
  const spans = new Map<string, Span>();
  /** Containers without dates, by the container that they belong to. */
  const dateless = new Map<string, string[]>();

  function add({ id, container, span, isDateless }: Part): void {
    if (container === null) return;
    if (span !== null) spans.set(container, unite(spans.get(container) ?? null, span));
    if (!isDateless) return;
    const others = dateless.get(container);
    if (others === undefined) dateless.set(container, [id]);
    else others.push(id);
  }

  function spanOf(container: string): Span | null {
    const seen = new Set([container]);
    let level: readonly string[] = [container];
    for (let depth = 0; depth < DEEPEST && level.length > 0; depth++) {
      level = level.flatMap((id) => dateless.get(id) ?? []).filter((id) => !seen.has(id));
      for (const id of level) seen.add(id);
    }
    return [...seen].flatMap((id) => spans.get(id) ?? []).reduce<Span | null>(unite, null);
  }

  return { add, spanOf };
}

/** The one occurrence of such a container, with the event's own values. */
export function containerOccurrence({ start, end }: Span, own: Omit<OwnValues, 'prices'>): Occurrence {
  const { venue, ticketsURL, eventCancelled, eventSoldOut } = own;
  return {
    start,
    end,
    duration: Math.round((end - start) / 60),
    startTime: timeOfDay(wallOf(start)),
    allDay: false,
    venue,
    ticketsURL,
    eventCancelled,
    eventSoldOut,
    prices: null,
  };
}

/** From a first start to a last end. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

export function unite(left: Span | null, right: Span): Span {
  if (left === null) return { start: right.start, end: right.end };
  return { start: Math.min(left.start, right.start), end: Math.max(left.end, right.end) };
}
