/** What is done with the blocks of the pages for operators and readers of snapshots, in their order. */
import { spawnSync } from 'node:child_process';
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { parseEnv } from 'node:util';
import * as assert from 'uvu/assert';
import { readSettings, type Settings } from '../../jobs/settings.ts';
import { readPlanned } from '../../src/annexes/common/notices.ts';
import { packagePath } from '../../src/package.ts';
import { parseManifest } from '../../src/snapshot/folder.ts';
import { openReader } from '../../src/snapshot/sqlite.ts';
import { clientOf } from '../helpers/client.ts';
import { instructionsOf } from '../helpers/containerfile.ts';
import { temporaryFolder } from '../helpers/folder.ts';
import { freePort, startNginx } from '../helpers/nginx.ts';
import { isHeldBy, needs, type Rule, type Rules, runs } from './checks.ts';
import type { Block } from './document.ts';
import { makeClone, runShell, startService } from './shell.ts';
import { SERVING, type World } from './world.ts';

const holdsEvents: Rule = async ({ text }, { clone }) => {
  const reader = await openReader(join(clone(), 'calendar.sqlite'), { timeout: 0 });
  const rows = await reader.all(text, [], (row) => row);
  await reader.close();
  assert.ok(rows.length > 0, text);
};

/** Takes each of these blocks on a machine of its own. */
const onDebian = isHeldBy('test/heavy/debian.test.ts');

/** What systemd says of a unit, whose programs are not here. */
const unit: Rule = needs('systemd-analyze', ({ text, file }) => {
  const path = join(temporaryFolder(), basename(file ?? ''));
  writeFileSync(path, text.replace(/^ExecStart=\/usr\/local\/sbin\/.*/m, 'ExecStart=/bin/true'));
  if (path.endsWith('.timer'))
    writeFileSync(path.replace(/timer$/, 'service'), '[Service]\nExecStart=/bin/true\n');
  const { status, stderr } = spawnSync('systemd-analyze', ['verify', path], { encoding: 'utf8' });
  assert.is(stderr, '');
  assert.is(status, 0);
});

export const OPERATING_RULES: Rules = {
  'Without a clone › sh': (block, world) => {
    const { version } = JSON.parse(readFileSync(packagePath('package.json'), 'utf8'));
    assert.match(block.text, `almanakk-${version}.tgz`);
    return isHeldBy('test/heavy/package.test.ts')(block, world);
  },
  Programs: onDebian,
  'Versions side by side': onDebian,
  'The service › ini 1': isSettings(({ trustProxy, alertTo, mailFrom, smtpUrl }) => {
    assert.equal(
      [trustProxy.length, alertTo.length, mailFrom !== null, smtpUrl !== null],
      [1, 1, true, true],
    );
  }),
  'The service › ini 2': onDebian,
  'The service › ini 3': onDebian,
  'The service › ini 4': onDebian,
  'The service › ini': unit,
  'The service › sh': onDebian,
  https: onDebian,
  'A backup every night › ini': unit,
  'A backup every night › sh': onDebian,
  'An upgrade, and the way back › sh': onDebian,

  // test/container.test.ts builds and runs the image, where an engine is.
  'In a container › sh 1': ({ text }) => {
    assert.match(text, /^npm pack\npodman build --tag almanakk \.\npodman run .* almanakk\n$/);
    assert.match(text, ` --publish ${instructionsOf('EXPOSE')[0]}:${instructionsOf('EXPOSE')[0]} `);
    assert.match(text, `:${instructionsOf('VOLUME')[0]} `);
  },
};

export const WATCHING_RULES: Rules = {
  'Watching it › sh 1': runs(({ stdout }) => {
    const [health = '', readiness = '', status = '', ...metrics] = stdout.split('\n');
    assert.equal(JSON.parse(health), { status: 'up' });
    assert.is(JSON.parse(readiness).ready, true);
    assert.equal(JSON.parse(status).concerns, []);
    assert.match(metrics.join('\n'), /^almanakk_snapshot_open 1$/m);
  }),
  'Building on a schedule › sh 1': runs(({ stdout }) => {
    const json = stdout.split('\n').findLast((line) => line.startsWith('{')) ?? '';
    assert.is(JSON.parse(json).outcome, 'unchanged');
  }),
  'Telling others that something was published › nginx': isHeldBy(
    'test/jobs/annexes/hooks/receivers.test.ts',
  ),
  'Application keys › sh 1': runs(({ stdout }) => {
    assert.match(stdout, /^alk_\w+$/m);
    assert.match(stdout, /^\w{10} .* valid {2}never seen {2}Lillevik avis {2}<post@avis.example>$/m);
  }),
  'Application keys › sh 2': async (block, world) => {
    const id = /^(\w{10}) .* valid/m.exec(`${world.found.get('output')}`)?.[1] ?? '';
    await runs(({ stdout }) => assert.match(stdout, `${id} (Lillevik avis) is revoked`))(
      { ...block, text: block.text.replace('KEY-ID', id) },
      world,
    );
  },

  'Planned changes › sh 1': runs(({ stdout }) =>
    assert.match(stdout, /^nothing is planned: no mails to send$/m),
  ),
  'Planned changes › markdown 1': ({ text }) => {
    const { notices, rest } = readPlanned(text);
    assert.equal([notices.map(({ id, from }) => [id, from]), rest], [[['quota', '2027-02-01']], '']);
  },
};

