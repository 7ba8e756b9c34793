import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createDoorkeeper, createKept } from '../../src/serve/kept.ts';

const test = suite('kept');

const weighing = (weight: number) => ({ weight });

test('should keep whatever comes while there is room', () => {
  const store = createKept<{ weight: number }>({ most: 100, weigh: ({ weight }) => weight });
  for (let nth = 0; nth < 9; nth++) store.offer(`key ${nth}`, weighing(10));
  for (let nth = 0; nth < 9; nth++) assert.ok(store.get(`key ${nth}`) !== undefined);
});

test('should let into a nearly full store only what was offered before, and let go of the oldest', () => {
  const store = createKept<{ weight: number }>({ most: 100, weigh: ({ weight }) => weight });
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

test('should not know a key before it was asked about, and know it for a while', () => {
  const wasAsked = createDoorkeeper();
  const keys = Array.from({ length: 1_000 }, (_, nth) => `{"categories":["${nth}"]}`);
  assert.is(keys.filter(wasAsked).length, 0);
  assert.ok(keys.filter(wasAsked).length > 700);
  for (let nth = 0; nth < 100_000; nth++) wasAsked(`another ${nth}`);
  assert.is(keys.filter(wasAsked).length, 0);
});

test.run();
