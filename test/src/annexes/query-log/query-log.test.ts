/** The log of queries: long ones are cut, and positions are left out (B13). */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { withQueryLog } from '../../../../src/annexes/query-log/query-log.ts';
import { CalendarError } from '../../../../src/calendar/errors.ts';
import type { Execute } from '../../../../src/serve/graphql/answer.ts';
import { createExecuteRequest } from '../../../../src/serve/graphql/request.ts';
import { schema } from '../../../../src/serve/graphql/schema.ts';
import { fakeSnapshot, resultOf } from '../../serve/http/stand.ts';

const logging = suite('log of queries');

interface Line {
  readonly event: string;
  readonly fields: Readonly<Record<string, unknown>>;
}

/** Executes a request with the log, and gives the lines that it writes, and what it throws. `answer`: of the execution. */
async function linesOf(
  query: string,
  variables: Readonly<Record<string, unknown>> = {},
  answer: Execute = async () => resultOf('{"data":{}}'),
): Promise<readonly Line[]> {
  const lines: Line[] = [];
  const execute = withQueryLog(answer, {
    info: (fields, event) => lines.push({ fields, event }),
  });
  const request = createExecuteRequest({ schema, execute });
  const basis = () => ({ snapshot: fakeSnapshot('any'), now: 0 });
  await request({ query, variables, operationName: undefined }, basis).catch((cause: unknown) =>
    lines.push({ event: 'thrown', fields: { cause } }),
  );
  return lines;
}

const QUERY = '{ events { totalCount } }';

logging('should write the query and the variables of a request in one line', async () => {
  const [line, ...more] = await linesOf(QUERY, { term: 'x' });
  assert.equal(more, []);
  assert.is(line?.event, 'query');
  assert.is(line?.fields.query, QUERY);
  assert.equal(line?.fields.variables, { term: 'x' });
});

logging('should write a query that is refused while it is executed, and refuse it', async () => {
  const refusal = new CalendarError('QUERY_TOO_COMPLEX', 'Expected fewer fields');
  const [line, thrown] = await linesOf(QUERY, {}, () => Promise.reject(refusal));
  assert.is(line?.fields.query, QUERY);
  assert.is(line?.fields.failed, true);
  assert.is(thrown?.fields.cause, refusal);
});

logging('should cut a query after 4,000 letters', async () => {
  const [line] = await linesOf(`# ${'a'.repeat(5_000)}\n${QUERY}`);
  assert.is(String(line?.fields.query).length, 4_000);
});

logging('should cut variables after 4,000 letters', async () => {
  const [line] = await linesOf(QUERY, { term: 'x'.repeat(229_000) });
  assert.is(String(line?.fields.variables).length, 4_000);
});

const POSITION = { latitude: 63.4305, longitude: 10.3951, km: 2.5 };

interface PositionCase {
  readonly query: string;
  readonly variables: Readonly<Record<string, unknown>>;
}

/** Requests with the position in the document, in a variable, and in a part of one. */
const WITH_POSITION: readonly PositionCase[] = [
  {
    query: '{ events(filter: { near: { latitude: 63.4305, longitude: 10.3951, km: 2.5 } }) { totalCount } }',
    variables: {},
  },
  {
    query: 'query N($n: Near) { events(filter: { near: $n }) { totalCount } }',
    variables: { n: POSITION },
  },
  {
    query: 'query F($filter: Filter) { events(filter: $filter) { totalCount } }',
    variables: { filter: { near: POSITION } },
  },
  {
    query:
      'query P($a: Float!) { events(filter: { near: { latitude: $a, longitude: 10.3951, km: 2.5 } }) { totalCount } }',
    variables: { a: POSITION.latitude },
  },
];

for (const { query, variables } of WITH_POSITION) {
  logging(`B13: should write no position into the log of queries: ${query}`, async () => {
    const lines = await linesOf(query, variables);
    assert.is(lines.length, 1);
    const text = JSON.stringify(lines.map(({ fields }) => ({ ...fields, ms: 0 })));
    assert.match(text, 'near', 'the query is there');
    assert.not.match(text, /63|4305|10\.|3951|2\.5/);
  });
}

logging.run();
