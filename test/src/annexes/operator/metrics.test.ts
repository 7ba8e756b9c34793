/** Metrics of requests, of the calendar and of builds, and the requests that have a line in the log. */
import perfHooks from 'node:perf_hooks';
import { Registry } from 'prom-client';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createMetrics } from '../../../../src/annexes/operator/metrics.ts';
import { createTraffic } from '../../../../src/annexes/operator/traffic.ts';
import { type AccessLogEntry, createAccessLog } from '../../../../src/serve/http/access-log.ts';
import { addBuild, NO_UPKEEP } from '../../../../src/upkeep.ts';
import { startPages } from '../../../helpers/pages.ts';
import type { Running } from '../../../helpers/running.ts';
import { readSamples, type Sample } from '../../../helpers/samples.ts';

const NOW = Date.parse('2026-11-20T10:17:00Z');
const DURATIONS = 'almanakk_request_duration_seconds';

const ONE: AccessLogEntry = {
  method: 'POST',
  route: '/graphQL',
  status: 200,
  caller: { kind: 'anonymous', name: undefined, application: undefined, pageHost: undefined },
  operationName: undefined,
  rootField: 'events',
  isCacheHit: false,
  hasErrors: false,
  milliseconds: 0.2,
};

const metrics = suite<{ clock: number; running: Running }>('metrics');

metrics.before(async (context) => {
  context.clock = NOW;
  const applicationOf = (key: string) => (key === 'good' ? 'App "one"\\' : undefined);
  context.running = await startPages({ clock: () => context.clock, applicationOf });
});

metrics.after(({ running }) => running.close());

type Find = (name: string, labels?: Sample['labels']) => number | undefined;

async function scrape({ send }: Pick<Running, 'send'>): Promise<Find> {
  const { headers, text } = await send('/metrics');
  assert.is(headers['content-type'], 'text/plain; version=0.0.4; charset=utf-8');
  return finding(readSamples(text));
}

function finding(samples: readonly Sample[]): Find {
  return (name, wanted = {}) =>
    samples.find(
      (sample) =>
        sample.name === `almanakk_${name}` &&
        Object.entries(wanted).every(([label, value]) => sample.labels[label] === value),
    )?.value;
}

