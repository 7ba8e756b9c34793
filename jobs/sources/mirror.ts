/** Another endpoint of this interface, mirrored: its directories, its taxonomy and all of its events. */
import { writeFile } from 'node:fs/promises';
import { boundFindings, checkRecord } from '../feeds/check.ts';
import { type Categories, createCategories } from '../feeds/config.ts';
import type { Imported, Importer, ImportRequest } from '../feeds/refresh.ts';
import { type FeedRecord, sliceLine } from '../feeds/slice.ts';
import { lastSegment } from '../materialise/directories.ts';
import {
  asProblem,
  createEndpoint,
  type Endpoint,
  type JsonObject,
  QueryRefused,
} from './mirror/endpoint.ts';
import { readEvents, readInferred } from './mirror/events.ts';
import {
  categoryOf,
  createDirectories,
  type EventContext,
  endedContainer,
  eventOf,
  listOf,
} from './mirror/records.ts';
import {
  CATEGORY,
  type EndpointSchema,
  EVENT,
  INTROSPECTION,
  interfaceSchema,
  ORGANIZER,
  QUERY,
  readSchema,
  VENUE,
  type Wanted,
} from './mirror/schema.ts';

export const importMirror: Importer = async (request) => {
  const endpoint = createEndpoint(request);
  try {
    if (request.known !== null && (await endpoint.isUnchanged(request.known.validators))) return null;
    return await mirror(endpoint, request);
  } catch (thrown) {
    throw asProblem(thrown);
  } finally {
    endpoint.close();
  }
};

async function mirror(endpoint: Endpoint, { feed, place, config, draft }: ImportRequest): Promise<Imported> {
  const lines: string[] = [];
  const { addFinding, end } = boundFindings((line) => void lines.push(sliceLine(line)));
  const keep = (record: FeedRecord): boolean => {
    const checked = checkRecord(record, addFinding);
    if (checked !== null) lines.push(sliceLine(checked));
    return checked !== null;
  };
  const schema = await schemaOf(endpoint);
  const idOf = (id: string) => (feed.keepIds ? id : `${feed.id}:${id}`);
  const directories = createDirectories({ idOf, addFinding });
  for (const venue of await readList(endpoint, schema, 'venues', VENUE)) directories.venue(venue);
  for (const organizer of await readList(endpoint, schema, 'organizers', ORGANIZER))
    directories.organizer(organizer);
  const categories = createCategories(feed.map);
  for (const category of await readList(endpoint, schema, 'categories', CATEGORY)) {
    const record = categoryOf(category, addFinding);
    if (isUnmapped(record.value, categories)) keep(record);
  }
  const inferred = await readInferred(endpoint, schema);
  const { defaults } = feed;
  const context = { directories, categories, defaults, idOf, addFinding, inferred };
  const answers = await readEvents(endpoint, {
    selection: schema.selection('Event', EVENT),
    filter: schema.filters('groupRepetitionsByDay') ? { groupRepetitionsByDay: false } : {},
    hasFilter: schema.takes('events', 'filter'),
    keyOf: ({ id }) => String(id),
  });
  const events = keepEvents(answers, context, keep);
  directories.records().forEach(keep);
  end();
  const entries = answers.length;
  const counts = { entries, events, merged: 0, dropped: entries - events };
  lines.push(sliceLine({ list: 'end', counts, isComplete: true, place, config }));
  await writeFile(draft, lines, { flush: true });
  return { source: null, bytes: endpoint.bytes(), validators: endpoint.validators() };
}

/** How many are kept. Containers that only their programme still names come behind the events. */
function keepEvents(
  answers: readonly JsonObject[],
  context: EventContext,
  keep: (record: FeedRecord) => boolean,
): number {
  const ids = new Set(answers.map(({ id }) => context.idOf(String(id))));
  const ended = new Set<string>();
  let kept = 0;
  for (const answer of byClaimToSlug(answers)) {
    const event = eventOf(answer, context);
    if (!keep(event)) continue;
    kept++;
    const { super_event: container } = event.value;
    if (typeof container === 'string' && !ids.has(container)) ended.add(container);
  }
  for (const container of ended) keep(endedContainer(container));
  return kept;
}

async function schemaOf(endpoint: Endpoint): Promise<EndpointSchema> {
  try {
    return readSchema(await endpoint.ask(INTROSPECTION)) ?? interfaceSchema();
  } catch (thrown) {
    if (thrown instanceof QueryRefused) return interfaceSchema();
    throw thrown;
  }
}

async function readList(
  endpoint: Endpoint,
  schema: EndpointSchema,
  field: string,
  wanted: Wanted,
): Promise<readonly unknown[]> {
  const type = schema.typeOf(QUERY, field);
  if (type === null) return [];
  const data = await endpoint.ask(`{ ${field} ${schema.selection(type, wanted)} }`);
  return listOf(data[field]);
}

/** A category that the feed's map translates is not taken over. */
function isUnmapped({ id }: FeedRecord['value'], { translate }: Categories): boolean {
  return typeof id === 'string' && translate([id]).includes(id);
}

/**
 * The endpoint made its slugs unique in the order of its source, which nobody else knows: first come those that stand in
 * their link as they are, then those with a number behind.
 */
function byClaimToSlug(answers: readonly JsonObject[]): readonly JsonObject[] {
  return answers
    .map((answer) => ({ answer, ...claimOf(answer) }))
    .sort(
      (left, right) =>
        left.rank - right.rank ||
        left.slug.length - right.slug.length ||
        (left.slug < right.slug ? -1 : left.slug > right.slug ? 1 : 0),
    )
    .map(({ answer }) => answer);
}

function claimOf({ event_slug, eventLink }: JsonObject) {
  const isOwn = typeof eventLink !== 'string' || lastSegment(eventLink) === event_slug;
  return { rank: isOwn ? 0 : 1, slug: String(event_slug) };
}
