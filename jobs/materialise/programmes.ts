/** A10: programmes of containers, and the span from the first start to the last end of all that belongs to one. */
import { addToGroup } from '../../src/calendar/groups.ts';
import type { Occurrence } from '../../src/calendar/model.ts';
import { timeOfDay, wallOf } from '../../src/calendar/time.ts';
import { type Span, unite } from '../recurrence/occurrences.ts';
import type { OwnValues } from '../recurrence/series.ts';

export interface Programmes {
  /** Adds a part of a container. */
  readonly add: (part: ProgrammePart) => void;
  /** Null if no part of the programme has a date. */
  readonly spanOf: (container: string) => ProgrammeSpan | null;
}

/** Collects the parts of containers, in any order. */
export function createProgrammes(): Programmes {
  const spans = new Map<string, Span>();
  /** Containers without dates, by the container that they belong to. */
  const dateless = new Map<string, string[]>();
  const withRules = new Set<string>();

  function add({ id, container, span, isDateless, isByRule }: ProgrammePart): void {
    if (container === null) return;
    if (isByRule) withRules.add(container);
    if (span !== null) spans.set(container, unite(spans.get(container) ?? null, span));
    if (isDateless) addToGroup(dateless, container, id);
  }

  function spanOf(container: string): ProgrammeSpan | null {
    const seen = new Set([container]);
    let level: readonly string[] = [container];
    for (let depth = 0; depth < DEEPEST && level.length > 0; depth++) {
      level = level.flatMap((id) => dateless.get(id) ?? []).filter((id) => !seen.has(id));
      for (const id of level) seen.add(id);
    }
    const span = [...seen].flatMap((id) => spans.get(id) ?? []).reduce<Span | null>(unite, null);
    return span && { ...span, isByRule: [...seen].some((id) => withRules.has(id)) };
  }

  return { add, spanOf };
}

interface ProgrammeSpan extends Span {
  /** Whether a part of it is by rule: then its end moves with the horizon. */
  readonly isByRule: boolean;
}

interface ProgrammePart {
  readonly id: string;
  readonly container: string | null;
  /** Null for a container without dates of its own. */
  readonly span: Span | null;
  /** Whether it has no dates of its own: then its own programme counts. */
  readonly isDateless: boolean;
  readonly isByRule: boolean;
}

/** Levels of nested programmes that are followed; a deeper source is hostile. */
const DEEPEST = 10;

/** The single occurrence of a container that takes its dates from its programme, with the event's own values. */
export function containerOccurrence({ start, end }: Span, own: Omit<OwnValues, 'prices'>): Occurrence {
  const duration = Math.round((end - start) / 60);
  return { start, end, duration, startTime: timeOfDay(wallOf(start)), allDay: false, ...own, prices: null };
}
