/**
 * `GET /graphQL/notes`: the values of a query's filters that match nothing in this calendar, and the nearest that do. The interface
 * returns an empty list for them (B2). Only the sandbox sends the header without which this path does not exist, so that no other request
 * is answered differently or costs more.
 */
import { setImmediate } from 'node:timers/promises';
import {
  type DocumentNode,
  type GraphQLSchema,
  getArgumentValues,
  getOperationAST,
  getVariableValues,
  parse,
  TypeInfo,
  visit,
  visitWithTypeInfo,
} from 'graphql';
import { isObject } from '../../calendar/json.ts';
import { alignerOf, codePointsOf, fold, nameKey, wordsOf } from '../../calendar/text.ts';
import type { ServeContext } from '../../serve/annex.ts';
import { refuse } from '../../serve/graphql/refusal.ts';
import type { Handle } from '../../serve/http/koa.ts';
import { type HttpRequest, headerOf } from '../../serve/http/message.ts';
import { jsonReply, plainRefusal } from '../../serve/http/replies.ts';
import type { Directory } from '../../serve/query/directory.ts';
import { viewAt } from '../../serve/query/view.ts';
import type { Lists } from '../../snapshot/meta.ts';
import { inEach, type Language, languageOf } from '../page/reader.ts';

const HEADER = 'almanakk-sandbox';
const MOST_TOKENS = 2_000;
/** Each is compared with all names of its kind. */
const MOST_NOTES = 5;
/** One error for every three letters, and at most this many. */
const MOST_ERRORS = 3;
/** Characters; a longer value is not a mistyped name. */
const LONGEST_VALUE = 100;

export function createNotes({ keeper, schema }: Pick<ServeContext, 'keeper' | 'schema'>): Handle {
  return async (request) => {
    if (headerOf(request.headers, HEADER) !== 'notes') return NOT_HERE;
    if (keeper.state().current === null) return jsonReply(200, { notes: [] });
    const leave = await request.enter?.();
    const { snapshot, release } = keeper.pin();
    try {
      const { directory, lists } = viewAt(snapshot, Math.floor(request.arrivedAt / 1_000));
      const notes: string[] = [];
      for (const [field, value] of namesIn(schema, request)) {
        const kind = Object.hasOwn(KINDS, field) ? KINDS[field] : undefined;
        if (kind === undefined || kind.isKnown(value, directory)) continue;
        const near = nearestTo(value, candidatesOf(kind, { lists, directory }));
        notes.push(write({ field, value, near, query: kind.query }, languageOf(request).language));
        if (notes.length === MOST_NOTES) break;
        await setImmediate();
      }
      return jsonReply(200, { notes });
    } finally {
      release();
      leave?.();
    }
  };
}

const NOT_HERE = plainRefusal(refuse('NOT_FOUND', 'There is nothing at this path.'));

interface Named {
  readonly directory: Directory;
  readonly lists: Lists;
}

interface Kind {
  readonly isKnown: (value: string, directory: Directory) => boolean;
  /** Each value with its names; the first is shown. */
  readonly all: (named: Named) => readonly (readonly [value: string, ...names: string[]])[];
  readonly query: string;
}

const CATEGORY: Kind = {
  isKnown: (id, { categoryById }) => categoryById.has(id),
  all: ({ lists }) =>
    lists.categories.map(({ id, name_nb, name_en, slug_nb, slug_en }) => [
      id,
      name_nb,
      name_en,
      slug_nb,
      slug_en,
    ]),
  query: 'categories',
};
const VENUE: Kind = {
  isKnown: (slug, { venueBySlug }) => venueBySlug.has(slug),
  all: ({ lists }) => lists.venues.map(({ slug, name, id }) => [slug, name, id]),
  query: 'venues',
};
const ORGANIZER: Kind = {
  isKnown: (slug, { organizerBySlug }) => organizerBySlug.has(slug),
  all: ({ lists }) => lists.organizers.map(({ slug, name, id }) => [slug, name, id]),
  query: 'organizers',
};

const KINDS: Readonly<Record<string, Kind>> = {
  categories: CATEGORY,
  notCategories: CATEGORY,
  venues: VENUE,
  venueSlug: VENUE,
  organizers: ORGANIZER,
  organizerSlug: ORGANIZER,
  municipality: {
    isKnown: (name, { venuesByMunicipality }) => venuesByMunicipality.has(fold(name)),
    all: ({ directory }) => directory.municipalities.map(({ name }) => [name, name, ...name.split(' - ')]),
    query: 'events { municipalities }',
  },
  tag: {
    isKnown: (tag, { tagByFold }) => tagByFold.has(fold(tag)),
    all: ({ lists }) => lists.spellings.map((tag) => [tag, tag]),
    query: 'events { tags }',
  },
};

