/** The parameters of the page's query that belong to the list, for the addresses and the markup that the page offers. */
import { addToGroup } from '../../calendar/groups.ts';
import { type Category, norwegianOf } from '../../calendar/model.ts';
import { isRepeated } from '../../snapshot/filters.ts';
import type { EventList } from '../events/event-list.ts';
import { queryText } from '../page/links.ts';

const NOT_PASSED_ON: ReadonlySet<string> = new Set(['lang', 'page', 'pageSize', 'heading']);

/** The query of a list's address. */
export function queryOf(list: EventList, more: Readonly<Record<string, string>> = {}): string {
  const query = new URLSearchParams(more);
  for (const [name, texts] of listParametersOf(list)) {
    query.delete(name);
    for (const text of texts) query.append(name, text);
  }
  return queryText(query);
}

/**
 * Each parameter with its texts: several for one that is repeated in an address, else one, with commas between its values. No blanks, no
 * page, and not the calendar's Norwegian, which is the default of lists.
 */
export function listParametersOf({
  parameters,
  language,
  view,
}: EventList): ReadonlyMap<string, readonly string[]> {
  const values = new Map<string, string[]>();
  for (const [name, value] of parameters) {
    if (!NOT_PASSED_ON.has(name) && value.trim() !== '') addToGroup(values, name, value);
  }
  const categories = values.get('categories')?.flatMap((ids) => ids.split(','));
  if (categories !== undefined)
    values.set('categories', [...withoutParents(categories, view.lists.categories)]);
  if (language !== norwegianOf(view.lists.licence.language)) values.set('lang', [language]);
  const textsOf = (name: string, all: readonly string[]) => (isRepeated(name) ? all : [all.join(',')]);
  return new Map([...values].map(([name, all]) => [name, textsOf(name, all)]));
}

/** A category that is chosen together with some of its subcategories includes them. */
export function withoutParents(ids: readonly string[], categories: readonly Category[]): readonly string[] {
  const parentOf = new Map(categories.map(({ id, parent }) => [id, categories[parent]?.id]));
  const parents = new Set(ids.map((id) => parentOf.get(id)));
  return ids.filter((id) => !parents.has(id));
}
