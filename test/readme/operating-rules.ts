/** Rules for blocks for operators and for readers of snapshots. */
import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import * as assert from 'uvu/assert';
import { parse } from 'yaml';
import { readSettings } from '../../jobs/settings.ts';
import { readPlanned } from '../../src/annexes/common/notices.ts';
import { packagePath } from '../../src/package.ts';
import { parseManifest } from '../../src/snapshot/manifest.ts';
import { openReader } from '../../src/snapshot/sqlite.ts';
import { assertAbove } from '../helpers/assertions.ts';
import { clientOf } from '../helpers/client.ts';
import { imageVariables, instructionsOf } from '../helpers/containerfile.ts';
import { mustRun, runScript, save, saveProgram } from '../helpers/debian-root.ts';
import { always, startFeedServer } from '../helpers/feed-server.ts';
import { temporaryFolder } from '../helpers/folder.ts';
import { freePort, startNginx } from '../helpers/nginx.ts';
import { until } from '../helpers/until.ts';
import { type Block, type Shape, theBlock } from './blocks.ts';
import { type Check, isHeldBy, type Rule, runs } from './checks.ts';
import { ADDRESS, makeClone, runShell, startService } from './shell.ts';
import { SERVING, type World } from './world.ts';

const findsRows: Check = async ({ text }, { clone }) => {
  const reader = await openReader(join(clone(), 'calendar.sqlite'), { timeout: 0 });
  const rows = await reader.all(text, [], (row) => row);
  await reader.close();
  assertAbove(rows.length, 0, `rows in ${text}`);
};

const namesPackage: Check = (block, world) => {
  const { version } = JSON.parse(readFileSync(packagePath('package.json'), 'utf8'));
  assert.match(block.text, `almanakk-${version}.tgz`);
  return isHeldBy('test/heavy/package.test.ts')(block, world);
};

/** Such a build takes minutes. Its package must be one that the bundle has. */
const namesBundled: Check = ({ text }) => {
  const { version, devDependencies } = JSON.parse(readFileSync(packagePath('package.json'), 'utf8'));
  const [, name = ''] = /^npm update (\S+)$/m.exec(text) ?? [];
  assert.type(devDependencies[name], 'string', name);
  assert.match(text, `mv almanakk-${version}.tgz almanakk-${version}-1.tgz`);
};

/** The first version with `jsonb_each` is 3.51. Nothing is compiled: the last line is tried with the SQLite that is there. */
const printsSqlite: Check = async ({ text }, { clone }) => {
  const line = text.trim().split('\n').at(-1) ?? '';
  const { code, stdout, stderr } = await runShell(line, { folder: clone() });
  assert.is(code, 0, stderr);
  assertAbove(Number(/^3\.(\d+)\.\d+\n$/.exec(stdout)?.[1]), 50, `of ${stdout}`);
};

/** With an archive and a key of its own. Without a good signature, nothing is installed. Lines of the signature may begin with 0, too. */
const installsNode: Check = async ({ text }) => {
  const root = temporaryFolder();
  const name = 'node-v24.9.0-linux-x64';
  for (const program of ['node', 'npm']) save(join(root, name, 'bin', program), program);
  const lines = text.replaceAll(/\/(?=opt|usr\/bin)/g, `${root}/`);
  saveProgram(root, 'curl', CURL);
  await mustRun(SIGNED.replaceAll('NAME', name), { root });
  await mustRun(lines, { root });
  assert.is(readFileSync(join(root, 'usr/bin/node'), 'utf8'), 'node');
  await mustRun("rm usr/bin/* && sed -i '0,/^0/s//1/' served/SHASUMS256.txt.asc", { root });
  const { code, stderr } = await runScript(lines, { root });
  assert.is(code, 1, stderr);
  assert.match(stderr, 'gpgv: BAD signature');
  assert.equal(readdirSync(join(root, 'usr/bin')), []);
};

