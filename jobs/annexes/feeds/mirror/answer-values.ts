/** Values in an endpoint's answers. Their types are checked by the build; here, what has no value is left out. */
import { isObject, type JsonObject } from '../../../../src/calendar/json.ts';

/** These fields of an answer, without null values. Empty for an answer that is not an object. */
export function fieldsIn(answer: unknown, names: readonly string[]): JsonObject {
  if (!isObject(answer)) return {};
  const entries = names.flatMap((name) => (answer[name] == null ? [] : [[name, wholeSeconds(answer[name])]]));
  return Object.fromEntries(entries);
}

/** Some programs write datetimes with a fraction of a second. */
function wholeSeconds(value: unknown): unknown {
  return typeof value === 'string' ? value.replace(FRACTION, '$1') : value;
}

const FRACTION = /^(\d{4}-\d{2}-\d{2}[ T]\d{2}:\d{2}:\d{2})\.\d+(?=(?:Z|[+-]\d{2}:?\d{2})?$)/;

/** A list without its null items; empty for any other value. */
export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value.filter((item: unknown) => item !== null) : [];
}

/** The texts of a list. */
export function textsIn(value: unknown): readonly string[] {
  return listOf(value).filter((item) => typeof item === 'string');
}
