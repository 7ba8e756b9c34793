/** D1: says where a body stops being JSON, and suggests an argument or a field in place of one that there is not. */
import {
  type ASTVisitor,
  FieldsOnCorrectTypeRule,
  type GraphQLArgument,
  GraphQLError,
  getNamedType,
  isInputObjectType,
  KnownArgumentNamesRule,
  type ValidationContext,
  type ValidationRule,
} from 'graphql';
import { jsonFault } from '../../calendar/json-fault.ts';
import { createNearest } from '../../calendar/text.ts';
import type { ServePart } from '../../serve/annex.ts';

export const create = (): ServePart => ({ explainJson: jsonFault, nameRules });

/** Rules in place of graphql-js's, which suggest by typing errors alone: the same errors, with more suggestions. */
export const nameRules: ReadonlyMap<ValidationRule, ValidationRule> = new Map([
  [KnownArgumentNamesRule, argumentNames],
  [FieldsOnCorrectTypeRule, fieldNames],
]);

function argumentNames(context: ValidationContext): ASTVisitor {
  return KnownArgumentNamesRule(
    reporting(context, (message, name) => {
      const args = context.getDirective() ? [] : (context.getFieldDef()?.args ?? []);
      return args.length === 0 || message.endsWith('?') ? message : `${message} ${suggestion(name, args)}`;
    }),
  );
}

function fieldNames(context: ValidationContext): ASTVisitor {
  return FieldsOnCorrectTypeRule(
    reporting(context, (message, name) => {
      const fields = MEANT[context.getParentType()?.name ?? '']?.get(name);
      const [said] = message.split(' Did you mean', 1);
      return fields === undefined ? message : `${said} Did you mean ${quoted(fields)}?`;
    }),
  );
}

/** The fields that callers mean who know other interfaces, by type and the name that they ask for. */
const MEANT: Readonly<Record<string, ReadonlyMap<string, readonly string[]>>> = {
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

/** A context that passes errors on with other messages. */
function reporting(
  context: ValidationContext,
  messageFor: (message: string, name: string) => string,
): ValidationContext {
  const reportError = ({ message, nodes }: GraphQLError) => {
    const [node] = nodes ?? [];
    const name = node !== undefined && 'name' in node && node.name?.kind === 'Name' ? node.name.value : '';
    context.reportError(new GraphQLError(messageFor(message, name), { nodes: nodes ?? [] }));
  };
  return Object.create(context, { reportError: { value: reportError } });
}

function suggestion(name: string, args: readonly GraphQLArgument[]): string {
  for (const { name: argument, type } of args) {
    const named = getNamedType(type);
    const fields = isInputObjectType(named) ? Object.keys(named.getFields()) : [];
    const field = createNearest(fields, (one) => [one])(name);
    if (field !== null) return `Did you mean "${argument}: { ${field}: … }"?`;
  }
  const [word, names] = [name.toLowerCase(), args.map((argument) => argument.name)];
  const alike = names.filter((name) => name.toLowerCase().endsWith(word));
  return alike.length > 0 ? `Did you mean ${quoted(alike)}?` : `Its arguments are ${quoted(names, ', ')}.`;
}

const quoted = (names: readonly string[], separator = ' or '): string =>
  names.map((name) => `"${name}"`).join(separator);
