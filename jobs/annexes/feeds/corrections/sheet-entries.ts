/** F15: the rows of correction sheets as corrections of the calendar, once its venues, organizers and categories are known. */
import * as z from 'zod';
import { addToGroup, unlessEmpty } from '../../../../src/calendar/groups.ts';
import { isObject, type JsonObject } from '../../../../src/calendar/json.ts';
import { withNearest } from '../../../../src/calendar/nearest.ts';
import { nameKey } from '../../../../src/calendar/text.ts';
import type { AddOptions } from '../../../annex.ts';
import { excerpt, type Finding } from '../../../findings.ts';
import type { CorrectionEntry, MunicipalityLimit, SheetDecision } from '../../../source/source.ts';
import { A_CATEGORY, categoryNamesOf } from '../../../validate/taxonomy.ts';
import { createNearestId } from '../../../validate/unknown-fields.ts';
import type { Feed } from '../config.ts';
import { withoutBlanks } from '../event-fields.ts';
import { entryOf, originOf, type RawEntries, type UsableFeed } from '../feed-entries.ts';
import type { FeedRecord } from '../last-good.ts';

export type CorrectionEntries = AsyncGenerator<CorrectionEntry, void, undefined>;

interface Sheets {
  /** Passes the venues on, and notes their names. Has to end before the rows are read. */
  readonly withVenues: (venues: RawEntries) => RawEntries;
  /** Passes the organizers on, and notes their names. Has to end before the rows are read. */
  readonly withOrganizers: (organizers: RawEntries) => RawEntries;
  /** All rows, in the order of the sheets. `licence`: with the categories that feeds import. */
  readonly entries: (licence: unknown) => CorrectionEntries;
  /** The rows with decisions on duplicates, in the same order. */
  readonly decisions: () => AsyncGenerator<SheetDecision, void, undefined>;
}

export function createSheets(usable: readonly UsableFeed[], reporter: AddOptions['reporter']): Sheets {
  const ofKind = usable.filter(({ feed }) => feed.kind === 'corrections');
  const sheets = ofKind.map(({ feed, lastGood }) => ({ feed, lastGood, onlyIn: municipalitiesOf(feed) }));
  const venues = createNames(A_VENUE);
  const organizers = createNames(AN_ORGANIZER);

  async function* noting(names: Names, entries: RawEntries): RawEntries {
    for await (const entry of entries) {
      if (sheets.length > 0) names.add(entry.value);
      yield entry;
    }
  }

  async function* entries(licence: unknown): CorrectionEntries {
    if (sheets.length === 0) return;
    const categories = Object.entries(categoryNamesOf(licence));
    for (const { feed, lastGood, onlyIn } of sheets) {
      const finders: Finders = {
        findCategory: categoryFinder(categories),
        findVenue: venues.finder(),
        findOrganizer: organizers.finder(),
      };
      for await (const record of lastGood.records('corrections')) {
        const found = namedIn(record, finders);
        for (const finding of found.findings)
          reporter.addFinding({ ...finding, origin: originOf(feed.id, record.line) });
        if (found.value === null) continue;
        const { value, columns } = found;
        yield { ...entryOf(feed.id, { ...record, value }), columns, onlyFeeds: feed.feeds, onlyIn };
      }
    }
  }

  async function* decisions(): ReturnType<Sheets['decisions']> {
    for (const { feed, lastGood, onlyIn } of sheets) {
      for await (const record of lastGood.records('corrections')) {
        const decision = decisionIn(record, feed, onlyIn);
        if (decision !== null) yield decision;
      }
    }
  }

  return {
    withVenues: (list) => noting(venues, list),
    withOrganizers: (list) => noting(organizers, list),
    entries,
    decisions,
  };
}

function municipalitiesOf({ id, municipalities }: Feed): MunicipalityLimit | null {
  return municipalities === null ? null : { names: municipalities, origin: originOf(id, null) };
}

interface Finders {
  readonly findCategory: Find;
  readonly findVenue: Find;
  readonly findOrganizer: Find;
}

interface FoundEntry {
  readonly columns: Readonly<Record<string, string>>;
  /** An entry of the form of `corrections.json`; null for a row of which nothing can be used. */
  readonly value: JsonObject | null;
  /** Words that name no category, venue or organizer. */
  readonly findings: readonly Omit<Finding, 'origin'>[];
}

/** A row with the ids that its words name. */
function namedIn({ value }: FeedRecord, finders: Finders): FoundEntry {
  const row = rowSchema.parse(value);
  const { same, different, columns, where, note, hide, add, approve } = row;
  if (hide === true) return { columns, value: { where, hide, note }, findings: [] };
  const lookups = lookUp(row, finders);
  const set = { ...row.set, ...foundIn(lookups) };
  const isChanging = Object.keys(set).length > 0 || Object.keys(add).length > 0;
  const isEmpty = !isChanging && approve === null;
  const isLost = isEmpty && same.length === 0 && different.length === 0;
  const findings = lookups.flatMap(({ path, word, expected }) => {
    if (expected === undefined) return [];
    const action: Finding['action'] = isLost ? 'dropped record' : 'dropped value';
    return [{ action, id: where.id, field: columns[path] ?? path, expected, found: excerpt(word) }];
  });
  const changes = isChanging ? { set, add } : {};
  return { columns, value: isEmpty ? null : { where, approve, ...changes, note }, findings };
}

