/** The addresses of one selection of events, on other pages and in other formats. */
import type { EventList } from '../events/event-list.ts';
import { nameOf } from '../events/name.ts';
import { queryText } from '../page/links.ts';

/** Values of parameters; null for one that is left out. */
type Changes = Readonly<Record<string, string | null>>;

/** The query of this page with changed values. */
export function searchWith({ parameters }: Pick<EventList, 'parameters'>, changes: Changes): string {
  const query = new URLSearchParams([...parameters]);
  for (const [name, value] of Object.entries(changes)) {
    if (value === null) query.delete(name);
    else query.set(name, value);
  }
  return queryText(query);
}

/** Parameters of pages, which the other formats of the list do not accept, or ignore. */
const ONLY_OF_PAGES: Changes = {
  heading: null,
  view: null,
  theme: null,
  page: null,
  pageSize: null,
};

/** The query of the feeds of this list, whichever page this is. */
export function feedSearch(list: Pick<EventList, 'parameters'>): string {
  return searchWith(list, ONLY_OF_PAGES);
}

/** The heading that the address asks for; by default the name of the selection. */
export function headingOf(list: EventList): string {
  const { heading } = list.values;
  return typeof heading === 'string' ? heading : nameOf(list);
}
