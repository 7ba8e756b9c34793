/** A feed's records pass the same schemas as native ones before they are kept, so that the build refuses none of them. */
import type * as z from 'zod';
import { excerpt, withCause } from '../records.ts';
import { fieldName, valueAt } from '../validate/entry.ts';
import {
  categorySchema,
  dateSchema,
  eventSchema,
  organizerSchema,
  repeatSchema,
  venueSchema,
} from '../validate/schemas.ts';
import type { AddFinding, Emit, FeedRecord } from './slice.ts';

const SCHEMAS = {
  categories: categorySchema,
  venues: venueSchema,
  organizers: organizerSchema,
  events: eventSchema,
} as const satisfies Readonly<Record<FeedRecord['list'], z.ZodType>>;

/** The record as it may be kept; null, after a finding, when it is no record. */
export function checkRecord(record: FeedRecord, addFinding: AddFinding): FeedRecord | null {
  const { list, line } = record;
  const drop = (field: string | null, expected: string, found: string) => {
    addFinding({ action: 'dropped record', line, id: idOf(record), field, expected, found });
    return null;
  };
  const causes: Parameters<AddFinding>[0][] = [];
  const value = list === 'events' ? withGoodDates(record, (cause) => causes.push(cause)) : record.value;
  const parsed = SCHEMAS[list].safeParse(value);
  if (!parsed.success) {
    reportIssue(parsed.error, { record, value, at: [], action: 'dropped record' }, addFinding);
    return null;
  }
  if (list === 'events' && !isDated(value)) {
    const expected = 'at least one date that is not taken out again';
    const said = {
      action: 'dropped record' as const,
      line,
      id: idOf(record),
      field: 'dates',
      expected,
      found: 'none',
    };
    addFinding(withCause(said, causes));
    return null;
  }
  for (const cause of causes) addFinding(cause);
  const letters = JSON.stringify(value).length;
  if (letters > MOST_LETTERS) return drop(null, `a record of at most ${MOST_LETTERS} letters`, `${letters}`);
  return { ...record, value };
}

/** Hands on those that are records. */
export function emitRecords(records: readonly FeedRecord[], emit: Emit, addFinding: AddFinding): void {
  for (const record of records) {
    const checked = checkRecord(record, addFinding);
    if (checked !== null) emit(checked);
  }
}

/** Many times the longest text and the longest list of dates that people make; a file of another kind has no end. */
const MOST_LETTERS = 4_000_000;

const LOST = { dates: 'dropped date', repeats: 'dropped series' } as const;

function withGoodDates(record: FeedRecord, addFinding: AddFinding): FeedRecord['value'] {
  const { dates, repeats } = record.value;
  const good = (
    list: unknown,
    name: keyof typeof LOST,
    schema: z.ZodType,
  ): readonly unknown[] | undefined => {
    if (!Array.isArray(list)) return undefined;
    return list.filter((item: unknown, place) => {
      const parsed = schema.safeParse(item);
      if (parsed.success) return true;
      reportIssue(parsed.error, { record, value: item, at: [name, place], action: LOST[name] }, addFinding);
      return false;
    });
  };
  const goodRepeats = good(repeats, 'repeats', repeatSchema);
  return {
    ...record.value,
    dates: good(dates, 'dates', dateSchema) ?? [],
    ...(goodRepeats === undefined ? {} : { repeats: goodRepeats }),
  };
}

function isDated({ dates, repeats, series, isSuperEvent }: FeedRecord['value']): boolean {
  const some = (list: unknown) => Array.isArray(list) && list.length > 0;
  return some(dates) || some(repeats) || series !== undefined || isSuperEvent === true;
}

interface Refused {
  readonly record: FeedRecord;
  readonly value: unknown;
  readonly at: readonly PropertyKey[];
  readonly action: 'dropped record' | (typeof LOST)[keyof typeof LOST];
}

function reportIssue(
  error: z.ZodError,
  { record, value, at, action }: Refused,
  addFinding: AddFinding,
): void {
  const [issue] = error.issues;
  const path = issue?.path ?? [];
  addFinding({
    action,
    line: record.line,
    id: idOf(record),
    field: fieldName([...at, ...path]),
    expected: issue?.message ?? 'a record of the native form',
    found: excerpt(valueAt(value, path)),
  });
}

function idOf({ value }: FeedRecord): string | null {
  return typeof value.id === 'string' ? value.id : null;
}

/** More than a report keeps. */
const MOST_FINDINGS = 20_000;

interface BoundFindings {
  readonly addFinding: AddFinding;
  /** To be called when all is said. */
  readonly end: () => void;
}

/** Hands on the first findings about a feed, and at its end how many more there were. */
export function boundFindings(emit: Emit): BoundFindings {
  let findings = 0;
  return {
    addFinding(finding) {
      if (++findings <= MOST_FINDINGS) emit({ list: 'findings', ...finding });
    },
    end() {
      if (findings <= MOST_FINDINGS) return;
      emit({
        list: 'findings',
        action: 'changed value',
        line: null,
        id: null,
        field: null,
        expected: `at most ${MOST_FINDINGS} findings about a feed`,
        found: `${findings - MOST_FINDINGS} more, which are only counted`,
      });
    },
  };
}
