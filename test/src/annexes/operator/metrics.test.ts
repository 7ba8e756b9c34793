/** Metrics of requests, of the calendar and of builds, and the requests that have a line in the log. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, renameSync } from 'node:fs';
import type { Socket } from 'node:net';
import { join } from 'node:path';
import perfHooks from 'node:perf_hooks';
import { Registry } from 'prom-client';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { healthOf } from '../../../../src/annexes/operator/health.ts';
import { createMetrics } from '../../../../src/annexes/operator/metrics.ts';
import { isNodeReplaced } from '../../../../src/annexes/operator/node-file.ts';
import { createTraffic } from '../../../../src/annexes/operator/traffic.ts';
import { createAdmission } from '../../../../src/serve/admission/admission.ts';
import { type AccessLogEntry, createAccessLog } from '../../../../src/serve/http/access-log.ts';
import { peerAddressOf } from '../../../../src/serve/http/caller.ts';
import { addBuild, NO_UPKEEP } from '../../../../src/upkeep.ts';
import { assertAbove } from '../../../helpers/assertions.ts';
import { closedAfterEach } from '../../../helpers/closing.ts';
import { temporaryFolder } from '../../../helpers/folder.ts';
import { type MetricSample, readSamples } from '../../../helpers/metric-samples.ts';
import { startPages } from '../../../helpers/pages.ts';
import type { Running } from '../../../helpers/running.ts';

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
const opened = closedAfterEach(metrics);

metrics.before(async (context) => {
  context.clock = NOW;
  const applicationOf = (key: string) => (key === 'good' ? 'App "one"\\' : undefined);
  context.running = await startPages({ clock: () => context.clock, applicationOf });
});

metrics.after(({ running }) => running.close());

type Find = (name: string, labels?: MetricSample['labels']) => number | undefined;

async function scrape({ send }: Pick<Running, 'send'>): Promise<Find> {
  const { headers, text } = await send('/metrics');
  assert.is(headers['content-type'], 'text/plain; version=0.0.4; charset=utf-8');
  return finding(readSamples(text));
}

function finding(samples: readonly MetricSample[]): Find {
  return (name, wanted = {}) =>
    samples.find(
      (sample) =>
        sample.name === `almanakk_${name}` &&
        Object.entries(wanted).every(([label, value]) => sample.labels[label] === value),
    )?.value;
}

metrics('D8: should count requests by root field, application and outcome', async ({ running }) => {
  const { post, send } = running;
  const key = { 'X-Api-Key': 'good' };
  for (const name of ['Mine', 'Yours', 'Mine'])
    await post(`query ${name} { events { totalCount } }`, {}, key);
  await post('{ events(page: -1) { totalCount } }');
  await post('{ nothing }');
  for (const kind of ['ics', 'ics', 'rss']) await send(`/events.${kind}?event=evt-001`);
  assert.is((await send('/events.html?searchTerm=')).status, 303);
  const { text } = await send('/metrics');
  assert.not.match(text.replaceAll(/^#.*$/gm, ''), /Mine|Yours|good/, 'names of clients, and a key');
  const valueIn = finding(readSamples(text));
  for (const { count, ...labels } of REQUESTS) {
    const found = valueIn('request_duration_seconds_count', labels);
    assert.is(found, count, Object.values(labels).join(' '));
  }
  assert.is(valueIn('reuse_requests_total', { result: 'miss' }), 4);
  assert.is(valueIn('reuse_requests_total', { result: 'hit' }), 2);
});

/** The requests of the test above, by their labels. */
const REQUESTS = [
  { route: '/graphQL', operation: 'events', application: 'App "one"\\', outcome: 'ok', count: 3 },
  { route: '/graphQL', operation: 'events', caller: 'anonymous', outcome: 'errors', count: 1 },
  { route: '/graphQL', operation: '', outcome: 'refused', count: 1 },
  { route: '/events.ics', operation: 'events', outcome: 'ok', count: 2 },
  { route: '/events.html', operation: '', outcome: 'ok', count: 1 },
  { route: '/events.jsonld', count: undefined },
];

interface Gauge {
  readonly name: string;
  readonly labels?: MetricSample['labels'];
  readonly value: number;
}

