/** Facets of what no directory lists (C4): the days, the municipalities and the tags of a node set. */
import { compareCodePoints, fold } from '../../calendar/text.ts';
import { formatDay } from '../../calendar/time.ts';
import { type Bitmap, hasBit, lowest } from '../../snapshot/bitmaps.ts';
import type { Columns } from '../../snapshot/columns.ts';
import type { Lists } from '../../snapshot/lists.ts';
import type { Directory } from './directory.ts';
import { type Counts, venueHits } from './facets.ts';

export interface DayHits {
  /** `YYYY-MM-DD` in Norway. */
  readonly day: string;
  readonly hits: number;
}

export interface MunicipalityHits {
  readonly number: string | null;
  readonly name: string;
  readonly hits: number;
}

export interface TagHits {
  readonly tag: string;
  readonly hits: number;
}

/** `first`: only so many, from the top; null: all. */
export interface DerivedFacets {
  /** Chronological. */
  readonly days: (rows: Bitmap, first: number | null) => readonly DayHits[];
  /** Most hits first, then by Norwegian name and number. */
  readonly municipalities: (counts: Counts, first: number | null) => readonly MunicipalityHits[];
  /** Most hits first, then in Norwegian alphabetical order. */
  readonly tags: (rows: Bitmap, first: number | null) => readonly TagHits[];
}

export function createDerivedFacets(columns: Columns, lists: Lists, directory: Directory): DerivedFacets {
  let known: readonly Municipality[] | undefined;
  const spellings = createSpellings(columns, lists);
  return {
    days: (rows, first) => countDays(columns, rows, first),
    municipalities: (counts, first) => {
      known ??= municipalitiesOf(directory);
      const found = known
        .map(({ number, name, venues }) => ({
          number,
          name,
          hits: sum(venues, (at) => venueHits(counts, at)),
        }))
        .filter(({ hits }) => hits > 0);
      // Sorting is stable, and they are in the order of their names.
      return found.sort((left, right) => right.hits - left.hits).slice(0, first ?? found.length);
    },
    tags: (rows, first) => {
      const { hitsOf, found } = countTags(columns, lists, rows);
      const candidates = first === null || found.length <= first ? found : topOf(found, hitsOf, first);
      return candidates
        .map((tag) => ({ spelling: spellings.mostUsed(tag, rows), hits: hitsOf[tag] as number }))
        .sort((left, right) => right.hits - left.hits || left.spelling - right.spelling)
        .slice(0, first ?? candidates.length)
        .map(({ spelling, hits }) => ({ tag: lists.spellings[spelling] ?? '', hits }));
    },
  };
}

/** Rows are in the order of their starts, so each day is one stretch of them. */
function countDays({ day }: Columns, rows: Bitmap, first: number | null): readonly DayHits[] {
  const found: { readonly day: string; hits: number }[] = [];
  let latest: number | undefined;
  for (let word = 0; word < rows.length; word++) {
    for (let rest = rows[word] as number; rest !== 0; rest &= rest - 1) {
      const shown = day[32 * word + lowest(rest)] as number;
      if (shown !== latest) {
        if (found.length === first) return found;
        latest = shown;
        found.push({ day: formatDay(shown), hits: 0 });
      }
      (found[found.length - 1] as { hits: number }).hits++;
    }
  }
  return found;
}

interface Municipality {
  /** Null for one that the register does not know. */
  readonly number: string | null;
  readonly name: string;
  /** Venue ordinals that the filter takes for it: by its number or, without one, by its name (B6, C1). */
  readonly venues: readonly number[];
}

/** In the order of their names, then numbers. */
function municipalitiesOf({ municipalities, venuesByMunicipality }: Directory): readonly Municipality[] {
  return municipalities.map(({ number, name }) => ({
    number,
    name,
    venues: venuesByMunicipality.get(number ?? fold(name)) ?? [],
  }));
}

/** Folded tags that nodes of a set carry. */
function countTags({ event, tagsAt, tags }: Columns, lists: Lists, rows: Bitmap) {
  const hitsOf = new Int32Array(lists.tags.length);
  for (let word = 0; word < rows.length; word++) {
    for (let rest = rows[word] as number; rest !== 0; rest &= rest - 1) {
      const ordinal = event[32 * word + lowest(rest)] as number;
      const end = tagsAt[ordinal + 1] as number;
      for (let place = tagsAt[ordinal] as number; place < end; place++) {
        const tag = tags[place] as number;
        hitsOf[tag] = (hitsOf[tag] as number) + 1;
      }
    }
  }
  const found: number[] = [];
  for (let tag = 0; tag < hitsOf.length; tag++) {
    // B1: nobody can ask for a blank one.
    if ((hitsOf[tag] as number) > 0 && lists.tags[tag]?.trim() !== '') found.push(tag);
  }
  return { hitsOf, found };
}

/** Those with the most hits, with all that have as many as the last of so many. */
function topOf(found: readonly number[], hitsOf: Int32Array, first: number): readonly number[] {
  const hits = Int32Array.from(found, (tag) => hitsOf[tag] as number).sort();
  const least = hits[hits.length - first] as number;
  return found.filter((tag) => (hitsOf[tag] as number) >= least);
}

interface Spellings {
  /** How most nodes of the set spell a tag; of equals the first in code point order. Ordinals are in Norwegian order. */
  readonly mostUsed: (tag: number, rows: Bitmap) => number;
}

function createSpellings(columns: Columns, { tags, spellings: texts }: Lists): Spellings {
  const { event, spellings, spellingsAt, tagOfSpelling, tagRows, tagRowsAt } = columns;
  /** The spellings of each tag, in code point order; most have one. */
  let byTag: readonly (readonly number[])[] | undefined;

  function mostUsed(tag: number, rows: Bitmap): number {
    byTag ??= spellingsByTag(tags.length, texts, tagOfSpelling);
    const [only = 0, ...others] = byTag[tag] ?? [];
    if (others.length === 0) return only;
    const nodes = new Map<number, number>();
    const end = tagRowsAt[tag + 1] as number;
    for (let at = tagRowsAt[tag] as number; at < end; at++) {
      const row = tagRows[at] as number;
      if (!hasBit(rows, row)) continue;
      const ordinal = event[row] as number;
      const last = spellingsAt[ordinal + 1] as number;
      for (let place = spellingsAt[ordinal] as number; place < last; place++) {
        const spelling = spellings[place] as number;
        if (tagOfSpelling[spelling] === tag) nodes.set(spelling, (nodes.get(spelling) ?? 0) + 1);
      }
    }
    return others.reduce(
      (best, other) => ((nodes.get(other) ?? 0) > (nodes.get(best) ?? 0) ? other : best),
      only,
    );
  }

  return { mostUsed };
}

function spellingsByTag(
  count: number,
  texts: readonly string[],
  tagOfSpelling: Int32Array,
): readonly (readonly number[])[] {
  const byTag = Array.from({ length: count }, (): number[] => []);
  for (const [spelling, tag] of tagOfSpelling.entries()) byTag[tag]?.push(spelling);
  const compare = (left: number, right: number) => compareCodePoints(texts[left] ?? '', texts[right] ?? '');
  for (const spellings of byTag) if (spellings.length > 1) spellings.sort(compare);
  return byTag;
}

function sum(items: readonly number[], amount: (item: number) => number): number {
  let total = 0;
  for (const item of items) total += amount(item);
  return total;
}
