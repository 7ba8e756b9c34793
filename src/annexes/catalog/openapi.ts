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
import { GRAPHQL_ALIAS, GRAPHQL_PATH } from '../../serve/http/graphql-endpoint.ts';
import { PREFLIGHT_HEADER } from '../../serve/http/graphql-middleware.ts';
import { described, FLAG, listOf, OBJECT, objectOf, TEXT, TEXT_OR_NULL } from '../common/json-schema.ts';
import { type About, type AboutParameter, KEY } from '../facts/facts.ts';

type AboutPath = NonNullable<About>;
type Answer = AboutPath['answer'];

/** `abouts`: descriptions of the annexes' paths. */
export function openApiOf(schema: GraphQLSchema, abouts: Readonly<Record<string, About>>): object {
  const paths: Record<string, object> = {
    [GRAPHQL_PATH]: graphqlNamed('Graphql'),
    [GRAPHQL_ALIAS]: graphqlNamed('GraphqlAlias'),
  };
  for (const [path, about] of Object.entries({ ...CORE, ...abouts })) {
    if (about !== null) paths[path] = pathItemOf(path, about);
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
  'Everything is available through GraphQL. Lists of events also have their own addresses. No key is needed. Times are in Norwegian local time. ' +
  'Responses are correct to the second, and `Cache-Control` gives the time for which they stay correct.';

function pathItemOf(path: string, about: AboutPath): object {
  const { method = 'get', body } = about;
  const operation = operationOf(operationIdOf(method, path), about);
  return { [method]: body === undefined ? operation : { ...operation, ...bodyOf(body) } };
}

const bodyOf = (schema: object) => ({
  requestBody: { required: true, content: { 'application/json': { schema } } },
});

function operationOf(operationId: string, about: AboutPath): object {
  const { summary, parameters = {}, answer, others = {} } = about;
  const answers = Object.entries({ 200: answer, ...others, default: FAILED });
  return {
    operationId,
    summary,
    parameters: Object.entries(parameters).map(([name, parameter]) => parameterOf(name, parameter)),
    responses: Object.fromEntries(answers.map(([status, one]) => [status, responseOf(one)])),
  };
}

function parameterOf(name: string, parameter: AboutParameter): object {
  const { about, schema, isRequired = false, in: location = 'query' } = parameter;
  return { name, in: location, description: about, required: isRequired, schema };
}

/** For example `getEventsJson` of `/events.json`. */
function operationIdOf(method: string, path: string): string {
  const words = path.split(/[^A-Za-z\d]+/).filter((word) => word !== '');
  if (words.length === 0) words.push('start');
  const capitalized = words.map((word) => `${word.charAt(0).toUpperCase()}${word.slice(1).toLowerCase()}`);
  return `${method}${capitalized.join('')}`;
}

function responseOf({ about, type, schema = TEXT }: Answer): object {
  const response = { description: about };
  return type === undefined ? response : { ...response, content: { [type]: { schema } } };
}

const OBJECT_OR_NULL = { type: ['object', 'null'] };

const EXTENSIONS = objectOf({ code: TEXT, invalidArgs: listOf(TEXT), reasons: listOf(TEXT) }, []);
const ERROR_LIST = listOf(objectOf({ message: TEXT, extensions: EXTENSIONS }, ['message']));
const ERRORS = objectOf({ errors: ERROR_LIST });

const FAILED: Answer = {
  about: 'The errors.',
  type: 'application/json',
  schema: { $ref: '#/components/schemas/Errors' },
};

const GRAPHQL_ANSWER = {
  about: 'The response. An `errors` list can accompany partial `data`.',
  type: 'application/json',
  schema: objectOf({ data: OBJECT_OR_NULL, errors: ERROR_LIST, extensions: OBJECT }, []),
};

const READY = {
  about: 'Whether the server has a snapshot to serve, and which one.',
  type: 'application/json',
  schema: objectOf({ ready: FLAG }),
};

/** The core's own paths besides its endpoint. */
const CORE: Readonly<Record<string, About>> = {
  '/schema.graphql': {
    summary: 'The GraphQL schema of the endpoint.',
    answer: { about: 'The schema, in GraphQL’s schema language.', type: 'application/graphql' },
  },
  '/healthz': {
    summary: 'Whether the process is running.',
    answer: { about: 'It is running.', type: 'application/json', schema: OBJECT },
  },
  '/readyz': {
    summary: 'Whether the server has a calendar to serve.',
    answer: READY,
    others: { 503: READY },
  },
};

const GRAPHQL_BODY = objectOf(
  {
    query: TEXT,
    variables: OBJECT_OR_NULL,
    operationName: TEXT_OR_NULL,
    extensions: OBJECT_OR_NULL,
  },
  ['query'],
);

const PREFLIGHT: AboutParameter = {
  about: 'Shows that the request is not forged by a page on another site.',
  schema: { type: 'string', enum: ['true'] },
  isRequired: true,
  in: 'header',
};

/** The addresses of the endpoint differ only in case. A generated client needs operations that differ in more. */
const graphqlNamed = (name: string) => ({
  parameters: [{ name: 'key', in: 'query', description: KEY.about, schema: KEY.schema }],
  get: operationOf(`get${name}`, {
    summary: 'Answers a GraphQL query; caches can store the response.',
    parameters: {
      query: { about: 'The GraphQL document.', schema: TEXT, isRequired: true },
      variables: { about: 'The variables, as JSON.', schema: TEXT },
      operationName: {
        about: 'The name of the operation to execute, if the document has several.',
        schema: TEXT,
      },
      extensions: { about: 'Extensions for persisted queries, as JSON.', schema: TEXT },
      [PREFLIGHT_HEADER]: PREFLIGHT,
    },
    answer: GRAPHQL_ANSWER,
  }),
  post: {
    ...operationOf(`post${name}`, { summary: 'Answers a GraphQL query.', answer: GRAPHQL_ANSWER }),
    ...bodyOf(GRAPHQL_BODY),
  },
});

/** JSON Schemas of object types and of those that they lead to, without deprecated fields. */
function objectTypesOf(schema: GraphQLSchema, names: readonly string[]): Readonly<Record<string, object>> {
  const found: Record<string, object> = {};
  const add = (type: GraphQLObjectType) => {
    if (found[type.name] !== undefined) return;
    const fields = Object.values(type.getFields()).filter((field) => field.deprecationReason === undefined);
    const properties: Record<string, object> = {};
    const required = fields.map(({ name }) => name);
    // Before its fields, which may lead back to it.
    found[type.name] = described(type.description ?? '', objectOf(properties, required));
    for (const { name, type: fieldType, description } of fields) {
      properties[name] = described(description ?? '', schemaOf(fieldType, add));
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
  if (isListType(type)) return listOf(schemaOf(type.ofType, add));
  if (isEnumType(type)) return { enum: type.getValues().map(({ name }) => name) };
  if (isObjectType(type)) {
    add(type);
    return { $ref: `#/components/schemas/${type.name}` };
  }
  return { type: SCALARS[`${type}`] ?? 'string' };
}

const SCALARS: Readonly<Record<string, string>> = { Int: 'integer', Float: 'number', Boolean: 'boolean' };
