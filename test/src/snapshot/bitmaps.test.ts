/** D14: sets of rows as bitmaps, compared with JavaScript's own sets. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import {
  bitsOf,
  countBetween,
  countBits,
  countMembers,
  countUpTo,
  emptyBitmap,
  intersect,
  keepBits,
  setBit,
  subtract,
  unite,
} from '../../../src/snapshot/bitmaps.ts';
import { seeded } from '../../helpers/random.ts';

const test = suite('bitmaps');

const ROUNDS = 20;

interface Sets {
  readonly left: ReadonlySet<number>;
  readonly right: ReadonlySet<number>;
  /** A random number below a bound. */
  readonly random: (bound: number) => number;
  readonly bitmapOf: (places: Iterable<number>) => ReturnType<typeof emptyBitmap>;
}

/** Compares operations on random sets of rows with those of JavaScript's sets. */
function compare(count: number, operation: (sets: Sets) => void): void {
  const random = seeded(count);
  const randomPlaces = () => new Set(Array.from({ length: random(count + 1) }, () => random(count)));
  const bitmapOf = (places: Iterable<number>) => {
    const bits = emptyBitmap(count);
    for (const place of places) setBit(bits, place);
    return bits;
  };
  for (let round = 0; round < ROUNDS; round++)
    operation({ left: randomPlaces(), right: randomPlaces(), random, bitmapOf });
}

// Sizes at the edges of words.
for (const count of [0, 1, 31, 32, 33, 64, 1_000]) {
  test(`should intersect ${count} rows as sets do`, () => {
    compare(count, ({ left, right, bitmapOf }) => {
      const bits = bitmapOf(left);
      intersect(bits, bitmapOf(right));
      assert.equal(
        [...bitsOf(bits)],
        ascending(left).filter((place) => right.has(place)),
      );
    });
  });

  test(`should subtract ${count} rows as sets do`, () => {
    compare(count, ({ left, right, bitmapOf }) => {
      const bits = bitmapOf(left);
      subtract(bits, bitmapOf(right));
      assert.equal(
        [...bitsOf(bits)],
        ascending(left).filter((place) => !right.has(place)),
      );
    });
  });

  test(`should unite ${count} rows as sets do`, () => {
    compare(count, ({ left, right, bitmapOf }) => {
      const bits = bitmapOf(left);
      unite(bits, bitmapOf(right));
      assert.equal([...bitsOf(bits)], ascending(new Set([...left, ...right])));
    });
  });

  test(`should keep some of ${count} rows as a filter does`, () => {
    compare(count, ({ left, right, bitmapOf }) => {
      const bits = bitmapOf(right);
      keepBits(bits, (place) => left.has(place));
      assert.equal(
        [...bitsOf(bits)],
        ascending(right).filter((place) => left.has(place)),
      );
    });
  });

  test(`should count ${count} rows, all and between two places`, () => {
    compare(count, ({ right, random, bitmapOf }) => {
      const [first, end] = [random(count + 1), random(count + 1)];
      const between = ascending(right).filter((place) => place >= first && place < end);
      assert.is(countBits(bitmapOf(right)), right.size);
      assert.is(countBetween(bitmapOf(right), first, end), between.length);
    });
  });

  test(`should count the numbers of a list that are among ${count} rows`, () => {
    compare(count, ({ left, right, bitmapOf }) => {
      const numbers = Int32Array.from(left);
      const members = numbers.subarray(1).filter((place) => right.has(place));
      assert.is(countMembers(bitmapOf(right), numbers, 1, numbers.length), members.length);
    });
  });

  test(`should give a page of ${count} rows, after some that it skips`, () => {
    compare(count, ({ right, random, bitmapOf }) => {
      const [skip, most] = [random(count + 1), random(40)];
      assert.equal([...bitsOf(bitmapOf(right), skip, most)], ascending(right).slice(skip, skip + most));
    });
  });
}

test('D14: should look for a page after the last one no further than the set goes', () => {
  const bits = emptyBitmap(40);
  setBit(bits, 33);
  assert.equal([...bitsOf(bits, 2_147_483_647 * 1_000, 1_000)], []);
  assert.equal([...bitsOf(bits, 1, 10)], []);
});

test('should count ascending values up to a limit, equal ones among them', () => {
  const values = Int32Array.of(1, 3, 3, 5);
  const counts = [0, 1, 2, 3, 4, 5, 6].map((limit) => countUpTo(values, limit));
  assert.equal(counts, [0, 1, 1, 3, 3, 4, 4]);
  assert.is(countUpTo(new Int32Array(0), 1), 0);
});

test.run();

function ascending(places: ReadonlySet<number>): number[] {
  return [...places].sort((left, right) => left - right);
}
