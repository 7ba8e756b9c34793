/** The schema: its text, and as graphql-js reads it. */
import { readFileSync } from 'node:fs';
import { buildSchema, type GraphQLSchema } from 'graphql';
import { withPlainFields } from '../../calendar/fields.ts';
import { packagePath } from '../../package.ts';
import { FILTER_NAMES, FILTERS, withFilters } from '../../snapshot/filters.ts';

const file = readFileSync(packagePath('src/serve/graphql/schema.graphql'), 'utf8');
/** With the comments `# nb: …`, which have the Norwegian descriptions. */
const written = withFilters(withPlainFields(file));

/** Published as `/schema.graphql`. */
export const sdl: string = written.replace(/^ *# nb: .*\n/gm, '');

export const schema: GraphQLSchema = buildSchema(sdl);

/**
 * Norwegian descriptions of fields, by `Type.field`: the comment `# nb: …` above each; those of plain fields and of filters are in their
 * tables.
 */
export const norwegian: ReadonlyMap<string, string> = norwegianIn(written);

function norwegianIn(text: string): ReadonlyMap<string, string> {
  const found = new Map(FILTER_NAMES.map((name) => [`Filter.${name}`, FILTERS[name].nb]));
  let type = '';
  for (const [, of, description, field] of text.matchAll(
    /^(?:type|input|enum) (\w+)|^ *# nb: (.*)\n *(\w+)/gm,
  )) {
    if (description === undefined) type = of ?? '';
    else found.set(`${type}.${field}`, description);
  }
  return found;
}
