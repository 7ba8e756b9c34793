/** D6: cached answers are those that the calendar would give at that second. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Execute } from '../../../src/serve/graphql/answer.ts';
import { epochAt, isIn, nextChangeIn } from '../../../src/serve/query/epoch.ts';
import { assertAbove, assertAtLeast, assertAtMost } from '../../helpers/assertions.ts';
import { closedAfterEach } from '../../helpers/closing.ts';
import { until } from '../../helpers/until.ts';
import { SAMPLE_START, startSample } from './http/sample.ts';
import { fakeSnapshot, GOOD_KEY, resultOf, START, startStand } from './http/stand.ts';

const freshness = suite('freshness');

/** The first moment is the build's. */
const changing = (...moments: number[]) => ({
  columns: { moments: Float64Array.from(moments), publishing: new Float64Array() },
});
const between = (begins: number, ends: number) => ({ begins, ends });

freshness('D6, A9: should end an epoch at each moment, before the build at the next publishing date', () => {
  const publishing = Float64Array.of(Number.NEGATIVE_INFINITY, 70, 40, 250);
  const snapshot = { columns: { moments: Float64Array.of(100, 250), publishing } };
  for (const { now, expected } of [
    { now: 39, expected: between(Number.NEGATIVE_INFINITY, 40) },
    { now: 40, expected: between(40, 70) },
    { now: 69, expected: between(40, 70) },
    { now: 99, expected: between(70, 100) },
    { now: 100, expected: between(100, 250) },
    { now: 249, expected: between(100, 250) },
    { now: 9_999, expected: between(250, Number.POSITIVE_INFINITY) },
  ] as const) {
    const { begins, ends } = epochAt(snapshot, now);
    assert.equal({ begins, ends }, expected, `${now}`);
  }
});

/** Midnights in Norway around the first of 1970 there, which began an hour earlier than in Greenwich. */
const [MIDNIGHT, NEXT_MIDNIGHT] = [-3_600, 82_800];

freshness('D6: should end an epoch at midnight where nothing else changes', () => {
  const epoch = epochAt(changing(), 5);
  assert.equal(
    [MIDNIGHT - 1, MIDNIGHT, NEXT_MIDNIGHT - 1, NEXT_MIDNIGHT].map((now) => isIn(epoch, epoch.snapshot, now)),
    [false, true, true, false],
  );
  assert.is(nextChangeIn(epoch, false), Number.POSITIVE_INFINITY);
  assert.is(nextChangeIn(epoch, true), NEXT_MIDNIGHT);
  assert.is(nextChangeIn(epochAt(changing(100), 5), true), 100);
});

freshness.run();

const exact = suite('exact freshness');
const opened = closedAfterEach(exact);
const ASK = '{ now snapshot }';
const dataOf = (text: string) => JSON.parse(text).data;

exact('D6: should reuse an answer up to the last millisecond before a change', async () => {
  const stand = opened(await startStand({ moments: [START + 10, START + 20] }));
  for (const { seconds, now, executions, maxAge } of [
    { seconds: 0, now: START, executions: 1, maxAge: 10 },
    { seconds: 5.5, now: START, executions: 1, maxAge: 4 },
    { seconds: 9.999, now: START, executions: 1, maxAge: 0 },
    { seconds: 10, now: START + 10, executions: 2, maxAge: 10 },
    { seconds: 19.999, now: START + 10, executions: 2, maxAge: 0 },
    { seconds: 20, now: START + 20, executions: 3, maxAge: 60 },
    { seconds: 9_999, now: START + 20, executions: 3, maxAge: 60 },
    // Set back: an answer from after a change must not be given before it.
    { seconds: 15, now: START + 15, executions: 4, maxAge: 5 },
  ] as const) {
    stand.setClock((START + seconds) * 1_000);
    const got = await stand.post(ASK);
    assert.equal(dataOf(got.text).now, now, `after ${seconds} s`);
    assert.equal(stand.executions(), executions, `after ${seconds} s`);
    assert.is(got.headers['cache-control'], `public, max-age=${maxAge}`, `after ${seconds} s`);
  }
});

/** An execution that waits until it is released, while it is held. */
function gated(data: (snapshot: string) => object) {
  const gate = { isHeld: true, release: () => {} };
  const opened = new Promise<void>((open) => {
    gate.release = open;
  });
  const execute: Execute = async (_operation, { snapshot }) => {
    if (gate.isHeld) await opened;
    return resultOf(JSON.stringify({ data: data(snapshot.id) }));
  };
  return { gate, execute };
}

exact('D6: should give no answer of the old snapshot after a swap, also to one under way', async () => {
  const { gate, execute } = gated((snapshot) => ({ snapshot }));
  const stand = opened(await startStand({ execute }));
  const ask = async () => dataOf((await stand.post('{ snapshot }')).text).snapshot;
  const early = ask();
  await until('it is under way', () => stand.executions() === 1);
  assert.is(stand.pins(), 1, 'it holds on to its snapshot');
  stand.swap(fakeSnapshot('second'));
  gate.isHeld = false;
  assert.is(await ask(), 'second');
  gate.release();
  assert.is(await early, 'first', 'H5: it ends on the snapshot that it began with');
  assert.is(await ask(), 'second');
  assert.is(stand.pins(), 0);
  stand.swap(fakeSnapshot('third'));
  assert.is(stand.app.cacheSize().entries, 0, 'nothing of the old one is held');
  assert.is(await ask(), 'third');
});

