/** An endpoint with only the public interface, for a few events in memory. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { buildSchema, graphql, NoSchemaIntrospectionCustomRule, parse, validate } from 'graphql';
import type { Handler } from './feed-server.ts';

const SDL = `
type Query {
  events(filter: Filter, page: Int = 0, pageSize: Int = 10): EventConnection
  allUpcomingSuperEvents: [Event]
  categories: [Category]
  venues: [Venue]
  organizers: [Organizer]
}
input Filter { groupRepetitionsByDay: Boolean, superEvent: String, onlyFeatured: Boolean, onlyFeaturedSpecialEvent: Boolean }
type EventConnection { totalCount: Int, hasMore: Boolean, pageInfo: PageInfo, data: [Event] }
type PageInfo { currentPage: Int, pageSize: Int, totalPages: Int }
type Event {
  id: String, event_slug: String, eventLink: String, title_nb: String, title_en: String, startDate: String, endDate: String,
  startTime: String, duration: Int, categories: [String], tags: [String], mode: String, venue: Venue,
  organizers: [Organizer], images: [Image], repetitions: [Repetition], ticketsInformation: String, prices: [Price],
  ticketsURL: String, eventCancelled: Boolean, eventSoldOut: Boolean, minimumAge: Int, maximumAge: Int, cancellationPeriod: Int,
  views: Int, publishingDate: String, ticketsFromDate: String, created_at: String, updated_at: String
}
type Venue { id: String, name: String, slug: String, address: String, location: Location }
type Location { latitude: Float, longitude: Float }
type Organizer { id: String, name: String, slug: String, website: String }
type Image { urlSmall: String, urlLarge: String, alt: String, focusX: Float, focusY: Float, width: Int, height: Int }
type Repetition { startDate: String, endDate: String, startTime: String, venue: RepetitionVenue, prices: [Price] }
type RepetitionVenue { name: String }
type Price { type: String, price: Int, name_nb: String, name_en: String }
type Category { id: String, name_nb: String, name_en: String, slug_nb: String, slug_en: String, visible: Boolean }
`;

export interface PlainEvent {
  readonly id: string;
  readonly startDate: string;
  readonly [field: string]: unknown;
}

export interface EndpointOptions {
  /** Its schema, of another version of the interface. */
  readonly sdl?: string;
  /** The list as it is when the nth request comes, counted from 0. */
  readonly events: (request: number) => readonly PlainEvent[];
  /** The events that each filter field selects, by id. */
  readonly lists?: Readonly<Record<string, readonly string[]>>;
  /** Days of events as entries of their own. */
  readonly days?: readonly PlainEvent[];
  readonly directories?: Readonly<Record<'categories' | 'venues' | 'organizers', readonly unknown[]>>;
  readonly methods?: readonly string[];
  readonly introspection?: boolean;
  readonly mostOnPage?: number;
}

interface EventsArguments {
  readonly filter?: Readonly<Record<string, unknown>>;
  readonly page: number;
  readonly pageSize: number;
}

export function endpoint(options: EndpointOptions): Handler {
  const {
    lists = {},
    days = [],
    methods = ['GET', 'POST'],
    introspection = true,
    mostOnPage = 1000,
    sdl = SDL,
  } = options;
  const schema = buildSchema(sdl);
  let count = 0;

  function events({ filter = {}, page, pageSize }: EventsArguments) {
    if (pageSize > mostOnPage) throw new Error(`expected at most ${mostOnPage} on a page`);
    const names = Object.keys(filter).filter(
      (name) => filter[name] !== false && name !== 'groupRepetitionsByDay',
    );
    const wanted = names.map((name) => lists[name] ?? []);
    const all = filter.groupRepetitionsByDay === true ? days : options.events(count - 1);
    const found = all.filter(({ id }) => wanted.every((ids) => ids.includes(id)));
    const data = found.slice(page * pageSize, (page + 1) * pageSize);
    return { totalCount: found.length, hasMore: (page + 1) * pageSize < found.length, data };
  }

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    count++;
    const method = request.method ?? '';
    const query =
      method === 'GET'
        ? new URL(request.url ?? '', 'http://x').searchParams.get('query')
        : await bodyOf(request);
    if (!methods.includes(method)) return void response.writeHead(405).end();
    const source = query ?? '';
    const hidden = introspection ? [] : validate(schema, parse(source), [NoSchemaIntrospectionCustomRule]);
    const superEvents = (lists.isSuperEvent ?? []).map((id) => ({ id }));
    const rootValue = { events, allUpcomingSuperEvents: superEvents, ...options.directories };
    const result = hidden.length > 0 ? { errors: hidden } : await graphql({ schema, source, rootValue });
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(result));
  }

  return (request, response) => void answer(request, response);
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of request.setEncoding('utf8')) text += chunk;
  return JSON.parse(text).query;
}
