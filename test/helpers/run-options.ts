/** Options of a run of the tests, from the environment. */

/** `--long`: more random cases, more kills. */
export const IS_LONG = process.env.ALMANAKK_TEST_LONG === '1';

/** The first seed of random calendars. A failure names its seed: with it, a run begins at that calendar. */
export const FIRST_SEED = Number(process.env.ALMANAKK_TEST_SEED ?? 1);
