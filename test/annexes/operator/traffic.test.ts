/** What is counted of requests (`createTraffic`), and which of them have a line in the log. */
import { Registry } from 'prom-client';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createTraffic, OTHERS } from '../../../src/annexes/operator/metrics.ts';
import { type AccessLogEntry, createAccessLog } from '../../../src/serve/http/access-log.ts';
import { readSamples } from '../../helpers/samples.ts';

const counting = suite('traffic');

const ONE: AccessLogEntry = {
  method: 'POST',
  route: '/graphQL',
  status: 200,
  caller: { kind: 'anonymous', name: undefined, application: undefined, pageHost: undefined },
  operationName: undefined,
  rootField: 'events',
  reused: false,
  failed: false,
  milliseconds: 0.2,
};

const by = (name: string): AccessLogEntry['caller'] => ({ ...ONE.caller, kind: 'application', name });

/** The samples of these requests, by the end of their names. */
async function counted(requests: readonly Partial<AccessLogEntry>[]) {
  const registry = new Registry();
  const count = createTraffic(registry);
  for (const request of requests) count({ ...ONE, ...request });
  const samples = readSamples(await registry.metrics());
  return (end: string) => samples.filter(({ name }) => name.endsWith(end));
}

const OUTCOMES: readonly (readonly [request: Partial<AccessLogEntry>, outcome: string])[] = [
  [{}, 'ok'],
  [{ status: 304 }, 'ok'],
  [{ failed: true }, 'errors'],
  [{ status: 400, failed: true }, 'refused'],
  [{ status: 404, failed: true, route: undefined, rootField: undefined }, 'refused'],
  [{ status: 500, failed: true }, 'failed'],
  [{ status: 503 }, 'failed'],
];

counting('should count each request by its outcome', async () => {
  for (const [request, outcome] of OUTCOMES) {
    const found = (await counted([request]))('_seconds_count');
    assert.equal(
      found.map(({ labels, value }) => [labels.outcome, value]),
      [[outcome, 1]],
      JSON.stringify(request),
    );
  }
});

counting('should tell callers, root fields and routes apart, and leave versions out of routes', async () => {
  const samplesOf = await counted([
    {},
    { caller: by('App') },
    // An application may be called what it likes.
    { caller: by('anonymous') },
    { caller: { ...ONE.caller, kind: 'operator', name: 'web/1.2' } },
    { rootField: 'venues' },
    { rootField: undefined, route: '/graphQL/sandbox-0123456789ab/react.js' },
    { rootField: undefined, route: '/almanakk-0123456789ab.css' },
    { rootField: undefined, route: undefined },
    {},
  ]);
  assert.equal(
    samplesOf('_seconds_count').map(({ labels: { route, operation, caller, application }, value }) =>
      [caller, application, route, operation, value].join(' '),
    ),
    [
      'anonymous  /graphQL events 2',
      'application App /graphQL events 1',
      'application anonymous /graphQL events 1',
      'operator  /graphQL events 1',
      'anonymous  /graphQL venues 1',
      'anonymous  /graphQL/sandbox  1',
      'anonymous  /almanakk  1',
      'anonymous  unknown  1',
    ],
  );
});

counting('K4: should count what the quota refused by caller', async () => {
  const limited = { status: 429 };
  const samplesOf = await counted([
    limited,
    { ...limited, caller: by('App') },
    { ...limited, caller: by('App') },
    { status: 400 },
  ]);
  assert.equal(
    samplesOf('almanakk_rate_limited_total').map(({ labels, value }) => [labels.application, value]),
    [
      ['', 1],
      ['App', 2],
    ],
  );
});

counting('should put times into buckets and add them up', async () => {
  const times = [0.05, 0.1, 0.11, 2_500, 2_501];
  const samplesOf = await counted(times.map((milliseconds) => ({ milliseconds })));
  const upTo = new Map(samplesOf('_bucket').map(({ labels, value }) => [labels.le, value]));
  assert.equal(
    ['0.0001', '0.00025', '1', '2.5', '+Inf'].map((le) => upTo.get(le)),
    [2, 3, 3, 4, 5],
  );
  assert.ok(Math.abs((samplesOf('_seconds_sum')[0]?.value ?? 0) - 5.00126) < 1e-9);
});

counting('MUST NOT grow with what clients make up', async () => {
  const samplesOf = await counted(
    Array.from({ length: 5_000 }, (_, at) => ({
      operationName: `Made${at}`,
      caller: { ...by(`App ${at}`), pageHost: `host-${at}.example` },
    })),
  );
  const counts = samplesOf('_seconds_count');
  assert.ok(counts.length <= 201, `${counts.length} series`);
  assert.is(
    counts.reduce((sum, { value }) => sum + value, 0),
    5_000,
  );
  assert.is(counts.find(({ labels }) => labels.application === OTHERS)?.value, 4_800);
});

counting('should count reuse for answers and feeds without errors only', async () => {
  const samplesOf = await counted([
    {},
    { reused: true },
    { reused: true },
    { failed: true },
    { status: 400, rootField: undefined },
    { route: '/', rootField: undefined },
    { route: '/events.ics', reused: true },
  ]);
  const results = samplesOf('_reuse_requests_total').map(({ labels, value }) => [labels.result, value]);
  assert.equal(Object.fromEntries(results), { hit: 3, miss: 1 });
});

const LINES: readonly (readonly [Partial<AccessLogEntry>, line: string | undefined, isDebug: boolean])[] = [
  [{}, undefined, false],
  [{}, 'debug request', true],
  [{ status: 400, failed: true }, undefined, false],
  [{ status: 500, failed: true }, 'info request failed', false],
  [{ status: 503 }, 'info request failed', true],
  [{ route: '/readyz', status: 503 }, undefined, false],
  [{ route: '/readyz', status: 503 }, 'debug request', true],
  [{ milliseconds: 999 }, undefined, false],
  [{ milliseconds: 1_000 }, 'info request slow', false],
];

counting('should log what failed or was slow, and at debug every request', () => {
  for (const [request, line, isDebug] of LINES) {
    const lines: string[] = [];
    const write = (level: string) => (_: object, event: string) => lines.push(`${level} ${event}`);
    const log = { debug: write('debug'), info: write('info') };
    createAccessLog({ log, isDebug })({ ...ONE, ...request });
    assert.equal(lines, line === undefined ? [] : [line], JSON.stringify(request));
  }
});

counting.run();
