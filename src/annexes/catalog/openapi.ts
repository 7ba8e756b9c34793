/** OpenAPI 3.1: every path for callers, from the descriptions beside its code and from the published schema. */
import {
  type GraphQLObjectType,
  type GraphQLOutputType,
  type GraphQLSchema,
  isEnumType,
  isListType,
  isNonNullType,
  isObjectType,
} from 'graphql';
import { GRAPHQL_PATH, PREFLIGHT_HEADER } from '../../serve/http/graphql.ts';
import { type About, KEY } from '../facts/facts.ts';

type AboutPath = NonNullable<About>;
type Answer = AboutPath['answer'];

/** `abouts`: descriptions of the annexes' paths. */
export function openApiOf(schema: GraphQLSchema, abouts: Readonly<Record<string, About>>): object {
  const paths: Record<string, object> = { [GRAPHQL_PATH]: GRAPHQL };
  for (const [path, about] of Object.entries({ ...CORE, ...abouts })) {
    if (about !== null) paths[path] = { get: operationOf('get', path, about) };
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'almanakk',
      summary: 'A regional events calendar',
      description: DESCRIPTION,
      version: '1',
    },
    servers: [{ url: '/' }],
    paths,
    components: { schemas: { ...objectTypesOf(schema, ['Event', 'Changes']), Errors: ERRORS } },
  };
}

const DESCRIPTION =
  'Everything is answered by GraphQL, and events by addresses too. Keys are not needed. Times are Norwegian; answers are right to the ' +
  'second, and say with `Cache-Control` how long they stay so.';

function operationOf(method: string, path: string, about: AboutPath): object {
  const { summary, parameters = {}, answer, others = {} } = about;
  return {
    operationId: operationIdOf(method, path),
    summary,
    parameters: Object.entries(parameters).map(([name, { about, schema, isRequired, place = 'query' }]) => ({
      name,
      in: place,
      description: about,
      required: isRequired === true,
      schema,
    })),
    responses: { 200: responseOf(answer), ...mapValues(others, responseOf), default: FAILED },
  };
}

/** For example `getEventsJson` of `/events.json`. */
function operationIdOf(method: string, path: string): string {
  const words = path.split(/[^A-Za-z\d]+/).filter((word) => word !== '');
  const named = words.length === 0 ? ['start'] : words;
  return [method, ...named.map((word) => word.charAt(0).toUpperCase() + word.slice(1).toLowerCase())].join(
    '',
  );
}

function responseOf({ about, type, schema = { type: 'string' } }: Answer): object {
  return { description: about, ...(type !== undefined && { content: { [type]: { schema } } }) };
}

const ERRORS = {
  type: 'object',
  properties: {
    errors: {
      type: 'array',
      items: {
        type: 'object',
        properties: {
          message: { type: 'string' },
          extensions: {
            type: 'object',
            properties: {
              code: { type: 'string' },
              invalidArgs: { type: 'array', items: { type: 'string' } },
              reasons: { type: 'array', items: { type: 'string' } },
            },
          },
        },
        required: ['message'],
      },
    },
  },
  required: ['errors'],
};

const FAILED = responseOf({
  about: 'What is wrong.',
  type: 'application/json',
  schema: { $ref: '#/components/schemas/Errors' },
});

const GRAPHQL_ANSWER = {
  about: 'The answer. An `errors` list can accompany partial `data`.',
  type: 'application/json',
  schema: {
    type: 'object',
    properties: {
      data: { type: ['object', 'null'] },
      errors: ERRORS.properties.errors,
      extensions: { type: 'object' },
    },
  },
};

const text = { type: 'string' };
const READY = {
  about: 'Whether a snapshot is open, and which.',
  type: 'application/json',
  schema: { type: 'object', properties: { ready: { type: 'boolean' } }, required: ['ready'] },
};

/** The core's own paths besides its endpoint. */
const CORE: Readonly<Record<string, About>> = {
  '/schema.graphql': {
    summary: 'The schema of the endpoint.',
    answer: { about: 'In GraphQL’s schema language.', type: 'application/graphql' },
  },
  '/healthz': {
    summary: 'Whether the process is up.',
    answer: { about: 'It is.', type: 'application/json', schema: { type: 'object' } },
  },
  '/readyz': {
    summary: 'Whether there is a calendar to answer from.',
    answer: READY,
    others: { 503: READY },
  },
};

const GRAPHQL_BODY = {
  type: 'object',
  properties: {
    query: text,
    variables: { type: ['object', 'null'] },
    operationName: { type: ['string', 'null'] },
    extensions: { type: ['object', 'null'] },
  },
  required: ['query'],
};

const GRAPHQL = {
  parameters: [{ name: 'key', in: 'query', description: KEY.about, schema: KEY.schema }],
  get: operationOf('get', GRAPHQL_PATH, {
    summary: 'Answers a query of GraphQL, for caches.',
    parameters: {
      query: { about: 'The document.', schema: text, isRequired: true },
      variables: { about: 'As JSON.', schema: text },
      operationName: { about: 'Which operation of the document.', schema: text },
      extensions: { about: 'For persisted queries, as JSON.', schema: text },
      [PREFLIGHT_HEADER]: { about: 'Any value.', schema: text, isRequired: true, place: 'header' },
    },
    answer: GRAPHQL_ANSWER,
  }),
  post: {
    ...operationOf('post', GRAPHQL_PATH, { summary: 'Answers GraphQL.', answer: GRAPHQL_ANSWER }),
    requestBody: { required: true, content: { 'application/json': { schema: GRAPHQL_BODY } } },
  },
};

/** JSON Schemas of object types and of those that they lead to, without deprecated fields. */
function objectTypesOf(schema: GraphQLSchema, names: readonly string[]): Readonly<Record<string, object>> {
  const found: Record<string, object> = {};
  const add = (type: GraphQLObjectType) => {
    if (found[type.name] !== undefined) return;
    const fields = Object.values(type.getFields()).filter(
      ({ deprecationReason }) => deprecationReason === undefined,
    );
    const properties: Record<string, object> = {};
    found[type.name] = {
      type: 'object',
      description: type.description ?? '',
      properties,
      required: fields.map(({ name }) => name),
    };
    for (const { name, type: fieldType, description } of fields) {
      properties[name] = { ...schemaOf(fieldType, add), description: description ?? '' };
    }
  };
  for (const name of names) {
    const type = schema.getType(name);
    if (isObjectType(type)) add(type);
  }
  return found;
}

function schemaOf(type: GraphQLOutputType, add: (type: GraphQLObjectType) => void): object {
  if (isNonNullType(type)) return bareSchemaOf(type.ofType, add);
  const bare = bareSchemaOf(type, add);
  return 'type' in bare ? { ...bare, type: [bare.type, 'null'] } : { anyOf: [bare, { type: 'null' }] };
}

function bareSchemaOf(type: GraphQLOutputType, add: (type: GraphQLObjectType) => void): object {
  if (isListType(type)) return { type: 'array', items: schemaOf(type.ofType, add) };
  if (isEnumType(type)) return { enum: type.getValues().map(({ name }) => name) };
  if (isObjectType(type)) {
    add(type);
    return { $ref: `#/components/schemas/${type.name}` };
  }
  return { type: SCALARS[`${type}`] ?? 'string' };
}

const SCALARS: Readonly<Record<string, string>> = { Int: 'integer', Float: 'number', Boolean: 'boolean' };

function mapValues<Value, Mapped>(
  values: Readonly<Record<string, Value>>,
  map: (value: Value) => Mapped,
): Readonly<Record<string, Mapped>> {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, map(value)]));
}
