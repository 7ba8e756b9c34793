/**
 * G8, G12: texts with markup are made safe and cut where a feed is read, which is a process of its own with limits: 47 MB of `<b>` cost a
 * build 42 s otherwise. The build finds nothing more to do in them.
 */
import type { Field, FieldKind } from '../../../src/calendar/field.ts';
import { EVENT, ORGANIZER, VENUE } from '../../../src/calendar/fields.ts';
import { description, oneLine, type Subject, severalLines, shortLine } from '../../validate/entry.ts';
import { MOST_ITEMS } from '../../validate/lengths.ts';
import type { Path } from '../../validate/salvage.ts';
import type { AddFinding, FeedRecord } from './last-good.ts';

/** The record with each of its texts safe. What was taken away, or cut, is reported. */
export function madeSafe(record: FeedRecord, addFinding: AddFinding): FeedRecord {
  if (!hasMarkup(record.value)) return record;
  const { line } = record;
  const id = typeof record.value.id === 'string' ? record.value.id : null;
  const subject: Subject = {
    origin: { file: '' },
    id,
    reporter: {
      addFinding: ({ action, field, expected, found }) =>
        addFinding({ action, line, id, field, expected, found }),
    },
  };
  return { ...record, value: fieldsIn(record.value, [], subject) };
}

function hasMarkup(value: unknown): boolean {
  if (typeof value === 'string') return value.includes('<');
  return typeof value === 'object' && value !== null && Object.values(value).some(hasMarkup);
}

function fieldsIn(fields: object, at: Path, subject: Subject): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [name, valueIn(value, [...at, name], { name, subject })]),
  );
}

interface Within {
  /** The field that has the value, or the list that contains it. */
  readonly name: string;
  readonly subject: Subject;
}

function valueIn(value: unknown, at: Path, within: Within): unknown {
  const { name, subject } = within;
  if (typeof value === 'string') return READERS.get(name)?.(value, at, subject) ?? value;
  // The build takes no more items of these lists, so the rest needs no work.
  const most = name === 'dates' || name === 'repeats' ? Number.POSITIVE_INFINITY : MOST_ITEMS;
  if (Array.isArray(value))
    return value.map((item, index) => (index < most ? valueIn(item, [...at, index], within) : item));
  return typeof value === 'object' && value !== null ? fieldsIn(value, at, subject) : value;
}

type ReadText = typeof description;

/** As the build reads them. Ids and URLs are not texts: a part of one is another one. */
const BY_KIND: Readonly<Partial<Record<FieldKind, ReadText>>> = {
  line: oneLine,
  lines: severalLines,
  olderLine: oneLine,
};

function plainFields(table: Readonly<Record<string, Field>>): readonly (readonly [string, ReadText])[] {
  return Object.entries(table).flatMap(([name, { kind }]) => {
    const read = BY_KIND[kind];
    return read === undefined ? [] : [[name, read] as const];
  });
}

const READERS: ReadonlyMap<string, ReadText> = new Map<string, ReadText>([
  ...plainFields(EVENT),
  ...plainFields(VENUE),
  ...plainFields(ORGANIZER),
  ['title_nb', shortLine],
  ['title_en', shortLine],
  ['desc_nb', description],
  ['desc_en', description],
  ['tags', oneLine],
  ['name', shortLine],
  ['name_nb', shortLine],
  ['name_en', shortLine],
  ['type', oneLine],
  ['alt', oneLine],
  ['caption', severalLines],
  ['credits', severalLines],
]);