/** Fields of the filters and their texts, each pair once; none of an unreadable query. */
function namesIn(schema: GraphQLSchema, { search }: HttpRequest): readonly (readonly [string, string])[] {
  const found = new Map<string, readonly [string, string]>();
  for (const filter of filtersIn(schema, new URLSearchParams(search))) {
    for (const [field, value] of Object.entries(filter)) {
      for (const text of Array.isArray(value) ? value : [value]) {
        if (typeof text === 'string' && text.trim() !== '') found.set(`${field} ${text}`, [field, text]);
      }
    }
  }
  return [...found.values()];
}

function filtersIn(
  schema: GraphQLSchema,
  given: URLSearchParams,
): readonly Readonly<Record<string, unknown>>[] {
  const filters: Readonly<Record<string, unknown>>[] = [];
  try {
    const document: DocumentNode = parse(given.get('query') ?? '', { maxTokens: MOST_TOKENS });
    const sent: unknown = JSON.parse(given.get('variables') || '{}');
    const operation = getOperationAST(document, given.get('operationName') || undefined);
    const { coerced = {} } = getVariableValues(
      schema,
      operation?.variableDefinitions ?? [],
      isObject(sent) ? sent : {},
    );
    const types = new TypeInfo(schema);
    visit(
      document,
      visitWithTypeInfo(types, {
        Field(node) {
          const field = types.getFieldDef();
          const filter =
            field && node.arguments?.length ? getArgumentValues(field, node, coerced).filter : null;
          if (isObject(filter)) filters.push(filter);
        },
      }),
    );
  } catch {
    // The answer itself reports its errors.
    return [];
  }
  return filters;
}

interface Candidate {
  readonly value: string;
  readonly name: string;
  readonly keys: readonly string[];
  readonly letters: readonly (readonly number[])[];
}

/** Candidates of a snapshot's lists, by kind: computed for the first use. */
const candidates = new WeakMap<Lists, Map<Kind, readonly Candidate[]>>();

function candidatesOf(kind: Kind, named: Named): readonly Candidate[] {
  const kinds = candidates.get(named.lists) ?? new Map<Kind, readonly Candidate[]>();
  candidates.set(named.lists, kinds);
  const all = kinds.get(kind) ?? kind.all(named).map(candidateOf);
  kinds.set(kind, all);
  return all;
}

function candidateOf([value, ...names]: readonly [value: string, ...names: string[]]): Candidate {
  const keys = [...new Set([value, ...names].map(nameKey))];
  return { value, name: names[0] ?? value, keys, letters: keys.map(codePointsOf) };
}

/** By name, by typing errors, by a word of a name; null if none is similar. */
function nearestTo(text: string, all: readonly Candidate[]): Candidate | null {
  const key = nameKey(text);
  if (key.length > LONGEST_VALUE) return null;
  const word = codePointsOf(key);
  const most = Math.min(MOST_ERRORS, Math.floor(word.length / 3));
  for (let errors = 0; errors <= most; errors++) {
    const isWithin = alignerOf(word, errors);
    const near = all.find(({ letters }) => letters.some((name) => isWithin(name, 0, name.length)));
    if (near !== undefined) return near;
  }
  return all.find(({ keys }) => keys.some((name) => wordsOf(name).includes(key))) ?? null;
}

interface Note {
  readonly field: string;
  readonly value: string;
  readonly near: Candidate | null;
  readonly query: string;
}

function write({ field, value, near, query }: Note, language: Language): string {
  const { nothing, none, nearest } = TEXTS[language];
  const what = `${field}: ${JSON.stringify(value.slice(0, LONGEST_VALUE))} ${nothing}`;
  if (near === null) return `${what}${none(query)}`;
  const name = near.name === near.value ? '' : ` (${near.name})`;
  return `${what}. ${nearest} ${JSON.stringify(near.value)}${name}.`;
}

const TEXTS = inEach({
  nothing: ['er ikke navnet på noe i denne kalenderen', 'names nothing in this calendar'],
  none: [
    (query: string) => `, og ingenting ligner. Spørringen "${query}" viser det som finnes.`,
    (query: string) => `, nor does anything like it. The query "${query}" lists what does.`,
  ],
  nearest: ['Nærmest ligger', 'The nearest that does:'],
});
