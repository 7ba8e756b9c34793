/**
 * The published schema with resolvers, and what graphql-js executes over the loaded data: all that the projection does not cover
 * (introspection, and root fields that failed). The bytes are those that graphql-js would give for the whole.
 */

import { readFileSync } from 'node:fs';
import {
  assertObjectType,
  buildSchema,
  type DocumentNode,
  type ExecutionResult,
  execute,
  type FieldNode,
  type GraphQLFieldMap,
  type GraphQLFormattedError,
  type GraphQLSchema,
  getOperationAST,
  isObjectType,
  Kind,
} from 'graphql';
import { isCalendarError } from '../../calendar/errors.ts';
import { withPlainFields } from '../../calendar/fields.ts';
import { packagePath } from '../../package.ts';
import { compileOperation } from './compile.ts';

import type { Shape, Variables } from './project.ts';
import { type Mask, presentErrors, refusalFor } from './refusal.ts';
import { CONNECTION_SHAPES, type Loaded, type Outcomes } from './roots.ts';
import { TYPE_SHAPES } from './types.ts';

/** The parameters of a request; only their form is checked. */
export interface Parameters {
  readonly query: string;
  readonly variables: Readonly<Record<string, unknown>>;
  readonly operationName: string | undefined;
}

/** The operation as the client sent it. */
export interface SentOperation extends Parameters {
  readonly document: () => DocumentNode;
}

/** The result of graphql-js. */
export interface Executed {
  /** JSON by response key; null for errors without any data. */
  readonly roots: ReadonlyMap<string, string> | null;
  /** Undefined when there are none. */
  readonly errors: readonly GraphQLFormattedError[] | undefined;
}

interface Rest {
  readonly sent: SentOperation;
  readonly values: Variables;
  readonly roots: readonly Loaded[];
  /** Whether graphql-js has to answer the root field. */
  readonly isLeft: (root: Loaded) => boolean;
}

export async function executeRest({ sent, values, roots, isLeft }: Rest, mask: Mask): Promise<Executed> {
  const interrupted = roots.map(({ outcome }) => outcome).find(isInterrupted);
  if (interrupted !== undefined) return { roots: null, errors: refusalFor(interrupted.reason, mask).errors };
  const left = new Set(roots.filter(isLeft).map(({ key }) => key));
  const outcomes: Outcomes = new Map(
    roots.map(({ key, outcome }) => [
      key,
      () => {
        if (outcome.status === 'rejected') throw outcome.reason;
        return outcome.value?.follow();
      },
    ]),
  );
  const { data, errors = [] }: ExecutionResult = await execute({
    schema,
    document: documentOf(sent, values, left),
    operationName: sent.operationName ?? null,
    variableValues: sent.variables,
    contextValue: outcomes,
  });
  const presented = errors.length === 0 ? undefined : presentErrors(errors, mask);
  if (!data) return { roots: null, errors: presented ?? [] };
  const json = new Map(Object.entries(data).map(([key, value]) => [key, JSON.stringify(value)]));
  return { roots: json, errors: presented };
}

/** D2: if a statement took too long, the answer has no data at all. */
function isInterrupted(outcome: PromiseSettledResult<unknown>): outcome is PromiseRejectedResult {
  return (
    outcome.status === 'rejected' && isCalendarError(outcome.reason) && outcome.reason.code === 'TIMEOUT'
  );
}

/** The document as it was sent, reduced to some of its root fields. */
function documentOf(sent: SentOperation, values: Variables, keys: ReadonlySet<string>): DocumentNode {
  const document = sent.document();
  const definition = getOperationAST(document, sent.operationName);
  if (!definition) throw new Error(`expected an operation named ${sent.operationName}, found none`);
  const { selected } = compileOperation({ schema, document, definition }, values);
  if ('code' in selected) throw new Error(`expected an operation that compiles, found ${selected.code}`);
  const selections: FieldNode[] = selected.roots.flatMap(({ key, nodes }) => (keys.has(key) ? nodes : []));
  const reduced = { ...definition, selectionSet: { kind: Kind.SELECTION_SET, selections } as const };
  return {
    ...document,
    definitions: document.definitions.map((one) => (one === definition ? reduced : one)),
  };
}

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
