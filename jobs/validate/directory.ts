/** The venues and organizers to which events refer by their ids, and the checks of these references. */
import { withNearest } from '../../src/calendar/nearest.ts';
import type { DatedEvent } from './dates.ts';
import { addFinding, type Subject } from './entry-findings.ts';
import type { Path } from './salvage.ts';
import { firstItems } from './texts.ts';
import { createNearestId, type NearestId } from './unknown-fields.ts';

/** The entities of a list, and the id of the one that an unknown id probably means. */
export interface Directory {
  readonly has: (id: string) => boolean;
  readonly nearest: NearestId;
}

export function directoryOf(records: readonly { readonly id: string; readonly name: string }[]): Directory {
  const ids = new Map(records.map(({ id }) => [id, id]));
  const nearest = createNearestId([...ids, ...records.map(({ name, id }) => [name, id] as const)]);
  return { has: (id) => ids.has(id), nearest };
}

export function venueReader({ has, nearest }: Directory): DatedEvent['venueOf'] {
  return (id, at, subject) => {
    if (id == null) return null;
    if (has(id)) return id;
    const expected = withNearest('the id of a venue', nearest(id));
    addFinding(subject, 'dropped reference', { at, expected, found: id });
    return null;
  };
}

/** Each organizer once. */
export function organizersOf(
  raw: readonly string[],
  { has, nearest }: Directory,
  subject: Subject,
): readonly string[] {
  const seen = new Set<string>();
  return firstItems(raw, ['organizers'], subject).filter((id, index) => {
    const at: Path = ['organizers', index];
    const isNew = !seen.has(id);
    seen.add(id);
    if (has(id) && isNew) return true;
    const expected = isNew ? withNearest('the id of an organizer', nearest(id)) : 'each organizer once';
    addFinding(subject, 'dropped reference', { at, expected, found: id });
    return false;
  });
}
