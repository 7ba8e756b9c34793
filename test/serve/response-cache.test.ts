import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { secondsFresh } from '../../src/serve/http/answers.ts';
import { createResponseCache, type ResponseCacheOptions } from '../../src/serve/http/response-cache.ts';
import { changeOf, type Epoch, epochAt, isIn } from '../../src/serve/query/epoch.ts';
import { fakeSnapshot, GOOD_KEY, START, startStand } from './http/stand.ts';

const freshness = suite('freshness');

/** The first moment is the build's. */
const changing = (...moments: number[]) => ({
  columns: { moments: Float64Array.from(moments), publishing: new Float64Array() },
});
const between = (since: number, until: number) => ({ since, until });

for (const [now, expected] of [
  [99, between(Number.NEGATIVE_INFINITY, 100)],
  [100, between(100, 200)],
  [199, between(100, 200)],
  [200, between(200, 300)],
  [300, between(300, Number.POSITIVE_INFINITY)],
  [9_999, between(300, Number.POSITIVE_INFINITY)],
] as const) {
  freshness(`D6: should find the moments of change around second ${now}`, () => {
    const { since, until } = epochAt(changing(100, 200, 300), now);
    assert.equal({ since, until }, expected);
  });
}

freshness(
  'D6, A9: should end an epoch before the build at the next publishing date, and at the build',
  () => {
    const publishing = Float64Array.of(Number.NEGATIVE_INFINITY, 70, 40, 250);
    const snapshot = { columns: { moments: Float64Array.of(100, 250), publishing } };
    for (const [now, expected] of [
      [39, between(Number.NEGATIVE_INFINITY, 40)],
      [40, between(40, 70)],
      [69, between(40, 70)],
      [99, between(70, 100)],
      [100, between(100, 250)],
    ] as const) {
      const { since, until } = epochAt(snapshot, now);
      assert.equal({ since, until }, expected, `${now}`);
    }
  },
);

/** Midnights in Norway around the first of 1970 there, which began an hour earlier than in Greenwich. */
const [MIDNIGHT, NEXT_MIDNIGHT] = [-3_600, 82_800];

freshness('D6: should know no change where there is none but midnight', () => {
  const epoch = epochAt(changing(), 5);
  assert.equal(
    [MIDNIGHT - 1, MIDNIGHT, NEXT_MIDNIGHT - 1, NEXT_MIDNIGHT].map((now) => isIn(epoch, epoch.snapshot, now)),
    [false, true, true, false],
  );
  assert.is(changeOf(epoch, false), Number.POSITIVE_INFINITY);
  assert.is(changeOf(epoch, true), NEXT_MIDNIGHT);
  assert.is(changeOf(epochAt(changing(100), 5), true), 100);
});

freshness('D6: should end an epoch at the very second of a change, and when the clock is set back', () => {
  const snapshot = changing(100, 200);
  const epoch = epochAt(snapshot, 150);
  assert.equal(
    [99, 100, 199, 200].map((now) => isIn(epoch, snapshot, now)),
    [false, true, true, false],
  );
  assert.not(isIn(epoch, changing(100, 200), 150), 'another snapshot');
});

for (const [ms, cap, expected] of [
  [100_000, 60, 60],
  [140_000, 60, 60],
  [140_001, 60, 59],
  [198_999, 60, 1],
  [199_000, 60, 1],
  [199_001, 60, 0],
  [199_999, 60, 0],
  [200_000, 60, 0],
  [250_000, 60, 0],
  [100_000, 1_000, 100],
  [100_000, 0, 0],
] as const) {
  freshness(`D6: should keep an answer ${expected} s at ${ms} ms with a cap of ${cap} s`, () => {
    assert.is(secondsFresh(200, ms, cap), expected);
  });
}

freshness.run();

const reuse = suite('reuse');

interface Thing {
  readonly bytes: number;
  readonly name: string;
}

const make = (options: Partial<ResponseCacheOptions<Thing, string>> = {}) =>
  plainly(
    createResponseCache<Thing, string>({
      maxBytes: 1_000_000,
      isCacheable: (result): result is Thing => typeof result !== 'string',
      ...options,
    }),
  );

/** With work that begins at once and goes on whoever leaves. */
function plainly<Cached extends { readonly bytes: number }, Uncached>(
  cache: ReturnType<typeof createResponseCache<Cached, Uncached>>,
) {
  return {
    ...cache,
    share: (key: string, epoch: Epoch, work: () => Promise<Cached | Uncached>) =>
      cache.share(key, epoch, () => ({ outcome: work(), abandon: () => undefined })).outcome,
  };
}
const thing = (name: string, bytes = 10): Thing => ({ name, bytes });

