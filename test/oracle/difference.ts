/** The differences of two answers, a line each. */
import type { Json } from './records.ts';

/** `path: expected …, found …`, of what was asked for; lists of entries with an id are first compared by their ids. */
export function differences(expected: Json, actual: Json, path = ''): readonly string[] {
  if (isList(expected) && isList(actual)) {
    const ids = [expected, actual].map((list) => list.map(nameOf).join(' '));
    if (ids[0] !== ids[1]) return [`${path}: expected [${ids[0]}], found [${ids[1]}]`];
    return expected.flatMap((entry, index) =>
      differences(entry, actual[index] ?? null, `${path}[${nameOf(entry) || index}]`),
    );
  }
  if (isObject(expected) && isObject(actual)) {
    return Object.keys(actual).flatMap((key) =>
      differences(expected[key] ?? null, actual[key] ?? null, path === '' ? key : `${path}.${key}`),
    );
  }
  if (expected === actual) return [];
  return [`${path}: expected ${short(expected)}, found ${short(actual)}`];
}

function nameOf(entry: Json): string {
  if (!isObject(entry)) return String(entry);
  const hits = entry.hits === undefined ? '' : `×${entry.hits}`;
  return `${entry.id ?? entry.startDate ?? entry.type ?? ''}${hits}`;
}

function short(json: Json): string {
  const text = JSON.stringify(json);
  return text.length > 300 ? `${text.slice(0, 300)}…` : text;
}

function isList(json: Json): json is readonly Json[] {
  return Array.isArray(json);
}

function isObject(json: Json): json is { readonly [key: string]: Json } {
  return typeof json === 'object' && json !== null && !isList(json);
}