metrics(
  'D8: should count requests by root field, application and outcome, and reuse',
  async ({ running }) => {
    const { post, send } = running;
    const key = { 'X-Api-Key': 'good' };
    for (const name of ['Mine', 'Yours', 'Mine'])
      await post(`query ${name} { events { totalCount } }`, {}, key);
    await post('{ events(page: -1) { totalCount } }');
    await post('{ nothing }');
    for (const kind of ['ics', 'ics', 'rss']) await send(`/events.${kind}?event=evt-001`);
    assert.is((await send('/events.html?searchTerm=')).status, 303);
    const { text } = await send('/metrics');
    assert.not.match(text.replaceAll(/^#.*$/gm, ''), /Mine|Yours|good/);
    const valueIn = finding(readSamples(text));
    const count = (labels: Sample['labels']) => valueIn('request_duration_seconds_count', labels);
    assert.is(
      count({ route: '/graphQL', operation: 'events', application: 'App "one"\\', outcome: 'ok' }),
      3,
    );
    assert.is(count({ route: '/graphQL', operation: 'events', caller: 'anonymous', outcome: 'errors' }), 1);
    assert.is(count({ route: '/graphQL', operation: '', outcome: 'refused' }), 1);
    assert.is(count({ route: '/events.ics', operation: 'events', outcome: 'ok' }), 2);
    assert.is(count({ route: '/events.html', operation: '', outcome: 'ok' }), 1);
    assert.is(count({ route: '/events.jsonld' }), undefined);
    assert.is(valueIn('reuse_requests_total', { result: 'miss' }), 4);
    assert.is(valueIn('reuse_requests_total', { result: 'hit' }), 2);
  },
);

metrics('D8: should measure the snapshot: its id, age, size and next change', async (context) => {
  const { current } = context.running.keeper.state();
  context.clock = NOW + 90_000;
  const valueIn = await scrape(context.running);
  const expected: readonly (readonly [name: string, value: number | undefined, labels?: Sample['labels']])[] =
    [
      ['snapshot_info', 1, { id: current?.id ?? '' }],
      ['snapshot_age_seconds', 90],
      ['upcoming_events', 195],
      ['snapshot_open', 1],
      ['memory_budget_bytes', 512 * 1_024 * 1_024],
      ['work_admitted_total', 0],
      ['feeds', 0, { state: 'failed' }],
      ['build_dropped', 0, { kind: 'record' }],
    ];
  for (const [name, value, labels] of expected) assert.is(valueIn(name, labels), value, name);
});

metrics('D8: should leave out what it does not know, and count builds by outcome', async () => {
  const totals = (['published', 'published', 'failed'] as const)
    .map((outcome) => ({ kind: 'rebuild', outcome }) as const)
    .reduce(addBuild, NO_UPKEEP.totals);
  const running = await startPages({ source: null, totals });
  // Reading them does not add to them.
  await running.send('/metrics');
  const valueIn = await scrape(running);
  await running.close();
  assert.is(valueIn('snapshot_open'), 0);
  for (const name of ['snapshot_info', 'snapshot_age_seconds', 'upcoming_events'])
    assert.is(valueIn(name), undefined, name);
  assert.is(valueIn('builds_total', { kind: 'rebuild', outcome: 'published' }), 2);
  assert.is(valueIn('builds_total', { outcome: 'failed' }), 1);
});

metrics(
  'D8: should measure the load of the event loop without waking an idle server',
  async ({ running }) => {
    const { monitorEventLoopDelay } = perfHooks;
    const resolutions: (number | undefined)[] = [];
    perfHooks.monitorEventLoopDelay = (options) => {
      resolutions.push(options?.resolution);
      return monitorEventLoopDelay(options);
    };
    createMetrics(new Registry(), () => Promise.reject(new Error('nobody reads them')));
    perfHooks.monitorEventLoopDelay = monitorEventLoopDelay;
    assert.equal(resolutions, [2 ** 31 - 1]);
    const samples = readSamples((await running.send('/metrics')).text);
    const lags = samples.filter(({ name }) => name.startsWith('nodejs_eventloop_lag'));
    assert.equal(
      lags.map(({ name }) => name),
      ['nodejs_eventloop_lag_seconds'],
    );
    const first = finding(samples)('event_loop_active_seconds_total') ?? 0;
    const valueIn = await scrape(running);
    assert.ok((valueIn('event_loop_active_seconds_total') ?? 0) > first && first > 0, `since ${first}`);
  },
);

const by = (name: string): AccessLogEntry['caller'] => ({ ...ONE.caller, kind: 'application', name });

/** The samples of these requests whose names have this end. */
async function counted(requests: readonly Partial<AccessLogEntry>[], end: string) {
  const registry = new Registry();
  const count = createTraffic(registry);
  for (const request of requests) count({ ...ONE, ...request });
  return readSamples(await registry.metrics()).filter(({ name }) => name.endsWith(end));
}

/** Caller, application, route, operation and outcome. */
const COUNTED: readonly (readonly [request: Partial<AccessLogEntry>, labels: string])[] = [
  [{}, 'anonymous  /graphQL events ok'],
  [{ status: 304 }, 'anonymous  /graphQL events ok'],
  [{ hasErrors: true }, 'anonymous  /graphQL events errors'],
  [{ status: 400, hasErrors: true }, 'anonymous  /graphQL events refused'],
  [{ status: 404, route: undefined, rootField: undefined }, 'anonymous  unknown  refused'],
  [{ status: 500, hasErrors: true }, 'anonymous  /graphQL events failed'],
  [{ status: 503 }, 'anonymous  /graphQL events failed'],
  [{ caller: by('App') }, 'application App /graphQL events ok'],
  [{ caller: by('anonymous') }, 'application anonymous /graphQL events ok'],
  [{ caller: { ...ONE.caller, kind: 'operator', name: 'web/1.2' } }, 'operator  /graphQL events ok'],
];

metrics('D8: should count each request by caller, route, operation and outcome', async () => {
  for (const [request, expected] of COUNTED) {
    const found = await counted([request], '_seconds_count');
    const lines = found.map(({ labels: { caller, application, route, operation, outcome }, value }) =>
      [value, caller, application, route, operation, outcome].join(' '),
    );
    assert.equal(lines, [`1 ${expected}`]);
  }
});

metrics('K4: should count what the quota refused by caller', async () => {
  const requests = [
    { status: 429 },
    ...[1, 2].map(() => ({ status: 429, caller: by('App') })),
    { status: 400 },
  ];
  const found = await counted(requests, 'almanakk_rate_limited_total');
  assert.equal(
    found.map(({ labels, value }) => `${labels.application} ${value}`),
    [' 1', 'App 2'],
  );
});

metrics('D8: MUST NOT grow with names that clients make up', async () => {
  const requests = Array.from({ length: 5_000 }, (_, at) => ({
    operationName: `Made${at}`,
    caller: { kind: 'operator', name: `web/${at}`, pageHost: `host-${at}.example` } as never,
  }));
  assert.is((await counted(requests, `${DURATIONS}_count`)).length, 1);
});

const LINES: readonly (readonly [Partial<AccessLogEntry>, line: string | undefined, isDebug: boolean])[] = [
  [{}, undefined, false],
  [{}, 'debug request', true],
  [{ status: 400, hasErrors: true }, undefined, false],
  [{ status: 500, hasErrors: true }, 'info request failed', false],
  [{ status: 503 }, 'info request failed', true],
  [{ route: '/readyz', status: 503 }, undefined, false],
  [{ route: '/readyz', status: 503 }, 'debug request', true],
  [{ milliseconds: 999 }, undefined, false],
  [{ milliseconds: 1_000 }, 'info request slow', false],
];

metrics('should log failed and slow requests, and every request at debug', () => {
  for (const [request, line, isDebug] of LINES) {
    const lines: string[] = [];
    const write = (level: string) => (_: object, event: string) => lines.push(`${level} ${event}`);
    createAccessLog({ log: { debug: write('debug'), info: write('info') }, isDebug })({ ...ONE, ...request });
    assert.equal(lines, line === undefined ? [] : [line], JSON.stringify(request));
  }
});

metrics.run();
