/** I1: the parameters of a list's address, which are derived from the schema's filter. */
import { buildSchema } from 'graphql';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createReadListQuery, listParameters } from '../../../../src/annexes/events/query.ts';
import { isCalendarError } from '../../../../src/calendar/errors.ts';

const test = suite('parameters of lists');

const schemaWith = (fields: string) =>
  buildSchema(
    `scalar Odd input Place { x: Float } input Filter { ${fields} } type Query { events(filter: Filter): Int }`,
  );

test('I1: should describe a field of whole numbers as an integer', () => {
  const { age } = listParameters(schemaWith('age: Int!'), {});
  assert.equal(age?.schema, { type: 'integer' });
  assert.is(age?.read(['18']), 18);
  assert.is(age?.read(['-1']), -1);
});

test('I1: should describe a field of numbers as a number', () => {
  const { km } = listParameters(schemaWith('km: Float'), {});
  assert.equal(km?.schema, { type: 'number' });
  assert.is(km?.read(['1.5']), 1.5);
  assert.is(km?.read(['2']), 2);
});

for (const search of ['age=1.5', 'age=adult', 'age=99999999999', 'km=1e3', 'km=NaN', 'km=1&km=2']) {
  test(`I1: should refuse ${search}, and name its parameter`, () => {
    const read = createReadListQuery(schemaWith('age: Int km: Float'), {});
    const [name = ''] = search.split('=');
    const namesParameter = (cause: unknown) => isCalendarError(cause) && cause.invalidArgs?.join() === name;
    assert.throws(() => read(search), namesParameter);
  });
}

for (const field of ['odd: Odd', 'ages: [Int!]', 'odds: [Odd]', 'where: [Place!]']) {
  test(`I1: should refuse a filter with ${field}, a kind that it does not know, at start`, () => {
    assert.throws(() => listParameters(schemaWith(field), {}), /expected .*, found/);
  });
}

test.run();