/** The gauges of a server 90 seconds after its build. */
const GAUGES: readonly Gauge[] = [
  { name: 'snapshot_age_seconds', value: 90 },
  { name: 'upcoming_events', value: 195 },
  { name: 'snapshot_open', value: 1 },
  { name: 'memory_budget_bytes', value: 512 * 1_024 * 1_024 },
  { name: 'work_admitted_total', value: 0 },
  { name: 'feeds', labels: { state: 'failed' }, value: 0 },
  { name: 'build_dropped', labels: { kind: 'record' }, value: 0 },
];

for (const { name, labels, value } of GAUGES) {
  metrics(`D8: should measure ${name}`, async (context) => {
    context.clock = NOW + 90_000;
    const valueIn = await scrape(context.running);
    assert.is(valueIn(name, labels), value);
  });
}

metrics('D8: should name the snapshot by its id', async ({ running }) => {
  const id = running.keeper.state().current?.id ?? '';
  const valueIn = await scrape(running);
  assert.is(valueIn('snapshot_info', { id }), 1);
});

metrics('D8: should leave out the facts of a snapshot where there is none', async () => {
  const valueIn = await scrape(opened(await startPages({ source: null })));
  assert.is(valueIn('snapshot_open'), 0);
  for (const name of ['snapshot_info', 'snapshot_age_seconds', 'upcoming_events'])
    assert.is(valueIn(name), undefined, name);
});

metrics('D8: should count builds by outcome, however often they are read', async () => {
  const totals = (['published', 'published', 'failed'] as const)
    .map((outcome) => ({ kind: 'rebuild', outcome }) as const)
    .reduce(addBuild, NO_UPKEEP.totals);
  const running = opened(await startPages({ source: null, totals }));
  await running.send('/metrics');
  const valueIn = await scrape(running);
  assert.is(valueIn('builds_total', { kind: 'rebuild', outcome: 'published' }), 2);
  assert.is(valueIn('builds_total', { outcome: 'failed' }), 1);
});

metrics('D8: should measure the load of the event loop without waking an idle server', () => {
  const { monitorEventLoopDelay } = perfHooks;
  const resolutions: (number | undefined)[] = [];
  perfHooks.monitorEventLoopDelay = (options) => {
    resolutions.push(options?.resolution);
    return monitorEventLoopDelay(options);
  };
  try {
    createMetrics(new Registry(), () => Promise.reject(new Error('nobody reads them')));
  } finally {
    perfHooks.monitorEventLoopDelay = monitorEventLoopDelay;
  }
  // The longest that a timer has: prom-client would wake the process every 10 ms.
  assert.equal(resolutions, [2 ** 31 - 1]);
});

metrics('D8: should publish one lag of the event loop', async ({ running }) => {
  const samples = readSamples((await running.send('/metrics')).text);
  const lags = samples.filter(({ name }) => name.startsWith('nodejs_eventloop_lag'));
  assert.equal(
    lags.map(({ name }) => name),
    ['nodejs_eventloop_lag_seconds'],
  );
});

metrics('D8: should add up the seconds at work of the event loop', async ({ running }) => {
  const activeSeconds = async () => (await scrape(running))('event_loop_active_seconds_total') ?? 0;
  const first = await activeSeconds();
  assertAbove(first, 0, 'seconds');
  assertAbove(await activeSeconds(), first, 'seconds, after another request');
});

const by = (name: string): AccessLogEntry['caller'] => ({ ...ONE.caller, kind: 'application', name });

const from = (remoteAddress: string) => ({ socket: { remoteAddress } as Socket, headers: {} });

/** The samples of these requests whose names have this end. */
async function counted(requests: readonly Partial<AccessLogEntry>[], end: string) {
  const registry = new Registry();
  const count = createTraffic(registry, peerAddressOf);
  for (const request of requests) count({ ...ONE, ...request }, from('192.0.2.1'));
  return readSamples(await registry.metrics()).filter(({ name }) => name.endsWith(end));
}

interface CountedRequest {
  readonly request: Partial<AccessLogEntry>;
  /** Caller, application, route, operation and outcome. */
  readonly labels: string;
}

