/** Fields that an endpoint's events lack, inferred from its filters and lists. */
import { isObject, type JsonObject } from '../../../../src/calendar/json.ts';
import type { Endpoint } from './endpoint.ts';
import { readEvents, readList, remoteId } from './lists.ts';
import type { Inferred } from './records.ts';
import { BASE_DAY, BASE_SELECTIONS, type Selections } from './selections.ts';

/** Asks for the lists that tell what the selections lack. Throws FeedProblem. */
export async function readInferred(endpoint: Endpoint, selections: Selections): Promise<Inferred> {
  const fields = createFields();
  const days = new Map<string, JsonObject>();

  /** Notes these fields of all events that a filter selects. */
  async function noteAll(filter: string, inferred: JsonObject): Promise<void> {
    const query = { selection: '{ id }', filter, keyOf: remoteId };
    for (const entry of await readEvents(endpoint, query)) fields.add(remoteId(entry), inferred);
  }

  async function noteProgrammes(): Promise<void> {
    for (const container of await readList(endpoint, 'allUpcomingSuperEvents', '{ id }')) {
      if (!isObject(container) || typeof container.id !== 'string') continue;
      const { id } = container;
      fields.add(id, { isSuperEvent: true });
      if (id.length <= LONGEST_ID) await noteAll(`superEvent: ${JSON.stringify(id)}`, { super_event: id });
    }
  }

  await noteAll('onlyFeaturedSpecialEvent: true', { isFeaturedInSpecialEvent: true });
  if (selections === BASE_SELECTIONS) {
    await noteAll('onlyFeatured: true', { isFeaturedEvent: true });
    await noteProgrammes();
    const query = { selection: BASE_DAY, filter: 'groupRepetitionsByDay: true', keyOf: dayKey };
    for (const day of await readEvents(endpoint, query)) days.set(dayKey(day), day);
  }
  return { fieldsOf: fields.of, dayOf: (id, start) => days.get(`${id} ${start}`) };
}

/** Fields by the ids of events. */
function createFields() {
  const byId = new Map<string, JsonObject>();
  return {
    add: (id: string, fields: JsonObject) => void byId.set(id, { ...byId.get(id), ...fields }),
    of: (id: string): JsonObject => byId.get(id) ?? {},
  };
}

/** Longer ids are not real, and would be repeated in thousands of queries. */
const LONGEST_ID = 256;

function dayKey({ id, startDate }: JsonObject): string {
  return `${String(id)} ${String(startDate)}`;
}
