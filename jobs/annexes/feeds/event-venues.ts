/** Where a record of an event in a feed or in the folder names venues. */
import { isObject, type JsonObject } from '../../../src/calendar/json.ts';
import { seriesIn } from '../../recurrence/series.ts';

/** The event, its dates, its repeats, and what the dates of each of its series have in common: each may have a `venue`. */
export function venueHoldersIn(event: JsonObject): readonly JsonObject[] {
  const { dates, repeats, series } = event;
  const changes = seriesIn(series)
    .filter(isObject)
    .flatMap((one) => objectsIn(one.changes));
  return [
    event,
    ...objectsIn(dates),
    ...objectsIn(repeats),
    ...changes.map(({ own }) => own).filter(isObject),
  ];
}

/** A copy of the event with other venues. `rename`: returns the same venue if it stays. */
export function withVenues(event: JsonObject, rename: (venue: string) => string): JsonObject {
  const copy = structuredClone(event);
  for (const holder of venueHoldersIn(copy)) {
    if (typeof holder.venue === 'string') Reflect.set(holder, 'venue', rename(holder.venue));
  }
  return copy;
}

function objectsIn(list: unknown): readonly JsonObject[] {
  return Array.isArray(list) ? list.filter(isObject) : [];
}
