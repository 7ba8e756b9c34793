/** Venues and organizers of an endpoint: its directories, and whoever its events name besides. */
import { isObject } from '../../../src/calendar/json.ts';
import { fold } from '../../../src/calendar/text.ts';
import type { Complain, FeedRecord } from '../../feeds/slice.ts';
import { ORGANIZER, VENUE } from './fields.ts';
import type { Answer } from './pages.ts';
import { readFields } from './read.ts';

export interface Directories {
  /** The id under which a venue is kept; null for none, or for one that has neither an id nor a name that is known. */
  readonly venue: (answer: unknown) => string | null;
  readonly organizer: (answer: unknown) => string | null;
  readonly records: () => readonly FeedRecord[];
}

export interface DirectoryOptions {
  /** An id of the endpoint as an id of this calendar. */
  readonly idOf: (id: string) => string;
  readonly complain: Complain;
}

export function createDirectories({ idOf, complain }: DirectoryOptions): Directories {
  const venues = createDirectory('venues', venueFields);
  const organizers = createDirectory('organizers', (answer) => readFields(answer, ORGANIZER, complain));

  function venueFields(answer: unknown): Answer {
    const location = isObject(answer) ? answer.location : null;
    const point = readFields(location, VENUE.location, complain);
    return { ...readFields(answer, VENUE, complain), ...(isPoint(point) ? point : {}) };
  }

  function createDirectory(list: 'venues' | 'organizers', fieldsOf: (answer: unknown) => Answer) {
    const known = new Map<string, Answer>();
    /** Ids by folded name; null where several have it. */
    const byName = new Map<string, string | null>();

    function add(answer: unknown): string | null {
      if (!isObject(answer)) return null;
      const read = known.get(typeof answer.id === 'string' ? answer.id : '');
      if (read !== undefined) return idOf(String(read.id));
      const fields = fieldsOf(answer);
      const name = typeof fields.name === 'string' ? fields.name : '';
      if (typeof fields.id !== 'string') return byName.get(fold(name)) ?? null;
      known.set(fields.id, fields);
      const id = idOf(fields.id);
      byName.set(fold(name), byName.has(fold(name)) ? null : id);
      return id;
    }

    const records = () =>
      [...known.values()].map((fields) => ({
        list,
        line: null,
        value: { ...fields, id: idOf(String(fields.id)) },
      }));
    return { add, records };
  }

  return {
    venue: venues.add,
    organizer: organizers.add,
    records: () => [...venues.records(), ...organizers.records()],
  };
}

/** Both numbers or none. */
function isPoint({ latitude, longitude }: Answer): boolean {
  return typeof latitude === 'number' && typeof longitude === 'number';
}
