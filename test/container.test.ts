/** The image: what Containerfile says, and, where there is an engine, the image itself. */
import { spawnSync } from 'node:child_process';
import { cpSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { packagePath } from '../src/package.ts';
import { clientOf } from './helpers/client.ts';
import { imageVariables, instructionsOf } from './helpers/containerfile.ts';
import { temporaryFolder } from './helpers/folder.ts';
import { freePort } from './helpers/nginx.ts';
import { packInto } from './helpers/pack.ts';
import { eventually } from './helpers/until.ts';
import { when } from './helpers/when.ts';

const container = suite('container');

container('D14: should give V8 and malloc no more memory than other ways to start do', () => {
  const { start, serve, ...others } = JSON.parse(readFileSync(packagePath('package.json'), 'utf8')).scripts;
  const [unit = '', variables] =
    /^Environment=(.*)\nExecStart=.*cli\.js start$/m.exec(
      readFileSync(packagePath('docs/operating.md'), 'utf8'),
    ) ?? [];
  const command = JSON.parse(instructionsOf('CMD')[0] ?? '').join(' ');
  for (const line of [command, start, serve, unit])
    assert.match(line, /node --max-semi-space-size=8 \S+ (start|serve)$/);
  for (const line of [start, serve, others.rebuild, others.schedule, variables])
    assert.match(line, /\bMALLOC_ARENA_MAX=1\b/);
  for (const line of [start, serve, variables]) assert.match(line, /\bMALLOC_TRIM_THRESHOLD_=131072\b/);
  assert.is(imageVariables().MALLOC_ARENA_MAX, '1');
  assert.is(imageVariables().MALLOC_TRIM_THRESHOLD_, '131072');
});

const engine = ['podman', 'docker'].find(
  (name) => spawnSync(name, ['info'], { stdio: 'ignore' }).status === 0,
);

when(
  engine !== undefined,
  'no container engine runs here',
  container,
)(
  'should build, serve from a file system that cannot be written, issue keys, and end on a signal',
  async () => {
    const folder = temporaryFolder();
    for (const name of ['.dockerignore', '.npmrc', 'package-lock.json', 'Containerfile'])
      cpSync(packagePath(name), join(folder, name));
    packInto(folder);
    run('build', '--file', join(folder, 'Containerfile'), '--tag', 'almanakk-test', folder);
    const port = await freePort();
    const options = ['--read-only', '--volume', '/data', '--publish', `127.0.0.1:${port}:4000`];
    const id = run('run', '--detach', ...options, 'almanakk-test');
    try {
      const { send, post } = clientOf(`http://127.0.0.1:${port}`);
      await eventually('the server is ready', async () => (await send('/readyz')).status === 200);
      assert.ok(JSON.parse((await post('{ events { totalCount } }')).text).data.events.totalCount > 0);
      run('exec', id, 'node', 'dist/jobs/cli.js', 'keys', 'issue', '--app', 'NAME');
      assert.match(run('exec', id, 'cat', '/data/keys.json'), '"NAME"');
      run('stop', id);
      assert.is(run('inspect', '--format', '{{.State.ExitCode}}', id), '0');
    } finally {
      run('rm', '--force', id);
    }
  },
);

container.run();

function run(...args: readonly string[]): string {
  const { status, stdout, stderr } = spawnSync(engine ?? '', args, { encoding: 'utf8' });
  if (status !== 0) throw new Error(`${engine} ${args.join(' ')}: exit code ${status}\n${stdout}${stderr}`);
  return stdout.trim();
}
