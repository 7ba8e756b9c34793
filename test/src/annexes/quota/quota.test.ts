/** K4: the quota, through HTTP, and its processes among themselves. */
import { Socket } from 'node:net';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { CallerLimits } from '../../../../src/annexes/facts/facts.ts';
import { createCallerAddressOf } from '../../../../src/annexes/proxies/proxies.ts';
import { createQuota } from '../../../../src/annexes/quota/quota.ts';
import { packagePath } from '../../../../src/package.ts';
import { peerAddressOf, type Quota } from '../../../../src/serve/http/caller.ts';
import { assertIncludes } from '../../../helpers/assertions.ts';
import type { Got } from '../../../helpers/client.ts';
import { closedAfterEach } from '../../../helpers/closing.ts';
import { type Running, startBuilt } from '../../../helpers/running.ts';
import { GOOD_KEY, startStand } from '../../serve/http/stand.ts';

/** The beginning of a minute. */
const START = Date.parse('2026-11-20T10:00:00Z');

function quotaOf(limits: CallerLimits, more: Partial<Parameters<typeof createQuota>[0]> = {}): Quota {
  const quota = createQuota({
    limits,
    addressOf: peerAddressOf,
    process: { slot: 0, count: 1 },
    clock: () => START,
    portal: () => 'https://portal.example',
    ...more,
  });
  if (quota === null) throw new Error('expected a quota, found none');
  return quota;
}

const ASK = '{ events { totalCount } }';
const KEYED = { 'x-api-key': GOOD_KEY };

const quota = suite('quota');
const opened = closedAfterEach(quota);

/** A server with a quota; `ask` gives the statuses of one request for each of some headers. */
async function limited(limits: CallerLimits, proxies: readonly string[] = []) {
  let now = START;
  const addressOf = proxies.length === 0 ? peerAddressOf : createCallerAddressOf(proxies);
  const parts = [{ quota: quotaOf(limits, { addressOf, clock: () => now }) }];
  const stand = opened(await startStand({ startAt: START, parts }));
  const ask = async (...requests: readonly Readonly<Record<string, string>>[]) => {
    const statuses = [];
    for (const headers of requests) statuses.push((await stand.post(ASK, {}, headers)).status);
    return statuses;
  };
  const setTime = (ms: number) => {
    now = ms;
    stand.setClock(ms);
  };
  return { ...stand, ask, setTime };
}

quota('K4: should limit nobody by default, and send no header of limits', async () => {
  const { post } = opened(await startBuilt(packagePath('data/sample'), START / 1_000));
  const { status, headers } = await post(ASK);
  assert.is(status, 200);
  assert.equal(
    Object.keys(headers).filter((name) => /ratelimit|retry/.test(name)),
    [],
  );
});

/** The statuses of so many anonymous requests. */
const anonymous = (count: number) => new Array(count).fill({});

quota('K4: should count within a minute of the clock', async () => {
  const { ask, setTime } = await limited({ anonymous: 3, keyed: null });
  assert.equal(await ask(...anonymous(2)), [200, 200]);
  setTime(START + 59_999);
  assert.equal(await ask(...anonymous(2)), [200, 429], 'the last millisecond of the minute');
  setTime(START + 60_000);
  assert.equal(await ask(...anonymous(4)), [200, 200, 200, 429], 'the next minute');
});

quota('K4: should count afresh after some minutes without a request', async () => {
  const { ask, setTime } = await limited({ anonymous: 3, keyed: null });
  assert.equal(await ask(...anonymous(4)), [200, 200, 200, 429]);
  setTime(START + 10 * 60_000 + 1);
  assert.equal(await ask(...anonymous(4)), [200, 200, 200, 429]);
});

quota('K4: should count afresh when the clock is set back', async () => {
  const { ask, setTime } = await limited({ anonymous: 3, keyed: null });
  setTime(START + 10 * 60_000);
  assert.equal(await ask(...anonymous(4)), [200, 200, 200, 429]);
  setTime(START);
  assert.equal(await ask(...anonymous(4)), [200, 200, 200, 429]);
});

/** The headers of the IETF's draft for limits, and when to try again. */
function limitsIn({ headers }: Got) {
  return {
    policy: headers['ratelimit-policy'],
    rest: headers.ratelimit,
    retryAfter: headers['retry-after'],
  };
}

const POLICY = '"anonymous";q=2;w=60';

quota('K4: should send the rest of the quota and the seconds until it is renewed', async () => {
  const { post, setTime } = await limited({ anonymous: 2, keyed: null });
  setTime(START + 17_500);
  const { headers, ...reply } = await post(ASK);
  assert.equal(limitsIn({ headers, ...reply }), {
    policy: POLICY,
    rest: '"anonymous";r=1;t=43',
    retryAfter: undefined,
  });
  assert.match(headers['access-control-expose-headers'] ?? '', /RateLimit, RateLimit-Policy, Retry-After/);
});