export const SCALING_RULES: Rules = {
  'Several machines › ini 1': isSettings(({ serveSnapshots, snapshotsToken }) => {
    assert.equal([serveSnapshots, snapshotsToken], [true, 'a-long-text-of-your-own']);
  }),
  'Several machines › sh 1': async ({ text }, { server, onClose }) => {
    const origin = await server();
    const here = text.replace('http://builder.example:4000', origin.url);
    const replica = await startService(here, SERVING, { folder: makeClone() });
    onClose(replica.stop);
    assert.is(await snapshotOf(replica.url), await snapshotOf(origin.url));
  },
  'Several machines › nginx 1': needs(
    'nginx',
    behindNginx(async ({ text }, { clone, server }) => {
      await server();
      return text.replace('/var/lib/almanakk', join(clone(), 'data'));
    }),
  ),
  'Several machines › sh 2': needs('nginx', async ({ text }, world) => {
    const folder = makeClone();
    const { code, stdout, stderr } = await runShell(
      text.replace('http://builder.example:8080', nginxOf(world)),
      {
        folder,
      },
    );
    assert.is(code, 0, stderr);
    assert.match(stdout, /^published: calendar-\w+\.sqlite, built at .*, 195 events$/m);
  }),
  'One machine, several, many › sh 1': runs(({ stdout }, { clone }) => {
    assert.match(stdout, /^key [0-9a-f]{16}$/m);
    assert.is(statSync(join(clone(), 'signing.pem')).mode & 0o777, 0o600);
  }),
  'One machine, several, many › ini 1': isSettings(({ publish, s3, signingKey }) => {
    assert.equal([publish?.href, s3?.region], ['s3://kalender/trondheim/', 'eu-north-1']);
    assert.is(signingKey, '/etc/almanakk/signing.pem');
  }),
  'One machine, several, many › ini 2': isSettings(({ origin, trust }) => {
    assert.is(origin?.href, 'https://cdn.example/trondheim/');
    assert.equal(trust, ['/etc/almanakk/signing.pem.pub']);
  }),
  'One machine, several, many › json 1': ({ text }) => {
    const actions = JSON.parse(text).Statement.flatMap(({ Action }: { Action: unknown }) => Action);
    // What the builder asks for, and no more.
    assert.equal([...new Set(actions)].sort(), [
      's3:DeleteObject',
      's3:GetObject',
      's3:ListBucket',
      's3:PutObject',
    ]);
  },
  'One machine, several, many › nginx 1': needs('nginx', async (block, world) => {
    await behindNginx(async ({ text }, { server }) => {
      const { url } = await server();
      return text
        .replace('https://s3.example/kalender/trondheim/', `${url}/snapshots/`)
        .replace('/var/cache/nginx/calendar', temporaryFolder());
    })(block, world);
    const ask = (name: string) => fetch(`${nginxOf(world)}/trondheim/${name}`);
    const { compressed } = parseManifest(await (await ask('manifest.json')).text());
    const copy = await (await ask(compressed?.file ?? '')).arrayBuffer();
    assert.is(copy.byteLength, compressed?.bytes);
  }),
  'A cache in front › nginx': isHeldBy('test/src/serve/http/proxy-cache.test.ts'),
};

export const DATA_RULES: Rules = {
  sh: runs(),
  'Keeping a copy up to date › sql': isHeldBy('test/jobs/public-edition/queries.test.ts'),
  sql: holdsEvents,
  html: isHeldBy('test/jobs/public-edition/web.test.ts'),
  bash: isHeldBy('test/jobs/public-edition/queries.test.ts'),
};

/** What stands in it is read without a complaint. */
function isSettings(check: (settings: Settings) => void): Rule {
  return ({ text }) => {
    const { settings, warnings } = readSettings(parseEnv(text), temporaryFolder());
    assert.equal(warnings, []);
    check(settings);
  };
}

/** Starts nginx with a server block from a page, on another port. */
function behindNginx(adapt: (block: Block, world: World) => Promise<string>): Rule {
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
