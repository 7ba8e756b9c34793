import { Kind, parse } from 'graphql';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { rootFieldOf } from '../../src/serve/graphql/root-field.ts';

const naming = suite('root field');

function nameOf(text: string): string {
  const document = parse(text);
  const operation = document.definitions.find((node) => node.kind === Kind.OPERATION_DEFINITION);
  if (operation?.kind !== Kind.OPERATION_DEFINITION) throw new Error('expected an operation');
  return rootFieldOf(document, operation);
}

const CASES: readonly (readonly [text: string, name: string])[] = [
  ['query Mine { events { totalCount } }', 'events'],
  ['{ mine: events { totalCount } }', 'events'],
  ['{ a: events { totalCount } b: events { totalCount } }', 'events'],
  ['{ events { totalCount } venues { id } }', 'several'],
  ['{ ...All } fragment All on Query { ... { venues { id } } }', 'venues'],
  ['{ ...Missing venues { id } }', 'venues'],
  ['{ __schema { queryType { name } } }', '__schema'],
];

for (const [text, name] of CASES) {
  naming(`should count ${text} as ${name}`, () => {
    assert.is(nameOf(text), name);
  });
}

naming('MUST NOT open a fragment twice, however often it is spread', () => {
  const deep = Array.from(
    { length: 60 },
    (_, at) => `fragment F${at} on Query { ...F${at + 1} ...F${at + 1} }`,
  );
  assert.is(nameOf(`{ ...F0 } ${deep.join(' ')} fragment F60 on Query { venues { id } }`), 'venues');
});

naming.run();
