/**
 * G8, G12: sanitizes and cuts texts with markup in the process that reads the feed, which has its own limits. In the build, 47 MB of `<b>`
 * would take 42 s. The build then finds these texts clean.
 */
import type { Field, FieldKind } from '../../../src/calendar/field.ts';
import { EVENT, ORGANIZER, VENUE } from '../../../src/calendar/fields.ts';
import { addFinding as addTo, type Subject } from '../../validate/entry-findings.ts';
import { MOST_ITEMS } from '../../validate/lengths.ts';
import type { Path } from '../../validate/salvage.ts';
import { description, longLine, MOST_READ, severalLines, shortLine } from '../../validate/texts.ts';
import type { AddFinding, FeedRecord } from './last-good.ts';

/** Sanitizes each text of the record, and reports what it removed or cut. */
export function sanitizeRecord(
  record: FeedRecord,
  addFinding: AddFinding,
  allowance: MarkupAllowance,
): FeedRecord {
  allowance.addRecord();
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
  return { ...record, value: fieldsIn(record.value, [], { subject, allowance }) };
}

/** Tags and character references in the texts of a feed that are read. */
interface MarkupAllowance {
  readonly addRecord: () => void;
  /** The text, or the part before the first tag or reference that is beyond the allowance. */
  readonly take: (text: string) => string;
}

/** For a feed of any size. */
const MARKUP_BASE = 200_000;
/** For each of its records: ordinary prose has fewer. */
const MARKUP_PER_RECORD = 100;

/** G12: the build reads each of them again, and a feed of 50 MB has room for millions. */
export function createMarkupAllowance(): MarkupAllowance {
  let left = MARKUP_BASE;
  return {
    addRecord: () => {
      left += MARKUP_PER_RECORD;
    },
    take: (text: string): string => {
      const read = Math.min(text.length, MOST_READ);
      for (let at = 0; at < read; at++) {
        const letter = text.charAt(at);
        if (letter !== '<' && letter !== '&') continue;
        if (left === 0) return text.slice(0, at);
        left--;
      }
      return text;
    },
  };
}

function hasMarkup(value: unknown): boolean {
  if (typeof value === 'string') return /[<&]/.test(value);
  return typeof value === 'object' && value !== null && Object.values(value).some(hasMarkup);
}

interface RecordContext {
  readonly subject: Subject;
  readonly allowance: MarkupAllowance;
}

function fieldsIn(fields: object, at: Path, context: RecordContext): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [
      name,
      valueIn(value, [...at, name], { ...context, name }),
    ]),
  );
}

interface FieldContext extends RecordContext {
  /** The field that has the value, or the list that contains it. */
  readonly name: string;
}

function valueIn(value: unknown, at: Path, context: FieldContext): unknown {
  const { name } = context;
  if (typeof value === 'string') return textIn(value, at, context);
  // The build takes no more items of these lists, so the rest needs no work.
  const most = name === 'dates' || name === 'repeats' ? Number.POSITIVE_INFINITY : MOST_ITEMS;
  if (Array.isArray(value))
    return value.map((item, index) => (index < most ? valueIn(item, [...at, index], context) : item));
  return typeof value === 'object' && value !== null ? fieldsIn(value, at, context) : value;
}

function textIn(written: string, at: Path, { name, subject, allowance }: FieldContext): string {
  const read = READERS.get(name);
  if (read === undefined) return written;
  const text = allowance.take(written);
  if (text.length < written.length) {
    const expected = `at most ${MARKUP_BASE} tags and references in a feed, and ${MARKUP_PER_RECORD} for each of its records`;
    addTo(subject, 'cut text', {
      at,
      expected,
      foundText: `more, from letter ${text.length + 1} of this text on`,
    });
  }
  return read(text, at, subject) ?? text;
}

type ReadText = typeof description;

/** As the build reads them. Ids and URLs are not texts: a part of one is another one. */
const BY_KIND: Readonly<Partial<Record<FieldKind, ReadText>>> = {
  line: longLine,
  lines: severalLines,
  olderLine: longLine,
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
  ['tags', longLine],
  ['name', shortLine],
  ['name_nb', shortLine],
  ['name_en', shortLine],
  ['type', longLine],
  ['alt', longLine],
  ['caption', severalLines],
  ['credits', severalLines],
]);
