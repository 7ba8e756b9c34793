/** K4: the quota, through HTTP, and its processes among themselves. */
import { Socket } from 'node:net';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { CallerLimits } from '../../../src/annexes/facts/facts.ts';
import { createCallerAddressOf } from '../../../src/annexes/proxies/proxies.ts';
import { createQuota } from '../../../src/annexes/quota/quota.ts';
import type { ServeContext, ServePart } from '../../../src/serve/annex.ts';
import { type Admit, createPeerAddressOf } from '../../../src/serve/http/caller.ts';
import { passedOn } from '../../../src/serve/http/koa.ts';
import { healthReply } from '../../../src/serve/http/replies.ts';
import type { Endpoint, EndpointRequest } from '../../../src/serve/http/responder.ts';
import { GOOD_KEY, type Stand, startStand } from '../../serve/http/stand.ts';

const ALONE = { slot: 0, count: 1 };

/** The beginning of a minute. */
const START = Date.parse('2026-11-20T10:00:00Z');

interface Setup {
  readonly limits: CallerLimits;
  readonly process?: ServeContext['process'];
  readonly proxies?: readonly string[];
  readonly clock?: () => number;
}

function quotaOf({ limits, process = ALONE, proxies = [], clock = () => START }: Setup): Admit {
  const addressOf = proxies.length === 0 ? createPeerAddressOf() : createCallerAddressOf(proxies);
  const quota = createQuota({ limits, addressOf, process, clock, portal: () => 'https://portal.example' });
  if (quota === null) throw new Error('expected a quota, found none');
  return quota;
}

/** Answers what begins with `/events.` as the endpoint of another annex. */
const FEEDS: ServePart = {
  routes: Object.fromEntries(
    ['/events.ics', '/events.rss', '/events.jsonld'].map((path) => [path, { GET: passedOn, about: null }]),
  ),
  endpoint: ({ responder, identify }) => {
    const content = { body: [Buffer.from('none')], isTagged: true, headers: [] };
    const answer = { operationName: undefined, rootField: 'events', failed: false, dependsOnDay: false };
    const feed: Endpoint<EndpointRequest> = {
      route: '/events',
      keyOf: ({ path }) => path,
      variantFor: () => ({ type: 'text/plain', coding: 'identity' }),
      execute: async () => ({ ...content, ...answer }),
      refusalOptions: () => ({ coding: 'identity', headers: [] }),
    };
    return (context, next) => {
      const { req, res, path, method } = context;
      if (!path.startsWith('/events.') || method !== 'GET') return next();
      context.respond = false;
      const { headers } = req;
      const caller = identify({ headers, search: '' });
      return responder.respond(res, feed, { method, path, search: '', headers, caller, arrivedAt: START });
    };
  },
};

interface Limited extends Stand {
  readonly setTime: (ms: number) => void;
}

async function startLimited(limits: CallerLimits, proxies: readonly string[] = []): Promise<Limited> {
  let now = START;
  const clock = () => now;
  const stand = await startStand({
    startAt: START,
    parts: [{ admit: quotaOf({ limits, proxies, clock }), browserPage: healthReply }, FEEDS],
  });
  const setTime = (ms: number) => {
    now = ms;
    stand.setClock(ms);
  };
  return { ...stand, setTime };
}

const ASK = '{ events { totalCount } }';

const quota = suite('quota');

quota('K4: should limit nobody by default, and say nothing of limits', async () => {
  assert.is(
    createQuota({
      limits: { anonymous: null, keyed: null },
      addressOf: () => '',
      process: ALONE,
      clock: Date.now,
      portal: () => '',
    }),
    null,
  );
  const stand = await startStand();
  for (let nth = 0; nth < 20; nth++) {
    const { status, headers } = await stand.post(ASK);
    assert.is(status, 200);
    assert.equal(
      Object.keys(headers).filter((name) => /ratelimit|retry/.test(name)),
      [],
    );
  }
  await stand.close();
});

quota('K4: should be exact to its window: a minute of the clock', async () => {
  const stand = await startLimited({ anonymous: 3, keyed: null });
  const statuses = async (count: number) => {
    const all = [];
    for (let nth = 0; nth < count; nth++) all.push((await stand.post(ASK)).status);
    return all;
  };
  assert.equal(await statuses(2), [200, 200]);
  stand.setTime(START + 59_999);
  assert.equal(await statuses(2), [200, 429]);
  stand.setTime(START + 60_000);
  assert.equal(await statuses(5), [200, 200, 200, 429, 429]);
  stand.setTime(START + 10 * 60_000 + 1);
  assert.equal(await statuses(4), [200, 200, 200, 429]);
  await stand.close();
});

