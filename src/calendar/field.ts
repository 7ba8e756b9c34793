/**
 * A plain field: the properties of its entry, the kinds of values, and what is derived from a table of entries: the type of a record's
 * values, blank values, shapes in a snapshot and the field's line in the schema. The tables are in `fields.ts`.
 */
import { ACCESSIBILITY, type Accessibility } from './accessibility.ts';
import type { ShapeWord } from './shape.ts';

/** The kind of a value: its type in the schema, and the shape of its JSON in a snapshot. */
const KINDS = {
  /** Plain text of one line. */
  line: { type: 'String', shape: 'text?' },
  /** Plain text with line breaks. */
  lines: { type: 'String', shape: 'text?' },
  /** An absolute http or https URL. */
  url: { type: 'String', shape: 'text?' },
  /** I16: `nb` or `nn`. */
  norwegian: { type: 'String', shape: 'text?' },
  /** For older clients (E5): text in any form, such as a number; a value that is no text is ignored alone. */
  olderLine: { type: 'String', shape: 'text?' },
  olderUrl: { type: 'String', shape: 'text?' },
  /** A whole number of 32 bits. */
  integer: { type: 'Int', shape: 'integer?' },
  /** False if the record does not have it. */
  flag: { type: 'Boolean!', shape: 'flag' },
  /** An instant in the record, a datetime in Norwegian time in the answer (A13). */
  moment: { type: 'String', shape: 'text?' },
  /** The same in UTC: bookkeeping. A column of the table `event`. */
  utc: { type: 'String', shape: 'text?' },
  /** E6: words of the enum in its order; empty if the record has none. */
  accessibility: { type: '[Accessibility!]!', shape: `[text /^(?:${ACCESSIBILITY.join('|')})$/]` },
} as const satisfies Readonly<Record<string, { readonly type: string; readonly shape: ShapeWord }>>;

export type FieldKind = keyof typeof KINDS;

export interface Field {
  readonly kind: FieldKind;
  /** Its description in the schema and on the developers' page. */
  readonly en: string;
  readonly nb: string;
  /** The valid values in a record, for docs/source-format.md and the JSON Schemas. */
  readonly source?: string;
  /** Characters of a text; a longer one is cut, and reported (G12). By default those of its kind. */
  readonly most?: number;
  /** The field to use instead. */
  readonly deprecated?: string;
  /** The column of a table of events (CSV) that it is read from: its meaning, and its folded names, the most common first. */
  readonly csv?: { readonly about: string; readonly names: string };
  /** False: it is not requested from mirrored calendars. */
  readonly mirror?: false;
  /** Its name in schema.org, for JSON-LD. */
  readonly schemaOrg?: string;
  /** The name of its pair, of which it is the half in Norwegian (`_nb`) or English (`_en`): lists have one value, in the reader's language. */
  readonly localized?: string;
  /** A column of /events.csv has it, under its name or its pair's. */
  readonly listed?: true;
}

export interface EventField extends Field {
  /** It is read only if the licence has registration (F9). */
  readonly registration?: true;
  /** A column of the table `event` holds it; any other field is a line of its `body`, in the order of this table. */
  readonly column?: string;
  /** G2: an invalid value costs the whole event, because an event without the field means something else. */
  readonly essential?: true;
  /** A feed's `defaults` may have it. */
  readonly byDefault?: true;
  /** G9: fields with the same word are taken together from a duplicate if the event lacks all of them. */
  readonly joined?: string;
}

export type FieldTable<Of extends Field> = Readonly<Record<string, Of>>;

/** The values of a table's fields in a record that was read. */
export type Values<Of extends FieldTable<Field>> = {
  readonly [Name in keyof Of]: Of[Name]['kind'] extends 'flag'
    ? boolean
    : Of[Name]['kind'] extends 'accessibility'
      ? readonly Accessibility[]
      : Of[Name]['kind'] extends 'integer' | 'moment' | 'utc'
        ? number | null
        : string | null;
};

/** In the table's order. */
export function namesOf<Of extends object>(table: Of): readonly (keyof Of & string)[] {
  return Object.keys(table) as (keyof Of & string)[];
}

/** One result for each field, under its name. */
export function mapFields<Of extends FieldTable<Field>, Made>(
  table: Of,
  make: (field: EventField, name: string) => Made,
): Readonly<Record<keyof Of & string, Made>> {
  const made = Object.entries(table).map(([name, field]) => [name, make(field, name)] as const);
  return Object.fromEntries(made) as Record<keyof Of & string, Made>;
}

/** The fields whose entries have a property, such as the CSV column that they are read from. */
type Having<Of, Property extends string> = {
  readonly [Name in keyof Of as Of[Name] extends Readonly<Record<Property, unknown>>
    ? Name
    : never]: Of[Name];
};

export function having<Of extends FieldTable<Field>, Property extends keyof EventField>(
  table: Of,
  property: Property,
): Having<Of, Property> {
  const chosen = Object.entries(table).filter(([, field]) => property in field);
  return Object.fromEntries(chosen) as Having<Of, Property>;
}

/** The fields whose entries lack a property. */
export function lacking<Of extends FieldTable<Field>, Property extends keyof EventField>(
  table: Of,
  property: Property,
): Omit<Of, keyof Having<Of, Property>> {
  const chosen = Object.entries(table).filter(([, field]) => !(property in field));
  return Object.fromEntries(chosen) as Omit<Of, keyof Having<Of, Property>>;
}

const BLANK: Readonly<Partial<Record<FieldKind, false | readonly []>>> = { flag: false, accessibility: [] };

/** The values of an empty record. */
export function blank<Of extends FieldTable<Field>>(table: Of): Values<Of> {
  return mapFields(table, ({ kind }) => BLANK[kind] ?? null) as Values<Of>;
}

/** Whether a value of a record says nothing. */
export function isEmpty(value: unknown): boolean {
  return value == null || value === '' || (Array.isArray(value) && value.length === 0);
}

/** The shape of each value's JSON in a snapshot. */
export function shapesOf<Of extends FieldTable<Field>>(
  table: Of,
): Readonly<Record<keyof Of & string, ShapeWord>> {
  return mapFields(table, ({ kind }) => KINDS[kind].shape);
}

/** The field in the published schema, below its description. */
export function sdlOf({ kind, ...field }: Field, name: string): string {
  return sdlLine(name, { ...field, type: KINDS[kind].type });
}

interface Described {
  readonly en: string;
  readonly type: string;
  readonly deprecated?: string | undefined;
}

/** A field of a type or of an input, below its description. */
export function sdlLine(name: string, { en, type, deprecated }: Described): string {
  const retired = deprecated === undefined ? '' : ` @deprecated(reason: ${JSON.stringify(deprecated)})`;
  return `  ${JSON.stringify(en)}\n  ${name}: ${type}${retired}`;
}
