/** Builds with corrections (F13), and their events at the endpoint. */
import { findingLine } from '../../jobs/findings.ts';
import { NOW } from './calendar.ts';
import { builtWithFeeds } from './feeds.ts';
import { temporaryFolder } from './folder.ts';
import { type Files, LICENCE, sourceFolder } from './native-source.ts';
import { startServer } from './running.ts';

const DATE = 'id startDate endDate duration allDay status eventSoldOut ticketsURL venue { name }';
const QUERY = `{ events(pageSize: 1000) { data { id title_nb title_en desc_nb norwegian categories tags mode minimumAge
  maximumAge ageRestriction isFeaturedEvent ticketsInformation images { urlLarge } prices { type price } organizers { name } event_slug super_event ${DATE} repetitions { ${DATE} } } } }`;

export interface ShownDate {
  readonly [field: string]: unknown;
  readonly id: string;
  readonly startDate: string;
  readonly endDate: string;
  readonly duration: number | null;
  readonly allDay: boolean;
  readonly status: string;
  readonly eventSoldOut: boolean;
  readonly ticketsURL: string | null;
  readonly venue: { readonly name: string } | null;
}

export interface ShownEvent extends ShownDate {
  readonly tags: readonly string[];
  readonly repetitions: readonly ShownDate[];
}

interface Answer {
  readonly events: { readonly data: readonly ShownEvent[] };
}

/** Builds a source of these files into a folder, and asks for all that it publishes. */
export async function shownAfter(files: Files, { target = temporaryFolder(), force = false } = {}) {
  const source = sourceFolder({ 'licence.json': LICENCE, ...files });
  const { report, all, result } = await builtWithFeeds(source, target, { force });
  const { ask, close } = await startServer({ snapshots: target, clock: () => NOW * 1000 });
  const { events } = await ask<Answer>(QUERY).finally(close);
  const byId = new Map(events.data.map((event) => [event.id, event]));
  return {
    source,
    target,
    report,
    all,
    result,
    lines: report.findings.map(findingLine),
    ids: [...byId.keys()].sort(),
    event: (id: string): ShownEvent => {
      const found = byId.get(id);
      if (found === undefined) throw new Error(`expected an event ${id}, found ${[...byId.keys()]}`);
      return found;
    },
    dates: (id: string) => linesOf(byId.get(id)),
  };
}

/** `02-10 19:00–21:00 Storsalen CANCELLED`, a line a date. */
function linesOf(event: ShownEvent | undefined): readonly string[] {
  if (event === undefined) return [];
  return [event, ...event.repetitions].map(({ startDate, endDate, duration, allDay, status, venue }) => {
    const begin = allDay ? startDate.slice(5, 10) : startDate.slice(5, 16);
    const isSameDay = endDate.slice(0, 10) === startDate.slice(0, 10);
    const end =
      duration === null || allDay ? '' : `–${isSameDay ? endDate.slice(11, 16) : endDate.slice(5, 16)}`;
    const days = allDay ? ` ${Math.round((duration ?? 0) / 1440)} d` : '';
    return [begin + end + days, venue?.name ?? '', status === 'SCHEDULED' ? '' : status]
      .filter(Boolean)
      .join(' ');
  });
}

/** The lines of a report about the correction sheet `desk`. */
export const ofDeskSheet = (lines: readonly string[]) => lines.filter((line) => line.startsWith('feed desk'));
