/** Random numbers of tests, the same for the same seed. */
import { randomFrom } from '../oracle/random.ts';

/** Whole numbers from 0 up to but not including the bound. */
export type Random = (bound: number) => number;

/** With a seed, so that a failure can be made again. */
export function seeded(seed: number): Random {
  const { next } = randomFrom(seed);
  return (bound) => Math.floor(next() * bound);
}
