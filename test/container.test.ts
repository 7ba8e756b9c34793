/** The image: what Containerfile and docs/compose.yaml say, and, where there is an engine, the image itself. */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { parse } from 'yaml';
import { checkHealth } from '../jobs/commands/healthcheck.ts';
import { readSettings } from '../jobs/settings.ts';
import { packagePath } from '../src/package.ts';
import { assertAbove, assertIncludes } from './helpers/assertions.ts';
import { clientOf } from './helpers/client.ts';
import { imageVariables, instructionsOf } from './helpers/containerfile.ts';
import { debianFile } from './helpers/debian-files.ts';
import { temporaryFolder } from './helpers/folder.ts';
import { freePort } from './helpers/nginx.ts';
import { packInto } from './helpers/pack.ts';
import { listening } from './helpers/port.ts';
import { ROOT, runCommand } from './helpers/program.ts';
import { eventually } from './helpers/until.ts';
import { hasPart, when, withPart } from './helpers/when.ts';

const container = suite('container');

container('D14: should give V8 and malloc no more memory than other ways to start do', () => {
  const { start, serve, ...others } = JSON.parse(readFileSync(packagePath('package.json'), 'utf8')).scripts;
  const [unit = '', variables] =
    /^Environment=(.*MALLOC.*)\nEnvironmentFile=.*\nExecStart=.*cli\.js \$RUN$/m.exec(
      debianFile('etc/systemd/system/almanakk@.service'),
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

const VARIABLES: Readonly<Record<string, string>> = {
  IMAGE: 'registry.example/almanakk:2.0.0',
  DOMAIN: 'kalender.example',
  ADMIN_TOKEN: 'a-long-text-of-ours',
};

const written = readFileSync(packagePath('docs/compose.yaml'), 'utf8');
const VARIABLE = /\$\{(\w+)(?::([?-])([^}]*))?\}/g;

/** The file as Compose reads it with these variables. */
function composed(variables: Readonly<Record<string, string>>) {
  const filledIn = (_: string, name: string, kind: string, text: string) =>
    variables[name] ?? (kind === '-' ? text : `no ${name}`);
  return parse(written.replace(VARIABLE, filledIn));
}

const { services, configs, networks, volumes } = composed(VARIABLES);

// It sets the operator's token.
withPart('src/annexes/operator', container)(
  'compose.yaml: should give the server only known settings, with valid values',
  () => {
    const environment = { ...imageVariables(), ...services.almanakk.environment };
    const { settings, warnings } = readSettings(environment, temporaryFolder());
    assert.equal(warnings, []);
    assert.is(String(settings.publicUrl), 'https://kalender.example/');
    assert.equal(services.almanakk.env_file, [{ path: 'almanakk.env', required: false }]);
    assert.equal([services.almanakk.image, services.almanakk.pull_policy], [VARIABLES.IMAGE, undefined]);
    const names = new Set([...written.matchAll(VARIABLE)].map(([, name]) => name));
    assert.equal([...names], [...Object.keys(VARIABLES), 'SUBNET']);
  },
);

container('compose.yaml: should keep data in a volume, and trust the network of its proxy', () => {
  const { almanakk, proxy } = services;
  assert.equal(almanakk.volumes, [`data:${instructionsOf('VOLUME')[0]}`]);
  for (const mount of [...almanakk.volumes, ...proxy.volumes])
    assert.ok(mount.split(':')[0] in volumes, mount);
  assert.equal([almanakk.networks, proxy.networks], [['inside'], ['inside']]);
  assert.equal(networks.inside.ipam.config, [{ subnet: almanakk.environment.ALMANAKK_TRUST_PROXY }]);
  const SUBNET = '172.30.44.0/24';
  const own = composed({ ...VARIABLES, SUBNET });
  assert.equal(own.networks.inside.ipam.config, [{ subnet: SUBNET }]);
  assert.is(own.services.almanakk.environment.ALMANAKK_TRUST_PROXY, SUBNET);
  assert.is(almanakk.read_only, true);
});

container('compose.yaml: should publish the proxy alone, which reaches the server', () => {
  const { almanakk, proxy } = services;
  assert.is(almanakk.ports, undefined);
  assert.equal(proxy.configs, [{ source: 'caddyfile', target: '/etc/caddy/Caddyfile' }]);
  const { content } = configs.caddyfile;
  assert.match(content, /^kalender\.example \{$/m);
  const proxied = `  reverse_proxy almanakk:${instructionsOf('EXPOSE')[0]} {
    lb_try_duration 30s
    lb_try_interval 250ms
  }`;
  assertIncludes(content, proxied);
});

container('compose.yaml: should bound memory, logs and rights, and start the proxy with a calendar', () => {
  const { almanakk, proxy } = services;
  const { settings } = readSettings(imageVariables(), temporaryFolder());
  assert.is(almanakk.mem_limit, '1g');
  assert.ok(
    settings.memoryMegabytes <= 512,
    `${settings.memoryMegabytes} MB of the server leave half to builds`,
  );
  for (const { logging } of [almanakk, proxy])
    assert.equal(logging, { driver: 'json-file', options: { 'max-size': '10m', 'max-file': '3' } });
  for (const { cap_drop, security_opt } of [almanakk, proxy])
    assert.equal([cap_drop, security_opt], [['ALL'], ['no-new-privileges:true']]);
  assert.equal([almanakk.cap_add, proxy.cap_add], [undefined, ['NET_BIND_SERVICE']]);
  assert.equal(proxy.depends_on, { almanakk: { condition: 'service_healthy' } });
  assert.match(almanakk.tmpfs[0], /^\/tmp:/);
});

interface Server {
  readonly what: string;
  readonly answer: RequestListener | null;
  readonly code: number;
  readonly ends: boolean;
}

/** Behaviour of a server, and whether the health check kills it. */
const SERVERS: readonly Server[] = [
  { what: 'has a calendar', answer: (_, response) => response.end(), code: 0, ends: false },
  {
    what: 'has none',
    answer: ({ url }, response) => response.writeHead(url === '/healthz' ? 200 : 503).end(),
    code: 1,
    ends: false,
  },
  { what: 'does not listen yet', answer: null, code: 1, ends: false },
  { what: 'answers nobody', answer: () => undefined, code: 1, ends: true },
];

async function start(answer: RequestListener | null) {
  const server = createServer(answer ?? undefined);
  const port = await listening(server);
  const close = () => {
    server.close();
    server.closeAllConnections();
  };
  if (answer === null) close();
  return { port, close };
}

/** No process of Linux has numbers as high as these: a child that has just ended, and a server that ends once its command has been read. */
const ENDED = 4_194_305;
const ENDING = 4_194_306;
/** Seconds, which are no whole number of milliseconds in floating point. */
const LONG = '16.1';
const COMMAND = ['node', '--max-semi-space-size=8', 'dist/jobs/cli.js', 'start'];

/** A process that waits, as `/proc` describes it under that command. */
function waiting(processes: string, command: readonly string[]) {
  const child = spawn('sleep', ['600'], { stdio: 'ignore' });
  describe(processes, child.pid, command);
  return { pid: child.pid, kill: () => child.kill('SIGTERM'), ended: once(child, 'exit') };
}

function describe(processes: string, pid: number | undefined, command: readonly string[]): void {
  mkdirSync(join(processes, `${pid}`));
  writeFileSync(join(processes, `${pid}`, 'cmdline'), command.join('\0'));
}

for (const { what, answer, code, ends } of SERVERS)
  container(
    `D13: the health check should ${ends ? 'kill' : 'let'} a server ${ends ? 'that' : 'live that'} ${what}, and no other program`,
    async () => {
      const { port, close } = await start(answer);
      const processes = temporaryFolder();
      const server = waiting(processes, COMMAND);
      describe(processes, ENDING, COMMAND);
      const other = waiting(processes, ['sshd']);
      mkdirSync(join(processes, '1/task/1'), { recursive: true });
      writeFileSync(join(processes, '1/task/1/children'), `${ENDED} ${ENDING} ${other.pid} ${server.pid} `);
      const logged: unknown[] = [];
      const found = await checkHealth(['--kill-after', ends ? '0.2' : LONG], {
        processes,
        port,
        log: { error: (fields, event) => logged.push([event, fields]) },
        stdout: () => undefined,
      });
      assert.is(found, code);
      if (!ends) server.kill();
      other.kill();
      assert.equal(await server.ended, [null, ends ? 'SIGKILL' : 'SIGTERM']);
      assert.equal(await other.ended, [null, 'SIGTERM']);
      const killed = ['server killed: it did not answer', { pid: server.pid, seconds: 0.2 }];
      assert.equal(logged, ends ? [killed] : []);
      close();
    },
  );

container(
  'D13: the health check should refuse a port or a time that is too high, with its limit',
  async () => {
    const unused = { processes: temporaryFolder(), port: 1, log: { error: () => undefined } };
    for (const [option, value, expected] of [
      ['--port', '65536', 'a whole number from 1 to 65535'],
      ['--port', '40.5', 'a whole number from 1 to 65535'],
      ['--kill-after', '3601', 'a number above 0, and at most 3600'],
    ] as const) {
      const refused = await checkHealth([option, value], { ...unused, stdout: () => undefined }).then(
        String,
        String,
      );
      assert.match(refused, `${option}: expected ${expected}, found "${value}"`);
    }
  },
);

container('compose.yaml and Containerfile: should check the health by the command of that name', async () => {
  const { port, close } = await start((_, response) => response.end());
  const inImage = JSON.parse(/CMD (\[.*\])$/.exec(instructionsOf('HEALTHCHECK')[0] ?? '')?.[1] ?? '');
  const [kind, ...inCompose] = services.almanakk.healthcheck.test;
  assert.is(kind, 'CMD');
  for (const [program, ...args] of [inCompose, inImage]) {
    assert.is(program, 'node');
    const env = { PORT: `${port}` };
    assert.equal(await runCommand(process.execPath, args, { env, cwd: ROOT }), {
      code: 0,
      stdout: '',
      stderr: '',
    });
  }
  close();
});

/** The first engine that runs here and has the base image, or can fetch it. */
const engine = ['podman', 'docker'].find((name) => {
  const succeeds = (...args: readonly string[]) => spawnSync(name, args, { stdio: 'ignore' }).status === 0;
  const image = instructionsOf('FROM')[0]?.replace(/ AS \w+$/, '') ?? '';
  return succeeds('info') && (succeeds('image', 'inspect', image) || succeeds('manifest', 'inspect', image));
});

when(
  engine !== undefined,
  'no container engine runs here that can fetch the base image',
  container,
)(
  'should build, serve from a file system that cannot be written, issue keys, and end on a signal',
  async () => {
    const folder = temporaryFolder();
    for (const name of ['.dockerignore', '.npmrc', 'Containerfile'])
      cpSync(packagePath(name), join(folder, name));
    await packInto(folder);
    run('build', '--file', join(folder, 'Containerfile'), '--tag', 'almanakk-test', folder);
    const port = await freePort();
    const options = ['--read-only', '--volume', '/data', '--publish', `127.0.0.1:${port}:4000`];
    const id = run('run', '--detach', ...options, 'almanakk-test');
    try {
      const { send, post } = clientOf(`http://127.0.0.1:${port}`);
      await eventually('the server is ready', async () => (await send('/readyz')).status === 200);
      const { text } = await post('{ events { totalCount } }');
      assertAbove(JSON.parse(text).data.events.totalCount, 0, 'events');
      if (hasPart('jobs/annexes/keys')) {
        run('exec', id, 'node', 'dist/jobs/cli.js', 'keys', 'issue', '--app', 'NAME');
        assert.match(run('exec', id, 'cat', '/data/keys.json'), '"NAME"');
      }
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
