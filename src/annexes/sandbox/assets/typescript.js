// Writes an operation as a function of TypeScript that needs no library: `typescriptOf(GraphQL, { schema, text, operationName, endpoint })`.
// `offerTypeScript(endpoint)` shows the sandbox's button, which copies that function.

/** Called once GraphiQL is there. */
window.offerTypeScript = (endpoint) => {
  const button = document.getElementById('typescript');
  const status = document.getElementById('typescript-status');
  /** From the first click on. */
  let schema;
  button.hidden = false;
  button.addEventListener('click', async () => {
    try {
      const text = document.querySelector('.graphiql-query-editor .CodeMirror').CodeMirror.getValue();
      const operationName = localStorage.getItem('graphiql:operationName') ?? '';
      schema ??= await fetchSchema(endpoint);
      const asked = { schema, text, operationName, endpoint };
      await navigator.clipboard.writeText(window.typescriptOf(window.GraphiQL.GraphQL, asked));
      status.textContent = button.dataset.copied;
    } catch (thrown) {
      status.textContent = `${button.dataset.failed} ${thrown.message}`;
    }
  });
};

async function fetchSchema(endpoint) {
  const { getIntrospectionQuery, buildClientSchema } = window.GraphiQL.GraphQL;
  const response = await fetch(endpoint, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ query: getIntrospectionQuery() }),
  });
  return buildClientSchema((await response.json()).data);
}

/** The file; throws an Error with the first fault of a document that is not valid. `GraphQL`: the library. */
window.typescriptOf = (GraphQL, { schema, text, operationName, endpoint }) => {
  const whole = GraphQL.parse(text);
  const [fault] = GraphQL.validate(schema, whole);
  if (fault !== undefined) throw fault;
  const parts = GraphQL.separateOperations(whole);
  const name = Object.hasOwn(parts, operationName ?? '') ? (operationName ?? '') : Object.keys(parts)[0];
  const document = parts[name];
  const operation = document.definitions.find(({ kind }) => kind === 'OperationDefinition');
  const called = name === '' ? 'Query' : name.charAt(0).toUpperCase() + name.slice(1);
  const inputs = inputTypes(GraphQL, schema);
  const variables = operation.variableDefinitions.map((definition) => variableOf(definition, inputs));
  const hasVariables = variables.length > 0;
  const allOptional = variables.every(({ isOptional }) => isOptional);
  const result = resultType(GraphQL, { schema, document, operation });
  const given = hasVariables ? `variables: ${called}Variables${allOptional ? ' = {}' : ''}, ` : '';
  return [
    ...(hasVariables
      ? [`export interface ${called}Variables {\n${variables.map(({ line }) => line).join('\n')}\n}`]
      : []),
    ...inputs.declared(),
    `export type ${called}Result = ${result};`,
    PROBLEM,
    `const QUERY = \`${GraphQL.print(document).replaceAll(/[\\`]|\$\{/g, '\\$&')}\`;`,
    `/** The data may be partial: \`errors\` then says what is missing. \`init\` may hold a signal, or headers such as \`X-Api-Key\`. */
export async function fetch${called}(${given}init: RequestInit = {}): Promise<{
  readonly data: ${called}Result | null;
  readonly errors: readonly GraphQLProblem[];
}> {
  const headers = new Headers(init.headers);
  headers.set('Content-Type', 'application/json');
  const body = JSON.stringify({ query: QUERY${hasVariables ? ', variables' : ''} });
  const response = await fetch(${JSON.stringify(endpoint)}, { ...init, method: 'POST', headers, body });
  const answer = (await response.json()) as {
    readonly data?: ${called}Result | null;
    readonly errors?: readonly GraphQLProblem[];
  };
  return { data: answer.data ?? null, errors: answer.errors ?? [] };
}
`,
  ].join('\n\n');
};

const PROBLEM = `/** An entry of \`errors\`: \`reasons\` says of each argument in \`invalidArgs\` what was expected. */
export interface GraphQLProblem {
  readonly message: string;
  readonly path?: readonly (string | number)[];
  readonly extensions?: {
    readonly code?: string;
    readonly invalidArgs?: readonly string[];
    readonly reasons?: readonly string[];
  };
}`;

const SCALARS = { String: 'string', ID: 'string', Int: 'number', Float: 'number', Boolean: 'boolean' };

