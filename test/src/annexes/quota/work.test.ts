/** K4: what counts against a quota is work: an ordinary page is one request, and what weighs more is several. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createQuota } from '../../../../src/annexes/quota/quota.ts';
import { packagePath } from '../../../../src/package.ts';
import { createAdmission, PAGE_BYTES, PAGE_PASSES } from '../../../../src/serve/admission/admission.ts';
import { assertAbove, assertBelow } from '../../../helpers/assertions.ts';
import type { Got } from '../../../helpers/client.ts';
import { type Running, startBuilt } from '../../../helpers/running.ts';
import { until } from '../../../helpers/until.ts';
import { resultOf, startStand } from '../../serve/http/stand.ts';

/** The beginning of a minute. */
const START = Date.parse('2026-11-20T10:00:00Z');
const LIMIT = 100;

const FACETS = ['venues', 'organizers', 'categories', 'days', 'municipalities', 'tags', 'accessibilities'];

/** The question of a front page: ten events, the total and three facets. */
const ORDINARY = `{ events(pageSize: 10) {
  totalCount
  data { id title_nb venue { id name } categories }
  venues { id name hits } categories { id hits } days { day hits }
} }`;

/** So many root fields with all facets, each with another filter. Another `minute` makes another request. */
function heavy(roots: number, minute: number): string {
  const selection = `{ ${FACETS.map((name) => `${name}(first: 1) { hits }`).join(' ')} }`;
  const root = (nth: number) =>
    `f${nth}: events(filter: { hoursRange: "00:${minute}-23:${10 + nth}" }) ${selection}`;
  return `{ ${Array.from({ length: roots }, (_, nth) => root(nth)).join(' ')} }`;
}

/** The rest of the budget, as the reply states it. */
function leftOf({ status, headers, text }: Got): number {
  assert.is(status, 200, text);
  return Number(/r=(\d+)/.exec(headers.ratelimit ?? '')?.[1]);
}

const work = suite<{ running: Running }>('quota by work');

work.before.each(async (context) => {
  const settings = { settings: { quota: LIMIT } };
  context.running = await startBuilt(packagePath('data/sample'), START / 1_000, { context: settings });
});

work.after.each(async ({ running }) => {
  await running.close();
});

work('K4: should count an ordinary page as one', async ({ running: { post, send } }) => {
  assert.is(leftOf(await post(ORDINARY)), 99);
  assert.is(leftOf(await post(`{ eventByID(eventID: "none") { id } }`)), 98);
  assert.is((await send('/events.rss')).status, 200);
  assert.is(leftOf(await post('{ calendar { __typename } categories { id } }')), 96);
  assertAbove((await send('/events.ics')).bytes.length, 2 * PAGE_BYTES, 'bytes');
  const left = leftOf(await post('{ venues { id } }'));
  // A long feed counts as several pages.
  assertBelow(left, 94, 'left');
});

work(
  'K4: should count 20 fields of heavy facets by their work, and their cached answer as one',
  async ({ running: { post } }) => {
    assert.is(leftOf(await post(heavy(20, 10))), 80, 'the reply says what its own request took');
    assert.is(leftOf(await post(heavy(20, 10))), 79);
    assert.is(leftOf(await post(heavy(2, 11))), 77);
    const again = Array.from({ length: 20 }, (_, nth) => `a${nth}: days { hits }`);
    assert.is(
      leftOf(await post(`{ events { ${again.join(' ')} } }`)),
      76,
      'one facet by several names is one',
    );
  },
);

work(
  'K4: should let one request overdraw a budget, and refuse those that are heavy beside it',
  async ({ running: { post } }) => {
    for (const minute of [10, 11, 12, 13]) await post(heavy(20, minute));
    assert.is(leftOf(await post(ORDINARY)), 19);
    const replies = await Promise.all([14, 15, 16].map((minute) => post(heavy(20, minute))));
    assert.equal(replies.map(({ status }) => status).sort(), [200, 429, 429]);
    for (const { status, headers, text } of replies) {
      assert.match(headers.ratelimit ?? '', '"anonymous";r=0;t=60');
      assert.is(headers['retry-after'], status === 429 ? '60' : undefined);
      if (status === 200) continue;
      const { data, errors } = JSON.parse(text);
      assert.is(data, undefined);
      assert.is(errors[0].extensions.code, 'RATE_LIMITED');
      assert.match(errors[0].message, 'A request for a lot of data counts as several.');
    }
    assert.is((await post(ORDINARY)).status, 429);
  },
);

