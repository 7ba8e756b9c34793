/** K4: the quota, through HTTP, and its processes among themselves. */
import { Socket } from 'node:net';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { CallerLimits } from '../../../../src/annexes/facts/facts.ts';
import { createCallerAddressOf } from '../../../../src/annexes/proxies/proxies.ts';
import { createQuota } from '../../../../src/annexes/quota/quota.ts';
import { packagePath } from '../../../../src/package.ts';
import { peerAddressOf, type Quota } from '../../../../src/serve/http/caller.ts';
import { startBuilt } from '../../../helpers/running.ts';
import { GOOD_KEY, type Stand, startStand } from '../../serve/http/stand.ts';

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

const quota = suite<{ stands: Stand[] }>('quota', { stands: [] });

quota.after.each(async ({ stands }) => {
  for (const stand of stands.splice(0)) await stand.close();
});

/** A server with a quota; `ask` gives the statuses of one request for each of some headers. */
async function limited(
  { stands }: { stands: Stand[] },
  limits: CallerLimits,
  proxies: readonly string[] = [],
) {
  let now = START;
  const addressOf = proxies.length === 0 ? peerAddressOf : createCallerAddressOf(proxies);
  const parts = [{ quota: quotaOf(limits, { addressOf, clock: () => now }) }];
  const stand = await startStand({ startAt: START, parts });
  stands.push(stand);
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

quota('K4: should limit nobody by default, and say nothing of limits', async () => {
  const { close, post } = await startBuilt(packagePath('data/sample'), START / 1_000);
  const { status, headers } = await post(ASK);
  await close();
  assert.is(status, 200);
  assert.not.match(Object.keys(headers).join(' '), /ratelimit|retry/);
});

quota('K4: should count within a minute of the clock', async (context) => {
  const { ask, setTime } = await limited(context, { anonymous: 3, keyed: null });
  const statuses = (count: number) => ask(...new Array(count).fill({}));
  assert.equal(await statuses(2), [200, 200]);
  setTime(START + 59_999);
  assert.equal(await statuses(2), [200, 429]);
  setTime(START + 60_000);
  assert.equal(await statuses(5), [200, 200, 200, 429, 429]);
  setTime(START + 10 * 60_000 + 1);
  assert.equal(await statuses(4), [200, 200, 200, 429]);
  // The clock was set back: nobody waits until it has caught up.
  setTime(START);
  assert.equal(await statuses(4), [200, 200, 200, 429]);
});

quota('K4: should send what is left and until when, in the form of the IETF’s draft', async (context) => {
  const stand = await limited(context, { anonymous: 2, keyed: null });
  const { setTime } = stand;
  const policy = '"anonymous";q=2;w=60';
  setTime(START + 17_500);
  const quotaIn = async (answer: Promise<{ readonly headers: Readonly<Record<string, string>> }>) => {
    const { headers } = await answer;
    return [headers['ratelimit-policy'], headers.ratelimit, headers['retry-after']];
  };
  assert.equal(await quotaIn(stand.post(ASK)), [policy, '"anonymous";r=1;t=43', undefined]);
  // A refusal for another reason, too.
  assert.equal(await quotaIn(stand.get('{ nothing }')), [policy, '"anonymous";r=0;t=43', undefined]);
  setTime(START + 59_999);
  assert.equal(await quotaIn(stand.post(ASK)), [policy, '"anonymous";r=0;t=1', '1']);
  setTime(START + 60_000);
  // A cache in front may hand it to others, and some do not say how old it is.
  assert.equal(await quotaIn(stand.get(ASK)), [policy, undefined, undefined]);
  const { headers } = await stand.post(ASK);
  assert.is(headers.ratelimit, '"anonymous";r=0;t=60');
  assert.match(headers['access-control-expose-headers'] ?? '', /RateLimit, RateLimit-Policy, Retry-After/);
});

quota(
  'K4, D1: should refuse with JSON that says how to get a key, and count the refusal by caller',
  async (context) => {
    const stand = await limited(context, { anonymous: 1, keyed: 1 });
    await stand.post(ASK);
    const { status, headers, text } = await stand.post(ASK);
    assert.equal([status, headers['content-type']], [429, 'application/json; charset=utf-8']);
    assert.is(headers['cache-control'], 'no-store');
    const { errors, ...rest } = JSON.parse(text);
    assert.equal([rest, errors[0].extensions.code], [{}, 'RATE_LIMITED']);
    for (const part of [
      'all of its 1 requests for this minute',
      'Try again in 60 s',
      'get a key at https://portal.example',
    ])
      assert.match(errors[0].message, part);
    assert.is((await stand.post(ASK, {}, KEYED)).status, 200, 'a budget of its own');
    const refused = await stand.post(ASK, {}, KEYED);
    assert.is(refused.status, 429);
    assert.match(JSON.parse(refused.text).errors[0].message, 'The application "App" has used all of its');
    assert.is(refused.headers.ratelimit, '"application";r=0;t=60');
    assert.equal(
      stand.traffic.map(({ status: one, caller }) => `${one} ${caller.kind} ${caller.name}`),
      ['200 anonymous undefined', '429 anonymous undefined', '200 application App', '429 application App'],
    );
  },
);

const from = (chain: string) => ({ 'x-forwarded-for': chain });

/** Limits of an address and of an application, the requests, and the statuses. */
for (const [what, [anonymous, keyed], requests, statuses, proxies = []] of [
  ['addresses alone', [1, null], [{}, {}, KEYED, KEYED], [200, 429, 200, 200]],
  ['applications alone', [null, 1], [{}, {}, KEYED, KEYED], [200, 200, 200, 429]],
  [
    'an unknown key, and a made up client id, as the address that they come from',
    [2, 100],
    [{ 'x-api-key': 'alk_wrong' }, { 'x-client-id': 'site/1.0' }, { 'x-client-id': 'site/2.0' }],
    [200, 200, 429],
  ],
  ["the operator's own by their key", [1, 100], [{}, { 'x-client-id': 'site/1.0', ...KEYED }], [200, 200]],
  [
    'callers behind a proxy by what the proxy says',
    [1, null],
    [from('203.0.113.1'), from('203.0.113.2'), from('198.51.100.9, 203.0.113.1')],
    [200, 200, 429],
    ['127.0.0.0/8'],
  ],
  [
    'callers who invent a proxy, by the address that they connect from',
    [1, null],
    [from('203.0.113.1'), from('203.0.113.2')],
    [200, 429],
  ],
] as const)
  quota(`K4: should limit ${what}`, async (context) => {
    const { ask } = await limited(context, { anonymous, keyed }, proxies);
    assert.equal(await ask(...requests), statuses);
  });

quota('K4: should count the endpoint and the feeds, and nothing else', async () => {
  const context = { settings: { quota: 4 } };
  const { close, get, post, send } = await startBuilt(packagePath('data/sample'), START / 1_000, { context });
  await post(ASK);
  await get(ASK);
  await send('/graphQL', { method: 'POST', headers: { 'content-type': 'text/plain' }, body: 'x' });
  await send('/events.rss');
  for (const path of ['/events.ics', '/events.rss', '/events.jsonld', '/changes.json'])
    assert.is((await send(path)).status, 429, path);
  assert.is((await get(ASK)).status, 429);
  for (const path of ['/healthz', '/readyz', '/schema.graphql', '/developers', '/metrics']) {
    const { status, headers } = await send(path);
    assert.equal([status, headers.ratelimit], [200, undefined], path);
  }
  assert.is((await send('/graphQL', { headers: { accept: 'text/html' } })).status, 200);
  const headers = { origin: 'https://a.example', 'access-control-request-method': 'POST' };
  for (const path of ['/graphQL', '/events.ics'])
    assert.is((await send(path, { method: 'OPTIONS', headers })).status, 204);
  await close();
});

/** Asks as an address would. */
function asking(limit: Quota, address = '192.0.2.1') {
  const socket = Object.defineProperty(new Socket(), 'remoteAddress', { value: address });
  return () =>
    limit({ message: { socket, headers: {} }, caller: { application: undefined }, arrivedAt: START });
}

quota('K4: should let the addresses of one IPv6 /48 send 16 times as many requests together', () => {
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

quota('K4: should remember the busiest callers, and the last 100,000 of a minute', () => {
  let address = '';
  const take = asking(quotaOf({ anonymous: 1, keyed: null }, { addressOf: () => address }));
  const isRefused = (caller: string) => {
    address = caller;
    return take().refusal !== null;
  };
  assert.equal([isRefused('first'), isRefused('often')], [false, false]);
  for (let nth = 0; nth < 100_000; nth++) {
    isRefused(`caller ${nth}`);
    if (nth % 50_000 === 0) isRefused('often');
  }
  assert.equal([isRefused('often'), isRefused('first')], [true, false]);
});

quota('K4: should share a budget out among the processes, to the last request', () => {
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

quota('K4: should leave each process at least one request, and say that the limit is shared', () => {
  const take = asking(quotaOf({ anonymous: 2, keyed: null }, { process: { slot: 3, count: 4 } }));
  assert.is(take().refusal, null);
  const message = take().refusal?.errors[0]?.message ?? '';
  assert.match(message, 'all of its 2 requests for this minute');
  assert.match(message, 'or the share of one of 4 processes');
});

quota.run();
