/** `/embed.js`: the custom element, with its styles and the fields of the filter written into it; and `/embed.json`, which it requests. */
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
import { createLists } from '../events/endpoint.ts';
import type { About } from '../facts/facts.ts';
import { EMBED_LIST } from './embed-list.ts';

const ASSETS = 'src/annexes/embed/assets';
const STYLES = packagePath(`${ASSETS}/embed.css`);

/** The modules of the script, each after those that it imports. */
const MODULES = [
  'attributes',
  'texts',
  'times',
  'states',
  'links',
  'make',
  'request',
  'item',
  'schedule',
  'element',
];

export function create(context: ServeContext): ServePart {
  const list = createLists([EMBED_LIST], context);
  const script = fixedReply({
    body: Buffer.from(scriptWith(filterFields(context.schema))),
    type: 'text/javascript; charset=utf-8',
    cacheControl: 'public, max-age=3600',
    // For pages that load only resources with this header.
    headers: ['Cross-Origin-Resource-Policy', 'cross-origin'],
  });
  return {
    ...list,
    offers: ['embed'],
    routes: { ...list.routes, '/embed.js': { GET: script, about: ABOUT } },
  };
}

/** Fields of the filter by name, each with its kind in the element: a word, or the names of its parts. */
type Fields = Readonly<Record<string, string | readonly string[]>>;

function scriptWith(fields: Fields): string {
  const styles = withoutComments(readFileSync(STYLES, 'utf8')).replaceAll(/\s+/g, ' ').trim();
  const withStyles = withValue(joinedModules(), { name: 'STYLES', empty: "''", value: styles });
  return withValue(withStyles, { name: 'FIELDS', empty: '{}', value: fields });
}

/**
 * All modules as one script, which a page loads with one request and without `type="module"`. A block in strict mode keeps their names out of
 * the page.
 */
function joinedModules(): string {
  const texts = MODULES.map((name) => {
    const code = readFileSync(packagePath(`${ASSETS}/${name}.js`), 'utf8');
    return withoutComments(code).replaceAll(IMPORT, '').replaceAll(EXPORT, '').trim();
  });
  return `'use strict';\n{\n${texts.join('\n')}\n}\n`;
}

const IMPORT = /^import [^;]*;\n/gm;
const EXPORT = /^export /gm;

/** Readers' browsers need no comments. Those that begin with `//` stay: the first one says how to use the element, the few others are short. */
function withoutComments(code: string): string {
  return code.replaceAll(COMMENT_ON_LINES, '');
}

const COMMENT_ON_LINES = /^ *\/\*[\s\S]*?\*\/\n/gm;

interface Constant {
  readonly name: string;
  /** As the script has it. */
  readonly empty: string;
  readonly value: unknown;
}

function withValue(script: string, { name, empty, value }: Constant): string {
  const place = `const ${name} = ${empty};`;
  const [before, after, ...more] = script.split(place);
  if (before === undefined || after === undefined || more.length > 0)
    throw new RangeError(`${ASSETS}: expected "${place}" once, found it never or more often`);
  return `${before}const ${name} = ${JSON.stringify(value)};${after}`;
}

function filterFields(schema: GraphQLSchema): Fields {
  const filter = schema.getType('Filter');
  const fields = isInputObjectType(filter) ? Object.values(filter.getFields()) : [];
  const kinds = fields.map(({ name, type }) => [name, isRepeated(name) ? 'words' : kindOf(type)]);
  return Object.fromEntries(kinds);
}

function kindOf(type: GraphQLInputType): string | readonly string[] {
  if (isListType(getNullableType(type))) return 'list';
  const named = getNamedType(type);
  if (isInputObjectType(named)) return Object.keys(named.getFields());
  return KIND_OF_SCALAR[named.name] ?? 'text';
}

const KIND_OF_SCALAR: Readonly<Record<string, string>> = { Boolean: 'flag', Int: 'number', Float: 'number' };

const ABOUT: About = {
  summary: 'A custom element, `<almanakk-events>`, that shows the calendar on any page.',
  answer: { about: 'A script.', type: 'text/javascript' },
};
