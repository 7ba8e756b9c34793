/** What `test/run.mjs` and the person at the keyboard tell the tests through the environment. */

/** `--long`: more random cases, more kills. */
export const IS_LONG = process.env.ALMANAKK_TEST_LONG === '1';

/** Where random calendars begin: the seed that a failure names, to see it again. */
export const FIRST_SEED = Number(process.env.ALMANAKK_TEST_SEED ?? 1);