/** A word of a row, looked up among the names of the calendar. */
interface Lookup extends ReturnType<Find> {
  readonly path: 'set.categories' | 'set.organizers' | 'set.venue';
  readonly word: string;
}

function lookUp(
  { categories, organizers, venue }: z.output<typeof rowSchema>,
  { findCategory, findVenue, findOrganizer }: Finders,
): readonly Lookup[] {
  const lookUpEach = (path: Lookup['path'], words: readonly string[], find: Find) =>
    words.map((word) => ({ path, word, ...find(word) }));
  return [
    ...lookUpEach('set.categories', categories, findCategory),
    ...lookUpEach('set.organizers', organizers, findOrganizer),
    ...lookUpEach('set.venue', venue === null ? [] : [venue], findVenue),
  ];
}

/** The values of `set` that the words name. */
function foundIn(lookups: readonly Lookup[]): JsonObject {
  const idsAt = (path: Lookup['path']) =>
    lookups.flatMap((lookup) => (lookup.path === path ? (lookup.id ?? []) : []));
  const categories = idsAt('set.categories');
  const organizers = [...new Set(idsAt('set.organizers'))];
  const [venue] = idsAt('set.venue');
  return withoutBlanks({
    categories: unlessEmpty(categories),
    organizers: unlessEmpty(organizers),
    venue,
  });
}

/** The decisions of a row on duplicates; null without any. */
function decisionIn(
  { line, value }: FeedRecord,
  { id: sheet, feeds }: Feed,
  onlyIn: MunicipalityLimit | null,
): SheetDecision | null {
  const row = rowSchema.parse(value);
  const { where, same, different, columns, categories, organizers, venue, approve, add, set = {} } = row;
  if (same.length === 0 && different.length === 0) return null;
  const changes = [...Object.keys(set), ...Object.keys(add), ...categories, ...organizers];
  return {
    origin: originOf(sheet, line),
    id: where.id,
    same,
    different,
    onlyFeeds: feeds,
    onlyIn,
    columns: {
      id: columns['where.id'] ?? 'Id',
      same: columns.same ?? '',
      different: columns.different ?? '',
    },
    isCorrection: changes.length > 0 || venue !== null || approve !== null,
  };
}

/** A row as `SheetEntry` in the file of the last good records. */
const rowSchema = z.object({
  where: z.looseObject({ id: z.string() }),
  hide: z.literal(true).optional(),
  set: z.record(z.string(), z.unknown()).optional(),
  add: z.record(z.string(), z.unknown()).default({}),
  approve: z.boolean().nullable().default(null),
  note: z.string().nullable(),
  categories: z.array(z.string()).default([]),
  organizers: z.array(z.string()).default([]),
  venue: z.string().nullable().default(null),
  same: z.array(z.string()).default([]),
  different: z.array(z.string()).default([]),
  columns: z.record(z.string(), z.string()),
});

/** The id that a word is or names; null for none, with what was expected. */
type Find = (word: string) => { readonly id: string | null; readonly expected?: string };

/** Distinct unknown words of a sheet for which the nearest name is looked for. Each is compared with all names. */
const MOST_COMPARED = 50;

function categoryFinder(categories: readonly (readonly [name: string, id: string])[]): Find {
  const names = new Map(categories);
  const nearest = createNearestId(categories, MOST_COMPARED);
  return (word) => {
    const id = names.get(nameKey(word));
    return id === undefined ? { id: null, expected: withNearest(A_CATEGORY, nearest(word)) } : { id };
  };
}

interface Names {
  readonly add: (entity: unknown) => void;
  /** For the words of one sheet. */
  readonly finder: () => Find;
}

/** What findings expect. */
interface Expected {
  /** In place of a name that several have. */
  readonly id: string;
  /** In place of an unknown word. */
  readonly idOrName: string;
}

const A_VENUE: Expected = {
  id: 'the id of a venue',
  idOrName: 'the id or the name of a venue',
};
const AN_ORGANIZER: Expected = {
  id: 'the id of an organizer',
  idOrName: 'the id or the name of an organizer',
};

/** The venues or the organizers of the calendar, by their ids, names and aliases. */
function createNames(expected: Expected): Names {
  const ids = new Set<string>();
  const idsByName = new Map<string, string[]>();
  const names: (readonly [name: string, name: string])[] = [];

  function add(entity: unknown): void {
    if (!isObject(entity) || typeof entity.id !== 'string') return;
    ids.add(entity.id);
    for (const name of nameAndAliases(entity)) {
      addToGroup(idsByName, nameKey(name), entity.id);
      names.push([name, name]);
    }
  }

  function finder(): Find {
    const nearest = createNearestId(names, MOST_COMPARED);
    return (word) => {
      if (ids.has(word)) return { id: word };
      const [id, ...more] = new Set(idsByName.get(nameKey(word)));
      if (id !== undefined && more.length === 0) return { id };
      if (id === undefined) return { id: null, expected: withNearest(expected.idOrName, nearest(word)) };
      const listed = [id, ...more].slice(0, MOST_NAMED).join(', ');
      return { id: null, expected: `${expected.id}, because several have this name (${listed})` };
    };
  }

  return { add, finder };
}

/** Entities of one name that a finding lists. */
const MOST_NAMED = 5;

function nameAndAliases({ name, aliases }: JsonObject): readonly string[] {
  const others = Array.isArray(aliases) ? aliases : [];
  const all = [name, ...others];
  return all.filter((text) => typeof text === 'string');
}
