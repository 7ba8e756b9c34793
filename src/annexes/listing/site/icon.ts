/** The icon of an event without a picture: lines and a colour by its category, so that the edge of a list is never bare. */
import { isTopLevel } from '../../../calendar/model.ts';
import type { EventNode } from '../../../serve/query/nodes.ts';
import type { View } from '../../../serve/query/view.ts';
import type { ListedEvent } from '../../events/listed.ts';
import { type Html, html } from '../../page/html.ts';

export function iconOf(event: ListedEvent, node: EventNode): Html {
  const category = topCategoryOf(event, node.view);
  const path = ICON_PATHS[category?.id ?? ''] ?? CALENDAR;
  const tone = (category?.ordinal ?? 0) % TONES;
  const line = html`<path d="${path}" fill="none" stroke="currentColor" stroke-width="1.5" stroke-linecap="round" stroke-linejoin="round"/>`;
  const icon = html`<svg viewBox="0 0 24 24" width="40" height="40">${line}</svg>`;
  return html`<span class="sign tone-${tone}" aria-hidden="true">${icon}</span>\n`;
}

interface TopCategory {
  readonly id: string | undefined;
  readonly ordinal: number;
}

/** The top-level category of the event's first category; null without one. */
function topCategoryOf({ categories: [first] }: ListedEvent, { lists, directory }: View): TopCategory | null {
  const categoryOrdinal = first === undefined ? undefined : directory.categoryById.get(first.id);
  const category = categoryOrdinal === undefined ? undefined : lists.categories[categoryOrdinal];
  if (categoryOrdinal === undefined || category === undefined) return null;
  const ordinal = isTopLevel(category) ? categoryOrdinal : category.parent;
  return { id: lists.categories[ordinal]?.id, ordinal };
}

/** By the ids of the sample's categories; any other category gets the calendar icon. Drawn within 24 by 24. */
const ICON_PATHS: Readonly<Record<string, string>> = {
  MUSIC:
    'M9 18V6l10-2v12M9 18a2.5 2.5 0 1 1-5 0a2.5 2.5 0 0 1 5 0zM19 16a2.5 2.5 0 1 1-5 0a2.5 2.5 0 0 1 5 0z',
  THEATER: 'M4 5h16v7a8 8 0 0 1-16 0zM8.5 9h.01M15.5 9h.01M8.5 14q3.5 3 7 0',
  ART: 'M4 5h16v12H4zM4 14l5-5 4 4 2-2 5 4M12 17v4M8 21h8',
  FESTIVAL: 'M3 20h18M5 20V11l7-6 7 6v9M12 5V2l4 1.5-4 1.5M10 20v-5h4v5',
  FAMILY:
    'M9 4a3 3 0 1 1-.01 0M4 20v-3a5 5 0 0 1 10 0v3M18 10a2 2 0 1 1-.01 0M15.5 20v-2.5a2.5 2.5 0 0 1 5 0V20',
  LITERATURE: 'M12 6c-2-1.5-5-2-8-1.5v13c3-.5 6 0 8 1.5c2-1.5 5-2 8-1.5v-13c-3-.5-6 0-8 1.5zM12 6v13',
  MOVIES: 'M4 9h16v11H4zM4 9l15-4 .7 2.7L5 11.5M8 20v-3M12 20v-3M16 20v-3',
  LECTURE: 'M12 3a3 3 0 0 1 3 3v5a3 3 0 0 1-6 0V6a3 3 0 0 1 3-3zM6 11a6 6 0 0 0 12 0M12 17v4M8 21h8',
  FOOD: 'M7 3v7a2 2 0 0 1-4 0V3M5 3v18M17 21V3c-3 1-4 4-4 8h4',
  EXPERIENCE: 'M3 19l6-11 4 7 2-3 6 7zM17 3a1.5 1.5 0 1 1-.01 0',
  SPORT: 'M14 2.5a1.5 1.5 0 1 1-.01 0M7 21l3-6 3 2v4M10 15l2-6-4 1-2 3M12 9l3 3h4',
  SOCIAL: 'M4 5h16v10h-8l-4 4v-4H4zM8 9h8M8 12h5',
};
const CALENDAR = 'M4 6h16v14H4zM4 10h16M8 3v5M16 3v5';

/** Colours that the stylesheet has, as `tone-0` and so on. */
const TONES = 6;