/** The sums begin with one of another file. */
const SIGNED = `export GNUPGHOME="$PWD/keys"
mkdir -p served opt usr/bin && mkdir -m 700 keys
gpg --batch --quiet --passphrase '' --quick-generate-key releaser@node.example ed25519
cp keys/pubring.kbx served
tar --create --gzip --file served/NAME.tar.gz NAME
(cd served && printf '%064d  another\\n' 0 > sums && sha256sum NAME.tar.gz >> sums && gpg --batch --quiet --clearsign --output SHASUMS256.txt.asc sums)
gpgconf --kill all`;

/** Copies the file whose address comes last to the name of `--output`, or else to its own. */
const CURL = `for url; do if [ "$before" = --output ]; then output=$url; fi; before=$url; done
cp "served/\${url##*/}" "\${output:-.}"`;

/** test/container.test.ts builds and runs the image, where an engine is. */
const runsImage: Check = ({ text }) => {
  const [port, volume] = [instructionsOf('EXPOSE')[0], instructionsOf('VOLUME')[0]];
  assert.match(text, /^npm pack\npodman build --tag almanakk \.\npodman run .* almanakk\n$/);
  assert.match(text, ` --publish ${port}:${port} `);
  assert.match(text, `:${volume} `);
};

/** Docker is rarely there: the commands name services of the file. */
const namesServices: Check = ({ text }) => {
  const { services } = parse(readFileSync(packagePath('docs/compose.yaml'), 'utf8'));
  const commands = text.split('\n').filter((line) => line.includes('docker compose'));
  for (const line of commands) {
    const [, command = '', service] =
      /^docker compose (run --rm --no-TTY|up --detach)(?: (\w+).*)?$/.exec(line) ?? [];
    assert.is.not(command, '', line);
    if (service !== undefined) assert.ok(service in services, line);
  }
};

/** Compose merges the reader's own file into docs/compose.yaml: the calendar is mounted where the image looks for it. */
const mountsCalendar: Check = ({ text }) => {
  const { services } = parse(readFileSync(packagePath('docs/compose.yaml'), 'utf8'));
  const own = parse(text).services;
  assert.equal(Object.keys(own), ['almanakk']);
  assert.ok('almanakk' in services);
  assert.equal(own.almanakk, { volumes: [`./my-calendar:${imageVariables().ALMANAKK_SOURCE}:ro`] });
};

/** A setting at the least, each of which is there and takes its value. */
const isSettings: Check = ({ text }) => {
  const variables = parseEnv(text);
  const { warnings } = readSettings(variables, temporaryFolder());
  assert.equal(warnings, []);
  assertAbove(Object.keys(variables).length, 0, 'settings');
};

const answersWell = runs(({ stdout }) => {
  const [health = '', readiness = '', status = '', ...metrics] = stdout.split('\n');
  assert.equal(JSON.parse(health), { status: 'up' });
  assert.is(JSON.parse(readiness).ready, true);
  assert.equal(JSON.parse(status).concerns, []);
  assert.match(metrics.join('\n'), /^almanakk_snapshot_open 1$/m);
});

