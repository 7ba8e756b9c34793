/** F13: what every correction must have, a condition and an effect. An entry without them stops the build: a hidden event must not reappear. */
import type { CalendarError } from '../../src/calendar/errors.ts';
import { isObject, type JsonObject } from '../../src/calendar/json.ts';
import { withNearest } from '../../src/calendar/nearest.ts';
import { excerpt, originText, sourceFault } from '../findings.ts';
import type { CorrectionEntry } from '../source/source.ts';
import { fieldName } from '../validate/salvage.ts';
import { fieldsOf } from '../validate/unknown-fields.ts';
import { type RawWhere, whereSchema } from './schemas.ts';

export function invalidEntry({ origin }: CorrectionEntry, expected: string, found: string): CalendarError {
  return sourceFault({
    place: originText(origin),
    expected: `expected ${expected}`,
    found: `found ${found}`,
  });
}

const CONDITIONS = fieldsOf([whereSchema]);
const SOME_CONDITION = `"where" with one or more of ${[...CONDITIONS.names].join(', ')}`;

/** Throws INVALID_SOURCE for an object without conditions, which would match every event, and for an unknown condition. */
export function whereOf(entry: CorrectionEntry, value: unknown): RawWhere {
  if (!isObject(value)) throw invalidEntry(entry, SOME_CONDITION, excerpt(value));
  const unknown = Object.keys(value).find((name) => !CONDITIONS.names.has(name));
  if (unknown !== undefined)
    throw invalidEntry(entry, withNearest(SOME_CONDITION, CONDITIONS.nearest(unknown)), excerpt(unknown));
  const { success, data, error } = whereSchema.safeParse(value);
  if (!success) {
    const [flaw] = error.issues;
    const at = flaw?.path ?? [];
    throw invalidEntry(entry, `where.${fieldName(at)}: ${flaw?.message}`, excerpt(value[String(at[0])]));
  }
  if (Object.values(data).every((condition) => condition === null))
    throw invalidEntry(entry, SOME_CONDITION, excerpt(value));
  return data;
}

const EFFECT = '"hide": true, or "set" or "add" with values, or "approve"';
const ONLY_ID = '"approve" with nothing but "id" in "where"';

interface Effects {
  readonly isHiding: boolean;
  /** F17: null if the entry decides nothing. */
  readonly isApproving: boolean | null;
}

/**
 * Whether the entry hides what it matches, and whether it approves it. Throws INVALID_SOURCE unless it either hides, or changes or approves
 * something.
 */
export function effectsOf(
  entry: CorrectionEntry,
  { hide, set, add, approve }: JsonObject,
  { id, ...others }: RawWhere,
): Effects {
  const changes = [set, add].filter((part) => part != null);
  const isApproving = typeof approve === 'boolean' ? approve : null;
  const isReadable = approve == null || isApproving !== null;
  const onlyHides = hide === true && changes.length === 0 && approve == null;
  const onlyChanges = hide == null && changes.every(isObject) && (changes.length > 0 || isApproving !== null);
  const isById = id !== null && Object.values(others).every((condition) => condition === null);
  if (isApproving !== null && !isById) throw invalidEntry(entry, ONLY_ID, excerpt(entry.value));
  if (isReadable && (onlyHides || onlyChanges)) return { isHiding: onlyHides, isApproving };
  const given = Object.entries({ hide, set, add, approve }).filter(([, part]) => part != null);
  throw invalidEntry(entry, EFFECT, given.length === 0 ? 'none of them' : excerpt(Object.fromEntries(given)));
}
