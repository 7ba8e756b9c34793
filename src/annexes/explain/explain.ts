/** D1: says where a body stops being JSON, and suggests an argument or a field for an unknown one. */
import {
  type ASTVisitor,
  FieldsOnCorrectTypeRule,
  type GraphQLArgument,
  GraphQLError,
  getNamedType,
  isInputObjectType,
  Kind,
  KnownArgumentNamesRule,
  type ValidationContext,
  type ValidationRule,
} from 'graphql';
import { jsonFault } from '../../calendar/json-fault.ts';
import { createNearest } from '../../calendar/nearest.ts';
import type { ServePart } from '../../serve/annex.ts';

export const create = (): ServePart => ({ explainJson: jsonFault, nameRules });

/** Rules that replace those of graphql-js, which suggest names only for typing errors: the same errors, with more suggestions. */
export const nameRules: ReadonlyMap<ValidationRule, ValidationRule> = new Map([
  [KnownArgumentNamesRule, argumentNames],
  [FieldsOnCorrectTypeRule, fieldNames],
]);

function argumentNames(context: ValidationContext): ASTVisitor {
  return {
    ...KnownArgumentNamesRule(context),
    Argument: (node) => {
      const type = context.getParentType();
      const field = context.getFieldDef();
      if (context.getArgument() || !field || !type) return;
      const name = node.name.value;
      const unknown = `Unknown argument "${name}" on field "${type.name}.${field.name}".`;
      const message = field.args.length === 0 ? unknown : `${unknown} ${suggestion(name, field.args)}`;
      context.reportError(new GraphQLError(message, { nodes: node }));
    },
  };
}

function suggestion(name: string, args: readonly GraphQLArgument[]): string {
  const names = args.map((argument) => argument.name);
  const alike = namesLike(name, names);
  if (alike.length > 0) return didYouMean(alike);
  for (const { name: argument, type } of args) {
    const named = getNamedType(type);
    const fields = isInputObjectType(named) ? Object.keys(named.getFields()) : [];
    const field = nearestOf(name, fields);
    if (field !== null) return `Did you mean "${argument}: { ${field}: … }"?`;
  }
  return `Its arguments are ${quoted(names, ', ')}.`;
}

const nearestOf = (name: string, names: readonly string[]) => createNearest(names, (one) => [one])(name);

/** The nearest name, those that end with this one, and those that this one begins with; upper and lower case are the same. */
function namesLike(name: string, names: readonly string[]): readonly string[] {
  const nearest = nearestOf(name, names);
  const word = name.toLowerCase();
  const isVariant = (one: string) => one.endsWith(word) || word.startsWith(one);
  const others = names.filter((one) => one !== nearest && isVariant(one.toLowerCase()));
  return nearest === null ? others : [nearest, ...others];
}

const didYouMean = (names: readonly string[]): string => `Did you mean ${quoted(names, ' or ')}?`;

const quoted = (names: readonly string[], separator: string): string =>
  names.map((name) => `"${name}"`).join(separator);

function fieldNames(context: ValidationContext): ASTVisitor {
  const reportError = (error: GraphQLError) => context.reportError(errorWithFields(error, context) ?? error);
  // The rule writes its own message and has no hook for another one, so it gets a context that replaces its errors.
  return FieldsOnCorrectTypeRule(Object.create(context, { reportError: { value: reportError } }));
}

/** The error for a name that other APIs have; undefined for any other name. */
function errorWithFields({ nodes = [] }: GraphQLError, context: ValidationContext): GraphQLError | undefined {
  const [node] = nodes;
  const type = context.getParentType()?.name ?? '';
  if (node?.kind !== Kind.FIELD) return undefined;
  const name = node.name.value;
  const fields = FIELDS_MEANT[type]?.get(name);
  const message = `Cannot query field "${name}" on type "${type}".`;
  return fields && new GraphQLError(`${message} ${didYouMean(fields)}`, { nodes: node });
}

/** Fields that callers used to other APIs look for: by type, and by the name that they try. */
const FIELDS_MEANT: Readonly<Record<string, ReadonlyMap<string, readonly string[]>>> = {
  EventConnection: new Map(
    ['edges', 'nodes', 'node', 'items', 'results', 'events'].map((name) => [name, ['data']]),
  ),
  Event: new Map([
    ['title', ['title_nb', 'title_en']],
    ['name', ['title_nb', 'title_en']],
    ['description', ['desc_nb', 'desc_en']],
    ['desc', ['desc_nb', 'desc_en']],
    ['slug', ['event_slug']],
    ['url', ['eventLink']],
    ['link', ['eventLink']],
    ['start', ['startDate']],
    ['end', ['endDate']],
    ['endTime', ['endDate', 'duration']],
    ['location', ['venue']],
  ]),
};