quota('K4: should send the rest with a refusal for another reason, too', async () => {
  const { get, setTime } = await limited({ anonymous: 2, keyed: null });
  setTime(START + 17_500);
  const refused = await get('{ nothing }');
  assert.is(refused.status, 400);
  assert.equal(limitsIn(refused), { policy: POLICY, rest: '"anonymous";r=1;t=43', retryAfter: undefined });
});

quota('K4: should say when to try again to a caller without a rest', async () => {
  const { post, ask, setTime } = await limited({ anonymous: 2, keyed: null });
  await ask(...anonymous(2));
  setTime(START + 59_999);
  assert.equal(limitsIn(await post(ASK)), { policy: POLICY, rest: '"anonymous";r=0;t=1', retryAfter: '1' });
});

quota('K4: should send no rest with a response that shared caches may store', async () => {
  const { get, post } = await limited({ anonymous: 2, keyed: null });
  // A cache hands it to other callers, and not every cache says how old it is.
  assert.equal(limitsIn(await get(ASK)), { policy: POLICY, rest: undefined, retryAfter: undefined });
  assert.is((await post(ASK)).headers.ratelimit, '"anonymous";r=0;t=60', 'it was counted');
});

quota('K4, D1: should refuse an address with an error that says how to get a key', async () => {
  const { post } = await limited({ anonymous: 1, keyed: 1 });
  await post(ASK);
  const { status, headers, text } = await post(ASK);
  assert.is(status, 429);
  assert.is(headers['content-type'], 'application/json; charset=utf-8');
  assert.is(headers['cache-control'], 'no-store');
  const { errors, ...others } = JSON.parse(text);
  assert.equal(others, {});
  assert.is(errors[0].extensions.code, 'RATE_LIMITED');
  for (const part of [
    'all of its 1 requests for this minute',
    'Try again in 60 s',
    'get a key at https://portal.example',
  ])
    assertIncludes(errors[0].message, part);
});

quota('K4: should count an application apart from its address, and name it in the refusal', async () => {
  const { post } = await limited({ anonymous: 1, keyed: 1 });
  assert.is((await post(ASK)).status, 200, 'the address');
  assert.is((await post(ASK, {}, KEYED)).status, 200, 'the application');
  const { status, headers, text } = await post(ASK, {}, KEYED);
  assert.is(status, 429);
  assertIncludes(JSON.parse(text).errors[0].message, 'The application "App" has used all of its');
  assert.is(headers.ratelimit, '"application";r=0;t=60');
});

quota('K4: should note the caller of each refusal in the access log', async () => {
  const { ask, traffic } = await limited({ anonymous: 1, keyed: 1 });
  await ask({}, {}, KEYED, KEYED);
  assert.equal(
    traffic.map(({ status, caller }) => `${status} ${caller.kind} ${caller.name}`),
    ['200 anonymous undefined', '429 anonymous undefined', '200 application App', '429 application App'],
  );
});

const forwardedFor = (chain: string) => ({ 'x-forwarded-for': chain });

interface CallerCase {
  readonly title: string;
  readonly limits: CallerLimits;
  /** Networks of trusted proxies. */
  readonly proxies?: readonly string[];
  /** The headers of each request. */
  readonly requests: readonly Readonly<Record<string, string>>[];
  readonly statuses: readonly number[];
}

const CALLERS: readonly CallerCase[] = [
  {
    title: 'limit addresses alone',
    limits: { anonymous: 1, keyed: null },
    requests: [{}, {}, KEYED, KEYED],
    statuses: [200, 429, 200, 200],
  },
  {
    title: 'limit applications alone',
    limits: { anonymous: null, keyed: 1 },
    requests: [{}, {}, KEYED, KEYED],
    statuses: [200, 200, 200, 429],
  },
  {
    title: 'count an unknown key and an unknown client id as the address that they come from',
    limits: { anonymous: 2, keyed: 100 },
    requests: [{ 'x-api-key': 'alk_wrong' }, { 'x-client-id': 'site/1.0' }, { 'x-client-id': 'site/2.0' }],
    statuses: [200, 200, 429],
  },
  {
    title: 'count a caller with a key and a client id by the key',
    limits: { anonymous: 1, keyed: 100 },
    requests: [{}, { 'x-client-id': 'site/1.0', ...KEYED }],
    statuses: [200, 200],
  },
  {
    title: 'count callers of a trusted proxy by the address that it adds',
    limits: { anonymous: 1, keyed: null },
    proxies: ['127.0.0.0/8'],
    requests: [
      forwardedFor('203.0.113.1'),
      forwardedFor('203.0.113.2'),
      forwardedFor('198.51.100.9, 203.0.113.1'),
    ],
    statuses: [200, 200, 429],
  },
  {
    title: 'count callers with an invented proxy by the address that they connect from',
    limits: { anonymous: 1, keyed: null },
    requests: [forwardedFor('203.0.113.1'), forwardedFor('203.0.113.2')],
    statuses: [200, 429],
  },
];

