/**
 * F17: which version of an event an editor has approved, for feeds with `approveAgainAfterChange`. The row that the editor copies has the
 * version in its note, so an approval is of what the editor saw, and no build has to remember anything.
 */
import { createHash } from 'node:crypto';
import type { JsonObject } from '../../../src/calendar/json.ts';
import { parsedUrl } from '../../../src/calendar/urls.ts';

/**
 * A hash of what strangers could misuse: texts, pictures, links, places and organizers. Dates, prices and cancellations are left out, because
 * they have to be right at once; so are categories, which also depend on `sources.json`.
 */
export function versionOf(event: JsonObject): string {
  const lasting = Object.entries(event).filter(([name]) => !PASSING.has(name));
  const passing = Object.entries(event).filter(([name]) => PASSING.has(name));
  const sorted = lasting.sort(([left], [right]) => (left < right ? -1 : 1));
  const hash = createHash('sha256').update(JSON.stringify([sorted, namedIn(passing)]));
  return `v${hash.digest('hex').slice(0, 16)}`;
}

/** The version at the end of the note of an approval; null without one. An editor's own remark stands before it. */
export function versionIn(note: unknown): string | null {
  return /\[(v[\da-f]{16})\]\s*$/.exec(typeof note === 'string' ? note : '')?.[1] ?? null;
}

/** Fields of which only what `namedIn` finds counts. */
const PASSING: ReadonlySet<string> = new Set([
  'dates',
  'repeats',
  'series',
  'status',
  'eventCancelled',
  'eventSoldOut',
  'prices',
  'ticketsInformation',
  'categories',
  'tags',
  'created_at',
  'updated_at',
  'publishingDate',
  'views',
  'availableTickets',
  'activeTickets',
]);

/** Names of prices, and of the dates the places and the hosts of the links, each once: as dates pass, they mostly stay the same. */
function namedIn(passing: readonly (readonly [string, unknown])[]): readonly string[] {
  const found = new Set<string>();
  // JSON.stringify calls the function for each value at any depth.
  JSON.stringify(passing, (name, value) => {
    if (typeof value !== 'string') return value;
    if (name === 'venue' || name.startsWith('name')) found.add(value);
    if (name.endsWith('URL')) found.add(parsedUrl(value)?.host ?? value);
    return value;
  });
  return [...found].sort();
}