const COUNTED: readonly CountedRequest[] = [
  { request: {}, labels: 'anonymous  /graphQL events ok' },
  { request: { status: 304 }, labels: 'anonymous  /graphQL events ok' },
  { request: { hasErrors: true }, labels: 'anonymous  /graphQL events errors' },
  { request: { status: 400, hasErrors: true }, labels: 'anonymous  /graphQL events refused' },
  {
    request: { status: 404, route: undefined, rootField: undefined },
    labels: 'anonymous  unknown  refused',
  },
  { request: { status: 500, hasErrors: true }, labels: 'anonymous  /graphQL events failed' },
  { request: { status: 503 }, labels: 'anonymous  /graphQL events failed' },
  { request: { caller: by('App') }, labels: 'application App /graphQL events ok' },
  { request: { caller: by('anonymous') }, labels: 'application anonymous /graphQL events ok' },
  {
    request: { caller: { ...ONE.caller, kind: 'operator', name: 'web/1.2' } },
    labels: 'operator  /graphQL events ok',
  },
];

for (const { request, labels } of COUNTED) {
  metrics(`D8: should count ${JSON.stringify(request)} as ${labels}`, async () => {
    const samples = await counted([request], '_seconds_count');
    const found = samples.map(({ labels: { caller, application, route, operation, outcome }, value }) =>
      [value, caller, application, route, operation, outcome].join(' '),
    );
    assert.equal(found, [`1 ${labels}`]);
  });
}

metrics('H12: should count the requests of callers by outcome, from 0 on', async () => {
  const countsAfter = async (requests: readonly Partial<AccessLogEntry>[]) => {
    const samples = await counted(requests, 'almanakk_requests_total');
    return samples.map(({ labels, value }) => `${labels.outcome} ${value}`).join(', ');
  };
  assert.is(await countsAfter([]), 'ok 0, errors 0, refused 0, failed 0');
  const ofCallers = [
    {},
    { hasErrors: true },
    { status: 404, route: undefined },
    { status: 500, caller: by('One') },
    { status: 503, caller: by('Two'), route: '/events.ics' },
  ];
  const ofOperators = ['/healthz', '/readyz', '/status', '/metrics'].map((route) => ({ status: 503, route }));
  assert.is(await countsAfter([...ofCallers, ...ofOperators]), 'ok 1, errors 1, refused 1, failed 2');
});

/** What happened, and the reason that it counts as. */
const FAILED: readonly (readonly [request: Partial<AccessLogEntry>, reason: string])[] = [
  [{ status: 503, refusedAs: 'OVERLOADED' }, 'error 0, overloaded 1, unavailable 0'],
  [{ status: 503, refusedAs: 'SERVICE_UNAVAILABLE' }, 'error 0, overloaded 0, unavailable 1'],
  [{ status: 503 }, 'error 0, overloaded 0, unavailable 1'],
  [{ status: 500, refusedAs: 'INTERNAL_SERVER_ERROR' }, 'error 1, overloaded 0, unavailable 0'],
  [{ status: 429, refusedAs: 'RATE_LIMITED' }, 'error 0, overloaded 0, unavailable 0'],
  [{ status: 503, route: '/readyz' }, 'error 0, overloaded 0, unavailable 0'],
];

for (const [request, reasons] of FAILED) {
  metrics(`H12: should count ${JSON.stringify(request)} as ${reasons}`, async () => {
    const samples = await counted([request], 'almanakk_requests_failed_total');
    assert.is(samples.map(({ labels, value }) => `${labels.reason} ${value}`).join(', '), reasons);
  });
}

interface Sent {
  readonly address: string;
  readonly answered?: number;
  readonly refused?: number;
  readonly route?: string;
}

