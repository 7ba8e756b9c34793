import fc from 'fast-check';
import {
  buildSchema,
  type DocumentNode,
  OverlappingFieldsCanBeMergedRule,
  parse,
  validate,
  visit,
} from 'graphql';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createDocuments, overlapErrors } from '../../src/serve/graphql/documents.ts';
import { schema } from '../../src/serve/graphql/schema.ts';
import { times } from '../helpers/preparing.ts';

const overlap = suite('overlap');

/** Every document of it is valid by the other rules. */
const NODES = buildSchema(
  'type Query { n(x: Int, l: [Int], f: F): Query m: Query id: ID no: ID } input F { a: Int b: Int }',
);

const ARGUMENTS = [
  '',
  '(x:1)',
  '(x:2)',
  '(l:[1,2])',
  '(l:[2,1])',
  '(f:{a:1,b:2})',
  '(f:{b:2,a:1})',
  '(x:1,l:[1])',
  '(l:[1],x:1)',
];
const leaf = fc.constantFrom('id', 'id', 'no', 'a:id', 'b:no', 'c:id');
const { selections } = fc.letrec<{ selections: string; selection: string }>((tie) => ({
  selection: fc.oneof(
    { maxDepth: 4 },
    leaf,
    fc
      .tuple(
        fc.constantFrom('', 'a:', 'b:', 'n:'),
        fc.constantFrom('n', 'm'),
        fc.constantFrom(...ARGUMENTS),
        tie('selections'),
      )
      .map(([alias, name, given, below]) => `${alias}${name}${name === 'n' ? given : ''}{${below}}`),
    tie('selections').map((below) => `...{${below}}`),
    tie('selections').map((below) => `... on Query{${below}}`),
    fc.constantFrom('...A', '...B'),
  ),
  selections: fc.array(tie('selection'), { minLength: 1, maxLength: 5 }).map((all) => all.join(' ')),
}));
const documents = fc
  .tuple(selections, selections, leaf)
  .map(
    ([root, a, b]) =>
      `{${root}} fragment A on Query{${a.replaceAll(/\.\.\.[AB]/g, 'id')}} fragment B on Query{m{${b}}}`,
  );

overlap('D2: should give graphql-js’s own verdict on any selections', () => {
  let refused = 0;
  fc.assert(
    fc.property(documents, (text) => {
      const document = parse(text);
      const expected = validate(NODES, document, [OverlappingFieldsCanBeMergedRule]).length > 0;
      assert.is(overlapErrors(NODES, document).length > 0, expected, text);
      refused += Number(expected);
    }),
    { numRuns: 500 },
  );
  assert.ok(refused > 100 && refused < 480, `${refused} refused`);
});

overlap('D2: should leave fields below an interface to graphql-js', () => {
  const abstract = buildSchema(
    'type Query { i: I } interface I { id: ID } type A implements I { id: ID a: ID } type B implements I { id: ID a: Int b: ID }',
  );
  const errorsIn = (text: string) => overlapErrors(abstract, parse(text)).map(({ message }) => message);
  assert.equal(errorsIn('{i{... on A{x:id} ... on B{x:b}}}'), []);
  assert.match(errorsIn('{i{... on A{x:a} ... on B{x:a}}}')[0] ?? '', 'they return conflicting types');
});

overlap('D2: should say where the first fields stand that cannot be merged', () => {
  const found = createDocuments(schema).read(
    '{\n venues{id}\n venues{a:id}\n events{data{id}}\n venues{a:name}\n}',
  );
  assert.equal('refusal' in found && found.refusal.errors[0]?.locations, [
    { line: 3, column: 9 },
    { line: 5, column: 9 },
  ]);
});

/** Documents of up to 2,000 tokens. Without merging, most take many times what an ordinary one of its length does. */
const REPEATS: Readonly<Record<string, string>> = {
  'a field of a list': `{events{data{${times(390, () => 'venue{id}')}}}}`,
  'a root field': `{${times(480, () => 'venues{id}')}}`,
  'a root field with a list': `{${times(245, () => 'events{data{id}}')}}`,
  'a field with two levels below': `{events{data{${times(240, () => 'venue{location{latitude}}')}}}}`,
  'a field with arguments': `{${times(130, () => 'events(page:0,pageSize:1){totalCount}')}}`,
  'a field with another one below each time': `{events{data{${times(300, (at) => `venue{a${at}:id}`)}}}}`,
  'a field within inline fragments': `{events{data{${times(230, () => '...{venue{id}}')}}}}`,
  'a field within inline fragments of its type': `{events{data{${times(190, () => '... on Event{venue{id}}')}}}}`,
  'a field within inline fragments within one another': `{events{data{${times(180, () => '...{venue{id}')}${'}'.repeat(180)}}}}`,
  'a name for different fields': `{events{data{${times(450, (at) => `a:${at % 2 ? 'id' : 'mode'}`)}}}}`,
  'a name for a field with different arguments': `{${times(150, (at) => `a:events(page:${at}){totalCount}`)}}`,
  'a spread': `{events{data{${times(600, () => '...A')}}}} fragment A on Event{venue{id}}`,
  'a field in each of many fragments': `{events{data{${times(120, (at) => `...A${at}`)}}}} ${times(120, (at) => `fragment A${at} on Event{venue{id}}`)}`,
};

/** Merged first, a name is read up to 2.5 times; by graphql-js's own rule, up to 418. */
const MOST_READS = 4;
/** Fragments are compared in pairs: as many as there can be in a document, 44,406 readings. */
const MOST_READS_OF_FRAGMENTS = 100;

for (const [what, text] of Object.entries(REPEATS)) {
  overlap(`D2: MUST read the names of repeats some times only: ${what}`, () => {
    const found = createDocuments(schema).read(text);
    assert.not.equal('refusal' in found && found.refusal.code, 'QUERY_TOO_COMPLEX');
    const { names, readings } = counted(text, (document) => overlapErrors(schema, document));
    const most = text.includes('...A1 ') ? MOST_READS_OF_FRAGMENTS : MOST_READS;
    assert.ok(readings <= most * names, `${readings} readings of ${names} names`);
  });
}

overlap('D2: should count readings that grow with the square where nothing is merged', () => {
  const { names, readings } = counted(REPEATS['a root field'] ?? '', (document) => {
    validate(schema, document, [OverlappingFieldsCanBeMergedRule]);
  });
  assert.ok(readings > 100 * names, `${readings} readings of ${names} names`);
});

/** How many names a document has, and how often a check reads one. */
function counted(text: string, check: (document: DocumentNode) => unknown) {
  const document = parse(text);
  let names = 0;
  let readings = 0;
  visit(document, {
    Name: (node) => {
      const { value } = node;
      names++;
      const get = () => {
        readings++;
        return value;
      };
      Object.defineProperty(node, 'value', { get });
    },
  });
  readings = 0;
  check(document);
  return { names, readings };
}

overlap.run();
