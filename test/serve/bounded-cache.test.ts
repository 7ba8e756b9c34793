import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createAdmissionFilter, createBoundedCache } from '../../src/serve/admission/budget.ts';

const test = suite('kept');

const weighing = (weight: number) => ({ weight });

test('should keep whatever comes while there is room', () => {
  const store = createBoundedCache<{ weight: number }>({ most: 100, weigh: ({ weight }) => weight });
  for (let nth = 0; nth < 9; nth++) store.offer(`key ${nth}`, weighing(10));
  for (let nth = 0; nth < 9; nth++) assert.ok(store.get(`key ${nth}`) !== undefined);
});

test('should let into a nearly full store only what was offered before, and let go of the oldest', () => {
  const store = createBoundedCache<{ weight: number }>({ most: 100, weigh: ({ weight }) => weight });
  for (let nth = 0; nth < 9; nth++) store.offer(`key ${nth}`, weighing(10));
  for (let nth = 0; nth < 50; nth++) store.offer(`once ${nth}`, weighing(10));
  assert.ok(store.get('key 0') !== undefined);
  assert.is(store.get('once 49'), undefined);
  store.offer('twice', weighing(20));
  assert.is(store.get('twice'), undefined);
  store.offer('twice', weighing(20));
  assert.ok(store.get('twice') !== undefined);
  assert.is(store.get('key 1'), undefined);
  assert.ok(store.get('key 0') !== undefined, 'it was asked for a moment ago');
});

test('should admit what is new up to its part of the store, and what is offered again up to the bound', () => {
  const store = createBoundedCache<{ weight: number }>({
    most: 100,
    weigh: ({ weight }) => weight,
    open: 1 / 4,
  });
  for (let nth = 0; nth < 50; nth++) store.offer(`once ${nth}`, weighing(10));
  assert.equal(store.size(), { entries: 3, weight: 30 });
  for (let nth = 40; nth < 50; nth++) store.offer(`once ${nth}`, weighing(10));
  assert.equal(store.size(), { entries: 10, weight: 100 });
});

test('should not know a key before it was asked about, and know it for a while', () => {
  const wasRequested = createAdmissionFilter();
  const keys = Array.from({ length: 1_000 }, (_, nth) => `{"categories":["${nth}"]}`);
  assert.is(keys.filter(wasRequested).length, 0);
  assert.ok(keys.filter(wasRequested).length > 700);
  for (let nth = 0; nth < 100_000; nth++) wasRequested(`another ${nth}`);
  assert.is(keys.filter(wasRequested).length, 0);
});

test.run();
