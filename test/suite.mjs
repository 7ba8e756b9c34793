/**
 * What tests get as `uvu` (compile.mjs). If a hook fails that runs before the tests of a suite, uvu counts all of them as failed, but drops
 * the error: this prints it.
 */
import { suite as suiteOfUvu } from 'uvu';

export { test } from 'uvu';

export function suite(name, state) {
  const test = suiteOfUvu(name, state);
  const { before } = test;
  const addBefore = (hook) =>
    before(async (context) => {
      try {
        await hook(context);
      } catch (error) {
        console.error(`\n  ${name}: a hook has failed, so no test has run\n`, error);
        throw error;
      }
    });
  test.before = Object.assign(addBefore, { each: before.each });
  return test;
}
