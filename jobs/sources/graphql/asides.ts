/** What an endpoint without the fields that the interface does not show tells all the same: by its filters. */
import { isObject } from '../../../src/calendar/json.ts';
import type { Endpoint } from './endpoint.ts';
import type { Asides } from './event.ts';
import { DAY_OF_EVENT, ONLY_ID } from './fields.ts';
import { type Answer, readEvents } from './pages.ts';
import { listOf } from './read.ts';
import { type EndpointSchema, QUERY } from './schema.ts';

export async function readAsides(endpoint: Endpoint, schema: EndpointSchema): Promise<Asides> {
  const fields = new Map<string, Record<string, unknown>>();
  const note = (id: string, more: Answer) => fields.set(id, { ...fields.get(id), ...more });

  const has = (field: string) => schema.has('Event', field);
  if (schema.filters('onlyFeaturedSpecialEvent')) {
    for (const id of await idsBy(endpoint, schema, { onlyFeaturedSpecialEvent: true })) {
      note(id, { isFeaturedInSpecialEvent: true });
    }
  }
  if (!has('isFeaturedEvent') && schema.filters('onlyFeatured')) {
    for (const id of await idsBy(endpoint, schema, { onlyFeatured: true }))
      note(id, { isFeaturedEvent: true });
  }
  if (schema.has(QUERY, 'allUpcomingSuperEvents') && !(has('isSuperEvent') && has('super_event'))) {
    const { allUpcomingSuperEvents } = await endpoint.ask('{ allUpcomingSuperEvents { id } }');
    for (const container of listOf(allUpcomingSuperEvents)) {
      if (!isObject(container) || typeof container.id !== 'string') continue;
      note(container.id, { isSuperEvent: true });
      if (!schema.filters('superEvent')) continue;
      const programme = await idsBy(endpoint, schema, { superEvent: container.id });
      for (const id of programme) note(id, { super_event: container.id });
    }
  }
  const days = await readDays(endpoint, schema);
  return { fieldsOf: (id) => fields.get(id) ?? {}, dayOf: (id, start) => days.get(`${id} ${start}`) };
}

async function idsBy(
  endpoint: Endpoint,
  schema: EndpointSchema,
  filter: Readonly<Record<string, boolean | string>>,
): Promise<readonly string[]> {
  const selection = schema.selection('Event', ONLY_ID);
  const keyOf = ({ id }: Answer) => String(id);
  const events = await readEvents(endpoint, { selection, filter, hasFilter: true, keyOf });
  return events.map(keyOf);
}

/** With days as entries, later dates say by themselves whether they are cancelled, sold out, elsewhere. */
async function readDays(endpoint: Endpoint, schema: EndpointSchema): Promise<ReadonlyMap<string, Answer>> {
  const repetition = schema.typeOf('Event', 'repetitions') ?? '';
  const isTold = ['eventCancelled', 'eventSoldOut', 'ticketsURL'].every((field) =>
    schema.has(repetition, field),
  );
  if (isTold || !schema.filters('groupRepetitionsByDay')) return new Map();
  const days = await readEvents(endpoint, {
    selection: schema.selection('Event', { ...DAY_OF_EVENT, duration: 'integer' }),
    filter: { groupRepetitionsByDay: true },
    hasFilter: true,
    keyOf: dayKey,
  });
  return new Map(days.map((day) => [dayKey(day), day]));
}

function dayKey({ id, startDate }: Answer): string {
  return `${String(id)} ${String(startDate)}`;
}
