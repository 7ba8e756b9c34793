import fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { readDeltas, writeDeltas } from '../../src/snapshot/deltas.ts';

const deltas = suite('distances');

/** Undefined if the bytes are not so many numbers. */
function read(bytes: Uint8Array, length: number): readonly number[] | undefined {
  const values = new Float64Array(length);
  return readDeltas(bytes, values) ? [...values] : undefined;
}

const anyNumber = fc.oneof(
  fc.integer({ min: -3, max: 3 }),
  fc.integer(),
  fc.maxSafeInteger().map((value) => Math.trunc(value / 2 ** 10)),
  fc.constant(Number.NEGATIVE_INFINITY),
);

deltas('G5, H7: should read what was written, and nothing from fewer or more bytes', () => {
  fc.assert(
    fc.property(fc.array(anyNumber, { maxLength: 300 }), fc.nat({ max: 8 }), (values, other) => {
      const bytes = writeDeltas(values);
      assert.equal(read(bytes, values.length), values);
      assert.is(read(Uint8Array.of(...bytes, other), values.length), undefined);
      if (values.length > 0) assert.is(read(bytes.subarray(0, -1), values.length), undefined);
    }),
    { numRuns: 100 },
  );
});

deltas('should take two bytes for a moment of a column that ascends, and one for list ends', () => {
  const starts = Float64Array.from({ length: 10_000 }, (_, row) => 1_795_392_000 + 1_800 * row + (row % 7));
  const ends = Int32Array.from({ length: 10_000 }, (_, list) => 3 * list);
  assert.ok(writeDeltas(starts).length < 2.2 * starts.length);
  assert.ok(writeDeltas(ends).length < 1.1 * ends.length);
});

deltas.run();