quota('K4: should say what is left and until when, as the draft for these headers has it', async () => {
  const stand = await startLimited({ anonymous: 2, keyed: null });
  stand.setTime(START + 17_500);
  const said = async (answer: Promise<{ readonly headers: Readonly<Record<string, string>> }>) => {
    const { headers } = await answer;
    return [headers['ratelimit-policy'], headers.ratelimit, headers['retry-after']];
  };
  assert.equal(await said(stand.post(ASK)), ['"anonymous";q=2;w=60', '"anonymous";r=1;t=43', undefined]);
  // A refusal for another reason, too.
  assert.equal(await said(stand.get('{ nothing }')), [
    '"anonymous";q=2;w=60',
    '"anonymous";r=0;t=43',
    undefined,
  ]);
  stand.setTime(START + 59_999);
  assert.equal(await said(stand.post(ASK)), ['"anonymous";q=2;w=60', '"anonymous";r=0;t=1', '1']);
  stand.setTime(START + 60_000);
  // A cache in front may hand it to others, and some do not say how old it is.
  assert.equal(await said(stand.get(ASK)), ['"anonymous";q=2;w=60', undefined, undefined]);
  const { headers } = await stand.post(ASK);
  assert.is(headers.ratelimit, '"anonymous";r=0;t=60');
  assert.match(headers['access-control-expose-headers'] ?? '', /RateLimit, RateLimit-Policy, Retry-After/);
  await stand.close();
});

quota('K4, D1: should refuse with JSON that says how to get a key, and count it by caller', async () => {
  const stand = await startLimited({ anonymous: 1, keyed: 1 });
  await stand.post(ASK);
  const { status, headers, text } = await stand.post(ASK);
  assert.is(status, 429);
  assert.is(headers['content-type'], 'application/json; charset=utf-8');
  assert.is(headers['cache-control'], 'no-store');
  const { errors, ...rest } = JSON.parse(text);
  assert.equal(rest, {});
  assert.is(errors[0].extensions.code, 'RATE_LIMITED');
  assert.match(errors[0].message, 'the 1 requests of this minute');
  assert.match(errors[0].message, 'Try again in 60 s');
  assert.match(errors[0].message, 'get one at https://portal.example');
  const keyed = { 'x-api-key': GOOD_KEY };
  assert.is((await stand.post(ASK, {}, keyed)).status, 200, 'a budget of its own');
  const refused = await stand.post(ASK, {}, keyed);
  assert.is(refused.status, 429);
  assert.match(JSON.parse(refused.text).errors[0].message, 'The application "App" has sent');
  assert.is(refused.headers.ratelimit, '"application";r=0;t=60');
  assert.equal(
    stand.traffic.map(({ status: one, caller }) => [one, caller.kind, caller.name]),
    [
      [200, 'anonymous', undefined],
      [429, 'anonymous', undefined],
      [200, 'application', 'App'],
      [429, 'application', 'App'],
    ],
  );
  await stand.close();
});

quota('K4: should limit applications alone, or addresses alone', async () => {
  const [addresses, applications] = [
    await startLimited({ anonymous: 1, keyed: null }),
    await startLimited({ anonymous: null, keyed: 1 }),
  ];
  const keyed = { 'x-api-key': GOOD_KEY };
  const statuses = async (stand: Stand, headers: Readonly<Record<string, string>>) => [
    (await stand.post(ASK, {}, headers)).status,
    (await stand.post(ASK, {}, headers)).status,
  ];
  assert.equal(await statuses(addresses, {}), [200, 429]);
  assert.equal(await statuses(addresses, keyed), [200, 200]);
  assert.equal(await statuses(applications, {}), [200, 200]);
  assert.equal(await statuses(applications, keyed), [200, 429]);
  for (const stand of [addresses, applications]) await stand.close();
});

quota('K4: should count an unknown key, and a made up client id, as the address they come from', async () => {
  const stand = await startLimited({ anonymous: 2, keyed: 100 });
  assert.is((await stand.post(ASK, {}, { 'x-api-key': 'alk_wrong' })).status, 200);
  assert.is((await stand.post(ASK, {}, { 'x-client-id': 'site/1.0' })).status, 200);
  assert.is((await stand.post(ASK, {}, { 'x-client-id': 'site/2.0' })).status, 429);
  const own = { 'x-client-id': 'site/1.0', 'x-api-key': GOOD_KEY };
  assert.is((await stand.post(ASK, {}, own)).status, 200, "the operator's own, with a key");
  await stand.close();
});

