/** Mirrors another endpoint of this interface: its directories, its taxonomy and all of its events. */
import { writeFile } from 'node:fs/promises';
import type { JsonObject } from '../../../src/calendar/json.ts';
import { slugOfLink } from '../../slugs/links.ts';
import { type Collector, createCollector } from './collector.ts';
import { endedContainer } from './event-assembly.ts';
import { type FeedLine, feedLine } from './last-good.ts';
import { createDirectories, type MirrorDirectories } from './mirror/directories.ts';
import { createEndpoint, type Endpoint, QueryRefused } from './mirror/endpoint.ts';
import { readInferred } from './mirror/inferred.ts';
import { pageQuery, readEvents, readList, remoteId } from './mirror/lists.ts';
import { categoryOf, type EventContext, eventOfAnswer } from './mirror/records.ts';
import {
  BASE_SELECTIONS,
  OWN_SELECTIONS,
  RELEASED_SELECTIONS,
  type Selections,
} from './mirror/selections.ts';
import { eventId } from './record-ids.ts';
import type { Imported, Importer, ImportRequest } from './refresh.ts';

/** The importer of feeds of kind `graphql`. */
export const importMirror: Importer = async (request) => {
  const { url } = request.feed;
  // `sources.json` with such a feed is refused.
  if (url === null) throw new RangeError('expected a mirrored feed to have an address, found none');
  const endpoint = createEndpoint(url, request);
  try {
    if (request.lastState !== null && (await endpoint.isUnchanged(request.lastState.validators))) return null;
    return await mirror(endpoint, await selectionsFor(endpoint), request);
  } finally {
    endpoint.close();
  }
};

/** The largest selections that the endpoint accepts. Throws QueryRefused if it refuses them for another reason than fields that it lacks. */
async function selectionsFor(endpoint: Endpoint): Promise<Selections> {
  for (const selections of [OWN_SELECTIONS, RELEASED_SELECTIONS]) {
    try {
      await endpoint.ask(pageQuery({ selection: selections.event, filter: '' }, { page: 0, pageSize: 1 }));
      return selections;
    } catch (thrown) {
      if (!(thrown instanceof QueryRefused && thrown.isOfFields)) throw thrown;
    }
  }
  return BASE_SELECTIONS;
}

/** Reads all lists of the endpoint, and writes their records to the draft. */
async function mirror(endpoint: Endpoint, selections: Selections, request: ImportRequest): Promise<Imported> {
  const { feed, now, draft } = request;
  const lines: string[] = [];
  const emit = (line: FeedLine) => {
    lines.push(feedLine(line));
  };
  const collector = createCollector(feed, request, emit);
  const { categories } = collector;
  const idOf = (id: string) => eventId(feed, id);
  const directories = await readDirectories(endpoint, selections, idOf);
  for (const category of await readList(endpoint, 'categories', selections.category))
    addCategory(category, collector);
  const inferred = await readInferred(endpoint, selections);
  const events = await readEvents(endpoint, { selection: selections.event, filter: '', keyOf: remoteId });
  addEvents(events, { feed, now, directories, categories, idOf, inferred }, collector);
  for (const record of directories.records()) collector.add(record);
  lines.push(feedLine({ list: 'end', ...collector.end(events.length), isComplete: true }));
  await writeFile(draft, lines, { flush: true });
  return { source: null, bytes: endpoint.bytes(), validators: endpoint.validators() };
}

async function readDirectories(
  endpoint: Endpoint,
  selections: Selections,
  idOf: (id: string) => string,
): Promise<MirrorDirectories> {
  const directories = createDirectories(idOf);
  for (const venue of await readList(endpoint, 'venues', selections.venue)) directories.venue(venue);
  for (const organizer of await readList(endpoint, 'organizers', selections.organizer))
    directories.organizer(organizer);
  return directories;
}

/** A category that the feed's map translates is not imported. */
function addCategory(answer: unknown, { categories, add, addFinding }: Collector): void {
  const record = categoryOf(answer, addFinding);
  if (record === null) return;
  const { id } = record.value;
  const keepsItsId = typeof id === 'string' && categories.translate([id]).includes(id);
  if (keepsItsId) add(record);
}

/** Adds the events, then the containers that are over: only their programme still names them. */
function addEvents(
  answers: readonly JsonObject[],
  context: EventContext,
  { add, addEvent }: Collector,
): void {
  const ids = new Set(answers.map((answer) => context.idOf(remoteId(answer))));
  const endedContainers = new Set<string>();
  for (const answer of answers.toSorted(byClaimToSlug)) {
    const record = eventOfAnswer(answer, context);
    const isAdded = addEvent({ record, entriesAsDates: 0 });
    const { super_event: container } = record.value;
    if (isAdded && typeof container === 'string' && !ids.has(container)) endedContainers.add(container);
  }
  for (const container of endedContainers) add(endedContainer(container));
}

/**
 * The endpoint made its slugs unique in the order of its source, which is unknown here. Events whose link has the slug without a number come
 * first, so that they get it here, too; then short slugs, because a number makes them longer.
 */
function byClaimToSlug(left: JsonObject, right: JsonObject): number {
  const slug = String(left.event_slug);
  const otherSlug = String(right.event_slug);
  const bySlug = slug < otherSlug ? -1 : Number(slug > otherSlug);
  return Number(hasOwnSlug(right)) - Number(hasOwnSlug(left)) || slug.length - otherSlug.length || bySlug;
}

/** Whether the event's slug is that of its link, or cannot be compared with one. */
function hasOwnSlug({ event_slug, eventLink }: JsonObject): boolean {
  const slug = String(event_slug);
  return typeof eventLink !== 'string' || slugOfLink(eventLink, slug) === slug;
}