reuse('should keep what was worked out for as long as the epoch lasts', async () => {
  const store = make();
  const snapshot = changing(100, 200);
  const epoch = store.epochFor(snapshot, 100);
  await store.share('key', epoch, async () => thing('a'));
  assert.is(store.find('key', store.epochFor(snapshot, 199))?.name, 'a');
  assert.is(store.find('key', store.epochFor(snapshot, 200)), undefined);
  assert.is(store.size().entries, 0);
});

reuse('should forget everything at another snapshot and when the clock is set back', async () => {
  for (const [again, now] of [
    [changing(100, 200), 150],
    [undefined, 99],
  ] as const) {
    const store = make();
    const snapshot = changing(100, 200);
    await store.share('key', store.epochFor(snapshot, 150), async () => thing('a'));
    assert.is(store.find('key', store.epochFor(again ?? snapshot, now)), undefined);
    assert.is(store.find('key', store.epochFor(snapshot, 150)), undefined);
  }
});

reuse('should do the same work once for those who come together, whatever its outcome', async () => {
  const store = make();
  const epoch = store.epochFor(changing(), 1);
  let count = 0;
  const work = (outcome: Thing | string) => async () => {
    count++;
    return outcome;
  };
  const kept = thing('a');
  assert.equal(
    await Promise.all([store.share('kept', epoch, work(kept)), store.share('kept', epoch, work(thing('b')))]),
    [kept, kept],
  );
  assert.is(count, 1);
  await Promise.all([store.share('not', epoch, work('refused')), store.share('not', epoch, work('x'))]);
  assert.is(count, 2);
  assert.is(store.find('not', epoch), undefined);
  assert.is(await store.share('not', epoch, work('again')), 'again');
});

reuse('should give a failure to all who wait for it, and try again for the next', async () => {
  const store = make();
  const epoch = store.epochFor(changing(), 1);
  const fail = () => Promise.reject(new Error('no'));
  const outcomes = await Promise.allSettled([
    store.share('key', epoch, fail),
    store.share('key', epoch, fail),
  ]);
  assert.equal(
    outcomes.map(({ status }) => status),
    ['rejected', 'rejected'],
  );
  assert.equal(await store.share('key', epoch, async () => thing('b')), thing('b'));
});

reuse('should neither keep nor share what began in an epoch that is over when it is done', async () => {
  const store = make();
  const snapshot = changing(100);
  const before = store.epochFor(snapshot, 99);
  let finish = (_thing: Thing) => {};
  const early = store.share('key', before, () => new Promise((done) => (finish = done)));
  const after = store.epochFor(snapshot, 100);
  const late = store.share('key', after, async () => thing('late'));
  finish(thing('early'));
  assert.is(((await early) as Thing).name, 'early');
  assert.is(((await late) as Thing).name, 'late');
  assert.is(store.find('key', after)?.name, 'late');
  await store.share('other', before, async () => thing('stray'));
  assert.is(store.find('other', after), undefined);
});

reuse('should hold no more bytes than allowed, and let go of what was not used for longest', async () => {
  const store = make({ maxBytes: 10_000 });
  const epoch = store.epochFor(changing(), 1);
  const put = async (key: string, bytes: number) => {
    // Requested twice, or the cache admits it only as far as it is open to all.
    for (let time = 0; time < 2; time++) await store.share(key, epoch, async () => thing(key, bytes));
  };
  await put('a', 1_000);
  await put('b', 1_000);
  await put('c', 1_000);
  store.find('a', epoch);
  await put('d', 2_000);
  assert.equal(
    ['a', 'b', 'c', 'd'].map((key) => store.find(key, epoch) !== undefined),
    [true, false, true, true],
  );
  assert.ok(store.size().bytes <= 10_000);
  await put('giant', 20_000);
  assert.is(store.find('giant', epoch), undefined);
  assert.is(store.size().entries, 3);
});

reuse('should count an entry that has grown again', async () => {
  const store = make({ maxBytes: 100_000 });
  const epoch = store.epochFor(changing(), 1);
  const growing = { name: 'a', bytes: 100 };
  await store.share('a', epoch, async () => growing);
  await store.share('b', epoch, async () => thing('b', 100));
  const before = store.size().bytes;
  growing.bytes = 600;
  store.reweigh('a', growing);
  assert.is(store.size().bytes, before + 500);
  store.reweigh('gone', growing);
  assert.is(store.size().entries, 2);
});