quota('K4: should count the endpoint and the feeds, and nothing else', async () => {
  const stand = await startLimited({ anonymous: 4, keyed: null });
  await stand.post(ASK);
  await stand.get(ASK);
  await stand.send('/graphQL', { method: 'POST', headers: { 'content-type': 'text/plain' }, body: 'x' });
  await stand.send('/events.rss');
  for (const path of ['/events.ics', '/events.rss', '/events.jsonld']) {
    assert.is((await stand.send(path)).status, 429, path);
  }
  assert.is((await stand.get(ASK)).status, 429);
  for (const path of ['/healthz', '/readyz', '/schema.graphql']) {
    const { status, headers } = await stand.send(path);
    assert.is(status, 200, path);
    assert.is(headers.ratelimit, undefined);
  }
  const sandbox = await stand.send('/graphQL', { headers: { accept: 'text/html' } });
  assert.is(sandbox.status, 200);
  const preflight = {
    method: 'OPTIONS',
    headers: { origin: 'https://a.example', 'access-control-request-method': 'POST' },
  };
  for (const path of ['/graphQL', '/events.ics']) assert.is((await stand.send(path, preflight)).status, 204);
  await stand.close();
});

quota('K4: should tell callers behind a proxy apart, and believe nobody else', async () => {
  const [behind, open] = [
    await startLimited({ anonymous: 1, keyed: null }, ['127.0.0.0/8']),
    await startLimited({ anonymous: 1, keyed: null }),
  ];
  const from = (stand: Stand, chain: string) => stand.post(ASK, {}, { 'x-forwarded-for': chain });
  const statuses = async (stand: Stand, chains: readonly string[]) => {
    const all = [];
    for (const chain of chains) all.push((await from(stand, chain)).status);
    return all;
  };
  assert.equal(
    await statuses(behind, ['203.0.113.1', '203.0.113.2', '198.51.100.9, 203.0.113.1']),
    [200, 200, 429],
  );
  assert.equal(await statuses(open, ['203.0.113.1', '203.0.113.2']), [200, 429]);
  for (const stand of [behind, open]) await stand.close();
});

const socketFrom = (remoteAddress: string | undefined) =>
  Object.defineProperty(new Socket(), 'remoteAddress', { value: remoteAddress });

setFlagsFromString('--expose-gc');
const collect: () => void = runInNewContext('gc');

const ANYBODY = { application: undefined };
const messageFrom = (address: string) => ({ socket: socketFrom(address), headers: {} });

quota('K4: should remember a bounded number of callers, whoever asks, and whoever asks most', () => {
  const socket = socketFrom('10.0.0.1');
  const one = createQuota({
    limits: { anonymous: 2, keyed: null },
    addressOf: ({ headers }) => headers.host ?? '',
    process: ALONE,
    clock: () => START,
    portal: () => '',
  });
  assert.ok(one !== null);
  const takeFrom = (host: string) =>
    one({ message: { socket, headers: { host } }, caller: ANYBODY, arrivedAt: START });
  const heapNow = () => {
    collect();
    return process.memoryUsage().heapUsed;
  };
  const before = heapNow();
  for (let nth = 0; nth < 1_000_000; nth++) {
    takeFrom(`2001:db8:0:${nth.toString(16)}::/64`);
    if (nth % 50_000 === 0) takeFrom('192.0.2.1');
  }
  // A million of them would be ten times that.
  assert.ok(heapNow() - before < 40_000_000, `${heapNow() - before} bytes`);
  const verdict = takeFrom('192.0.2.1');
  assert.ok(verdict.refusal !== null, 'a million others change nothing');
});

quota('K4: should share a budget out among the processes, to the last request', () => {
  const message = messageFrom('192.0.2.1');
  for (const count of [1, 2, 3, 4, 5]) {
    for (const limit of [count, count + 1, 7, 40]) {
      const all = Array.from({ length: count }, (_, slot) =>
        quotaOf({ limits: { anonymous: limit, keyed: null }, process: { slot, count } }),
      );
      const verdicts = all.flatMap((one) =>
        Array.from({ length: limit + 1 }, () => one({ message, caller: ANYBODY, arrivedAt: START })),
      );
      const within = verdicts.filter(({ refusal }) => refusal === null).length;
      assert.is(within, limit, `${limit} over ${count} processes`);
    }
  }
});

quota('K4: should leave no process without a request of its own, and say that the limit is shared', () => {
  const one = quotaOf({ limits: { anonymous: 2, keyed: null }, process: { slot: 3, count: 4 } });
  const message = messageFrom('192.0.2.1');
  const take = () => one({ message, caller: ANYBODY, arrivedAt: START });
  assert.is(take().refusal, null);
  const { refusal } = take();
  assert.match(refusal?.errors[0]?.message ?? '', 'the 2 requests of this minute');
  assert.match(refusal?.errors[0]?.message ?? '', 'or the share of one of 4 processes');
});

quota.run();
