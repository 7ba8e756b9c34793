/** F12: people's decisions on whether similar events are the same. */
import * as z from 'zod';
import type { CalendarError } from '../../src/calendar/errors.ts';
import { isObject, type JsonObject } from '../../src/calendar/json.ts';
import { excerpt, type Reporter, sourceFault } from '../findings.ts';
import type { RawEntry } from '../source/source.ts';
import { readableSubject, readValue } from '../validate/entry.ts';
import { addFinding, type Subject } from '../validate/entry-findings.ts';
import type { Path } from '../validate/salvage.ts';
import { id } from '../validate/schemas.ts';
import { countUnknownFields, fieldsOf } from '../validate/unknown-fields.ts';

const idListSchema = z.array(id, 'a list of ids').min(2, 'two ids or more');
const LISTS_OF_IDS = 'a list of lists of ids';
const idLists = z.array(idListSchema, LISTS_OF_IDS);

/** F12: each list has events that are the same, or events that are all different. */
export const duplicatesSchema = z.object(
  { same: idLists.nullish(), different: idLists.nullish() },
  'an object',
);

const FIELDS = fieldsOf([duplicatesSchema]);

export interface Decisions {
  readonly same: readonly (readonly string[])[];
  readonly different: readonly (readonly string[])[];
}

interface ReadDecisions extends Decisions {
  /** Reports unknown ids of events; called after all events are read. */
  readonly check: (isKnown: (id: string) => boolean) => void;
}

/** `entry`: `duplicates.json`; null if it does not exist. Throws INVALID_SOURCE for an invalid file: ignoring it could merge two different events. */
export function readDecisions(entry: RawEntry | null, reporter: Reporter): ReadDecisions {
  if (entry === null) return { same: [], different: [], check: () => {} };
  const { value, problem } = entry;
  const subject = readableSubject(entry, reporter);
  if (subject === null) throw invalid(entry, 'JSON', String(problem?.found));
  if (!isObject(value)) throw invalid(entry, 'an object with "same" and "different"', excerpt(value));
  countUnknownFields('duplicates', value, { fields: FIELDS, reporter });
  const same = idListsIn(value, 'same', subject);
  const different = idListsIn(value, 'different', subject);
  return {
    same: same.map(({ ids }) => ids),
    different: different.map(({ ids }) => ids),
    check: (isKnown) => {
      for (const { at, ids } of [...same, ...different]) {
        const unknown = ids.filter((id) => !isKnown(id));
        for (const found of unknown) addFinding(subject, 'left out', { at, expected: A_KNOWN_ID, found });
      }
    },
  };
}

function invalid({ origin }: RawEntry, expected: string, found: string): CalendarError {
  return sourceFault({ place: origin.file, expected: `expected ${expected}`, found: `found ${found}` });
}

interface IdList {
  /** Its path in the file. */
  readonly at: Path;
  readonly ids: readonly string[];
}

/** The valid lists of ids; the others are reported. */
function idListsIn(value: JsonObject, name: keyof Decisions, subject: Subject): readonly IdList[] {
  const lists = value[name] ?? [];
  if (!Array.isArray(lists)) {
    addFinding(subject, 'dropped value', { at: [name], expected: LISTS_OF_IDS, found: lists });
    return [];
  }
  return lists.flatMap((list: unknown, index) => {
    const at = [name, index];
    const ids = readValue(list, { schema: idListSchema, at, subject, lost: 'dropped value' });
    return ids === null ? [] : [{ at, ids }];
  });
}

const A_KNOWN_ID = 'the id of an event that is in the sources and published';
