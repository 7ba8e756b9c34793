/** Plain lists of nodes (I6): `/events.json` for programs without GraphQL, `/events.geojson` for maps. */
import { getNamedType, isObjectType } from 'graphql';
import { Output } from '../../serve/graphql/output.ts';
import { project } from '../../serve/graphql/project.ts';
import { schema } from '../../serve/graphql/schema.ts';
import type { Selections } from '../../serve/graphql/selection.ts';
import { EVENT_TYPE } from '../../serve/graphql/types.ts';
import { hintsFor } from '../../serve/query/hints.ts';
import type { EventNode } from '../../serve/query/nodes.ts';
import { elementAt } from '../../snapshot/columns.ts';
import { FLAG, listOf, objectOf, TEXT, TEXT_OR_NULL, WHOLE } from '../common/json-schema.ts';
import { LONGEST_DESCRIPTION } from '../events/entries.ts';
import type { EventList } from '../events/event-list.ts';
import { listedEventOf } from '../events/values.ts';
import type { Language } from '../page/reader.ts';

/** The properties before the events in both formats, as JSON Schema (I8). */
const PAGE_PROPERTIES = {
  totalCount: WHOLE,
  hasMore: FLAG,
  page: WHOLE,
  pageSize: WHOLE,
};

const EVENT_OBJECT = {
  allOf: [
    { $ref: '#/components/schemas/Event' },
    objectOf({
      title: TEXT,
      description: TEXT_OR_NULL,
      summary: TEXT_OR_NULL,
      categoryLabels: listOf(TEXT),
    }),
  ],
};

const EVENTS_OBJECT = objectOf({ ...PAGE_PROPERTIES, events: listOf(EVENT_OBJECT) });
const HINT = objectOf({
  argument: TEXT,
  value: TEXT,
  message: TEXT,
});

/** B14: with `hints` where there are some. */
export const JSON_LIST = {
  ...EVENTS_OBJECT,
  properties: { ...EVENTS_OBJECT.properties, hints: listOf(HINT) },
};

const POINT = objectOf({
  type: { const: 'Point' },
  coordinates: { ...listOf({ type: 'number' }), minItems: 2, maxItems: 2 },
});

export const GEO_JSON = objectOf({
  type: { const: 'FeatureCollection' },
  ...PAGE_PROPERTIES,
  features: listOf(
    objectOf({
      type: { const: 'Feature' },
      id: TEXT,
      geometry: POINT,
      properties: EVENT_OBJECT,
    }),
  ),
});

export function* writeJson(list: EventList): Generator<string> {
  const hints = hintsFor(list.query.plan.conditions, list.view);
  const hintsMember = hints.length === 0 ? '' : `"hints":${JSON.stringify(hints)},`;
  yield `{${pagingMembers(list)},${hintsMember}"events":[`;
  yield* separated(list.events, (node) => jsonOf(node, list.language));
  yield '\n]}\n';
}

/** RFC 7946; nodes without a position are omitted. */
export function* writeGeoJson(list: EventList): Generator<string> {
  yield `{"type":"FeatureCollection",${pagingMembers(list)},"features":[`;
  yield* separated(list.events, (node) => {
    const { columns, lists } = node.view;
    const { location = null } = elementAt(lists.venues, columns.venue[node.row]) ?? {};
    if (location === null) return null;
    const id = EVENT_TYPE.leaves.occurrenceID?.(node) ?? 'null';
    const geometry = JSON.stringify({
      type: 'Point',
      coordinates: [location.longitude, location.latitude],
    });
    const properties = jsonOf(node, list.language);
    return `{"type":"Feature","id":${id},"geometry":${geometry},"properties":${properties}}`;
  });
  yield '\n]}\n';
}

/** Members of a JSON object, without its braces: the events after them are written one by one. */
function pagingMembers({ total, page, pageSize }: EventList): string {
  const hasMore = (page + 1) * pageSize < total;
  return JSON.stringify({ totalCount: total, hasMore, page, pageSize }).slice(1, -1);
}

function* separated(
  nodes: readonly EventNode[],
  write: (node: EventNode) => string | null,
): Generator<string> {
  let separator = '\n';
  for (const node of nodes) {
    const text = write(node);
    if (text === null) continue;
    yield separator + text;
    separator = ',\n';
  }
}

/** The node with all its fields as the endpoint answers it, after the texts in the reader's language. */
function jsonOf(node: EventNode, language: Language): string {
  const { title, description, summary, labels } = listedEventOf(node, language);
  const text = description?.text ?? null;
  // G12: the node's own fields contain it as well; twice, it would make the list too large for all others.
  const isShort = text !== null && text.length <= LONGEST_DESCRIPTION;
  const added = {
    title: title.text,
    description: isShort ? text : null,
    summary: summary?.text ?? null,
    categoryLabels: labels,
  };
  const out = new Output();
  WHOLE_EVENT.write(node, out);
  const fields = Buffer.concat(out.end()).toString();
  // Two objects joined: the endpoint's projection writes JSON, which need not be parsed for this.
  return `${JSON.stringify(added).slice(0, -1)},${fields.slice(1)}`;
}

const WHOLE_EVENT = project(EVENT_TYPE, allFieldsOf(EVENT_TYPE.name));

/** Except deprecated fields. */
function allFieldsOf(name: string): Selections {
  const type = schema.getType(name);
  if (!isObjectType(type)) return [];
  return Object.values(type.getFields())
    .filter(({ deprecationReason }) => deprecationReason === undefined)
    .map((field) => ({
      key: field.name,
      name: field.name,
      selections: allFieldsOf(getNamedType(field.type).name),
    }));
}
