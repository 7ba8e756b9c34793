import { AggregatorRegistry, Registry } from 'prom-client';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createTraffic } from '../../../src/annexes/operator/metrics.ts';
import type { Usage } from '../../../src/annexes/operator/usage.ts';
import type { AccessLogEntry } from '../../../src/serve/http/access-log.ts';
import { addBuild, NO_UPKEEP } from '../../../src/upkeep.ts';
import { startPages } from '../../helpers/pages.ts';
import type { Running } from '../../helpers/running.ts';
import { readSamples, type Sample } from '../../helpers/samples.ts';

const NOW = Date.parse('2026-11-20T10:17:00Z');

const DURATIONS = 'almanakk_request_duration_seconds';

const ENTRY: Omit<AccessLogEntry, 'milliseconds'> = {
  method: 'POST',
  route: '/graphQL',
  status: 200,
  caller: { kind: 'anonymous', name: undefined, application: undefined, pageHost: undefined },
  operationName: undefined,
  rootField: 'events',
  reused: false,
  failed: false,
};

interface Context {
  clock: number;
  running: Running;
}

const metrics = suite<Context>('metrics');

metrics.before(async (context) => {
  context.clock = NOW;
  context.running = await startPages({
    clock: () => context.clock,
    applicationOf: (key) => (key === 'good' ? 'App "one"\\' : undefined),
  });
});

metrics.after(({ running }) => running.close());

async function scrape({ running }: Context): Promise<readonly Sample[]> {
  const response = await fetch(`${running.url}/metrics`);
  assert.is(response.headers.get('content-type'), 'text/plain; version=0.0.4; charset=utf-8');
  return readSamples(await response.text());
}

function valueIn(
  samples: readonly Sample[],
  name: string,
  wanted: Sample['labels'] = {},
): number | undefined {
  return samples.find(
    (sample) =>
      sample.name === name &&
      Object.entries(wanted).every(([label, value]) => sample.labels[label] === value),
  )?.value;
}

metrics(
  'D8: should count requests and their time by root field, application and outcome',
  async (context) => {
    const { post } = context.running;
    await post('query Mine { events { totalCount } }', {}, { 'X-Api-Key': 'good' });
    await post('query Yours { events { totalCount } }', {}, { 'X-Api-Key': 'good' });
    await post('{ events(page: -1) { totalCount } }');
    await post('{ nothing }');
    const samples = await scrape(context);
    const count = (labels: Sample['labels']) =>
      valueIn(samples, 'almanakk_request_duration_seconds_count', labels);
    const own = { route: '/graphQL', caller: 'application', application: 'App "one"\\' };
    assert.is(count({ ...own, operation: 'events', outcome: 'ok' }), 2);
    assert.is(count({ route: '/graphQL', operation: 'events', caller: 'anonymous', outcome: 'errors' }), 1);
    assert.is(count({ route: '/graphQL', operation: '', outcome: 'refused' }), 1);
    assert.ok(
      !samples.some(({ labels }) => Object.values(labels).some((value) => /Mine|Yours|good/.test(value))),
    );
  },
);

metrics('should tell how often an answer was at hand', async (context) => {
  const before = await scrape(context);
  for (let times = 0; times < 3; times++) await context.running.post('{ organizers { slug } }');
  const after = await scrape(context);
  const grown = (result: string) =>
    (valueIn(after, 'almanakk_reuse_requests_total', { result }) ?? 0) -
    (valueIn(before, 'almanakk_reuse_requests_total', { result }) ?? 0);
  assert.is(grown('miss'), 1);
  assert.is(grown('hit'), 2);
});

metrics('should count feeds by kind, and on the status page too', async (context) => {
  const { url } = context.running;
  for (const kind of ['ics', 'ics', 'rss']) await (await fetch(`${url}/events.${kind}?event=evt-001`)).text();
  const samples = await scrape(context);
  const countOf = (route: string) =>
    valueIn(samples, 'almanakk_request_duration_seconds_count', {
      route,
      operation: 'events',
      outcome: 'ok',
    });
  assert.equal(['/events.ics', '/events.rss', '/events.jsonld'].map(countOf), [2, 1, undefined]);
  const { traffic } = JSON.parse(await (await fetch(`${url}/status`)).text());
  const { kind, name, requests } = traffic.operations.find((one: Usage) => one.kind === '/events.ics');
  assert.equal([kind, name, requests], ['/events.ics', 'events', 2]);
});