for (const { title, limits, proxies, requests, statuses } of CALLERS) {
  quota(`K4: should ${title}`, async () => {
    const { ask } = await limited(limits, proxies);
    assert.equal(await ask(...requests), statuses);
  });
}

quota.run();

const addresses = suite<{ running: Running }>('addresses of a quota');

addresses.before(async (context) => {
  const settings = { quota: 4 };
  const sample = packagePath('data/sample');
  context.running = await startBuilt(sample, START / 1_000, { context: { settings } });
});
addresses.after(({ running }) => running.close());

const NOT_JSON = { method: 'POST', headers: { 'content-type': 'text/plain' }, body: 'x' };

addresses('K4: should count POST, GET, refusals and feeds', async ({ running: { get, post, send } }) => {
  const { status } = await post(ASK);
  assert.is(status, 200);
  assert.is((await get(ASK)).status, 200);
  assert.is((await send('/graphQL', NOT_JSON)).status, 415);
  assert.is((await send('/events.rss')).status, 200);
  assert.is((await get(ASK)).status, 429);
});

// All of the quota is used from here on.
for (const path of ['/events.ics', '/events.rss', '/events.jsonld', '/changes.json']) {
  addresses(`K4: should refuse ${path} over the quota`, async ({ running }) => {
    assert.is((await running.send(path)).status, 429);
  });
}

for (const path of ['/healthz', '/readyz', '/schema.graphql', '/developers', '/metrics']) {
  addresses(`K4: should answer ${path} over the quota, without a header of limits`, async ({ running }) => {
    const { status, headers } = await running.send(path);
    assert.is(status, 200);
    assert.is(headers.ratelimit, undefined);
  });
}

addresses('K4: should answer the page of the endpoint over the quota', async ({ running }) => {
  assert.is((await running.send('/graphQL', { headers: { accept: 'text/html' } })).status, 200);
});

for (const path of ['/graphQL', '/events.ics']) {
  addresses(`K4: should answer a preflight of ${path} over the quota`, async ({ running }) => {
    const headers = { origin: 'https://a.example', 'access-control-request-method': 'POST' };
    assert.is((await running.send(path, { method: 'OPTIONS', headers })).status, 204);
  });
}

addresses.run();

const counting = suite('counting of a quota');

/** Asks as an address would. */
function asking(limit: Quota, address = '192.0.2.1') {
  const socket = Object.defineProperty(new Socket(), 'remoteAddress', { value: address });
  return () =>
    limit({ message: { socket, headers: {} }, caller: { application: undefined }, arrivedAt: START });
}

counting('K4: should let the addresses of one IPv6 /48 send 16 times as many requests together', () => {
  let address = '';
  const take = asking(quotaOf({ anonymous: 2, keyed: null }, { addressOf: () => address }));
  const ask = (caller: string) => {
    address = caller;
    return take().refusal;
  };
  for (let nth = 0; nth < 32; nth++) assert.is(ask(`2001:db8:1:${nth.toString(16)}::/64`), null);
  const refusal = ask('2001:db8:1:ff::/64');
  assert.is(refusal?.code, 'RATE_LIMITED');
  assert.match(refusal?.errors[0]?.message ?? '', 'Your network has used all of its 32 requests');
  assert.is(ask('2001:db8:2:ff::/64'), null);
});

counting('K4: should remember the busiest callers, and the last 100,000 of a minute', () => {
  let address = '';
  const take = asking(quotaOf({ anonymous: 1, keyed: null }, { addressOf: () => address }));
  const isRefused = (caller: string) => {
    address = caller;
    return take().refusal !== null;
  };
  assert.is(isRefused('first'), false);
  assert.is(isRefused('often'), false);
  for (let nth = 0; nth < 100_000; nth++) {
    isRefused(`caller ${nth}`);
    if (nth % 50_000 === 0) isRefused('often');
  }
  assert.is(isRefused('often'), true);
  assert.is(isRefused('first'), false);
});

counting('K4: should share a budget out among the processes, to the last request', () => {
  for (const count of [1, 2, 3, 4, 5]) {
    for (const limit of [count, count + 1, 7, 40]) {
      const takes = Array.from({ length: count }, (_, slot) =>
        asking(quotaOf({ anonymous: limit, keyed: null }, { process: { slot, count } })),
      );
      const verdicts = takes.flatMap((take) => Array.from({ length: limit + 1 }, take));
      const within = verdicts.filter(({ refusal }) => refusal === null).length;
      assert.is(within, limit, `${limit} over ${count} processes`);
    }
  }
});

counting('K4: should leave each process at least one request, and say that the limit is shared', () => {
  const take = asking(quotaOf({ anonymous: 2, keyed: null }, { process: { slot: 3, count: 4 } }));
  assert.is(take().refusal, null);
  const message = take().refusal?.errors[0]?.message ?? '';
  assert.match(message, 'all of its 2 requests for this minute');
  assert.match(message, 'or the share of one of 4 processes');
});

counting.run();
