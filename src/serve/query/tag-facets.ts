/** The number of nodes in a set for each tag, shown in the spelling that most of them use (C4). */
import { compareCodePoints } from '../../calendar/text.ts';
import { type Bitmap, hasBit } from '../../snapshot/bitmaps.ts';
import { type Columns, listAt } from '../../snapshot/columns.ts';
import type { Lists } from '../../snapshot/lists.ts';
import { countList, countTags } from './facet-counts.ts';
import { byHits } from './rank-by-hits.ts';

export interface TagHits {
  readonly tag: string;
  readonly hits: number;
}

interface SpellingHits {
  /** Ordinal of the spelling that is shown of a tag. */
  readonly spelling: number;
  readonly hits: number;
}

/** Most hits first, then in Norwegian alphabetical order. */
export function createTagFacets(columns: Columns, lists: Lists): (rows: Bitmap) => readonly TagHits[] {
  const { event, tagRows, tagRowsAt, spellings, spellingsAt } = columns;
  const spellingText = (spelling: number) => lists.spellings[spelling] ?? '';
  const spellingsOf = spellingsByTag(columns, lists);
  /** The spelling that most nodes of the set use; of equals the first in code point order. */
  const shownOf = (tag: number, rows: Bitmap, usesOf: Int32Array): number => {
    const [first = 0, ...others] = spellingsOf[tag] ?? [];
    if (others.length === 0) return first;
    // The events' spellings of other tags are counted, too, but not read.
    for (const spelling of [first, ...others]) usesOf[spelling] = 0;
    for (const row of listAt(tagRows, tagRowsAt, tag))
      if (hasBit(rows, row)) countList(usesOf, spellings, spellingsAt, event[row] as number);
    return others.reduce((best, spelling) => {
      const more = (usesOf[spelling] as number) - (usesOf[best] as number);
      const isBetter =
        more > 0 || (more === 0 && compareCodePoints(spellingText(spelling), spellingText(best)) < 0);
      return isBetter ? spelling : best;
    }, first);
  };
  return (rows) => {
    const hitsOf = countTags(columns, rows);
    const usesOf = new Int32Array(lists.spellings.length);
    const found: SpellingHits[] = [];
    for (const [tag, hits] of hitsOf.entries()) {
      // B1: a filter cannot name a blank tag.
      if (hits > 0 && lists.tags[tag]?.trim() !== '')
        found.push({ spelling: shownOf(tag, rows, usesOf), hits });
    }
    // Ordinals of spellings are in Norwegian alphabetical order.
    return found
      .sort((left, right) => byHits(left, right) || left.spelling - right.spelling)
      .map(({ spelling, hits }) => ({ tag: spellingText(spelling), hits }));
  };
}

/** Ordinals of spellings, by the ordinal of their tag. */
function spellingsByTag({ tagOfSpelling }: Columns, { tags }: Lists): readonly (readonly number[])[] {
  const byTag = tags.map((): number[] => []);
  for (const [spelling, tag] of tagOfSpelling.entries()) byTag[tag]?.push(spelling);
  return byTag;
}