/** With a server in place of the public address. The query is that of docs/blackbox.yml. */
const isUp: Check = ({ text, ...block }, world) => {
  const { body } = parse(readFileSync(packagePath('docs/blackbox.yml'), 'utf8')).modules.almanakk_answer.http;
  assert.match(text, `'${body}'`);
  const isWell = runs(({ stdout }) =>
    assert.match(stdout, /^HTTP\/1\.1 200 [\s\S]*\{"data":\{"events":\{"totalCount":\d+,/),
  );
  return isWell({ ...block, text: text.replaceAll('https://kalender.example', ADDRESS) }, world);
};

const changesNothing = runs(({ stdout }) => {
  const json = stdout.split('\n').findLast((line) => line.startsWith('{')) ?? '';
  assert.is(JSON.parse(json).outcome, 'unchanged');
});

const issuesKey = runs(({ stdout }) => {
  assert.match(stdout, /^alk_\w+$/m);
  assert.match(stdout, /^\w{10} .* valid {2}never seen {2}Lillevik avis {2}<post@avis.example>$/m);
});

/** The key that the block before has issued. */
const revokesKey: Check = async (block, world) => {
  const id = /^(\w{10}) .* valid/m.exec(`${world.found.get('output')}`)?.[1] ?? '';
  const isRevoked = runs(({ stdout }) => assert.match(stdout, new RegExp(`\\b${id}\\b.*\\brevoked\\b`)));
  await isRevoked({ ...block, text: block.text.replace('KEY-ID', id) }, world);
};

const makesSigningKey = runs(({ stdout }, { clone }) => {
  assert.match(stdout, /^key [0-9a-f]{16}$/m);
  assert.is(statSync(join(clone(), 'signing.pem')).mode & 0o777, 0o600);
});

const isPlan: Check = ({ text }) => {
  const { notices, rest } = readPlanned(text);
  assert.is(rest, '');
  assert.is(notices.length, 1);
};

/** Starts a replica with the settings of a page, and nginx with servers that are down and not ready, and that replica and its builder as backups. */
const balances: Check = async ({ text }, { server, onClose }) => {
  const origin = await server();
  const { text: settings } = theBlock({ language: 'ini', says: /^ALMANAKK_ORIGIN=http:/m });
  const folder = makeClone();
  const env = settings
    .replace('http://builder.example:4000', origin.url)
    .replace('HOST=::', 'HOST=127.0.0.1');
  writeFileSync(join(folder, '.env'), env);
  const replica = await startService('npm start', SERVING, { folder });
  const unready = await startFeedServer(always(503, '{}'));
  const servers = [`http://127.0.0.1:${await freePort()}`, unready.url, replica.url, origin.url];
  const http = text.replaceAll(/(?<=^ *server )[\d.:]+(?=[ ;])/gm, () => new URL(servers.shift() ?? '').host);
  assert.equal(servers, []);
  const nginx = await startNginx({
    http,
    server: 'location / { proxy_pass http://almanakk; include snippets/almanakk.conf; }',
  });
  onClose(() => Promise.all([nginx.stop(), unready.close(), replica.stop()]).then(() => undefined));
  assert.is(await snapshotOf(replica.url), await snapshotOf(origin.url));
  const { send, post } = clientOf(nginx.url);
  for (let count = 0; count < 8; count += 1) {
    assert.is((await send('/events.json')).status, 200);
    assert.is((await post('{ events { totalCount } }')).status, 200);
  }
};

const pullsCopy: Check = async ({ text }, { server }) => {
  const { url } = await server();
  const here = text.replace('http://builder.example:4000', url);
  const { code, stdout, stderr } = await runShell(here, { folder: makeClone() });
  assert.is(code, 0, stderr);
  assert.match(stdout, /^published: calendar-\w+\.sqlite, built at .*, 195 events$/m);
};

/** Answers challenges of its own, and passes others on to the builder, with the name for which they are. */
const passesChallenges: Check = async ({ text }, { onClose }) => {
  const builder = await startFeedServer(({ url, headers }, response) => {
    response.end(`${headers.host} ${url}`);
  });
  const root = temporaryFolder();
  const path = '/.well-known/acme-challenge/';
  mkdirSync(join(root, path), { recursive: true });
  writeFileSync(join(root, path, 'own'), 'of the replica');
  const server = text.replace('/var/www/html', root).replace('http://10.0.0.11', builder.url);
  const nginx = await startNginx({ server });
  onClose(() => Promise.all([nginx.stop(), builder.close()]).then(() => undefined));
  const { send } = clientOf(nginx.url);
  assert.is((await send(`${path}own`)).text, 'of the replica');
  const { text: passed } = await send(`${path}other`, { headers: { host: 'kalender.example' } });
  assert.is(passed, `kalender.example ${path}other`);
};

const passesStoreOn: Check = async (block, world) => {
  await behindNginx(async ({ text }, { server }) => {
    const { url } = await server();
    return text
      .replace('https://s3.example/kalender/trondheim/', `${url}/snapshots/`)
      .replace('/var/lib/nginx/calendar', temporaryFolder());
  })(block, world);
  const ask = (name: string) => fetch(`${nginxOf(world)}/trondheim/${name}`);
  const { compressed } = parseManifest(await (await ask('manifest.json')).text());
  const copy = await (await ask(compressed?.file ?? '')).arrayBuffer();
  assert.is(copy.byteLength, compressed?.bytes);
};

const LOG_OF_PATHS: Shape = { language: 'nginx', says: /^log_format path_only /m };

/** A newspaper's site that has left the calendar, with the log of the page about personal data. */
const redirectsEvents: Check = async ({ text }, { onClose }) => {
  const { text: http } = theBlock(LOG_OF_PATHS);
  const log = join(temporaryFolder(), 'access.log');
  const nginx = await startNginx({ http, server: `access_log ${log} path_only;\n${text}` });
  onClose(nginx.stop);
  const { send } = clientOf(nginx.url);
  const headers = { referer: 'https://sok.example/?q=revy' };
  const { status, headers: answered } = await send('/arrangement/revyen?dato=2026-11-20', { headers });
  assert.equal([status, answered.location], [301, 'https://nykalender.example/revyen']);
  assert.is((await send('/sitemap-arrangementer.xml')).status, 410);
  const logged = () => readFileSync(log, 'utf8');
  await until('nginx logs the requests', () => logged().includes('/sitemap-arrangementer.xml'));
  assert.match(logged(), '"GET /arrangement/revyen HTTP/1.1" 301 ');
  assert.not.match(logged(), /dato|sok\.example/);
};

/** In a folder with nothing but package.json. */
const setsHome: Check = async ({ text }) => {
  const folder = temporaryFolder();
  copyFileSync(packagePath('package.json'), join(folder, 'package.json'));
  const { status, stderr } = spawnSync('sh', ['-e', '-c', text], { cwd: folder, encoding: 'utf8' });
  assert.is(status, 0, stderr);
  const { homepage, bugs, repository } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const home = 'https://forge.example/lillevik/almanakk';
  assert.equal([homepage, bugs.url ?? bugs, repository.url], [home, `${home}/issues`, `git+${home}.git`]);
};

export const OPERATING_RULES: readonly Rule[] = [
  { shape: { language: 'sh', says: /nodejs\/release-keys/ }, check: installsNode },
  { shape: { language: 'sh', says: /npm install .*\.tgz/ }, check: namesPackage },
  { shape: { language: 'sh', says: /^npm update /m }, check: namesBundled },
  { shape: { language: 'sh', says: /npm rebuild sqlite3/ }, check: printsSqlite },
  { shape: { language: 'sh', says: /podman/ }, check: runsImage },
  { shape: { language: 'sh', says: /^npm pkg set /m }, check: setsHome },
  { shape: { language: 'ini', says: /^ALMANAKK_/m }, check: isSettings },
  {
    shape: { language: 'sh', says: /\/healthz[\s\S]*\/readyz[\s\S]*\/metrics/ },
    check: answersWell,
    needs: 'curl',
  },
  { shape: { language: 'sh', says: /^curl --include .*\/readyz$/m }, check: isUp, needs: 'curl' },
  { shape: { language: 'sh', says: /npm run rebuild -- --json/ }, check: changesNothing },
  { shape: { language: 'sh', says: /keys -- issue/ }, check: issuesKey },
  { shape: { language: 'sh', says: /keys -- revoke/ }, check: revokesKey },
  { shape: { language: 'sh', says: /keys -- signing/ }, check: makesSigningKey },
  {
    shape: { language: 'sh', says: /announce -- --dry-run/ },
    check: runs(({ stdout }) => assert.match(stdout, /^nothing is planned: no emails to send$/m)),
  },
  { shape: { language: 'markdown', says: /^### Planned$/m }, check: isPlan },
  { shape: { language: 'sh', says: /^amtool silence /m }, check: isHeldBy('test/alertmanager.test.ts') },
  { shape: { language: 'nginx', says: /^upstream almanakk \{$/m }, check: balances, needs: 'nginx' },
  {
    shape: { language: 'nginx', says: /^ssl_client_certificate /m },
    check: isHeldBy('test/public-address.test.ts'),
  },
  { shape: { language: 'nginx', says: /acme-challenge/ }, check: passesChallenges, needs: 'nginx' },
  {
    shape: { language: 'nginx', says: /^set_real_ip_from /m },
    check: isHeldBy('test/src/serve/http/proxy-cache.test.ts'),
  },
  {
    shape: { language: 'nginx', says: /^location .*\/arrangement\// },
    check: redirectsEvents,
    needs: 'nginx',
  },
  { shape: LOG_OF_PATHS, check: isHeldBy('test/readme/operating-rules.ts') },
  {
    shape: { language: 'sh', says: /^node find-person\.mjs /m },
    check: isHeldBy('test/examples/find-person.test.ts'),
  },
  { shape: { file: /^sites\.txt$/ }, check: isHeldBy('test/examples/hidden-on-sites.test.ts') },
  {
    shape: { language: 'text', says: /hidden-on-sites\.sh/ },
    check: isHeldBy('test/examples/hidden-on-sites.test.ts'),
  },
  { shape: { language: 'sh', says: /^ALMANAKK_ORIGIN=.* npm run pull$/m }, check: pullsCopy },
  { shape: { language: 'nginx', says: /proxy_pass https:\/\/s3\./ }, check: passesStoreOn, needs: 'nginx' },
  { shape: { language: 'sh', says: /^docker compose /m }, check: namesServices },
  {
    shape: { language: 'sh', says: /^sh compose-(?:backup|restore|switch)\.sh\b/m },
    check: isHeldBy('test/compose.test.ts'),
  },
  {
    shape: { language: 'sh', says: /^sh kubernetes-backup\.sh / },
    check: isHeldBy('test/kubernetes/volumes.test.ts'),
  },
  {
    shape: { language: 'sh', says: /^sh kubernetes-switch\.sh / },
    check: isHeldBy('test/kubernetes/switch.test.ts'),
  },
  {
    shape: { language: 'yaml', says: /^namespace: /m },
    check: isHeldBy('test/kubernetes/kubernetes.test.ts'),
  },
  { shape: { file: /^compose\.override\.yaml$/ }, check: mountsCalendar },
  { shape: { language: 'sh', says: /^kubectl /m }, check: isHeldBy('test/kubernetes/kubernetes.test.ts') },
  {
    shape: { language: 'sql', says: /\bfrom change\b/ },
    check: isHeldBy('test/jobs/public-edition/queries.test.ts'),
  },
  { shape: { language: 'sql' }, check: findsRows },
  {
    shape: { language: 'html', says: /calendar\.sqlite/ },
    check: isHeldBy('test/jobs/public-edition/web.test.ts'),
  },
  {
    shape: { language: 'sh', says: /^ *sqlite3 .* calendar\.sqlite /m },
    check: isHeldBy('test/jobs/public-edition/commands.test.ts'),
  },
  {
    shape: { language: 'bash', says: /manifest\.json/ },
    check: isHeldBy('test/jobs/public-edition/commands.test.ts'),
  },
];

/** Starts nginx with a server block from a page, on another port. */
function behindNginx(adapt: (block: Block, world: World) => Promise<string>): Check {
  return async (block, world) => {
    const port = `${await freePort()}`;
    const http = (await adapt(block, world)).replace(/listen \d+;/, `listen 127.0.0.1:${port};`);
    const nginx = await startNginx({ http, server: 'return 204;' });
    world.onClose(nginx.stop);
    world.found.set('nginx', `http://127.0.0.1:${port}`);
  };
}

function nginxOf({ found }: World): string {
  return `${found.get('nginx')}`;
}

/** The id, as `/readyz` has it. */
async function snapshotOf(url: string): Promise<string> {
  const { text } = await clientOf(url).send('/readyz');
  return /"id":"(\w+)"/.exec(text)?.[1] ?? 'none';
}
