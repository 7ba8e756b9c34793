/** The image: what Containerfile and docs/compose.yaml say, and, where there is an engine, the image itself. */
import { spawnSync } from 'node:child_process';
import { cpSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { parse } from 'yaml';
import { readSettings } from '../jobs/settings.ts';
import { packagePath } from '../src/package.ts';
import { clientOf } from './helpers/client.ts';
import { imageVariables, instructionsOf } from './helpers/containerfile.ts';
import { temporaryFolder } from './helpers/folder.ts';
import { freePort } from './helpers/nginx.ts';
import { packInto } from './helpers/pack.ts';
import { eventually } from './helpers/until.ts';
import { when } from './helpers/when.ts';
import { theBlock } from './readme/document.ts';

const container = suite('container');

container('D14: should give V8 and malloc no more memory than other ways to start do', () => {
  const { start, serve, ...others } = JSON.parse(readFileSync(packagePath('package.json'), 'utf8')).scripts;
  const [unit = '', variables] =
    /^Environment=(.*MALLOC.*)\nEnvironmentFile=.*\nExecStart=.*cli\.js \$RUN$/m.exec(
      theBlock({ file: /almanakk@\.service$/ }).text,
    ) ?? [];
  const command = JSON.parse(instructionsOf('CMD')[0] ?? '').join(' ');
  for (const line of [command, start, serve, unit])
    assert.match(line, /node --max-semi-space-size=8 \S+ (start|serve|\$RUN)$/);
  for (const line of [start, serve, others.rebuild, others.schedule, variables])
    assert.match(line, /\bMALLOC_ARENA_MAX=1\b/);
  for (const line of [start, serve, variables]) assert.match(line, /\bMALLOC_TRIM_THRESHOLD_=131072\b/);
  assert.is(imageVariables().MALLOC_ARENA_MAX, '1');
  assert.is(imageVariables().MALLOC_TRIM_THRESHOLD_, '131072');
});

const SAID: Readonly<Record<string, string>> = {
  DOMAIN: 'kalender.example',
  ADMIN_TOKEN: 'a-long-text-of-ours',
};

const written = readFileSync(packagePath('docs/compose.yaml'), 'utf8');
/** As Compose reads it, where these two are set. */
const { services, configs, networks, volumes } = parse(
  written.replace(/\$\{(\w+)(?::\?[^}]*)?\}/g, (_, name: string) => SAID[name] ?? `no ${name}`),
);

container('compose.yaml: should give the server settings that there are, with values that they take', () => {
  const environment = { ...imageVariables(), ...services.almanakk.environment };
  const { settings, warnings } = readSettings(environment, temporaryFolder());
  assert.equal(warnings, []);
  assert.is(String(settings.publicUrl), 'https://kalender.example/');
  assert.equal(Object.keys(SAID), [...new Set([...written.matchAll(/\$\{(\w+)/g)].map(([, name]) => name))]);
});

container('compose.yaml: should keep data in a volume, and trust the network of its proxy', () => {
  const { almanakk, proxy } = services;
  assert.equal(almanakk.volumes, [`data:${instructionsOf('VOLUME')[0]}`]);
  for (const mount of [...almanakk.volumes, ...proxy.volumes])
    assert.ok(mount.split(':')[0] in volumes, mount);
  assert.equal([almanakk.networks, proxy.networks], [['inside'], ['inside']]);
  assert.equal(networks.inside.ipam.config, [{ subnet: almanakk.environment.ALMANAKK_TRUST_PROXY }]);
  assert.ok(almanakk.read_only);
});

container('compose.yaml: should let only the proxy be reached from outside, and it the server', () => {
  const { almanakk, proxy } = services;
  assert.is(almanakk.ports, undefined);
  assert.equal(proxy.configs, [{ source: 'caddyfile', target: '/etc/caddy/Caddyfile' }]);
  const file = `kalender.example {\n  reverse_proxy almanakk:${instructionsOf('EXPOSE')[0]}\n}\n`;
  assert.equal(configs, { caddyfile: { content: file } });
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
