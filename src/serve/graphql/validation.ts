/**
 * Whether a document breaks a rule of graphql-js, in one walk. `validate` looks up the functions of every rule again for every node, which
 * takes most of the time that a new document takes. It is called only where there are errors, for their messages.
 */
import {
  type ASTNode,
  type ASTVisitFn,
  type ASTVisitor,
  BREAK,
  type DocumentNode,
  type GraphQLSchema,
  Kind,
  TypeInfo,
  ValidationContext,
  type ValidationRule,
  visit,
  visitWithTypeInfo,
} from 'graphql';

/** `rules` do not change the nodes that they visit. */
export function breaksRule(
  schema: GraphQLSchema,
  document: DocumentNode,
  rules: readonly ValidationRule[],
): boolean {
  let isBroken = false;
  const typeInfo = new TypeInfo(schema);
  const onError = () => {
    isBroken = true;
  };
  const context = new ValidationContext(schema, document, typeInfo, onError);
  const walk = createWalk(rules.map((rule) => rule(context)));
  const enter: ASTVisitFn<ASTNode> = (node, key, parent, path, ancestors) => {
    walk.enter(node, key, parent, path, ancestors);
    return isBroken ? BREAK : undefined;
  };
  visit(document, visitWithTypeInfo(typeInfo, { enter, leave: walk.leave }));
  return isBroken;
}

/** What one rule does at nodes of one kind. */
interface Step {
  /** Place of the rule. */
  readonly rule: number;
  readonly act: Act;
}

type Act = ASTVisitFn<ASTNode>;

interface Acts {
  readonly enter?: Act | undefined;
  readonly leave?: Act | undefined;
}

/** All visitors as one. A visitor that returns false skips what is below the node. */
function createWalk(visitors: readonly ASTVisitor[]) {
  const entering = new Map<string, Step[]>();
  const leaving = new Map<string, Step[]>();
  const add = (rule: number, kind: string, { enter, leave }: Acts) => {
    if (enter !== undefined) stepsOf(entering, kind).push({ rule, act: enter });
    if (leave !== undefined) stepsOf(leaving, kind).push({ rule, act: leave });
  };
  for (const [rule, visitor] of visitors.entries()) {
    const { enter, leave, ...kinds } = visitor as Acts & Readonly<Record<string, Acts | Act>>;
    for (const [kind, acts] of Object.entries(kinds))
      add(rule, kind, typeof acts === 'function' ? { enter: acts } : acts);
    if (enter ?? leave) for (const kind of Object.values(Kind)) add(rule, kind, { enter, leave });
  }
  /** By the place of the rule: the node below which it skips all. */
  const skipped = new Map<number, ASTNode>();
  const onEnter: Act = (node, key, parent, path, ancestors) => {
    for (const { rule, act } of entering.get(node.kind) ?? NONE) {
      if (!skipped.has(rule) && act(node, key, parent, path, ancestors) === false) skipped.set(rule, node);
    }
  };
  const onLeave: Act = (node, key, parent, path, ancestors) => {
    for (const { rule, act } of leaving.get(node.kind) ?? NONE) {
      if (!skipped.has(rule)) act(node, key, parent, path, ancestors);
    }
    if (skipped.size === 0) return;
    for (const [rule, from] of skipped) if (from === node) skipped.delete(rule);
  };
  return { enter: onEnter, leave: onLeave };
}

const NONE: readonly Step[] = [];

function stepsOf(all: Map<string, Step[]>, kind: string): Step[] {
  const steps = all.get(kind) ?? [];
  all.set(kind, steps);
  return steps;
}
