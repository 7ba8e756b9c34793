/** J5: a browser asks the file on a static host, and fetches only parts of it. */
import { readFileSync, statSync } from 'node:fs';
import { createServer } from 'node:http';
import { extname, join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { packagePath } from '../../../src/package.ts';
import { assertBelow } from '../../helpers/assertions.ts';
import { inBrowser, inPage, openBrowser } from '../../helpers/browser.ts';
import { built } from '../../helpers/build.ts';
import { temporaryFolder } from '../../helpers/folder.ts';
import { listening } from '../../helpers/port.ts';
import { publicPath, publicRows } from '../../helpers/public-file.ts';
import { theBlock } from '../../readme/blocks.ts';

const web = inBrowser(suite('the web page of docs/data.md'));

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html',
  '.js': 'text/javascript',
  '.wasm': 'application/wasm',
};

web('J5: should show dates in a browser by byte ranges of a static host', async () => {
  const target = temporaryFolder();
  await built(packagePath('data/sample'), target, { isPublic: true, now: Math.floor(Date.now() / 1_000) });
  const file = await publicPath(target);
  const page = theBlock({ language: 'html', says: /calendar\.sqlite/ }).text;
  let sent = 0;
  const server = createServer(({ url = '', method, headers }, response) => {
    if (url === '/favicon.ico') return response.writeHead(404).end();
    const isFile = url === '/calendar.sqlite';
    const path = isFile ? file : join(packagePath('node_modules'), url);
    const bytes = url === '/' ? Buffer.from(page) : readFileSync(path);
    const [, from, to] = /^bytes=(\d+)-(\d+)$/.exec(headers.range ?? '') ?? [];
    const part = from === undefined ? bytes : bytes.subarray(Number(from), Number(to) + 1);
    if (isFile && method === 'GET') sent += part.length;
    response.writeHead(from === undefined ? 200 : 206, {
      'content-type': TYPES[url === '/' ? '.html' : extname(url)] ?? 'application/vnd.sqlite3',
      'content-length': part.length,
      'accept-ranges': 'bytes',
    });
    return response.end(method === 'HEAD' ? undefined : part);
  });
  const port = await listening(server);
  const browser = await openBrowser();
  try {
    await inPage(browser, {}, async (tab) => {
      await tab.goto(`http://127.0.0.1:${port}/`);
      await tab.waitForFunction("document.querySelector('#dates').innerText !== ''");
      const shown = (await tab.innerText('#dates')).split('\n').filter((line) => line !== '');
      const rows = await publicRows(file, 'select starts, title from upcoming order by start_utc limit 10');
      assert.equal(
        shown.map((line) => line.trim()).sort(),
        rows.map(({ starts, title }) => `${starts} ${title}`.trim()).sort(),
      );
      assertBelow(sent, statSync(file).size, 'bytes');
    });
  } finally {
    await browser.close();
    server.close();
  }
});

web.run();
