/** The plain fields of a record (`src/calendar/fields.ts`), each made safe by its kind (G8). */
import { isAccessibility, maskOf, wordsIn } from '../../src/calendar/accessibility.ts';
import { blank, type Field, type FieldKind, type Values } from '../../src/calendar/field.ts';
import { isObject, type JsonObject } from '../../src/calendar/json.ts';
import type { Subject } from './entry-findings.ts';
import { olderText, olderUrl } from './older-values.ts';
import type { Path } from './salvage.ts';
import { lineOf, longLine, severalLines, webUrl } from './texts.ts';

type Read = (
  value: unknown,
  at: Path,
  subject: Subject,
) => string | number | boolean | null | readonly string[];

/** Readers of values that the record's schema has accepted, by the kind of their field. */
const READERS: Readonly<Record<FieldKind, Read>> = {
  line: textBy(longLine),
  lines: textBy(severalLines),
  url: textBy(webUrl),
  norwegian: (value) => (typeof value === 'string' ? value : null),
  olderLine: olderText,
  olderUrl,
  integer: (value) => (typeof value === 'number' ? value : null),
  flag: (value) => value === true,
  moment: instantOf,
  utc: instantOf,
  accessibility: (value) =>
    Array.isArray(value)
      ? wordsIn(maskOf(value.map((word) => String(word).trim().toUpperCase()).filter(isAccessibility)))
      : [],
};

function textBy(read: (text: string | null, at: Path, subject: Subject) => string | null): Read {
  return (value, at, subject) => read(typeof value === 'string' ? value : null, at, subject);
}

function instantOf(value: unknown): number | null {
  return isObject(value) && typeof value.instant === 'number' ? value.instant : null;
}

/** Creates a reader of a table's fields, once for each table. A field that a record lacks gets its blank value. */
export function plainReader<Of extends Readonly<Record<string, Field>>>(
  table: Of,
): (raw: JsonObject, subject: Subject) => Values<Of> {
  const fields = Object.entries(table).map(([name, { kind, most }]) => ({
    name,
    at: [name],
    read: most === undefined ? READERS[kind] : textBy(lineOf(most)),
  }));
  const nothing = blank(table);
  return (raw, subject) => {
    // Copies an object with all fields: objects that grow are slow.
    const values: Record<string, unknown> = { ...nothing };
    for (const { name, at, read } of fields) {
      const value = raw[name];
      if (value !== undefined && value !== null) values[name] = read(value, at, subject);
    }
    return values as Values<Of>;
  };
}
