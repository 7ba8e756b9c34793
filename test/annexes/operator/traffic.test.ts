import { Registry } from 'prom-client';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createTraffic, OTHERS } from '../../../src/annexes/operator/metrics.ts';
import { readQuota, samplesOf } from '../../../src/annexes/operator/usage.ts';
import { type AccessLogEntry, createAccessLog } from '../../../src/serve/http/access-log.ts';

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

interface Series {
  readonly labels: Readonly<Record<string, string>>;
  count: number;
  seconds: number;
  /** How many took longer than the bound before and at most this one. */
  readonly buckets: number[];
}

/** Requests of one kind each, as the registry has them. */
async function seriesIn(registry: Registry): Promise<readonly Series[]> {
  const found = new Map<string, Series>();
  for (const { name, labels, value } of samplesOf(await registry.getMetricsAsJSON())) {
    const [, what] = /^almanakk_request_duration_seconds_(\w+)$/.exec(name) ?? [];
    if (what === undefined) continue;
    const { le, ...own } = labels;
    const key = JSON.stringify(own);
    const series = found.get(key) ?? { labels: own, count: 0, seconds: 0, buckets: [] };
    found.set(key, series);
    if (what === 'count') series.count = value;
    else if (what === 'sum') series.seconds = value;
    else if (le !== '+Inf') series.buckets.push(value - series.buckets.reduce((sum, more) => sum + more, 0));
  }
  return [...found.values()];
}

async function reuseIn(registry: Registry) {
  const samples = samplesOf(await registry.getMetricsAsJSON());
  const countOf = (result: string) => samples.find(({ labels }) => labels.result === result)?.value;
  return { hits: countOf('hit'), misses: countOf('miss') };
}

const by = (name: string): AccessLogEntry['caller'] => ({
  kind: 'application',
  name,
  application: 'App',
  pageHost: undefined,
});

const OUTCOMES: readonly (readonly [told: Partial<AccessLogEntry>, outcome: string])[] = [
  [{}, 'ok'],
  [{ status: 304 }, 'ok'],
  [{ failed: true }, 'errors'],
  [{ status: 400, failed: true }, 'refused'],
  [{ status: 404, failed: true, route: undefined, rootField: undefined }, 'refused'],
  [{ status: 500, failed: true }, 'failed'],
  [{ status: 503 }, 'failed'],
];

for (const [told, outcome] of OUTCOMES) {
  counting(`should count ${JSON.stringify(told)} as ${outcome}`, async () => {
    const registry = new Registry();
    const count = createTraffic(registry);
    count({ ...ONE, ...told });
    assert.equal(
      (await seriesIn(registry)).map(({ labels, count }) => [labels.outcome, count]),
      [[outcome, 1]],
    );
  });
}

counting('should tell callers, root fields and routes apart, and leave versions out of routes', async () => {
  const registry = new Registry();
  const count = createTraffic(registry);
  count(ONE);
  count({ ...ONE, caller: by('App') });
  // An application may be called what it likes.
  count({ ...ONE, caller: by('anonymous') });
  count({ ...ONE, caller: { ...ONE.caller, kind: 'operator', name: 'web/1.2' } });
  count({ ...ONE, rootField: 'venues' });
  count({ ...ONE, rootField: undefined, route: '/graphQL/sandbox-0123456789ab/react.js' });
  count({ ...ONE, rootField: undefined, route: '/almanakk-0123456789ab.css' });
  count({ ...ONE, rootField: undefined, route: undefined });
  count(ONE);
  assert.equal(
    (await seriesIn(registry)).map(({ labels: { route, operation, caller, application }, count }) =>
      [caller, application, route, operation, count].join(' '),
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

counting(
  'K4: should count what the quota refused by caller, whoever was refused most often first',
  async () => {
    const registry = new Registry();
    const count = createTraffic(registry);
    const limits = { anonymous: 60, keyed: 600 };
    const refused = async () => readQuota(await registry.getMetricsAsJSON(), limits)?.refused;
    assert.equal(await refused(), []);
    count({ ...ONE, status: 429 });
    for (let at = 0; at < 2; at++) count({ ...ONE, caller: by('App'), status: 429 });
    count({ ...ONE, status: 400 });
    assert.equal(await refused(), [
      { kind: 'application', name: 'App', requests: 2 },
      { kind: 'anonymous', name: '', requests: 1 },
    ]);
    assert.is(readQuota(await registry.getMetricsAsJSON(), null), null);
  },
);

counting('should put times into buckets and add them up', async () => {
  const registry = new Registry();
  const count = createTraffic(registry);
  for (const milliseconds of [0.05, 0.1, 0.11, 2_500, 2_501]) count({ ...ONE, milliseconds });
  const [series] = await seriesIn(registry);
  assert.equal(
    [...(series?.buckets ?? [])].filter((count) => count > 0),
    [2, 1, 1],
  );
  assert.is(series?.count, 5);
  assert.ok(Math.abs((series?.seconds ?? 0) - 5.00126) < 1e-9);
});

counting('MUST NOT grow with what clients make up', async () => {
  const registry = new Registry();
  const count = createTraffic(registry);
  for (let at = 0; at < 5_000; at++) {
    const pageHost = `host-${at}.example`;
    count({ ...ONE, operationName: `Made${at}`, caller: { ...by(`App ${at}`), pageHost } });
  }
  const series = await seriesIn(registry);
  assert.ok(series.length <= 201, `${series.length} series`);
  const others = series.find(({ labels }) => labels.application === OTHERS);
  assert.is(
    series.reduce((sum, { count }) => sum + count, 0),
    5_000,
  );
  assert.is(others?.count, 4_800);
});

counting('should count reuse for answers and feeds without errors only', async () => {
  const registry = new Registry();
  const count = createTraffic(registry);
  count(ONE);
  count({ ...ONE, reused: true });
  count({ ...ONE, reused: true });
  count({ ...ONE, failed: true });
  count({ ...ONE, status: 400, rootField: undefined });
  count({ ...ONE, route: '/', rootField: undefined });
  count({ ...ONE, route: '/events.ics', reused: true });
  assert.equal(await reuseIn(registry), { hits: 3, misses: 1 });
});

interface Line {
  readonly level: string;
  readonly event: string;
  readonly fields: Readonly<Record<string, unknown>>;
}

function logInto(lines: Line[]) {
  const write = (level: string) => (fields: Line['fields'], event: string) =>
    lines.push({ level, event, fields });
  return { debug: write('debug'), info: write('info') };
}

const LINES: readonly (readonly [
  told: Partial<AccessLogEntry>,
  line: string | undefined,
  isDebug: boolean,
])[] = [
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

for (const [told, line, isDebug] of LINES) {
  counting(`should log ${JSON.stringify(told)} as ${line ?? 'nothing'}${isDebug ? ' at debug' : ''}`, () => {
    const lines: Line[] = [];
    createAccessLog({ log: logInto(lines), isDebug })({ ...ONE, ...told });
    assert.equal(
      lines.map(({ level, event }) => `${level} ${event}`),
      line === undefined ? [] : [line],
    );
  });
}

counting.run();
