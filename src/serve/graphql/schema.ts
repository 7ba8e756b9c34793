/** The published schema, and the same schema with resolvers for graphql-js's executor. */
import { readFileSync } from 'node:fs';
import {
  assertObjectType,
  buildSchema,
  type GraphQLFieldMap,
  type GraphQLSchema,
  isObjectType,
} from 'graphql';
import { withPlainFields } from '../../calendar/fields.ts';
import { packagePath } from '../../package.ts';
import { CONNECTION_SHAPES } from './connection.ts';
import type { Shape } from './project.ts';
import type { Outcomes } from './roots.ts';
import { TYPE_SHAPES } from './types.ts';

/** Published as `/schema.graphql`. */
export const sdl: string = withPlainFields(
  readFileSync(packagePath('src/serve/graphql/schema.graphql'), 'utf8'),
);

export const schema: GraphQLSchema = withResolvers(buildSchema(sdl));

function withResolvers(built: GraphQLSchema): GraphQLSchema {
  for (const field of Object.values(fieldsOf(built, 'Query'))) {
    field.resolve = (_source, _args, outcomes, { path }) => outcomes.get(`${path.key}`)?.();
  }
  for (const shape of [...TYPE_SHAPES, ...CONNECTION_SHAPES])
    resolveShape(fieldsOf(built, shape.name), shape);
  for (const type of Object.values(built.getTypeMap())) {
    if (!isObjectType(type) || type.name.startsWith('__')) continue;
    for (const field of Object.values(type.getFields())) {
      if (field.resolve === undefined)
        throw new Error(`expected ${type.name}.${field.name} to be answered, found nothing`);
    }
  }
  return built;
}

function fieldsOf(built: GraphQLSchema, name: string): GraphQLFieldMap<never, Outcomes> {
  return assertObjectType(built.getType(name)).getFields();
}

/** A leaf is finished JSON text; the executor needs the value. */
function resolveShape<Source>(fields: GraphQLFieldMap<Source, Outcomes>, shape: Shape<Source>): void {
  for (const [name, leaf] of Object.entries(shape.leaves)) {
    const field = fields[name];
    // Shapes share leaves, so a shape may have leaves that its type lacks.
    if (field !== undefined) field.resolve = (source) => JSON.parse(leaf(source));
  }
  for (const [name, link] of Object.entries(shape.links)) {
    const field = fields[name];
    if (field !== undefined) {
      field.resolve = (source, { first }: { readonly first?: unknown }) =>
        link.follow(source, typeof first === 'number' ? first : null);
    }
  }
}
