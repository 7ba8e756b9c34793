/** The output of importers: records for the build, the venues and organizers that they name, and a bounded number of findings. */
import { createHash } from 'node:crypto';
import * as z from 'zod';
import type { Values, VENUE } from '../../../src/calendar/fields.ts';
import { nameKey, slugOf } from '../../../src/calendar/text.ts';
import { excerpt, type Flaw, withCause } from '../../records.ts';
import type { FeedCounts } from '../../report.ts';
import { expectedCategory } from '../../validate/licence.ts';
import { id } from '../../validate/schemas.ts';
import { isNear, MOST_NAMESAKES, type Point, pointOf } from './same-place.ts';
import type { AddFinding, Emit, FeedRecord, NewFinding } from './slice.ts';

interface Collector {
  readonly addFinding: AddFinding;
  /** Passes a record to the build, which validates it. Null, after a finding, for an event without dates; `lost`: why they could not be read. */
  readonly add: (record: FeedRecord, lost?: readonly NewFinding[]) => FeedRecord | null;
  /** Called at the end; entries that are not counted were dropped. */
  readonly end: (counted: Omit<FeedCounts, 'dropped'>) => FeedCounts;
}

/** More than a report stores. */
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
    add({ value: { unnamed, ...value }, ...rest }, lost = []) {
      const record = { ...rest, value };
      const about = aboutOf(record);
      const flaw = flawOf(record, lost);
      if (flaw !== null) {
        addFinding({ ...about, action: 'dropped record', kind: record.list, ...flaw });
        return null;
      }
      for (const finding of lost) addFinding({ ...about, ...finding });
      reportUnnamed(record, unnamed, addFinding);
      emit(record);
      return record;
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

/** G2: words in the place of a category that name none, and become tags of the event. */
function reportUnnamed(record: FeedRecord, unnamed: unknown, addFinding: AddFinding): void {
  for (const { word, nearest } of unnamedSchema.parse(unnamed ?? [])) {
    const expected = expectedCategory(nearest);
    const found = excerpt(word);
    addFinding({ ...aboutOf(record), action: 'kept as tag', field: 'categories', expected, found });
  }
}

const unnamedSchema = z.array(z.object({ word: z.string(), nearest: z.string().nullable() }));

/**
 * Above this a record is of another kind than people make. A slice's lines have to be shorter than the longest record of a file
 * (`MAX_LINE`), in bytes.
 */
const MOST_LETTERS = 4_000_000;

/**
 * Only what concerns more than the record is checked here: findings that cost an event its dates, an id that other rows of a table name,
 * and the length of a line.
 */
function flawOf(record: FeedRecord, lost: readonly NewFinding[]): Flaw | null {
  if (record.list === 'events' && !isDated(record.value))
    return withCause(
      NO_DATE,
      lost.map(({ field = null, expected, found }) => ({ field, expected, found })),
    );
  const read = id.safeParse(record.value.id);
  if (!read.success) {
    const expected = read.error.issues[0]?.message ?? 'an id';
    return { field: 'id', expected, found: excerpt(record.value.id) };
  }
  const letters = JSON.stringify(record.value).length;
  if (letters <= MOST_LETTERS) return null;
  return { field: null, expected: `a record of at most ${MOST_LETTERS} letters`, found: `${letters}` };
}

const NO_DATE: Flaw = {
  field: 'dates',
  expected: 'at least one date that is not taken out again',
  found: 'none',
};

function isDated({ dates, repeats, series, isSuperEvent }: FeedRecord['value']): boolean {
  const some = (list: unknown) => Array.isArray(list) && list.length > 0;
  return some(dates) || some(repeats) || series !== undefined || isSuperEvent === true;
}

function aboutOf({ line, value }: FeedRecord) {
  return { line, id: typeof value.id === 'string' ? value.id : null };
}

/** Venues and organizers that feeds have only as text. Equal texts are one place, with one id. */
export interface Places {
  readonly venue: (venue: FeedVenue, line: number | null) => string;
  readonly organizer: (organizer: FeedOrganizer, line: number | null) => string;
  /** In the order in which they were first named. */
  readonly records: () => readonly FeedRecord[];
}

/** `name` is not blank; together with the address it identifies the venue. */
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
    // Some programs give coordinates only with some entries; the first ones are used.
    map.set(id, known === undefined ? record : { ...known, value: { ...record.value, ...known.value } });
    return id;
  }

  const idOf = createVenueIds(feed);
  return {
    venue: (venue, line) => {
      const id = idOf(venue);
      return keep(venues, id, { list: 'venues', line, value: { id, ...withoutBlanks(venue) } });
    },
    organizer: (organizer, line) => {
      const id = textId(feed, [organizer.name]);
      return keep(organizers, id, { list: 'organizers', line, value: { id, ...withoutBlanks(organizer) } });
    },
    records: () => [...venues.values(), ...organizers.values()],
  };
}

/** F11: one text at positions that are far apart is several places, unless it has an address with a number. */
function createVenueIds(feed: string): (venue: FeedVenue) => string {
  const known = new Map<string, { readonly id: string; readonly point: Point }[]>();
  return ({ name, address = null, latitude, longitude }) => {
    const id = textId(feed, [name, address ?? '']);
    const point = pointOf({ latitude, longitude });
    if (point === null || /\d/.test(address ?? '')) return id;
    const places = known.get(id) ?? [];
    known.set(id, places);
    const same = places.find((place) => isNear(place.point, point));
    if (same !== undefined) return same.id;
    const rounded = point.map((degrees) => degrees.toFixed(3)).join(' ');
    const own = places.length === 0 ? id : textId(feed, [name, address ?? '', rounded]);
    if (places.length < MOST_NAMESAKES) places.push({ id: own, point });
    return own;
  };
}

/** The feed's own id; a hash of it if it is not a valid id (G8), because the feed's owner cannot change it. */
export function ownId(feed: string, written: string): string {
  return `${feed}:${id.safeParse(written).success ? written : hashOf(written)}`;
}

function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 16);
}

const LONGEST_SLUG = 60;

/** One word with an at sign inside: personal addresses must not be published. */
export function isMailAddress(name: string): boolean {
  const at = name.indexOf('@', 1);
  return at !== -1 && at < name.length - 1 && !/\s/.test(name);
}

/** However texts are spelled (case, accents, spaces), their id is the same. */
export function textId(feed: string, texts: readonly string[]): string {
  const key = texts.map(nameKey).join('\n');
  const hash = createHash('sha256').update(key).digest('hex').slice(0, 8);
  const slug = slugOf(texts.join(' ')).slice(0, LONGEST_SLUG).replace(/-$/, '');
  return `${feed}:${slug === '' ? '' : `${slug}-`}${hash}`;
}

/** The fields of a record that are neither null nor undefined. */
export function withoutBlanks(fields: object): FeedRecord['value'] {
  return Object.fromEntries(
    Object.entries(fields).filter(([, value]) => value !== null && value !== undefined),
  );
}