exact('D6: should answer from the cache what it would work out, around real moments of change', async () => {
  const stands = [await startSample(), await startSample({ cacheBytes: 0 })];
  const [cached] = stands;
  const moments = [...(cached?.snapshot()?.columns.moments ?? [])].filter((at) => at * 1_000 > SAMPLE_START);
  const query = '{ events(pageSize: 1000) { totalCount data { id startDate repetitions { startDate } } } }';
  const texts = new Set<string>();
  for (const moment of moments.slice(0, 8)) {
    for (const ms of [-1_000, -1, 0, 999]) {
      for (const _time of ['worked out', 'reused']) {
        const answers = [];
        for (const stand of stands) {
          stand.setClock(moment * 1_000 + ms);
          const { text, headers } = await stand.post(query);
          answers.push([text, headers['cache-control']]);
          texts.add(text);
        }
        assert.equal(answers[0], answers[1], `${ms} ms after ${moment}`);
      }
    }
  }
  assertAbove(texts.size, 8, 'different answers');
  assert.ok(
    (cached?.traffic.filter(({ isCacheHit }) => isCacheHit).length ?? 0) > 4 * 8,
    'and are reused in between',
  );
  for (const stand of stands) await stand.close();
});

exact('D6: should say 0 seconds for an answer whose epoch ended while it was worked out', async () => {
  const stand = opened(
    await startStand({
      moments: [START + 10],
      execute: async () => {
        stand.setClock((START + 11) * 1_000);
        return resultOf('{"data":{"now":1}}');
      },
    }),
  );
  assert.is((await stand.post(ASK)).headers['cache-control'], 'public, max-age=0');
});

exact('D6: should work out identical requests that arrive together once', async () => {
  const { gate, execute } = gated(() => ({ now: 1 }));
  const stand = opened(await startStand({ execute }));
  const keyed = { 'x-api-key': GOOD_KEY };
  const asked = [stand.post(ASK), stand.post(ASK), stand.post(ASK, {}, keyed), stand.post(`${ASK} `)];
  await until('three are under way', () => stand.executions() === 3);
  gate.release();
  const got = await Promise.all(asked);
  assert.is(stand.executions(), 3, 'another text is another request, and one without the notice');
  assert.equal(
    got.map(({ text }) => 'extensions' in JSON.parse(text)),
    [true, true, false, true],
  );
});

exact('D6: should cache no errors and no refusals', async () => {
  const stand = opened(await startStand());
  for (const query of ['{ broken { id } now }', '{ events(page: -1) { totalCount } }', '{ nothing }', '{']) {
    const got = await stand.post(query);
    assert.is(got.headers['cache-control'], 'no-store', query);
    await stand.post(query);
  }
  assert.is(stand.executions(), 4);
  assert.is(stand.app.cacheSize().entries, 0);
  assert.equal(
    stand.traffic.map(({ isCacheHit }) => isCacheHit),
    Array(8).fill(false),
  );
});

exact('D6: should never take one request for another', async () => {
  const stand = opened(await startStand());
  const texts = new Set<string>();
  for (const length of [1, 2]) {
    const query = 'query A($l: Int!) { text(length: $l) } query B { now }';
    texts.add((await stand.post(query, { operationName: 'A', variables: { l: length } })).text);
    texts.add((await stand.post(query, { operationName: 'B', variables: { l: length } })).text);
    texts.add((await stand.get(`{ text(length: ${length}) }`)).text);
  }
  assert.is(stand.executions(), 6);
  assert.is(texts.size, 3);
});

exact('D6: should log what was reused, by whom, and never a key', async () => {
  const stand = opened(await startStand());
  const headers = { 'x-api-key': GOOD_KEY, 'x-page-url': 'https://by.example/kalender' };
  const ask = () => stand.post('query Soon { now }', { operationName: 'Soon' }, headers);
  await ask();
  await ask();
  const caller = { kind: 'application', name: 'App', application: 'App', pageHost: 'by.example' };
  const asked = { method: 'POST', route: '/graphQL', operationName: 'Soon', rootField: 'now' };
  const seen = stand.traffic.map(({ milliseconds: _, ...rest }) => rest);
  const expected = { ...asked, status: 200, caller, hasErrors: false };
  assert.equal(
    seen,
    [false, true].map((isCacheHit) => ({ ...expected, isCacheHit })),
  );
  assert.not.match(JSON.stringify(stand.traffic), GOOD_KEY);
});

exact('D6: should hold no more bytes of answers than the setting allows, those used last', async () => {
  const stand = opened(await startStand({ cacheBytes: 100_000 }));
  const ask = (length: number) => stand.post(`{ text(length: ${length}) }`);
  for (let length = 10_000; length < 10_040; length++) await ask(length);
  assert.is(stand.app.cacheSize().entries, 1, 'what is asked for once fills little of it');
  for (let length = 10_000; length < 10_040; length++) {
    await ask(length);
    await ask(10_000);
  }
  const { entries, bytes } = stand.app.cacheSize();
  assertAtMost(bytes, 100_000, 'bytes');
  assertAbove(bytes, 50_000, 'bytes');
  assertAtLeast(entries, 2, 'entries');
  assertAtMost(entries, 5, 'entries');
  assert.is(stand.executions(), 79, 'what is asked for again and again stays');
});

exact.run();
