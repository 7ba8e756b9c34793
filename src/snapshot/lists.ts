/**
 * The directories, and the lists of short texts that columns point into: one JSON document each. They may be a stranger's
 * (H7), and go into answers field by field: so each field is what the server takes it for, or the file is refused.
 */
import { CalendarError } from '../calendar/errors.ts';
import type { Category, Licence, Organizer, Venue } from '../calendar/model.ts';
import type { Counts } from './meta.ts';
import { type Reader, textOf } from './sqlite.ts';

export interface Lists {
  readonly licence: Licence;
  readonly venues: readonly Venue[];
  readonly organizers: readonly Organizer[];
  readonly categories: readonly Category[];
  readonly containers: readonly string[];
  /** Folded. */
  readonly tags: readonly string[];
  /** Tags as they are written, in Norwegian alphabetical order. */
  readonly spellings: readonly string[];
}

/** How many there are of what columns are about, and point into. */
export interface Sizes extends Counts {
  readonly containers: number;
  readonly tags: number;
  readonly spellings: number;
}

export function sizesOf(counts: Counts, { containers, tags, spellings }: Lists): Sizes {
  return { ...counts, containers: containers.length, tags: tags.length, spellings: spellings.length };
}

export const LISTS = [
  'licence',
  'venues',
  'organizers',
  'categories',
  'containers',
  'tags',
  'spellings',
] as const;

/** Throws SNAPSHOT_UNUSABLE. */
export async function liftLists(reader: Reader, counts: Counts): Promise<Lists> {
  const lifted: Partial<Record<keyof Lists, unknown>> = {};
  for (const name of LISTS) {
    const sql = 'select body from list_json where name = ?';
    const [body] = await reader.all(sql, [name], (row) => textOf(row, 'body'));
    lifted[name] = parse(name, body ?? '');
  }
  checkLists(lifted);
  checkCounts(lifted, counts);
  return lifted;
}

export function checkCounts(lists: Lists, counts: Counts): void {
  for (const name of ['venues', 'organizers', 'categories'] as const) {
    const { length } = lists[name];
    if (length !== counts[name]) throw unusable(name, `${counts[name]} entries`, String(length));
  }
}

type Is = (value: unknown) => boolean;

const text: Is = (value) => typeof value === 'string';
const flag: Is = (value) => typeof value === 'boolean';
const orNull =
  (is: Is): Is =>
  (value) =>
    value === null || is(value);
const object =
  (fields: Readonly<Record<string, Is>>): Is =>
  (value) => {
    if (typeof value !== 'object' || value === null) return false;
    const found = new Map<string, unknown>(Object.entries(value));
    return Object.entries(fields).every(([name, is]) => is(found.get(name)));
  };
const degrees: Is = Number.isFinite;

const ENTRIES = {
  venues: object({
    id: text,
    name: text,
    slug: text,
    address: orNull(text),
    postalCode: orNull(text),
    municipality: orNull(text),
    municipalityNumber: orNull(text),
    location: orNull(object({ latitude: degrees, longitude: degrees })),
    mapImageURL: orNull(text),
  } satisfies Readonly<Record<keyof Venue, Is>>),
  organizers: object({
    id: text,
    name: text,
    slug: text,
    website: orNull(text),
    email: orNull(text),
    telephoneNumber: orNull(text),
  } satisfies Readonly<Record<keyof Organizer, Is>>),
  categories: object({
    id: text,
    name_nb: text,
    name_en: text,
    slug_nb: text,
    slug_en: text,
    visible: flag,
    parent: Number.isInteger,
  } satisfies Readonly<Record<keyof Category, Is>>),
  containers: text,
  tags: text,
  spellings: text,
} satisfies Readonly<Record<Exclude<keyof Lists, 'licence'>, Is>>;

const isLicence = object({
  id: text,
  name: text,
  siteUrl: text,
  portalUrl: orNull(text),
  specialEvent: orNull(text),
  registration: flag,
  dataLicence: orNull(object({ name: text, url: orNull(text) })),
  attribution: orNull(text),
  contact: orNull(object({ name: orNull(text), email: orNull(text), url: orNull(text) })),
} satisfies Readonly<Record<keyof Licence, Is>>);

function checkLists(lifted: Partial<Record<keyof Lists, unknown>>): asserts lifted is Lists {
  if (!isLicence(lifted.licence)) throw unusable('licence', 'a licence', shown(lifted.licence));
  for (const [name, is] of Object.entries(ENTRIES)) {
    const list = lifted[name as keyof typeof ENTRIES];
    if (!Array.isArray(list)) throw unusable(name, 'a list', shown(list));
    const at = list.findIndex((entry) => !is(entry));
    if (at !== -1) throw unusable(name, `${name} only`, `${shown(list[at])} at ${at}`);
  }
  const { categories } = lifted as Lists;
  const at = categories.findIndex(({ parent }, place) => parent < -1 || parent >= place);
  if (at !== -1) throw unusable('categories', 'a parent before each child', shown(categories[at]));
}

function parse(name: string, body: string): unknown {
  try {
    return JSON.parse(body);
  } catch (cause) {
    throw new CalendarError(
      'SNAPSHOT_UNUSABLE',
      `list_json ${name}: expected JSON, found ${body.slice(0, 40) || 'nothing'}`,
      { cause },
    );
  }
}

function unusable(name: string, expected: string, found: string): CalendarError {
  return new CalendarError('SNAPSHOT_UNUSABLE', `list_json ${name}: expected ${expected}, found ${found}`);
}

function shown(value: unknown): string {
  return (JSON.stringify(value) ?? 'nothing').slice(0, 80);
}
