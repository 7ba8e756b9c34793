/** D1: suggests an argument in place of one that a field does not have. */
import {
  type ASTVisitor,
  type GraphQLArgument,
  GraphQLError,
  getNamedType,
  isInputObjectType,
  KnownArgumentNamesRule,
  type ValidationContext,
} from 'graphql';

/** Replaces graphql-js's rule, which suggests by typing errors alone: the same errors, each with a suggestion if the field has arguments. */
export function argumentNames(context: ValidationContext): ASTVisitor {
  const reportError = (error: GraphQLError) => {
    const { message, nodes } = error;
    const [node] = nodes ?? [];
    const args = context.getDirective() ? [] : (context.getFieldDef()?.args ?? []);
    const name = node !== undefined && 'name' in node && node.name?.kind === 'Name' ? node.name.value : '';
    const isHelpful = args.length === 0 || message.endsWith('?');
    context.reportError(
      isHelpful ? error : new GraphQLError(`${message} ${suggestion(name, args)}`, { nodes: nodes ?? [] }),
    );
  };
  const reporting: ValidationContext = Object.create(context, { reportError: { value: reportError } });
  return KnownArgumentNamesRule(reporting);
}

function suggestion(name: string, args: readonly GraphQLArgument[]): string {
  for (const { name: argument, type } of args) {
    const named = getNamedType(type);
    if (isInputObjectType(named) && Object.hasOwn(named.getFields(), name)) {
      return `Did you mean "${argument}: { ${name}: … }"?`;
    }
  }
  const [word, names] = [name.toLowerCase(), args.map((argument) => argument.name)];
  const alike = names.filter((known) => known.toLowerCase().endsWith(word));
  const quoted = (alike.length > 0 ? alike : names).map((known) => `"${known}"`);
  return alike.length > 0
    ? `Did you mean ${quoted.join(' or ')}?`
    : `Its arguments are ${quoted.join(', ')}.`;
}
