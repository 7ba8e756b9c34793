/** What V8 makes of garbage that lives on for a while, such as requests that wait; see decisions.md. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ROOT } from '../helpers/program.ts';

const heap = suite('heap');

const MB = 1_024 * 1_024;

heap('D14: should grow little before it is collected, and hold no answer that is over', async () => {
  const args = ['--expose-gc', '--import', 'tsx', 'test/fixtures/heap.ts'];
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: ROOT });
  const { left, freely, relieved } = JSON.parse(stdout);
  assert.ok(relieved < 0.7 * freely, `${relieved} bytes at the most, ${freely} before`);
  assert.ok(left < 4 * MB, `${left} bytes of 40 MB`);
});

heap.run();