work.run();

const parts = suite('parts of the quota by work');

/** Ten ordinary pages a minute for each address. */
function quotaOfTen(addressOf: () => string) {
  const quota = createQuota({
    limits: { anonymous: 10, keyed: null },
    addressOf,
    process: { slot: 0, count: 1 },
    clock: () => START,
    portal: () => '/',
  });
  if (quota === null) throw new Error('expected a quota, found none');
  return quota;
}

parts('K4: should execute again for a waiting caller if the first caller’s quota ends the work', async () => {
  let address = '';
  let arrived = 0;
  let begun = 0;
  let weighed = Number.POSITIVE_INFINITY;
  const quota = quotaOfTen(() => address);
  const stand = await startStand({
    startAt: START,
    parts: [
      {
        quota: (request) => {
          arrived++;
          return quota(request);
        },
      },
    ],
    execute: async (_operation, basis) => {
      const nth = begun++;
      await until('it is its turn', () => weighed === nth);
      weighed++;
      await basis.work?.weigh(20 * PAGE_PASSES, 1);
      return resultOf('{"data":{"now":1}}');
    },
  });
  const statuses: Promise<number>[] = [];
  for (const { from, query } of [
    { from: '192.0.2.1', query: '{ a: now }' },
    { from: '192.0.2.1', query: '{ b: now }' },
    { from: '192.0.2.2', query: '{ b: now }' },
  ] as const) {
    address = from;
    statuses.push(stand.post(query).then(({ status }) => status));
    await until('it has come', () => arrived === statuses.length);
    if (query !== '{ b: now }') await until('it has begun', () => begun === 1);
  }
  weighed = 0;
  assert.equal(await Promise.all(statuses), [200, 429, 200]);
  assert.is(stand.executions(), 3);
  await stand.close();
});

parts('K4: should charge callers of an IPv6 /48 by their own budget, then by that of the /48', () => {
  let address = '';
  const quota = quotaOfTen(() => address);
  const ask = (household: number) => {
    address = `2001:db8:1:${household.toString(16)}::/64`;
    const message = { socket: {}, headers: {} } as Parameters<typeof quota>[0]['message'];
    const allowance = quota({ message, caller: { application: undefined }, arrivedAt: START });
    if (allowance === undefined) throw new Error('expected a quota, found none');
    return allowance;
  };
  for (let household = 0; household < 15; household++) {
    const { charge, headers } = ask(household);
    assert.is(charge(9), null, `household ${household}`);
    assert.equal(headers().slice(-2), ['RateLimit', '"anonymous";r=0;t=60']);
  }
  const [one, other] = [ask(16), ask(17)];
  assert.is(one.charge(9), null);
  assert.is(other.charge(9)?.code, 'RATE_LIMITED');
  assert.match(other.headers().join(' '), '"network";r=0;t=60 Retry-After 60');
});

parts('K4, D14: should weigh passes over the calendar and bytes of the answer together', async () => {
  const charged: number[] = [];
  const charge = (pages: number) => void charged.push(pages);
  const admitted = await createAdmission().enter({ address: 'a', charge });
  void admitted.weigh(PAGE_PASSES + 4, 10);
  void admitted.reserve(PAGE_BYTES / 4);
  assert.equal(charged, []);
  void admitted.reserve(PAGE_BYTES / 4);
  assert.equal(charged, [1]);
  void admitted.weigh(3 * PAGE_PASSES, 10);
  assert.equal(charged, [1, 3]);
  admitted.leave();
});

parts.run();