/** A type with its lists and nulls; `named` writes the innermost. */
function typeText(GraphQL, type, named) {
  if (GraphQL.isNonNullType(type)) return bareText(GraphQL, type.ofType, named);
  return `${bareText(GraphQL, type, named)} | null`;
}

function bareText(GraphQL, type, named) {
  if (!GraphQL.isListType(type)) return named(type);
  const item = typeText(GraphQL, type.ofType, named);
  return `readonly (${item})[]`;
}

const valuesOf = (type) =>
  type
    .getValues()
    .map(({ name }) => `'${name}'`)
    .join(' | ');

/** Input types are declared by their names: they may be recursive. */
function inputTypes(GraphQL, schema) {
  const declared = new Map();
  const named = (type) => {
    if (GraphQL.isScalarType(type)) return SCALARS[type.name] ?? 'unknown';
    if (!declared.has(type.name)) {
      declared.set(type.name, '');
      declared.set(
        type.name,
        GraphQL.isEnumType(type) ? `export type ${type.name} = ${valuesOf(type)};` : inputText(type),
      );
    }
    return type.name;
  };
  const inputText = (type) => {
    const lines = Object.values(type.getFields()).map((field) => {
      const isOptional = !GraphQL.isRequiredInputField(field);
      return `  readonly ${field.name}${isOptional ? '?' : ''}: ${typeText(GraphQL, field.type, named)};`;
    });
    return `export interface ${type.name} {\n${lines.join('\n')}\n}`;
  };
  return {
    typeOf: (node) => typeText(GraphQL, GraphQL.typeFromAST(schema, node), named),
    declared: () => [...declared.values()],
  };
}

function variableOf({ variable, type, defaultValue }, { typeOf }) {
  const isOptional = type.kind !== 'NonNullType' || defaultValue !== undefined;
  return { isOptional, line: `  readonly ${variable.name.value}${isOptional ? '?' : ''}: ${typeOf(type)};` };
}

/** The type of `data`: fields under their aliases, those of fragments among them. */
function resultType(GraphQL, { schema, document, operation }) {
  const fragments = new Map(
    document.definitions.flatMap((one) => (one.kind === 'FragmentDefinition' ? [[one.name.value, one]] : [])),
  );
  const objectText = (parent, selectionSets, depth) => {
    const fields = new Map();
    for (const set of selectionSets) collect(set, false, fields);
    const indent = '  '.repeat(depth);
    const lines = [...fields].map(([key, { name, sets, isOptional }]) => {
      const type = fieldText(parent, { name, sets, depth });
      return `${indent}  readonly ${key}${isOptional ? '?' : ''}: ${type};\n`;
    });
    return `{\n${lines.join('')}${indent}}`;
  };
  /** A field that is selected twice has the fields of both selections; a condition makes it optional unless another one has none. */
  const collect = (set, isConditional, fields) => {
    for (const selection of set.selections) {
      const isSkipped = isConditional || selection.directives.some(({ name }) => CONDITIONS.has(name.value));
      if (selection.kind === 'Field') {
        const key = (selection.alias ?? selection.name).value;
        const known = fields.get(key) ?? { name: selection.name.value, sets: [], isOptional: true };
        fields.set(key, {
          name: known.name,
          sets: [...known.sets, ...(selection.selectionSet === undefined ? [] : [selection.selectionSet])],
          isOptional: known.isOptional && isSkipped,
        });
      } else {
        const { selectionSet } =
          selection.kind === 'InlineFragment' ? selection : fragments.get(selection.name.value);
        collect(selectionSet, isSkipped, fields);
      }
    }
  };
  const fieldText = (parent, { name, sets, depth }) => {
    if (name === '__typename') return `'${parent.name}'`;
    const type = parent.getFields()[name]?.type ?? META[name](GraphQL);
    return typeText(GraphQL, type, (named) => {
      if (GraphQL.isScalarType(named)) return SCALARS[named.name] ?? 'unknown';
      if (GraphQL.isEnumType(named)) return valuesOf(named);
      return objectText(named, sets, depth + 1);
    });
  };
  return objectText(schema.getQueryType(), [operation.selectionSet], 0);
}

const CONDITIONS = new Set(['include', 'skip']);

/** Root fields that every schema has. */
const META = {
  __schema: (GraphQL) => GraphQL.SchemaMetaFieldDef.type,
  __type: (GraphQL) => GraphQL.TypeMetaFieldDef.type,
};