/** Requests of a minute, in their order, and what the metrics of others then have in all: requests, and those that were refused. */
const MINUTES: readonly (readonly [
  title: string,
  sent: readonly Sent[],
  counts: readonly [number, number],
])[] = [
  ['all requests while none is refused', [{ address: '192.0.2.1', answered: 3 }], [3, 0]],
  [
    'those of others than the address that is refused most, from its first refusal on',
    [
      { address: '192.0.2.1', answered: 1, refused: 2 },
      { address: '192.0.2.2', answered: 4 },
      { address: '192.0.2.3', refused: 1 },
      { address: '192.0.2.1', answered: 5 },
    ],
    [3 + 1 + 4 + 1, 1],
  ],
  [
    'none of the paths of operators',
    [{ address: '192.0.2.1', route: '/readyz', answered: 1, refused: 1 }],
    [9, 1],
  ],
  [
    'those of 1,000 refused addresses apart, and of all further ones together',
    [
      ...Array.from({ length: 1_000 }, (_, at) => ({
        address: `10.0.${Math.floor(at / 250)}.${at % 250}`,
        refused: 1,
      })),
      { address: '192.0.2.9', refused: 5 },
    ],
    [9 + 1_004, 1 + 1_004],
  ],
];

metrics('H12: should count requests of others than the address that is refused most', async () => {
  const registry = new Registry();
  let now = 0;
  const count = createTraffic(registry, peerAddressOf, () => now);
  const found = async () => {
    const valueIn = finding(readSamples(await registry.metrics()));
    return [valueIn('others_requests_total'), valueIn('others_refused_total')];
  };
  let before: readonly (number | undefined)[] = [0, 0];
  for (const [title, sent, counts] of MINUTES) {
    for (const { address, answered = 0, refused = 0, route = '/graphQL' } of sent) {
      for (let at = 0; at < answered; at++) count({ ...ONE, route }, from(address));
      const refusal = { ...ONE, route, status: 503, refusedAs: 'OVERLOADED' } as const;
      for (let at = 0; at < refused; at++) count(refusal, from(address));
    }
    now += 59_999;
    assert.equal(await found(), before, `${title}: not before the minute is over`);
    now += 1;
    assert.equal(await found(), counts, title);
    before = counts;
  }
});

metrics('H12: should look for the address of no request while none is refused', () => {
  const count = createTraffic(new Registry(), () => {
    throw new Error('expected that the address is not needed');
  });
  count(ONE, from('192.0.2.1'));
});

metrics('H12: should count an overload apart, by either way to a refusal', async (context) => {
  const full = { mostRunning: 0, mostWaiting: 0 };
  let admission = createAdmission({ small: full, large: full });
  const current: typeof admission = {
    enter: (asker) => admission.enter(asker),
    run: (asker, work) => admission.run(asker, work),
    state: () => admission.state(),
  };
  const running = opened(await startPages({ clock: () => context.clock, admission: current }));
  const { status, text } = await running.post('{ events { totalCount } }');
  assert.is(status, 503);
  assert.match(text, 'OVERLOADED');
  assert.is((await running.send('/developers')).status, 503);
  admission = createAdmission();
  const valueIn = await scrape(running);
  assert.is(valueIn('requests_failed_total', { reason: 'overloaded' }), 2);
  assert.is(valueIn('requests_failed_total', { reason: 'error' }), 0);
  assert.is(valueIn('requests_total', { outcome: 'failed' }), 2);
});

/** Feeds of which a test says only what the metrics read. */
const feedsOf = (states: readonly (string | null)[]) =>
  states.map((since, at) => ({
    id: `f${at}`,
    kind: 'ical',
    state: since === null ? 'ok' : 'stale',
    since,
    readAt: null,
    why: null,
    expectedChange: null,
    events: at,
  }));

metrics(
  'H12: should have series of 1,000 feeds at most, and first of those that fail',
  async ({ running }) => {
    const registry = new Registry();
    const { keeper } = running;
    const options = { keeper, clock: () => NOW, upkeep: async () => NO_UPKEEP, isStopping: () => false };
    const health = await healthOf(options, { failingMail: null, backup: null, disk: null });
    const since = '2026-11-20T08:00:00Z';
    const refresh = createMetrics(registry, async () => ({
      ...health,
      feeds: feedsOf([...Array.from({ length: 1_001 }, () => null), since]),
      concerns: [],
      work: { admitted: 0, refused: 0, running: 0, waiting: 0 },
      cache: { entries: 0, bytes: 0 },
      totals: [],
      memory: 0,
      plannedStopAt: 0,
    }));
    await refresh();
    const samples = readSamples(await registry.metrics());
    for (const [name, ofFailing] of [
      ['failing_since_timestamp_seconds', Date.parse(since) / 1_000],
      ['events', 1_001],
    ] as const) {
      const found = samples.filter((sample) => sample.name === `almanakk_feed_${name}`);
      assert.is(found.length, 1_000);
      assert.is(found.find(({ labels }) => labels.feed === 'f1001')?.value, ofFailing);
      assert.is(found.find(({ labels }) => labels.feed === 'f998')?.value, name === 'events' ? 998 : 0);
      assert.is(
        found.find(({ labels }) => labels.feed === 'f999'),
        undefined,
      );
    }
  },
);

