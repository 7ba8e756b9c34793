/** What importers hand on: records that the build will take, the venues and organizers that they name, bounded findings. */
import { createHash } from 'node:crypto';
import * as z from 'zod';
import type { Values, VENUE } from '../../../src/calendar/fields.ts';
import { isObject } from '../../../src/calendar/json.ts';
import { nameKey, slugOf } from '../../../src/calendar/text.ts';
import { type Action, excerpt, type Flaw, withCause } from '../../records.ts';
import type { FeedCounts } from '../../report.ts';
import { expectedCategory } from '../../validate/category-names.ts';
import { actionOf, LOST } from '../../validate/entry.ts';
import { fieldName, type Path, salvage, type Wrong } from '../../validate/salvage.ts';
import {
  categorySchema,
  dateSchema,
  eventSchema,
  id,
  organizerSchema,
  repeatSchema,
  venueSchema,
} from '../../validate/schemas.ts';
import type { AddFinding, Emit, FeedRecord, NewFinding } from './slice.ts';

interface Collector {
  readonly addFinding: AddFinding;
  /**
   * The record as it is kept: what the build would refuse is left out of it. Null, after a finding, for all of it. `lost` are
   * the dates that it lacks because they could not be read.
   */
  readonly add: (record: FeedRecord, lost?: readonly NewFinding[]) => FeedRecord | null;
  /** To be called when all is said; what is not counted was dropped. */
  readonly end: (counted: Omit<FeedCounts, 'dropped'>) => FeedCounts;
}

/** More than a report keeps. */
const MOST_FINDINGS = 20_000;

export function createCollector(emit: Emit): Collector {
  let findings = 0;
  const emitFinding: AddFinding = ({ line = null, id = null, field = null, ...finding }) =>
    emit({ list: 'findings', ...finding, line, id, field });
  const addFinding: AddFinding = (finding) => {
    if (++findings <= MOST_FINDINGS) emitFinding(finding);
  };
  return {
    addFinding,
    add({ value: { unnamed, ...value }, ...record }, lost = []) {
      const checked = checkRecord({ ...record, value }, lost, addFinding);
      if (checked === null) return null;
      reportUnnamed(checked, unnamed, addFinding);
      emit(checked);
      return checked;
    },
    end(counted) {
      if (findings > MOST_FINDINGS) {
        const expected = `at most ${MOST_FINDINGS} findings about a feed`;
        const found = `${findings - MOST_FINDINGS} more, which are only counted`;
        emitFinding({ action: 'changed value', expected, found });
      }
      return { ...counted, dropped: counted.entries - counted.events - counted.merged };
    },
  };
}

/** G2: words that should name a category, and that are only tags of the event. */
function reportUnnamed(record: FeedRecord, unnamed: unknown, addFinding: AddFinding): void {
  for (const { word, nearest } of unnamedSchema.parse(unnamed ?? [])) {
    const expected = expectedCategory(nearest);
    const found = excerpt(word);
    addFinding({ ...aboutOf(record), action: 'kept as tag', field: 'categories', expected, found });
  }
}

const unnamedSchema = z.array(z.object({ word: z.string(), nearest: z.string().nullable() }));

const SCHEMAS = {
  categories: categorySchema,
  venues: venueSchema,
  organizers: organizerSchema,
  events: eventSchema,
} as const satisfies Readonly<Record<FeedRecord['list'], z.ZodType>>;

/** Many times the longest text and the longest list of dates that people make; a file of another kind has no end. */
const MOST_LETTERS = 4_000_000;

function checkRecord(
  record: FeedRecord,
  lost: readonly NewFinding[],
  addFinding: AddFinding,
): FeedRecord | null {
  const { list } = record;
  const causes: Flawed[] = lost.map((finding) => ({ ...aboutOf(record), field: null, ...finding }));
  const dated = list === 'events' ? withGoodDates(record, (cause) => causes.push(cause)) : record.value;
  const { raw, value, wrong } = salvage(SCHEMAS[list], dated, NEEDED);
  const refuse = (flaw: Flaw) => {
    const action = list === 'categories' ? 'dropped reference' : 'dropped record';
    addFinding({ ...aboutOf(record), action, kind: list, ...flaw });
    return null;
  };
  const said = flawsOf(wrong, []);
  if (raw === null || !isObject(value)) return refuse(said[0] ?? NO_RECORD);
  for (const { path, ...flaw } of said) causes.push({ ...aboutOf(record), action: actionOf(path), ...flaw });
  if (list === 'events' && !isDated(value)) {
    const undated = {
      field: 'dates',
      expected: 'at least one date that is not taken out again',
      found: 'none',
    };
    return refuse(
      withCause(
        undated,
        causes.filter(({ action }) => action !== 'dropped value'),
      ),
    );
  }
  for (const cause of causes) addFinding(cause);
  const letters = JSON.stringify(value).length;
  if (letters <= MOST_LETTERS) return { ...record, value };
  return refuse({
    field: null,
    expected: `a record of at most ${MOST_LETTERS} letters`,
    found: `${letters}`,
  });
}

