/** Answers by graphql-js alone, out of all that each root field has: what the projection is held against. */
import { buildSchema, execute, type GraphQLObjectType, getNamedType, isObjectType, parse } from 'graphql';
import type { AnswerBasis, Execute } from '../../src/serve/graphql/execute.ts';
import { createRoot, type Operation } from '../../src/serve/graphql/operation.ts';
import type { Shared } from '../../src/serve/graphql/project.ts';
import { Output, type Selections } from '../../src/serve/graphql/project.ts';
import { type Mask, presentErrors } from '../../src/serve/graphql/refusal.ts';
import { schema, sdl } from '../../src/serve/graphql/schema.ts';
import { viewAt } from '../../src/serve/query/view.ts';

export function createOrdinaryExecute(mask: Mask): Execute {
  return async (operation, basis) => {
    const { sent } = operation;
    const shared: Shared = { filters: new Map(), dependsOnDay: false, hints: [] };
    const { data, errors } = await execute({
      schema: RESOLVING,
      document: parse(sent.query),
      operationName: sent.definition.name?.value ?? null,
      variableValues: sent.variables,
      contextValue: await wholeRoots(operation, basis, shared),
    });
    const given = { data: data ?? null, ...(errors && { errors: presentErrors(errors, mask) }) };
    const body = Buffer.from(JSON.stringify(given));
    return { body, failed: errors !== undefined, dependsOnDay: shared.dependsOnDay };
  };
}

/** Every field below each root field, by response key; each throws what the root field failed with. */
async function wholeRoots(operation: Operation, { snapshot, now }: AnswerBasis, shared: Shared) {
  const view = viewAt(snapshot, now);
  const fields = schema.getQueryType()?.getFields() ?? {};
  const roots = operation.roots.filter(({ name }) => name in fields);
  const selected = await Promise.allSettled(
    roots.map((root) => {
      const selections = wholeSelection(getNamedType(fields[root.name]?.type));
      return createRoot({ ...root, selections }, new Map()).select(root.nodes[0], operation, {
        view,
        now,
        shared,
      });
    }),
  );
  const outcomes = new Map<string, () => unknown>();
  for (const [place, { key }] of roots.entries()) {
    const outcome = selected[place];
    if (outcome?.status === 'rejected') {
      const { reason } = outcome;
      outcomes.set(key, () => {
        throw reason;
      });
      continue;
    }
    const out = new Output();
    await outcome?.value.write(out, () => undefined);
    const value = JSON.parse(Buffer.concat(out.end()).toString());
    outcomes.set(key, () => value);
  }
  return outcomes;
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