metrics('K4: should count requests over the quota by caller', async () => {
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

metrics('D8: should not grow with names that clients make up', async () => {
  const requests = Array.from({ length: 5_000 }, (_, at) => ({
    operationName: `Made${at}`,
    caller: { kind: 'operator', name: `web/${at}`, pageHost: `host-${at}.example` } as never,
  }));
  assert.is((await counted(requests, `${DURATIONS}_count`)).length, 1);
});

interface LoggedRequest {
  readonly title: string;
  readonly request: Partial<AccessLogEntry>;
  readonly isDebug: boolean;
  /** Level and event. */
  readonly lines: readonly string[];
}

const LOGGED: readonly LoggedRequest[] = [
  { title: 'no ordinary request', request: {}, isDebug: false, lines: [] },
  { title: 'an ordinary request at debug', request: {}, isDebug: true, lines: ['debug request'] },
  { title: 'no refused request', request: { status: 400, hasErrors: true }, isDebug: false, lines: [] },
  {
    title: 'a failed request',
    request: { status: 500, hasErrors: true },
    isDebug: false,
    lines: ['info request failed'],
  },
  {
    title: 'a failed request at debug once',
    request: { status: 503 },
    isDebug: true,
    lines: ['info request failed'],
  },
  {
    title: 'no 503 of /readyz',
    request: { route: '/readyz', status: 503 },
    isDebug: false,
    lines: [],
  },
  {
    title: 'a 503 of /readyz at debug',
    request: { route: '/readyz', status: 503 },
    isDebug: true,
    lines: ['debug request'],
  },
  { title: 'no request of 999 ms', request: { milliseconds: 999 }, isDebug: false, lines: [] },
  {
    title: 'a request of a second',
    request: { milliseconds: 1_000 },
    isDebug: false,
    lines: ['info request slow'],
  },
];

for (const { title, request, isDebug, lines } of LOGGED) {
  metrics(`should log ${title}`, () => {
    const written: string[] = [];
    const write = (level: string) => (_: object, event: string) => written.push(`${level} ${event}`);
    const log = { debug: write('debug'), info: write('info') };
    createAccessLog({ log, isDebug })({ ...ONE, ...request });
    assert.equal(written, lines);
  });
}

metrics('should log the code of a failed request, and that it was a cache hit with errors', () => {
  const written: Readonly<Record<string, unknown>>[] = [];
  const write = (fields: Readonly<Record<string, unknown>>) => written.push(fields);
  const log = createAccessLog({ log: { debug: write, info: write }, isDebug: false });
  log({ ...ONE, status: 503, isCacheHit: true, hasErrors: true });
  log({ ...ONE, status: 503, refusedAs: 'OVERLOADED' });
  assert.equal(
    written.map(({ cacheHit, hasErrors, code }) => ({ cacheHit, hasErrors, code })),
    [
      { cacheHit: true, hasErrors: true, code: undefined },
      { cacheHit: undefined, hasErrors: undefined, code: 'OVERLOADED' },
    ],
  );
});

metrics('H12: should notice that an update has replaced the file of a running program', async () => {
  const file = join(temporaryFolder(), 'program');
  copyFileSync('/bin/sleep', file);
  const program = spawn(file, ['60']);
  await once(program, 'spawn');
  const link = `/proc/${program.pid}/exe`;
  assert.equal([isNodeReplaced(link), isNodeReplaced()], [false, false]);
  copyFileSync('/bin/sleep', `${file}.new`);
  renameSync(`${file}.new`, file);
  assert.is(isNodeReplaced(link), true);
  program.kill();
  await once(program, 'exit');
});

metrics.run();
