/** `/events.ics`, `/events.rss` and `/events.jsonld` (I1): the endpoint's answers in other words, for who asks with an address. */
import { setImmediate } from 'node:timers/promises';
import type { GraphQLSchema } from 'graphql';
import type { Middleware } from 'koa';
import type { Keeper } from '../../snapshot/keeper.ts';
import { MAX_ANSWER_BYTES, tooLarge } from '../graphql/project.ts';
import { type Mask, NOT_OPEN, type Refusal, refusalFor, refuse } from '../graphql/refusal.ts';
import {
  type AnswerableRequest,
  type Answers,
  CachedAnswer,
  type Endpoint,
  secondOf,
} from '../http/answers.ts';
import type { Identify } from '../http/identity.ts';
import { CODINGS, codingFor } from '../http/message.ts';
import { Content } from '../http/representation.ts';
import { addressOf } from '../pages/reader.ts';
import { writeICalendar } from './icalendar.ts';
import { writeJsonLd } from './jsonld.ts';
import { createReadFeedQuery, type ReadFeedQuery } from './parameters.ts';
import { type Feed, readFeed } from './read.ts';
import { writeRss } from './rss.ts';

interface FeedsOptions {
  readonly answers: Pick<Answers, 'respond'>;
  readonly schema: GraphQLSchema;
  readonly keeper: Pick<Keeper, 'pin' | 'state'>;
  readonly identify: Identify;
  readonly mask: Mask;
  /** Milliseconds since 1970. */
  readonly clock: () => number;
  /** Where this server is reached from outside; null: what each request says. */
  readonly publicUrl: string | null;
}

interface Format {
  /** With its charset. */
  readonly type: string;
  /** The text in pieces, each of an occurrence at the most. */
  readonly write: (feed: Feed) => Iterable<string>;
}

const FORMATS: Readonly<Record<string, Format>> = {
  '/events.ics': { type: 'text/calendar; charset=utf-8', write: writeICalendar },
  '/events.rss': { type: 'application/rss+xml; charset=utf-8', write: writeRss },
  '/events.jsonld': { type: 'application/ld+json; charset=utf-8', write: writeJsonLd },
};

export const FEED_PATHS = Object.keys(FORMATS);

/** Passes on other paths and methods. */
export function createFeeds(options: FeedsOptions): Middleware {
  const { answers, identify, clock } = options;
  const readQuery = createReadFeedQuery(options.schema);
  const endpoints = new Map(
    Object.entries(FORMATS).map(([path, format]) => [
      path,
      endpointOf(path, format, { ...options, readQuery }),
    ]),
  );
  return (context, next) => {
    const { req, res, method } = context;
    const { url = '', headers } = req;
    if (!url.startsWith('/events.') || (method !== 'GET' && method !== 'HEAD')) return next();
    const mark = url.indexOf('?');
    const path = mark === -1 ? url : url.slice(0, mark);
    const endpoint = endpoints.get(path);
    if (endpoint === undefined) return next();
    context.respond = false;
    const search = mark === -1 ? '' : url.slice(mark + 1);
    const caller = identify({ headers, search });
    return answers.respond(res, endpoint, { method, path, search, headers, caller, arrivedAt: clock() });
  };
}

type EndpointOptions = FeedsOptions & { readonly readQuery: ReadFeedQuery };

function endpointOf(path: string, format: Format, options: EndpointOptions): Endpoint<AnswerableRequest> {
  const { publicUrl } = options;
  // A feed says where it is.
  const vary = ['Vary', publicUrl === null ? 'Accept-Encoding, X-Forwarded-Proto' : 'Accept-Encoding'];
  const variants = CODINGS.map((coding, place) => ({ place, type: format.type, coding, ending: 0 }));
  const [identity] = variants;
  if (identity === undefined) throw new RangeError('expected a content coding, found none');
  return {
    route: path,
    keyOf: ({ search, headers }) => `${path} ${addressOf(headers, publicUrl)} ${search}`,
    variantFor: ({ headers }) => {
      const coding = codingFor(headers['accept-encoding']);
      return variants.find((variant) => variant.coding === coding) ?? identity;
    },
    workOut: (request) => workOut(request, { ...options, path, format, vary }),
    refusalForm: ({ code }, { headers }) => ({
      coding: codingFor(headers['accept-encoding']),
      headers: UNAVAILABLE.has(code) ? [...vary, 'Retry-After', '5'] : vary,
      status: STATUS[code],
    }),
  };
}

const UNAVAILABLE: ReadonlySet<Refusal['code']> = new Set<Refusal['code']>([
  'SERVICE_UNAVAILABLE',
  'TIMEOUT',
]);

/** A feed has no place for errors, so that a reader has to see them by their status. */
const STATUS: Partial<Readonly<Record<Refusal['code'], number>>> = { BAD_USER_INPUT: 400, TIMEOUT: 503 };

interface WorkOptions extends EndpointOptions {
  readonly path: string;
  readonly format: Format;
  readonly vary: readonly string[];
}

/** Never rejects: what nobody foresaw is a refusal too. */
async function workOut(request: AnswerableRequest, options: WorkOptions): Promise<CachedAnswer | Refusal> {
  const { keeper, mask, readQuery, format, vary, path, publicUrl } = options;
  let pin: ReturnType<Keeper['pin']> | undefined;
  try {
    const query = readQuery(request.search);
    if (keeper.state().current === null) return refuse('SERVICE_UNAVAILABLE', NOT_OPEN);
    pin = keeper.pin();
    const address = `${addressOf(request.headers, publicUrl)}${path}${withoutKey(request.search)}`;
    const feed = await readFeed(query, { snapshot: pin.snapshot, now: secondOf(request) }, address);
    const content = new Content({ body: await join(format.write(feed)), isTagged: true, headers: vary });
    const dependsOnDay = query.plan.selection.period !== undefined;
    return new CachedAnswer(content, {
      ...{ operationName: undefined, rootField: 'events', failed: false },
      dependsOnDay,
    });
  } catch (thrown) {
    return refusalFor(thrown, mask);
  } finally {
    pin?.release();
  }
}

/** Calendars are passed on; keys are not to be. */
function withoutKey(search: string): string {
  const parameters = new URLSearchParams(search);
  parameters.delete('key');
  return parameters.size === 0 ? '' : `?${parameters}`;
}

/** UTF-16 units that are written at once: some 2 ms, in which nobody else is answered. */
const SLICE = 256 * 1_024;

/** Throws QUERY_TOO_COMPLEX for more than an answer may hold (D10). */
async function join(pieces: Iterable<string>): Promise<Buffer> {
  const slices: Buffer[] = [];
  let length = 0;
  let text = '';
  const settle = () => {
    const slice = Buffer.from(text);
    slices.push(slice);
    length += slice.length;
    text = '';
    if (length > MAX_ANSWER_BYTES) throw tooLarge();
  };
  for (const piece of pieces) {
    text += piece;
    if (text.length < SLICE) continue;
    settle();
    await setImmediate();
  }
  settle();
  return Buffer.concat(slices, length);
}