reuse(
  'D14: should abandon work when the last of those who asked for it has gone, and begin anew for the next',
  async () => {
    const cache = createResponseCache<Thing, string>({
      maxBytes: 1_000_000,
      isCacheable: (result): result is Thing => typeof result !== 'string',
    });
    const epoch = cache.epochFor(changing(), 1);
    let begun = 0;
    let abandoned = 0;
    const begin = () => {
      begun++;
      return { outcome: new Promise<Thing>(() => undefined), abandon: () => abandoned++ };
    };
    const [one, other] = [cache.share('key', epoch, begin), cache.share('key', epoch, begin)];
    one.leave();
    assert.equal([begun, abandoned], [1, 0]);
    other.leave();
    assert.equal([begun, abandoned], [1, 1]);
    cache.share('key', epoch, begin);
    assert.is(begun, 2);
  },
);

reuse.run();

const exact = suite('exact freshness');
const ASK = '{ now snapshot }';
const dataOf = (text: string) => JSON.parse(text).data;

exact(
  'D6: should reuse an answer up to the last millisecond before a change, and not at the change',
  async () => {
    const stand = await startStand({ moments: [START + 10, START + 20] });
    for (const [ms, now, executions, maxAge] of [
      [START * 1_000, START, 1, 10],
      [(START + 5) * 1_000 + 500, START, 1, 4],
      [(START + 10) * 1_000 - 1, START, 1, 0],
      [(START + 10) * 1_000, START + 10, 2, 10],
      [(START + 20) * 1_000 - 1, START + 10, 2, 0],
      [(START + 20) * 1_000, START + 20, 3, 60],
      [(START + 9_999) * 1_000, START + 20, 3, 60],
      // Set back: an answer from after a change must not be given before it.
      [(START + 15) * 1_000, START + 15, 4, 5],
    ] as const) {
      stand.setClock(ms);
      const got = await stand.post(ASK);
      assert.equal([dataOf(got.text).now, stand.executions()], [now, executions], `at ${ms}`);
      assert.is(got.headers['cache-control'], `public, max-age=${maxAge}`, `at ${ms}`);
    }
    await stand.close();
  },
);

exact(
  'D6: should give no answer of the old snapshot after a swap, also to one that is under way',
  async () => {
    let release = () => {};
    const gate = new Promise<void>((open) => {
      release = open;
    });
    let held = true;
    const stand = await startStand({
      execute: async (_operation, { snapshot }) => {
        if (held) await gate;
        return {
          body: Buffer.from(JSON.stringify({ data: { snapshot: snapshot.id } })),
          failed: false,
          dependsOnDay: false,
        };
      },
    });
    const early = stand.post('{ snapshot }');
    while (stand.executions() === 0) await new Promise((turn) => setImmediate(turn));
    assert.is(stand.pins(), 1, 'it holds on to its snapshot');
    stand.swap(fakeSnapshot('second'));
    held = false;
    assert.is(dataOf((await stand.post('{ snapshot }')).text).snapshot, 'second');
    release();
    assert.is(dataOf((await early).text).snapshot, 'first', 'H5: it ends on the snapshot that it began with');
    assert.is(dataOf((await stand.post('{ snapshot }')).text).snapshot, 'second');
    assert.is(stand.pins(), 0);
    stand.swap(fakeSnapshot('third'));
    assert.is(stand.app.cacheSize().entries, 0, 'nothing of the old one is held');
    assert.is(dataOf((await stand.post('{ snapshot }')).text).snapshot, 'third');
    await stand.close();
  },
);

exact('D6: should say 0 seconds for an answer whose epoch ended while it was worked out', async () => {
  const stand = await startStand({
    moments: [START + 10],
    execute: async () => {
      stand.setClock((START + 11) * 1_000);
      return { body: Buffer.from('{"data":{"now":1}}'), failed: false, dependsOnDay: false };
    },
  });
  assert.is((await stand.post(ASK)).headers['cache-control'], 'public, max-age=0');
  await stand.close();
});

exact('D6: should work out identical requests that arrive together once', async () => {
  let release = () => {};
  const gate = new Promise<void>((open) => {
    release = open;
  });
  const stand = await startStand({
    execute: async () => {
      await gate;
      return { body: Buffer.from('{"data":{"now":1}}'), failed: false, dependsOnDay: false };
    },
  });
  const keyed = { 'x-api-key': GOOD_KEY };
  const asked = [stand.post(ASK), stand.post(ASK), stand.post(ASK, {}, keyed), stand.post(`${ASK} `)];
  while (stand.executions() < 2) await new Promise((turn) => setImmediate(turn));
  release();
  const got = await Promise.all(asked);
  assert.is(stand.executions(), 2, 'another text is another request');
  assert.equal(
    got.map(({ text }) => 'extensions' in JSON.parse(text)),
    [true, true, false, true],
  );
  await stand.close();
});

