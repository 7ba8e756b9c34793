/** H10: hooks at nginx, configured as in docs/examples, which purges its cache and adds headers for a CDN. */
import { existsSync, readFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { create } from '../../../../jobs/annexes/hooks/hooks.ts';
import { readSettings } from '../../../../jobs/settings.ts';
import { packagePath } from '../../../../src/package.ts';
import { startFeedServer } from '../../../helpers/feed-server.ts';
import { publishCalendar, temporaryFolder } from '../../../helpers/folder.ts';
import { startNginx } from '../../../helpers/nginx.ts';
import { isExpected, when } from '../../../helpers/when.ts';

const PURGE_MODULE = '/usr/lib/nginx/modules/ngx_http_cache_purge_module.so';

const receivers = suite('hooks at receivers');

async function outcomeFor(urls: readonly string[]): Promise<string | undefined> {
  const folder = temporaryFolder();
  const published = await publishCalendar(folder);
  const environment = {
    ALMANAKK_HOOKS: urls.join(','),
    ALMANAKK_ALLOW_PRIVATE_FEEDS: 'true',
  };
  const { settings } = readSettings(environment, folder);
  const changes = { added: 1, changed: 0, removed: 0 };
  const done = await create(settings).afterBuild?.(folder, { ...published, changes }, Date.now);
  return done?.line;
}

const purging = when(
  isExpected('nginx') && existsSync(PURGE_MODULE),
  'nginx and its module for purges are not installed here',
  receivers,
);

purging('H10: should purge an address from nginx, and from a CDN that needs a header', async () => {
  const seen: { url: string; authorization: string | undefined; body: string }[] = [];
  const origin = await startFeedServer(async (request: IncomingMessage, response: ServerResponse) => {
    const { url = '', headers } = request;
    seen.push({ url, authorization: headers.authorization, body: await text(request) });
    response.writeHead(200, { 'cache-control': 'public, max-age=60' }).end('{}');
  });
  const shown = readFileSync(packagePath('docs/examples/hooks.conf'), 'utf8');
  const [, block = ''] = /^server \{\n {2}listen [^;]+;\n([\s\S]*?)\n\}$/m.exec(shown) ?? [];
  const nginx = await startNginx({
    main: `load_module ${PURGE_MODULE};`,
    http: `proxy_cache_path ${temporaryFolder()} keys_zone=almanakk:1m;`,
    server: `${block.replace('https://api.cloudflare.com', origin.url)}
      location / {
        proxy_pass ${origin.url};
        proxy_cache almanakk;
        proxy_cache_key "1 https://kalender.example$request_uri";
      }`,
  });
  const address = '/events.json?period=WEEKEND';
  const askAgain = async () => {
    await (await fetch(`${nginx.url}${address}`)).text();
    return seen.filter(({ url }) => url === address).length;
  };
  try {
    assert.is(await askAgain(), 1, 'requests at the origin');
    assert.is(await askAgain(), 1, 'requests at the origin while nginx has a copy');
    const outcome = await outcomeFor([`${nginx.url}/purge${address}`, `${nginx.url}/cdn`]);
    assert.is(outcome, 'hooks: 2 of 2 accepted');
    assert.is(await askAgain(), 2, 'requests at the origin after the purge');
    const cdn = seen.find(({ url }) => url.endsWith('/purge_cache'));
    assert.equal([cdn?.authorization, cdn?.body], ['Bearer TOKEN', '{"purge_everything":true}']);
    const uncached = await outcomeFor([`${nginx.url}/purge/events.csv`]);
    assert.is(uncached, 'hooks: 1 of 1 accepted', 'purge of an address that was never cached');
  } finally {
    await nginx.stop();
    await origin.close();
  }
});

receivers.run();
