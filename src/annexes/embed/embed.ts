/** `/embed.js`: the custom element, with the fields of the filter written into it. */
import { readFileSync } from 'node:fs';
import {
  type GraphQLInputType,
  type GraphQLSchema,
  getNamedType,
  getNullableType,
  isInputObjectType,
  isListType,
} from 'graphql';
import { packagePath } from '../../package.ts';
import type { ServeContext, ServePart } from '../../serve/annex.ts';
import { fixedReply } from '../../serve/http/representation.ts';
import { isRepeated } from '../../snapshot/filters.ts';
import type { About } from '../facts/facts.ts';

export function create({ schema }: Pick<ServeContext, 'schema'>): ServePart {
  const source = readFileSync(packagePath('src/annexes/embed/assets/embed.js'), 'utf8');
  const fields = JSON.stringify(filterFields(schema));
  const script = fixedReply({
    body: Buffer.from(source.replace('FIELDS = {}', () => `FIELDS = ${fields}`)),
    type: 'text/javascript; charset=utf-8',
    cacheControl: 'public, max-age=3600',
    // For pages that load only resources with this header.
    headers: ['Cross-Origin-Resource-Policy', 'cross-origin'],
  });
  return { offers: ['embed'], routes: { '/embed.js': { GET: script, about: ABOUT } } };
}

/** Each field of the filter, by its kind in the element. */
function filterFields(schema: GraphQLSchema): Readonly<Record<string, string | readonly string[]>> {
  const filter = schema.getType('Filter');
  const fields = isInputObjectType(filter) ? Object.values(filter.getFields()) : [];
  const kinds = fields.map(({ name, type }) => [name, isRepeated(name) ? 'words' : kindOf(type)]);
  return Object.fromEntries(kinds);
}

function kindOf(type: GraphQLInputType): string | readonly string[] {
  if (isListType(getNullableType(type))) return 'list';
  const named = getNamedType(type);
  if (isInputObjectType(named)) return Object.keys(named.getFields());
  return SCALARS[named.name] ?? 'text';
}

const SCALARS: Readonly<Record<string, string>> = { Boolean: 'flag', Int: 'number', Float: 'number' };

const ABOUT: About = {
  summary: 'A custom element, `<almanakk-events>`, that shows the calendar on any page.',
  answer: { about: 'A script.', type: 'text/javascript' },
};
