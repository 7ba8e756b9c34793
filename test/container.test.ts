import { chmodSync, cpSync, existsSync, lstatSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { packagePath } from '../src/package.ts';
import { parseContainerfile } from './container/parse.ts';
import { type Container, canMount, execIn, runImage } from './container/run-image.ts';
import { type Image, takeSteps } from './container/take.ts';
import { clientOf } from './helpers/client.ts';
import { temporaryFolder } from './helpers/folder.ts';
import { freePort } from './helpers/nginx.ts';
import { packInto } from './helpers/pack.ts';
import { eventually } from './helpers/until.ts';
import { when } from './helpers/when.ts';

const containerfile = readFileSync(packagePath('Containerfile'), 'utf8');
const stages = parseContainerfile(containerfile);

interface Context {
  /** The folder that the image is built from. */
  readonly made: string;
  readonly image: Image;
  readonly url: string;
  readonly env: Record<string, string>;
  server: Container;
}

const container = suite<Context>('container');

container.before(async (context) => {
  const folder = temporaryFolder();
  // The server runs as another user.
  chmodSync(folder, 0o755);
  const made = makeContext();
  const image = takeSteps(stages, { context: made, folder });
  const port = await freePort();
  const env = { PORT: `${port}`, HOST: '127.0.0.1', HOME: '/nonexistent' };
  Object.assign(context, { made, image, env, url: `http://127.0.0.1:${port}` });
});

container('should build on images of a named version, the last one without compilers', () => {
  for (const { image } of stages)
    assert.match(image, /^docker\.io\/library\/node:\d+[\w.]*-bookworm(-slim)?$/);
  assert.match(stages.at(-1)?.image ?? '', /-slim$/);
  const versions = new Set(stages.map(({ image }) => image.replace(/-slim$/, '')));
  assert.is(versions.size, 1, 'the same Node in all stages');
});

container('should be built from one package, and from none where there are several', ({ made }) => {
  const [, ...steps] = /^COPY (almanakk-\S+ \S+)\n(?:#.*\n)*(RUN tar .*)$/m.exec(containerfile) ?? [];
  const several = parseContainerfile(`FROM a\nWORKDIR /almanakk\nCOPY ${steps.join('\n')}`);
  const copy = join(made, 'almanakk-0.0.1.tgz');
  const take = () => takeSteps(several, { context: made, folder: temporaryFolder() });
  assert.ok(existsSync(join(take().root, 'almanakk/dist/jobs/cli.js')));
  cpSync(join(made, readdirSync(made).find((name) => name.endsWith('.tgz')) ?? ''), copy);
  assert.throws(take, /Not found in archive/);
  rmSync(copy);
});

container('should run Node itself, as somebody who is not root', ({ image }) => {
  assert.is(image.command[0], 'node');
  assert.match(image.user, /^[1-9]\d*:[1-9]\d*$/);
  assert.equal(image.volumes, ['/data']);
  assert.equal(image.ports, ['4000']);
});

container('D14: should give V8 and malloc no more memory than other ways to start do', ({ image }) => {
  const { start, serve, ...others } = JSON.parse(readFileSync(packagePath('package.json'), 'utf8')).scripts;
  const [unit = '', variables] =
    /^Environment=(.*)\nExecStart=.*cli\.js start$/m.exec(
      readFileSync(packagePath('docs/operating.md'), 'utf8'),
    ) ?? [];
  for (const command of [image.command.join(' '), start, serve, unit])
    assert.match(command, /node --max-semi-space-size=8 \S+ (start|serve)$/);
  for (const command of [start, serve, others.rebuild, others.schedule, variables])
    assert.match(command, /\bMALLOC_ARENA_MAX=1\b/);
  for (const command of [start, serve, variables]) assert.match(command, /\bMALLOC_TRIM_THRESHOLD_=131072\b/);
  assert.is(image.env.MALLOC_ARENA_MAX, '1');
  assert.is(image.env.MALLOC_TRIM_THRESHOLD_, '131072');
});

container('should have no packages of development, no sources and no tests in it', ({ image }) => {
  const packages = readdirSync(join(image.root, image.workdir, 'node_modules'));
  assert.ok(packages.includes('sqlite3'));
  for (const name of ['typescript', 'uvu', 'tsx', '@biomejs']) assert.not(packages.includes(name), name);
  const files = [...treeOf(join(image.root, image.workdir), ['/node_modules']).keys()];
  assert.equal(
    files.filter((file) => file.endsWith('.ts') || file.startsWith('test/')),
    [],
  );
});

const readOnly = canMount(temporaryFolder());

container('should serve, and write to nothing but its volumes', async (context) => {
  const { image, url, env } = context;
  const before = treeOf(image.root, image.volumes);
  context.server = runImage(image, { env, readOnly });
  await isReady(url, context.server);
  assert.is(await execIn(image, image.healthcheck, { env, readOnly: false }), 0);
  assert.match(JSON.stringify(await totalOf(url)), '"data":{"events":{"totalCount":195}}');
  assert.equal([...treeOf(image.root, image.volumes)], [...before]);
  assert.ok(readdirSync(join(image.root, '/data/snapshots')).includes('manifest.json'));
});

when(
  readOnly,
  'there are no namespaces here',
  container,
)('should serve from a root file system that cannot be written', async ({ image, env }) => {
  const write = ['sh', '-c', 'touch there 2>&1 | grep -q "Read-only file system"'];
  assert.is(await execIn(image, write, { env, readOnly }), 0);
});

container('should have all that is served in it', async ({ url }) => {
  const headers = { Accept: 'text/html' };
  for (const path of ['/', '/graphQL', '/status', '/schema.graphql', '/changelog']) {
    const response = await fetch(`${url}${path}`, { headers });
    assert.is(response.status, 200, path);
    const page = await response.text();
    if (path === '/changelog') assert.match(page, '0.1.0');
  }
});

const isRoot = process.getuid?.() === 0;

when(
  isRoot,
  'only root may run what is in the image as another user',
  container,
)('should run as the user of the image', ({ image, server }) => {
  const status = readFileSync(`/proc/${server.pid}/status`, 'utf8');
  assert.is(/^Uid:\t(\d+)/m.exec(status)?.[1], image.user.split(':')[0]);
});

container('should issue keys where the server finds them', async ({ image, env }) => {
  const command = ['node', 'dist/jobs/cli.js', 'keys', 'issue', '--app', 'NAME'];
  assert.is(await execIn(image, command, { env, readOnly }), 0);
  assert.match(readFileSync(join(image.root, '/data/keys.json'), 'utf8'), '"NAME"');
});

container('should end on a signal, and be called unhealthy then', async ({ image, server, env }) => {
  server.kill('SIGTERM');
  assert.is(await server.ended, 0);
  assert.match(server.said(), /stopped\n$/);
  assert.is(await execIn(image, image.healthcheck, { env, readOnly: false }), 1);
});

container.run();

const steps = suite('container steps');

/** What a Containerfile may not say. */
const REFUSED: readonly (readonly [text: string, finding: RegExp])[] = [
  ['RUN true', /expected FROM first/],
  ['FROM a\nADD b c', /expected WORKDIR, .* found ADD b c/],
  ['FROM a\nCMD npm start', /expected a command as a list/],
  ['FROM a\nCOPY test/ test/', /\.dockerignore hides test\//],
  ['FROM a\nCOPY almanakk-*.tgz a.tgz', /expected almanakk-\*\.tgz in the context, found none/],
  ['FROM a\nCOPY --from=b c d', /expected a stage before this one, found --from=b/],
  ['FROM a\nRUN exit 3', /RUN exit 3: exit code 3/],
];

const context = temporaryFolder();
cpSync(packagePath('.dockerignore'), join(context, '.dockerignore'));

for (const [text, finding] of REFUSED) {
  steps(`should refuse ${JSON.stringify(text)}`, () => {
    assert.throws(() => takeSteps(parseContainerfile(text), { context, folder: temporaryFolder() }), finding);
  });
}

steps.run();

/** What the image is built from, in a folder of its own. */
function makeContext(): string {
  const made = temporaryFolder();
  for (const name of ['.dockerignore', '.npmrc', 'package-lock.json'])
    cpSync(packagePath(name), join(made, name));
  packInto(made);
  return made;
}

async function isReady(url: string, { said }: Container): Promise<void> {
  const { send } = clientOf(url);
  const isUp = async () => (await send('/readyz')).status === 200;
  await eventually('the server is ready', isUp).catch((thrown) => {
    throw new Error(`${thrown.message}\n${said()}`);
  });
}

async function totalOf(url: string): Promise<unknown> {
  return JSON.parse((await clientOf(url).post('{ events { totalCount } }')).text);
}

/** Every file with its size, time and mode, but for those below some folders. Does not follow links. */
function treeOf(root: string, without: readonly string[] = []): ReadonlyMap<string, string> {
  const tree = new Map<string, string>();
  const walk = (folder: string) => {
    for (const entry of readdirSync(join(root, folder), { withFileTypes: true })) {
      const path = `${folder}/${entry.name}`;
      if (without.includes(path)) continue;
      const { size, mtimeMs, mode } = lstatSync(join(root, path));
      tree.set(path, `${size} ${mtimeMs} ${mode}`);
      if (entry.isDirectory()) walk(path);
    }
  };
  walk('');
  return tree;
}
