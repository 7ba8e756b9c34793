// Runs the test files that match a pattern, and again whenever something in src/, jobs/ or test/ changes.
//
//   npm run test:watch -- PATTERN
import { spawn } from 'node:child_process';
import { watch } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const QUIET_MS = 100;

let running = start();
let timer;
for (const folder of ['src', 'jobs', 'test']) {
  watch(join(ROOT, folder), { recursive: true }, (_, name) => {
    // The benchmarks and the runner itself write there.
    if (!/\.(ts|mjs|js|graphql|css|json|ics|csv|html)$/.test(name ?? '') || /\/(work|results)\//.test(name))
      return;
    clearTimeout(timer);
    timer = setTimeout(() => {
      running.kill('SIGTERM');
      console.log(`\n${folder}/${name} has changed\n`);
      running = start();
    }, QUIET_MS);
  });
}

function start() {
  const args = [join(ROOT, 'test/run.mjs'), ...process.argv.slice(2)];
  return spawn(process.execPath, args, { cwd: ROOT, stdio: 'inherit' });
}
