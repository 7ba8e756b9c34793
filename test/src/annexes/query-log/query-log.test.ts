import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { withQueryLog } from '../../../../src/annexes/query-log/query-log.ts';
import { createExecuteRequest } from '../../../../src/serve/graphql/request.ts';
import { schema } from '../../../../src/serve/graphql/schema.ts';
import { fakeSnapshot, resultOf } from '../../serve/http/stand.ts';

const logging = suite('log of queries');

logging(
  'should write queries and variables only where the settings ask for them, and cut long ones',
  async () => {
    const lines: { readonly event: string; readonly fields: Readonly<Record<string, unknown>> }[] = [];
    const execute = withQueryLog(async () => resultOf('{"data":{}}'), {
      info: (fields, event) => lines.push({ fields, event }),
    });
    const query = `# ${'a'.repeat(5_000)}\n{ events { totalCount } }`;
    const parameters = { query, variables: { term: 'x' }, operationName: undefined };
    const request = createExecuteRequest({ schema, execute });
    const basis = () => ({ snapshot: fakeSnapshot('any'), now: 0 });
    await request(parameters, basis);
    const [line] = lines;
    assert.is(line?.event, 'query');
    assert.equal(line?.fields.variables, { term: 'x' });
    assert.is(String(line?.fields.query).length, 4_000);
    const long = { ...parameters, variables: { term: 'x'.repeat(229_000) } };
    await request(long, basis);
    assert.is(String(lines[1]?.fields.variables).length, 4_000);
  },
);

logging('B13: should write no position into the log of queries', async () => {
  const lines: string[] = [];
  const execute = withQueryLog(async () => resultOf('{}'), {
    info: (fields) => lines.push(JSON.stringify({ ...Object(fields), ms: 0 })),
  });
  const position = { latitude: 63.4305, longitude: 10.3951, km: 2.5 };
  for (const [query, variables] of [
    ['{ events(filter: { near: { latitude: 63.4305, longitude: 10.3951, km: 2.5 } }) { totalCount } }', {}],
    ['query N($n: Near) { events(filter: { near: $n }) { totalCount } }', { n: position }],
    ['query F($filter: Filter) { events(filter: $filter) { totalCount } }', { filter: { near: position } }],
    ['query P($a: Float!) { events(filter: { near: { latitude: $a } }) { totalCount } }', { a: 63.4305 }],
  ] as const) {
    const sent = { query, variables, operationName: undefined };
    await execute({ sent } as unknown as Parameters<typeof execute>[0], undefined as never);
  }
  assert.is(lines.length, 4);
  for (const line of lines) assert.not.match(line, /63|4305|10\.|3951|2\.5/);
});

logging.run();
