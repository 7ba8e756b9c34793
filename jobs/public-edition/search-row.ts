/** The row of the public edition that makes an event searchable. */
import { shownText } from '../../src/calendar/display-text.ts';
import type { EventFragment } from '../../src/snapshot/fragments.ts';
import type { Lists } from '../../src/snapshot/lists.ts';
import { textAt } from './cells.ts';
import type { PublicRow } from './row.ts';
import type { SEARCH } from './shape.ts';

interface Searched {
  readonly scalars: EventFragment['scalars'];
  readonly number: number;
  readonly tags: readonly string[];
  /** Ids of the categories that the event itself names. */
  readonly namedCategories: ReadonlySet<string>;
  readonly organizers: readonly number[];
  readonly venues: ReadonlySet<number>;
}

/** B10: the texts that `searchTerm` searches, and the summaries. */
export function searchRow(
  { scalars, number, tags, namedCategories, organizers, venues }: Searched,
  lists: Lists,
): PublicRow {
  const bothOf = (name: string) => [textAt(scalars, `${name}_nb`), textAt(scalars, `${name}_en`)];
  const labels = lists.categories
    .filter(({ id }) => namedCategories.has(id))
    .flatMap(({ name_nb, name_en }) => [name_nb, name_en]);
  return {
    rowid: number,
    title: lines(bothOf('title')),
    summary: lines(bothOf('summary')),
    description: lines(bothOf('desc').map((markup) => shownText(markup))),
    tags: lines(tags),
    venues: lines([...venues].map((ordinal) => lists.venues[ordinal]?.name ?? '')),
    organizers: lines(organizers.map((ordinal) => lists.organizers[ordinal]?.name ?? '')),
    categories: lines(labels),
  } satisfies Record<keyof typeof SEARCH, string> & { readonly rowid: number };
}

const lines = (texts: readonly string[]): string => texts.filter((text) => text !== '').join('\n');
