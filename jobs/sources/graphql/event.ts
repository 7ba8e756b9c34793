/** An event of an endpoint as a native record. */
import { isObject } from '../../../src/calendar/json.ts';
import { type Categories, type Feed, withDefaults } from '../../feeds/config.ts';
import type { Complain, FeedRecord } from '../../feeds/slice.ts';
import type { Directories } from './directories.ts';
import { EVENT, IMAGE, PLAIN, PRICE, REPETITION } from './fields.ts';
import type { Answer } from './pages.ts';
import { listOf, readFields } from './read.ts';

export interface EventContext {
  readonly directories: Directories;
  readonly categories: Categories;
  readonly defaults: Feed['defaults'];
  readonly idOf: (id: string) => string;
  readonly complain: Complain;
  /** What the endpoint tells otherwise than by the event's own fields. */
  readonly asides: Asides;
}

export interface Asides {
  /** Values of a later date, by the event's id and the date's start. */
  readonly dayOf: (id: string, start: string) => Answer | undefined;
  /** Fields that are known by which list the event is in. */
  readonly fieldsOf: (id: string) => Answer;
}

export function eventOf(answer: Answer, context: EventContext): FeedRecord {
  const { directories, categories, defaults, idOf, asides } = context;
  const remoteId = String(answer.id);
  const id = idOf(remoteId);
  const complain: Complain = (complaint) => context.complain({ ...complaint, id });
  const fields = readFields(answer, EVENT, complain);
  const { super_event: container } = { ...asides.fieldsOf(remoteId), ...fields };
  const said = {
    ...asides.fieldsOf(remoteId),
    ...pick(fields, PLAIN),
    mode: fields.mode === 'online' ? 'online' : 'offline',
    slug: fields.event_slug,
    categories: categories.translate(textsIn(fields.categories)),
    organizers: [
      ...new Set(listOf(answer.organizers).flatMap((organizer) => directories.organizer(organizer) ?? [])),
    ],
    images: listOf(answer.images).map((image) => readFields(image, IMAGE, complain)),
    prices: pricesOf(answer.prices, complain),
    super_event: typeof container === 'string' ? idOf(container) : undefined,
  };
  const later = listOf(answer.repetitions).map((repetition) => {
    const start = isObject(repetition) ? String(repetition.startDate) : '';
    const { prices } = isObject(repetition) ? repetition : { prices: null };
    const own = Array.isArray(prices) ? { prices: pricesOf(prices, complain) } : {};
    return { ...dateOf(repetition, asides.dayOf(remoteId, start), { ...context, complain }), ...own };
  });
  const dates = [dateOf(answer, undefined, { ...context, complain }), ...later];
  return { list: 'events', line: null, value: { id, ...withoutBlanks(withDefaults(said, defaults)), dates } };
}

/** Everything is said of each date, because nothing of what the event shows now is meant for its other dates. */
function dateOf(answer: unknown, day: Answer | undefined, { directories, complain }: EventContext): Answer {
  const fields = { ...readFields(day, REPETITION, complain), ...readFields(answer, REPETITION, complain) };
  const { startDate, endDate, startTime, duration, ticketsURL } = fields;
  const hasEnd = typeof endDate === 'string' && endDate !== startDate;
  const venues = [answer, day].map((source) => (isObject(source) ? directories.venue(source.venue) : null));
  return withoutBlanks({
    start: startDate,
    end: hasEnd ? endDate : undefined,
    duration: hasEnd ? undefined : duration,
    startTime,
    venue: venues.find((venue) => venue !== null),
    ticketsURL,
    eventCancelled: fields.eventCancelled ?? false,
    eventSoldOut: fields.eventSoldOut ?? false,
  });
}

/** A ticket type is required; the first of the interface's own stands for one that is not told. */
function pricesOf(prices: unknown, complain: Complain): readonly Answer[] {
  return listOf(prices).map((price) => ({ type: 'REGULAR', ...readFields(price, PRICE, complain) }));
}

function pick(fields: Answer, names: Readonly<Record<string, unknown>>): Answer {
  return Object.fromEntries(Object.entries(fields).filter(([name]) => name in names));
}

function withoutBlanks(fields: Answer): Answer {
  return Object.fromEntries(
    Object.entries(fields).filter(([, value]) => value !== null && value !== undefined),
  );
}

function textsIn(value: unknown): readonly string[] {
  return listOf(value).filter((item) => typeof item === 'string');
}
