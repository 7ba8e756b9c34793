/** The venues and organizers in an endpoint's answers: each once, with its id in this calendar. */
import { isObject, type JsonObject } from '../../../../src/calendar/json.ts';
import { fold } from '../../../../src/calendar/text.ts';
import type { FeedRecord } from '../last-good.ts';
import { fieldsIn } from './answer-values.ts';
import { LOCATION, ORGANIZER, VENUE } from './selections.ts';

export interface MirrorDirectories {
  /** The id of a venue; null for none, or for one with neither an id nor a name that exactly one venue has. */
  readonly venue: (answer: unknown) => string | null;
  /** The id of an organizer; null as for venues. */
  readonly organizer: (answer: unknown) => string | null;
  /** Venues, then organizers, each in the order of its first answer. */
  readonly records: () => readonly FeedRecord[];
}

/** `idOf` translates an id of the endpoint to an id of this calendar. */
export function createDirectories(idOf: (id: string) => string): MirrorDirectories {
  const venues = createDirectory({ list: 'venues', fieldsOf: venueFields, idOf });
  const organizers = createDirectory({ list: 'organizers', fieldsOf: organizerFields, idOf });
  return {
    venue: venues.add,
    organizer: organizers.add,
    records: () => [...venues.records(), ...organizers.records()],
  };
}

function venueFields(answer: JsonObject): JsonObject {
  const { latitude, longitude } = fieldsIn(answer.location, LOCATION);
  const hasPosition = typeof latitude === 'number' && typeof longitude === 'number';
  const fields = fieldsIn(answer, VENUE);
  return hasPosition ? { ...fields, latitude, longitude } : fields;
}

function organizerFields(answer: JsonObject): JsonObject {
  return fieldsIn(answer, ORGANIZER);
}

interface DirectoryOptions {
  readonly list: 'venues' | 'organizers';
  readonly fieldsOf: (answer: JsonObject) => JsonObject;
  readonly idOf: (id: string) => string;
}

interface Directory {
  /** Adds the entry of an answer, unless its id is known. Returns the entry's id, or null. */
  readonly add: (answer: unknown) => string | null;
  readonly records: () => readonly FeedRecord[];
}

function createDirectory({ list, fieldsOf, idOf }: DirectoryOptions): Directory {
  const recordsByRemoteId = new Map<string, FeedRecord>();
  /** Ids by folded name; null if several entries share it. */
  const idsByName = new Map<string, string | null>();

  function add(answer: unknown): string | null {
    if (!isObject(answer)) return null;
    const remoteId = remoteIdOf(answer);
    const name = fold(typeof answer.name === 'string' ? answer.name : '');
    // Some answers have only the name.
    if (remoteId === '') return idNamed(name);
    const id = idOf(remoteId);
    if (recordsByRemoteId.has(remoteId)) return id;
    recordsByRemoteId.set(remoteId, { list, line: null, value: { ...fieldsOf(answer), id } });
    idsByName.set(name, idsByName.has(name) ? null : id);
    return id;
  }

  /** Entries without a name are not the same one. */
  function idNamed(name: string): string | null {
    return name.trim() === '' ? null : (idsByName.get(name) ?? null);
  }

  return { add, records: () => [...recordsByRemoteId.values()] };
}

/** The endpoint's own id, a text or a number; empty for none. */
function remoteIdOf({ id }: JsonObject): string {
  return typeof id === 'string' || typeof id === 'number' ? String(id) : '';
}
