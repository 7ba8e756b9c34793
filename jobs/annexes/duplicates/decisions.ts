/** F12, duplicates.json: `duplicates.json`: people's decisions on whether similar events are the same. */
import * as z from 'zod';
import { CalendarError } from '../../../src/calendar/errors.ts';
import { isObject, type JsonObject } from '../../../src/calendar/json.ts';
import { type Action, excerpt, type RawEntry, type Reporter } from '../../records.ts';
import { fieldName, type Path, readableSubject, type Subject, salvage } from '../../validate/entry.ts';
import { id } from '../../validate/schemas.ts';
import { countUnknownFields, fieldsOf } from '../../validate/unknown-fields.ts';
import type { Decisions } from './groups.ts';

const idListSchema = z.array(id, 'a list of ids').min(2, 'two ids or more');
const idLists = z.array(idListSchema, 'a list of lists of ids');

/** F12: each list has events that are the same, or events that are all different. */
export const duplicatesSchema = z.object(
  { same: idLists.nullish(), different: idLists.nullish() },
  'an object',
);

const FIELDS = fieldsOf([duplicatesSchema]);

const NO_DECISIONS: Decisions = { same: [], different: [] };

interface ReadDecisions extends Decisions {
  /** Reports unknown ids of events; called after all events are read. */
  readonly check: (isKnown: (id: string) => boolean) => void;
}

/** Throws INVALID_SOURCE for an invalid file: ignoring it could merge two different events. */
export function readDecisions(entry: RawEntry | null, reporter: Reporter): ReadDecisions {
  if (entry === null) return { ...NO_DECISIONS, check: () => {} };
  const subject = readableSubject(entry, reporter);
  const { value } = entry;
  if (subject === null) throw invalid(entry, 'JSON', entry.problem?.found ?? 'something else');
  if (!isObject(value) || Array.isArray(value))
    throw invalid(entry, 'an object with "same" and "different"', excerpt(value));
  countUnknownFields('duplicates', value, { fields: FIELDS, reporter });
  const same = listsIn(value, 'same', subject);
  const different = listsIn(value, 'different', subject);
  return {
    same: same.map(({ ids }) => ids),
    different: different.map(({ ids }) => ids),
    check: (isKnown) => {
      for (const { at, ids } of [...same, ...different]) {
        const unknown = ids.filter((id) => !isKnown(id));
        for (const found of unknown) report(subject, 'left out', { at, expected: THERE, found });
      }
    },
  };
}

interface IdList {
  readonly at: Path;
  readonly ids: readonly string[];
}

function listsIn(value: JsonObject, name: 'same' | 'different', subject: Subject): readonly IdList[] {
  const written = value[name] ?? [];
  if (!Array.isArray(written)) {
    report(subject, 'dropped value', { at: [name], expected: 'a list of lists of ids', found: written });
    return [];
  }
  return written.flatMap((list: unknown, place) => {
    const { raw, wrong } = salvage(idListSchema, list);
    for (const { path, expected, found } of wrong)
      report(subject, 'dropped value', { at: [name, place, ...path], expected, found });
    return raw === null ? [] : [{ at: [name, place], ids: raw }];
  });
}

const THERE = 'the id of an event that is in the sources and published';

interface Flaw {
  readonly at: Path;
  readonly expected: string;
  readonly found: unknown;
}

function report({ origin, reporter }: Subject, action: Action, { at, expected, found }: Flaw): void {
  reporter.addFinding({ action, origin, id: null, field: fieldName(at), expected, found: excerpt(found) });
}

function invalid({ origin }: RawEntry, expected: string, found: string): CalendarError {
  return new CalendarError('INVALID_SOURCE', `${origin.file}: expected ${expected}, found ${found}`);
}
