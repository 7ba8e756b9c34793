/** The schema: its text, and as graphql-js reads it. */
import { readFileSync } from 'node:fs';
import { buildSchema, type GraphQLSchema } from 'graphql';
import { withPlainFields } from '../../calendar/fields.ts';
import { packagePath } from '../../package.ts';

/** Published as `/schema.graphql`. */
export const sdl: string = withPlainFields(
  readFileSync(packagePath('src/serve/graphql/schema.graphql'), 'utf8'),
);

export const schema: GraphQLSchema = buildSchema(sdl);