exact('D6: should keep only what is exact: no errors, no refusals', async () => {
  const stand = await startStand();
  for (const query of ['{ broken { id } now }', '{ events(page: -1) { totalCount } }', '{ nothing }', '{']) {
    const got = await stand.post(query);
    assert.is(got.headers['cache-control'], 'no-store', query);
    await stand.post(query);
  }
  assert.is(stand.executions(), 4);
  assert.is(stand.app.cacheSize().entries, 0);
  assert.equal(
    stand.traffic.map(({ reused }) => reused),
    Array(8).fill(false),
  );
  await stand.close();
});

exact('D6: should never take one request for another', async () => {
  const stand = await startStand();
  const texts = new Set<string>();
  for (const length of [1, 2]) {
    const query = 'query A($l: Int!) { text(length: $l) } query B { now }';
    texts.add((await stand.post(query, { operationName: 'A', variables: { l: length } })).text);
    texts.add((await stand.post(query, { operationName: 'B', variables: { l: length } })).text);
    texts.add((await stand.get(`{ text(length: ${length}) }`)).text);
  }
  assert.is(stand.executions(), 6);
  assert.is(texts.size, 3);
  await stand.close();
});

exact('D6: should tell what was reused, by whom, and never with a key', async () => {
  const stand = await startStand();
  const headers = { 'x-api-key': GOOD_KEY, 'x-page-url': 'https://by.example/kalender' };
  const ask = () => stand.post('query Soon { now }', { operationName: 'Soon' }, headers);
  await ask();
  await ask();
  const caller = { kind: 'application', name: 'App', application: 'App', pageHost: 'by.example' };
  const asked = { operationName: 'Soon', rootField: 'now', failed: false };
  const common = { method: 'POST', route: '/graphQL', status: 200, caller, ...asked };
  const seen = stand.traffic.map(({ milliseconds, ...rest }) => {
    assert.ok(milliseconds >= 0);
    return rest;
  });
  assert.equal(seen, [
    { ...common, reused: false },
    { ...common, reused: true },
  ]);
  assert.not.match(JSON.stringify(stand.traffic), GOOD_KEY);
  await stand.close();
});

exact('D6: should hold no more bytes of answers than the setting allows', async () => {
  const stand = await startStand({ cacheBytes: 100_000 });
  const ask = async (length: number) => {
    await stand.post(`{ text(length: ${length}) }`, {}, { 'accept-encoding': length % 2 ? 'br' : 'gzip' });
  };
  for (let length = 10_000; length < 10_040; length++) await ask(length);
  const once = stand.app.cacheSize();
  assert.ok(once.bytes < 50_000, `${once.bytes} bytes of what was requested once`);
  for (let length = 10_000; length < 10_040; length++) await ask(length);
  const { entries, bytes } = stand.app.cacheSize();
  assert.ok(bytes <= 100_000 && bytes > 50_000, `${bytes} bytes`);
  assert.ok(entries >= 2 && entries <= 5, `${entries} entries`);
  await stand.close();
});

exact('D6: should work with nothing to hold answers in', async () => {
  const stand = await startStand({ cacheBytes: 0 });
  await stand.post(ASK);
  assert.is((await stand.post(ASK)).status, 200);
  assert.is(stand.executions(), 2);
  await stand.close();
});

exact(
  'should let nobody who asks once push out what others ask for again, and fill little of the cache',
  async () => {
    const reuse = plainly(
      createResponseCache<{ readonly bytes: number }, never>({
        maxBytes: 1_000_000,
        isCacheable: (one): one is { readonly bytes: number } => one.bytes > 0,
      }),
    );
    const epoch = reuse.epochFor(changing(), START);
    const ask = (key: string) => reuse.share(key, epoch, async () => ({ bytes: 10_000 }));
    for (let nth = 0; nth < 500; nth++) await ask(`once ${nth}`);
    const { bytes, entries } = reuse.size();
    assert.ok(bytes > 25_000 && bytes <= 45_000, `${entries} entries of ${bytes} bytes: a thirty-second`);
    assert.ok(reuse.find('once 0', epoch), 'what was there first stays');
    assert.is(reuse.find('once 499', epoch), undefined);
    await ask('once 499');
    assert.ok(reuse.find('once 499', epoch), 'asked twice');
  },
);

exact.run();