/** See `salvage`. */
const NEEDED = new Set(['publishingDate']);
const NO_RECORD: Flaw = { field: null, expected: 'an object', found: 'none' };

interface Flawed extends ReturnType<typeof aboutOf>, Flaw {
  readonly action: Action;
}

/** Each thing that is left out once. */
function flawsOf(wrong: readonly Wrong[], at: Path): readonly (Flaw & Pick<Wrong, 'path'>)[] {
  return wrong.flatMap(({ path, expected, found, isFurther }) =>
    isFurther ? [] : [{ path, field: fieldName([...at, ...path]), expected, found: excerpt(found) }],
  );
}

function withGoodDates(record: FeedRecord, addFlaw: (flaw: Flawed) => void): FeedRecord['value'] {
  const { dates, repeats } = record.value;
  const good = (list: readonly unknown[], name: keyof typeof LOST, schema: z.ZodType) =>
    list.flatMap((item, place) => {
      const { raw, value, wrong } = salvage(schema, item);
      for (const { path: _, ...flaw } of flawsOf(wrong, [name, place]))
        addFlaw({ ...aboutOf(record), action: raw === null ? LOST[name] : 'dropped value', ...flaw });
      return raw === null ? [] : [value];
    });
  return {
    ...record.value,
    dates: Array.isArray(dates) ? good(dates, 'dates', dateSchema) : [],
    ...(Array.isArray(repeats) && { repeats: good(repeats, 'repeats', repeatSchema) }),
  };
}

function isDated({ dates, repeats, series, isSuperEvent }: FeedRecord['value']): boolean {
  const some = (list: unknown) => Array.isArray(list) && list.length > 0;
  return some(dates) || some(repeats) || series !== undefined || isSuperEvent === true;
}

function aboutOf({ line, value }: FeedRecord) {
  return { line, id: typeof value.id === 'string' ? value.id : null };
}

/** Venues and organizers that feeds know as text only. The same text is the same place, under the same id. */
export interface Places {
  /** The id under which the venue is kept. */
  readonly venue: (venue: FeedVenue, line: number | null) => string;
  readonly organizer: (organizer: FeedOrganizer, line: number | null) => string;
  /** In the order in which they were first named. */
  readonly records: () => readonly FeedRecord[];
}

/** `name` says something, and is what tells it from others, together with the address. */
export interface FeedVenue extends Partial<Values<typeof VENUE>> {
  readonly name: string;
  readonly latitude?: number | null;
  readonly longitude?: number | null;
}

interface FeedOrganizer {
  readonly name: string;
  readonly website?: string | null;
}

export function createPlaces(feed: string): Places {
  const venues = new Map<string, FeedRecord>();
  const organizers = new Map<string, FeedRecord>();

  function keep(map: Map<string, FeedRecord>, id: string, record: FeedRecord): string {
    const known = map.get(id);
    // Programs give coordinates to some entries only; the first ones are taken.
    map.set(id, known === undefined ? record : { ...known, value: { ...record.value, ...known.value } });
    return id;
  }

  return {
    venue: (venue, line) => {
      const id = textId(feed, [venue.name, venue.address ?? '']);
      return keep(venues, id, { list: 'venues', line, value: { id, ...withoutBlanks(venue) } });
    },
    organizer: (organizer, line) => {
      const id = textId(feed, [organizer.name]);
      return keep(organizers, id, { list: 'organizers', line, value: { id, ...withoutBlanks(organizer) } });
    },
    records: () => [...venues.values(), ...organizers.values()],
  };
}

/** The id of what a program calls so: by its hash where that could not be an id (G8), because nobody can change it there. */
export function ownId(feed: string, written: string): string {
  return `${feed}:${id.safeParse(written).success ? written : hashOf(written)}`;
}

function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 16);
}

const LONGEST_SLUG = 60;

/** However texts are spelled (case, accents, spaces), their id is the same. */
export function textId(feed: string, texts: readonly string[]): string {
  const key = texts.map(nameKey).join('\n');
  const hash = createHash('sha256').update(key).digest('hex').slice(0, 8);
  const slug = slugOf(texts.join(' ')).slice(0, LONGEST_SLUG).replace(/-$/, '');
  return `${feed}:${slug === '' ? '' : `${slug}-`}${hash}`;
}

/** What a record says of itself: the fields that are neither null nor undefined. */
export function withoutBlanks(fields: object): FeedRecord['value'] {
  return Object.fromEntries(
    Object.entries(fields).filter(([, value]) => value !== null && value !== undefined),
  );
}
