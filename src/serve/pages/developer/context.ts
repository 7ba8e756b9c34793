/** What the sections of the developer page are made from: the calendar at one second, by the code that answers requests. */
import type { GraphQLSchema } from 'graphql';
import { DAY, osloDay, startOfDay, wallOf } from '../../../calendar/time.ts';
import { placesOf } from '../../../snapshot/bitmaps.ts';
import { OCCURRENCE_FLAGS } from '../../../snapshot/columns.ts';
import type { Snapshot } from '../../../snapshot/open.ts';
import { EVENT } from '../../graphql/types.ts';
import type { QuotaLimits } from '../../http/quota.ts';
import type { FacetKind } from '../../query/facets.ts';
import { type EventNode, readNodes } from '../../query/node.ts';
import type { Selection } from '../../query/plan.ts';
import { selectNodes } from '../../query/select.ts';
import { type View, viewAt } from '../../query/view.ts';
import type { PageName } from '../page.ts';
import type { ChosenLanguage, InEach, Language } from '../reader.ts';

/** What the sections of the developer page are made from. */
export interface Context extends ChosenLanguage {
  readonly snapshot: Snapshot;
  readonly figures: Figures;
  readonly subscription: Subscription;
  readonly schema: GraphQLSchema;
  /** Of this server, without a slash at the end. */
  readonly address: string;
  readonly menu: readonly PageName[];
  /** Whether the snapshot itself can be fetched (D8). */
  readonly offersSnapshots: boolean;
  /** K4. */
  readonly quota: QuotaLimits;
  /** Seconds: the longest that an answer may be kept. */
  readonly maxAge: number;
}

export interface Figures {
  /** Days since 1970-01-01, in Norway. */
  readonly today: number;
  /** All events that have not ended. */
  readonly upcoming: number;
  /** The events that start next, the first few. */
  readonly next: readonly NextEvent[];
  /** From today on, a day each: how many events begin on it, each event once a day. */
  readonly days: readonly DayFigure[];
  /** Top-level categories by hits; those without one are left out. */
  readonly categories: readonly Hits[];
  readonly venues: readonly Hits[];
  /** Events at this second by category id, subcategories too; those without one are left out. */
  readonly hitsByCategory: ReadonlyMap<string, number>;
  /** They hold in [since, until), whole seconds. */
  readonly since: number;
  readonly until: number;
}

export interface DayFigure {
  readonly day: number;
  readonly events: number;
}

export interface Hits {
  readonly name: InEach<string>;
  readonly hits: number;
}

export interface NextEvent {
  readonly title: InEach<string | null>;
  readonly link: string | null;
  readonly day: number;
  /** Minutes since midnight. */
  readonly minute: number;
  readonly venue: string | null;
  readonly isCancelled: boolean;
  readonly isSoldOut: boolean;
}

/** As the filter has them; null for all. */
export interface Choices {
  readonly category: string | null;
  /** Slug. */
  readonly venue: string | null;
  /** Of the feed; null: the page's. */
  readonly language: Language | null;
}

/** What was chosen, and what there is of it. */
export interface Subscription {
  readonly choices: Choices;
  readonly events: number;
  /** Those of them that start next, the first few. */
  readonly next: readonly NextEvent[];
  /** To choose from: the busiest, in alphabetical order. */
  readonly venues: readonly Option[];
  /** From this second on, other events come next. */
  readonly until: number;
}

export interface Option {
  readonly value: string;
  readonly name: string;
}

const WEEKS = 8;
const NEXT = 8;
const VENUES = 12;

export async function figuresAt(snapshot: Snapshot, now: number): Promise<Figures> {
  const view = viewAt(snapshot, now);
  const { until } = view.epoch;
  const today = osloDay(now);
  const all = await selectNodes(view, {}, now);
  const next = await nextEvents(view, {}, { now, count: NEXT });
  const hitsOf = (kind: FacetKind) => view.facets.entries(all.counts(), kind, null);
  const categories = hitsOf('categories').flatMap(({ ordinal, hits }) => {
    const category = view.lists.categories[ordinal];
    return category === undefined ? [] : [{ category, hits }];
  });
  return {
    today,
    upcoming: all.total,
    next: next.events,
    days: await dayFigures(view, now, today),
    categories: categories
      .filter(({ category }) => category.parent === -1)
      .map(({ category, hits }) => ({ name: { nb: category.name_nb, en: category.name_en }, hits })),
    venues: hitsOf('venues')
      .slice(0, VENUES)
      .map(({ ordinal, hits }) => {
        const name = view.lists.venues[ordinal]?.name ?? '';
        return { name: { nb: name, en: name }, hits };
      }),
    hitsByCategory: new Map(categories.map(({ category, hits }) => [category.id, hits])),
    since: now,
    // That an event begins changes no answer, but what comes next; and at midnight it is another day.
    until: Math.min(until, startOfDay(today + 1), next.until),
  };
}

interface NextEvents {
  readonly events: readonly NextEvent[];
  /** The second at which the first of them has started; Infinity without any. */
  readonly until: number;
}

/** The events of a selection that start next. */
export async function nextEvents(
  view: View,
  selection: Selection,
  { now, count }: { readonly now: number; readonly count: number },
): Promise<NextEvents> {
  const set = await selectNodes(view, { ...selection, fromStartDate: now }, now);
  const { validAt, byDay } = set;
  const places = placesOf(set.rows, 0, count);
  const nodes = await readNodes(view, places, { validAt, byDay, budget: { events: count } });
  const [first] = nodes;
  return {
    events: nodes.map(nextEvent),
    until: first === undefined ? Number.POSITIVE_INFINITY : startOf(first) + 1,
  };
}

function nextEvent(node: EventNode): NextEvent {
  const { view, row } = node;
  const wall = wallOf(startOf(node));
  const day = Math.floor(wall / DAY);
  const flags = view.columns.occurrenceFlags[row] ?? 0;
  return {
    title: { nb: textOf(node, 'title_nb'), en: textOf(node, 'title_en') },
    link: textOf(node, 'eventLink'),
    day,
    minute: Math.floor((wall - day * DAY) / 60),
    venue: view.lists.venues[view.columns.venue[row] ?? -1]?.name ?? null,
    isCancelled: (flags & OCCURRENCE_FLAGS.cancelled) !== 0,
    isSoldOut: (flags & OCCURRENCE_FLAGS.soldOut) !== 0,
  };
}

async function dayFigures(view: View, now: number, today: number): Promise<readonly DayFigure[]> {
  const days = WEEKS * 7;
  const { rows } = await selectNodes(
    view,
    {
      groupRepetitionsByDay: true,
      fromStartDate: startOfDay(today),
      untilDate: startOfDay(today + days),
    },
    now,
  );
  const events = new Array<number>(days).fill(0);
  for (const row of placesOf(rows)) {
    const place = (view.columns.day[row] ?? 0) - today;
    events[place] = (events[place] ?? 0) + 1;
  }
  return events.map((count, place) => ({ day: today + place, events: count }));
}

function startOf({ view, row }: EventNode): number {
  return view.columns.start[row] ?? 0;
}

function textOf(node: EventNode, field: string): string | null {
  const value: unknown = JSON.parse(EVENT.leaves[field]?.(node) ?? 'null');
  return typeof value === 'string' ? value : null;
}