metrics('should tell of the snapshot: which, how old, how much, when it changes', async (context) => {
  const { keeper } = context.running;
  const { current } = keeper.state();
  context.clock = NOW + 90_000;
  const samples = await scrape(context);
  assert.is(valueIn(samples, 'almanakk_snapshot_info', { id: current?.id ?? '' }), 1);
  assert.is(valueIn(samples, 'almanakk_snapshot_age_seconds'), 90);
  assert.is(valueIn(samples, 'almanakk_snapshot_records', { kind: 'events' }), current?.meta.counts.events);
  assert.is(valueIn(samples, 'almanakk_upcoming_events'), 195);
  const next = Math.min(...(current?.columns.moments ?? []).filter((at) => at > context.clock / 1_000));
  assert.is(valueIn(samples, 'almanakk_next_change_seconds'), next - context.clock / 1_000);
  assert.is(valueIn(samples, 'almanakk_snapshot_open'), 1);
  assert.is(valueIn(samples, 'almanakk_memory_budget_bytes'), 512 * 1_024 * 1_024);
  for (const name of ['nodejs_eventloop_lag_p99_seconds', 'almanakk_work_admitted_total'])
    assert.ok(valueIn(samples, name) !== undefined, name);
});

metrics('should leave out what there is not, without a snapshot', async () => {
  const running = await startPages({ source: null });
  const samples = readSamples((await running.send('/metrics')).text);
  await running.close();
  assert.is(valueIn(samples, 'almanakk_snapshot_open'), 0);
  for (const name of [
    'almanakk_snapshot_info',
    'almanakk_snapshot_age_seconds',
    'almanakk_upcoming_events',
  ]) {
    assert.is(valueIn(samples, name), undefined, name);
  }
});

metrics(
  'should count builds and their time by what became of them, and read them once each time',
  async () => {
    const record = {
      kind: 'rebuild',
      startedAt: 1_000,
      id: null,
      counts: null,
      reason: null,
      dropped: 0,
    } as const;
    const totals = [
      { ...record, outcome: 'published', ms: 1_500 } as const,
      { ...record, outcome: 'published', ms: 2_500, startedAt: 60_000 } as const,
      { ...record, outcome: 'failed', ms: 10 } as const,
    ].reduce(addBuild, NO_UPKEEP.totals);
    const running = await startPages({ source: null, totals });
    await running.send('/metrics');
    const samples = readSamples((await running.send('/metrics')).text);
    await running.close();
    const published = { kind: 'rebuild', outcome: 'published' };
    assert.is(valueIn(samples, 'almanakk_builds_total', published), 2);
    assert.is(valueIn(samples, 'almanakk_build_seconds_total', published), 4);
    assert.is(valueIn(samples, 'almanakk_build_last_seconds', published), 2.5);
    assert.is(valueIn(samples, 'almanakk_build_last_timestamp_seconds', published), 62.5);
    assert.is(valueIn(samples, 'almanakk_builds_total', { outcome: 'failed' }), 1);
  },
);

metrics('should add up over processes', async () => {
  const registry = new Registry();
  const count = createTraffic(registry);
  for (const milliseconds of [0.2, 499.8]) count({ ...ENTRY, milliseconds });
  // As one process sends it to another.
  const report = JSON.parse(JSON.stringify(await registry.getMetricsAsJSON()));
  const sum = readSamples(await AggregatorRegistry.aggregate([report, report, report]).metrics());
  assert.is(valueIn(sum, `${DURATIONS}_count`, { operation: 'events' }), 6);
  assert.is(valueIn(sum, `${DURATIONS}_sum`, { operation: 'events' }), 1.5);
  assert.is(valueIn(sum, `${DURATIONS}_bucket`, { le: '0.00025' }), 3);
  assert.is(valueIn(sum, `${DURATIONS}_bucket`, { le: '+Inf' }), 6);
});

metrics.run();
