/** Parameters of a list's address come of the schema's filter (I1), whatever kinds its fields have. */
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

test('I1: should describe fields of the filter that are numbers as numbers', () => {
  const { age, km } = listParameters(schemaWith('age: Int! km: Float'), {});
  assert.equal([age?.schema, km?.schema], [{ type: 'integer' }, { type: 'number' }]);
  assert.equal([age?.read(['18']), age?.read(['-1']), km?.read(['1.5']), km?.read(['2'])], [18, -1, 1.5, 2]);
});

test('I1: should refuse a value that is no number, and name the parameter', () => {
  const read = createReadListQuery(schemaWith('age: Int km: Float'), {});
  for (const search of ['age=1.5', 'age=adult', 'age=99999999999', 'km=1e3', 'km=NaN', 'km=1&km=2']) {
    const isRight = (cause: unknown) =>
      isCalendarError(cause) && cause.invalidArgs?.join() === search.replace(/=.*/, '');
    assert.throws(() => read(search), isRight, search);
  }
});

test('I1: should refuse a filter with a kind that it does not know, before any request', () => {
  for (const field of ['odd: Odd', 'ages: [Int!]', 'odds: [Odd]', 'where: [Place!]'])
    assert.throws(() => listParameters(schemaWith(field), {}), /expected .*, found/, field);
});

test.run();
