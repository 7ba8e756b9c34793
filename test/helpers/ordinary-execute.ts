/** Answers by graphql-js alone, out of all that each root field has: what the projection is held against. */
import { buildSchema, execute, type GraphQLObjectType, getNamedType, isObjectType } from 'graphql';
import {
  type AnswerBasis,
  createExecute,
  type Execute,
  type Operation,
  SelectedOperation,
} from '../../src/serve/graphql/operation.ts';
import type { Selections } from '../../src/serve/graphql/project.ts';
import { type Mask, presentErrors } from '../../src/serve/graphql/refusal.ts';
import { schema, sdl } from '../../src/serve/graphql/schema.ts';
import { asSent } from './sample.ts';

export function createOrdinaryExecute(mask: Mask): Execute {
  return async (operation, basis) => {
    const { compiled, values, sent } = operation;
    const { roots, dependsOnDay } = await compiled.load(values, basis);
    const loaded = new Set(
      roots.flatMap(({ key, outcome }) => (outcome.status === 'fulfilled' && outcome.value ? key : [])),
    );
    const whole = await wholeOf(operation, loaded, basis);
    const outcomes = new Map(
      roots.map(({ key, outcome }) => [
        key,
        () => {
          if (outcome.status === 'rejected') throw outcome.reason;
          return whole[key];
        },
      ]),
    );
    const { data, errors } = await execute({
      schema: RESOLVING,
      document: sent.document,
      operationName: sent.operationName ?? null,
      variableValues: sent.variables,
      contextValue: outcomes,
    });
    const given = { data: data ?? null, ...(errors && { errors: presentErrors(errors, mask) }) };
    return { body: Buffer.from(JSON.stringify(given)), failed: errors !== undefined, dependsOnDay };
  };
}

/** Every field below these root fields. */
async function wholeOf(
  { compiled, values, sent }: Operation,
  keys: ReadonlySet<string>,
  basis: AnswerBasis,
): Promise<Readonly<Record<string, unknown>>> {
  const fields = schema.getQueryType()?.getFields() ?? {};
  const roots = compiled.roots
    .filter(({ key }) => keys.has(key))
    .map((root) => ({ ...root, selections: wholeSelection(getNamedType(fields[root.name]?.type)) }));
  const whole = new SelectedOperation({ ...compiled, roots });
  const never: Mask = (thrown) => {
    throw thrown;
  };
  const answer = await createExecute(never)({ compiled: whole, values, sent }, basis);
  return JSON.parse(asSent(answer).body).data;
}

/** Throws for a field that cannot be answered once it is written. */
function wholeSelection(type: unknown): Selections {
  if (!isObjectType(type)) return [];
  const known = SELECTIONS.get(type);
  if (known !== undefined) return known;
  const selections = Object.values(type.getFields()).map(({ name, type: inner }) => ({
    key: name,
    name,
    selections: wholeSelection(getNamedType(inner)),
    first: null,
  }));
  SELECTIONS.set(type, selections);
  return selections;
}

const SELECTIONS = new Map<GraphQLObjectType, Selections>();

const RESOLVING = withResolvers();

function withResolvers() {
  const built = buildSchema(sdl);
  for (const type of Object.values(built.getTypeMap())) {
    if (!isObjectType(type) || type.name.startsWith('__')) continue;
    for (const field of Object.values(type.getFields())) {
      field.resolve =
        type.name === 'Query'
          ? (_source, _args, outcomes, { path }) => outcomes.get(path.key)?.()
          : (source, { first }) => {
              const value = source[field.name];
              return Array.isArray(value) && typeof first === 'number' ? value.slice(0, first) : value;
            };
    }
  }
  return built;
}
