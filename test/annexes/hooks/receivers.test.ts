/** H10: hooks at real receivers: another process, and nginx as docs/watching.md sets it up, which purges and adds headers. */
import { type ChildProcess, spawn } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { create } from '../../../jobs/annexes/hooks/hooks.ts';
import { readSettings } from '../../../jobs/settings.ts';
import { packagePath } from '../../../src/package.ts';
import { startFeedServer } from '../../helpers/feed-server.ts';
import { publishCalendar, temporaryFolder } from '../../helpers/folder.ts';
import { startNginx } from '../../helpers/nginx.ts';
import { isInstalled, when } from '../../helpers/when.ts';

/** Its UTF-8 bytes are the key. */
const SECRET = 'en nøkkel av god lengde';
const PURGE_MODULE = '/usr/lib/nginx/modules/ngx_http_cache_purge_module.so';

const receivers = suite('hooks at receivers');

async function told(urls: readonly string[]): Promise<string | undefined> {
  const folder = temporaryFolder();
  const published = await publishCalendar(folder);
  const environment = {
    ALMANAKK_HOOKS: urls.join(','),
    ALMANAKK_HOOK_SECRET: SECRET,
    ALMANAKK_ALLOW_PRIVATE_FEEDS: 'true',
  };
  const { settings } = readSettings(environment, folder);
  const changes = { added: 1, changed: 0, removed: 0 };
  const done = await create(settings).afterBuild?.(folder, { ...published, changes });
  return done?.line;
}

/** Prints its address, and then each POST that it takes, as a line of JSON. */
const RECEIVER = `
require('node:http').createServer(async (request, response) => {
  let body = '';
  for await (const part of request) body += part;
  console.log(JSON.stringify({ body, signature: request.headers['x-almanakk-signature'] }));
  response.writeHead(202).end();
}).listen(0, '127.0.0.1', function () { console.log('http://127.0.0.1:' + this.address().port); });
`;

async function lineOf({ stdout }: ChildProcess): Promise<string> {
  if (stdout === null) throw new Error('expected a process whose output is read');
  const [chunk] = await once(stdout, 'data');
  return `${chunk}`.trim();
}

receivers('H10: should reach another process, which can check who sent it', async () => {
  const child = spawn(process.execPath, ['--eval', RECEIVER], { stdio: ['ignore', 'pipe', 'inherit'] });
  const url = await lineOf(child);
  const line = lineOf(child);
  assert.is(await told([url]), 'hooks: 1 of 1 accepted');
  const { body, signature } = JSON.parse(await line);
  assert.is(signature, `sha256=${createHmac('sha256', SECRET).update(body).digest('hex')}`);
  assert.is(JSON.parse(body).added, 1);
  child.kill();
});

const purging = when(
  isInstalled('nginx') && existsSync(PURGE_MODULE),
  'nginx and its module for purges are not installed here',
  receivers,
);

purging(
  'H10: should purge an address from the cache of nginx, and reach a CDN that wants a header',
  async () => {
    const seen: { url: string; authorization: string | undefined; body: string }[] = [];
    const origin = await startFeedServer(async (request: IncomingMessage, response: ServerResponse) => {
      const { url = '', headers } = request;
      seen.push({ url, authorization: headers.authorization, body: await text(request) });
      response.writeHead(200, { 'cache-control': 'public, max-age=60' }).end('{}');
    });
    const page = readFileSync(packagePath('docs/watching.md'), 'utf8');
    const [, block = ''] =
      /```nginx\nserver \{\n {2}listen 127\.0\.0\.1:8081;\n([\s\S]*?)\n\}\n```/.exec(page) ?? [];
    const nginx = await startNginx({
      main: `load_module ${PURGE_MODULE};`,
      http: `proxy_cache_path ${temporaryFolder()} keys_zone=almanakk:1m;`,
      server: `${block.replace('https://api.cloudflare.com', origin.url)}
      location / {
        proxy_pass ${origin.url};
        proxy_cache almanakk;
        proxy_cache_key "1 http://kalender.example$request_uri";
      }`,
    });
    const address = '/events.json?period=WEEKEND';
    const asked = () => seen.filter(({ url }) => url === address).length;
    for (let times = 0; times < 2; times++) await (await fetch(`${nginx.url}${address}`)).text();
    assert.is(asked(), 1);
    assert.is(await told([`${nginx.url}/purge${address}`, `${nginx.url}/cdn`]), 'hooks: 2 of 2 accepted');
    await (await fetch(`${nginx.url}${address}`)).text();
    assert.is(asked(), 2);
    const cdn = seen.find(({ url }) => url.endsWith('/purge_cache'));
    assert.equal([cdn?.authorization, cdn?.body], ['Bearer TOKEN', '{"purge_everything":true}']);
    assert.is(
      await told([`${nginx.url}/purge/events.csv`]),
      'hooks: 1 of 1 accepted',
      'what was never cached',
    );
    await nginx.stop();
    await origin.close();
  },
);

receivers.run();
