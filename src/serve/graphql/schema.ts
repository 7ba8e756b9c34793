/** The schema: its text, and as graphql-js reads it. */
import { readFileSync } from 'node:fs';
import { buildSchema, type GraphQLSchema } from 'graphql';
import { withPlainFields } from '../../calendar/fields.ts';
import { packagePath } from '../../package.ts';
import { FILTER_NAMES, FILTERS, withFilters } from '../../snapshot/filters.ts';

// Read and built once, when a process starts: whatever serves requests needs it, and it does not change.
const file = readFileSync(packagePath('src/serve/graphql/schema.graphql'), 'utf8');
/** With the comments `# nb: …`, which have the Norwegian descriptions. */
const annotatedSdl = withFilters(withPlainFields(file));

/** Published as `/schema.graphql`. */
export const sdl: string = annotatedSdl.replace(/^ *# nb: .*\n/gm, '');

/** Not validated, which takes 10 of 20 ms at each start: the text is this package's own, and the tests validate it. */
export const schema: GraphQLSchema = buildSchema(sdl, { assumeValidSDL: true });

/** The beginning of a type, or a Norwegian description with the field below it. */
const DESCRIBED = /^(?:type|input|enum) (?<type>\w+)|^ *# nb: (?<nb>.*)\n *(?<field>\w+)/gm;

/**
 * Norwegian descriptions of fields, by `Type.field`: the comment `# nb: …` above each; those of plain fields and of filters are in their
 * tables.
 */
export const norwegian: ReadonlyMap<string, string> = norwegianIn(annotatedSdl);

function norwegianIn(text: string): ReadonlyMap<string, string> {
  const found = new Map(FILTER_NAMES.map((name) => [`Filter.${name}`, FILTERS[name].nb]));
  let currentType = '';
  for (const { groups = {} } of text.matchAll(DESCRIBED)) {
    const { type, nb, field } = groups;
    if (nb === undefined) currentType = type ?? '';
    else found.set(`${currentType}.${field}`, nb);
  }
  return found;
}
