/** Mirrors another endpoint of this interface: its directories, its taxonomy and all of its events. */
import { writeFile } from 'node:fs/promises';
import type { JsonObject } from '../../../src/calendar/json.ts';
import { slugOfLink } from '../../slug-links.ts';
import type { Categories } from './categories.ts';
import { createCollector } from './collector.ts';
import { type FeedLine, type FeedRecord, feedLine } from './last-good.ts';
import { createEndpoint, type Endpoint, QueryRefused } from './mirror/endpoint.ts';
import { readInferred } from './mirror/inferred.ts';
import { pageQuery, readEvents, readList, remoteId } from './mirror/lists.ts';
import { categoryOf, createDirectories, endedContainer, eventOfAnswer } from './mirror/records.ts';
import {
  BASE_SELECTIONS,
  OWN_SELECTIONS,
  RELEASED_SELECTIONS,
  type Selections,
} from './mirror/selections.ts';
import type { Imported, Importer, ImportRequest } from './refresh.ts';

export const importMirror: Importer = async (request) => {
  const endpoint = createEndpoint(request);
  try {
    if (request.lastState !== null && (await endpoint.isUnchanged(request.lastState.validators))) return null;
    return await mirror(endpoint, await selectionsFor(endpoint), request);
  } finally {
    endpoint.close();
  }
};

async function mirror(endpoint: Endpoint, selections: Selections, request: ImportRequest): Promise<Imported> {
  const { feed, draft } = request;
  const lines: string[] = [];
  const emit = (line: FeedLine) => void lines.push(feedLine(line));
  const { addFinding, add, addEvent, end, categories } = createCollector(feed, request, emit);
  const idOf = (id: string) => (feed.keepIds ? id : `${feed.id}:${id}`);
  const directories = createDirectories({ idOf });
  for (const venue of await readList(endpoint, 'venues', selections.venue)) directories.venue(venue);
  for (const organizer of await readList(endpoint, 'organizers', selections.organizer))
    directories.organizer(organizer);
  for (const category of await readList(endpoint, 'categories', selections.category)) {
    const record = categoryOf(category, addFinding);
    if (record !== null && isUnmapped(record.value, categories)) add(record);
  }
  const inferred = await readInferred(endpoint, selections);
  const context = { feed, now: request.now, directories, categories, idOf, inferred };
  const answers = await readEvents(endpoint, { selection: selections.event, filter: '', keyOf: remoteId });
  const ids = new Set(answers.map((answer) => idOf(remoteId(answer))));
  const ended = new Set<string>();
  for (const answer of answers.toSorted(byClaimToSlug)) {
    const record = eventOfAnswer(answer, context);
    const { super_event: container } = record.value;
    const isThere = addEvent({ record, merged: 0 });
    if (isThere && typeof container === 'string' && !ids.has(container)) ended.add(container);
  }
  // Only their programme still names them.
  for (const container of ended) add(endedContainer(container));
  for (const record of directories.records()) add(record);
  lines.push(feedLine({ list: 'end', ...end(answers.length), isComplete: true }));
  await writeFile(draft, lines, { flush: true });
  return { source: null, bytes: endpoint.bytes(), validators: endpoint.validators() };
}

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

/** A category that the feed's map translates is not imported. */
function isUnmapped({ id }: FeedRecord['value'], { translate }: Categories): boolean {
  return typeof id === 'string' && translate([id]).includes(id);
}

/**
 * The endpoint made its slugs unique in the order of its source, which is unknown here: first come those without a number in their link,
 * then those with one.
 */
function byClaimToSlug(left: JsonObject, right: JsonObject): number {
  return claimOf(left) < claimOf(right) ? -1 : 1;
}

function claimOf({ event_slug, eventLink }: JsonObject): string {
  const slug = String(event_slug);
  const isOwn = typeof eventLink !== 'string' || slugOfLink(eventLink, slug) === slug;
  return `${isOwn ? 0 : 1} ${String(slug.length).padStart(6, '0')} ${slug}`;
}
