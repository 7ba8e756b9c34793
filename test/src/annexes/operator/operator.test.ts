/** H8, H12: the operator's own port: its names, methods and address, and the token of its views. */
import type { Server } from 'node:http';
import { hostname } from 'node:os';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { warningIfOpen } from '../../../../src/annexes/operator/guards.ts';
import { statusUrlOf } from '../../../../src/annexes/operator/operator.ts';
import { createOperatorApp } from '../../../../src/annexes/operator/own-port.ts';
import { createHttpServer } from '../../../../src/serve/http/server.ts';
import { type Client, clientOf } from '../../../helpers/client.ts';
import { startPages } from '../../../helpers/pages.ts';
import { listening } from '../../../helpers/port.ts';
import type { Running } from '../../../helpers/running.ts';
import { basicAuth, NOW, WITHOUT_PAUSES } from './setup.ts';

const port = suite<{ server: Server; client: Client }>('the operator’s port');

/** A port at `127.0.0.1` that is called `kalender.by`, with `drift.example` as public URL. */
port.before(async (context) => {
  const headers = ['Content-Type', 'text/plain', 'Access-Control-Allow-Origin', '*'];
  const listener = createOperatorApp({
    routes: {
      '/status': { GET: () => ({ status: 200, headers, body: [Buffer.from('well')] }) },
      '/broken': { GET: () => Promise.reject(new Error('at /srv/secret')) },
    },
    names: ['kalender.by', 'drift.example', null],
    mask: () => 'id-1',
    clock: () => NOW,
  });
  context.server = createHttpServer(listener);
  context.client = clientOf(`http://127.0.0.1:${await listening(context.server)}`);
});
port.after(({ server }) => {
  server.closeAllConnections();
  server.close();
});

const OWN_NAMES = [
  'localhost',
  'localhost:4001',
  'LOCALHOST',
  '127.0.0.1:80',
  '[::1]:4001',
  'kalender.by',
  'Drift.Example:443',
];

for (const host of OWN_NAMES) {
  port(`H8: should answer to its own name ${host}`, async ({ client }) => {
    assert.is((await client.send('/status', { headers: { host } })).status, 200);
  });
}

const OTHER_NAMES = [
  '127.0.0.2',
  '10.0.0.1',
  '[::2]',
  '::1',
  'null',
  'evil.example',
  'localhost.evil.example',
  'evil.example:127.0.0.1',
  'localhost@evil.example',
];

for (const host of OTHER_NAMES) {
  port(`H8: should refuse the name ${host} with 421`, async ({ client }) => {
    assert.is((await client.send('/status', { headers: { host } })).status, 421);
  });
}

interface Request {
  readonly method: string;
  readonly path: string;
  readonly status: number;
  /** The beginning of the body. */
  readonly beginning: string;
}

const REQUESTS: readonly Request[] = [
  { method: 'GET', path: '/status?x=1', status: 200, beginning: 'well' },
  { method: 'HEAD', path: '/status', status: 200, beginning: '' },
  { method: 'POST', path: '/status', status: 405, beginning: '{' },
  { method: 'GET', path: '/graphQL', status: 404, beginning: '{' },
  { method: 'GET', path: '/toString', status: 404, beginning: '{' },
  { method: 'GET', path: '/broken', status: 500, beginning: '{' },
];

for (const { method, path, status, beginning } of REQUESTS) {
  port(
    `H8: should answer ${method} ${path} with ${status}, to no page of another origin`,
    async (context) => {
      const reply = await context.client.send(path, { method });
      assert.is(reply.status, status);
      assert.is(reply.headers['access-control-allow-origin'], undefined);
      assert.is(reply.text.slice(0, beginning.length), beginning);
      assert.not.match(reply.text, 'secret');
    },
  );
}

const EXPOSED = [
  { host: '::', adminToken: null, adminPort: null, isWarned: true },
  { host: '192.0.2.1', adminToken: null, adminPort: null, isWarned: true },
  { host: '::', adminToken: 'a-token-of-enough-length', adminPort: null, isWarned: false },
  { host: '::', adminToken: null, adminPort: 4001, isWarned: false },
  { host: '127.0.0.1', adminToken: null, adminPort: null, isWarned: false },
  { host: null, adminToken: null, adminPort: null, isWarned: false },
];

for (const { isWarned, ...settings } of EXPOSED) {
  port(`H8: should ${isWarned ? '' : 'not '}warn of open pages with ${JSON.stringify(settings)}`, () => {
    const warning = warningIfOpen(settings);
    assert.is(warning !== null, isWarned);
    if (warning !== null) assert.match(warning, `HOST=${settings.host}`);
  });
}

port.run();

const guarded = suite<{ running: Running }>('the operator’s token');

const TOKEN = 'a-token-of-enough-length';

guarded.before(async (context) => {
  const settings = { adminToken: TOKEN };
  context.running = await startPages({ clock: () => NOW, source: null, settings, parts: WITHOUT_PAUSES });
});
guarded.after(({ running }) => running.close());

const WRONG_CREDENTIALS: readonly (string | undefined)[] = [
  undefined,
  'Bearer',
  `Bearer ${TOKEN}x`,
  `Bearer ${TOKEN.slice(1)}`,
  TOKEN,
  basicAuth(TOKEN),
  basicAuth(`operator:${TOKEN}x`),
];

for (const path of ['/status', '/metrics']) {
  for (const authorization of WRONG_CREDENTIALS) {
    guarded(`H8: should refuse ${path} for the credentials ${authorization}`, async ({ running }) => {
      const headers = { accept: 'text/html', ...(authorization !== undefined && { authorization }) };
      const { status, headers: replied, text } = await running.send(path, { headers });
      assert.is(status, 401);
      assert.match(replied['www-authenticate'] ?? '', /^Basic realm="almanakk"/);
      assert.equal(Object.keys(JSON.parse(text)), ['errors']);
    });
  }

  for (const authorization of [`bearer  ${TOKEN}`, basicAuth(`operator:${TOKEN}`), basicAuth(`:${TOKEN}`)]) {
    guarded(`H8: should answer ${path} for the credentials ${authorization}`, async ({ running }) => {
      assert.is((await running.send(path, { headers: { authorization } })).status, 200);
    });
  }
}

guarded('H8: should answer /healthz without the token', async ({ running }) => {
  assert.is((await running.send('/healthz')).status, 200);
});

guarded.run();

const address = suite('the address of /status');

/** The port's address in mails, by the host that it listens on. */
const STATUS_URLS: Readonly<Record<string, string>> = {
  '127.0.0.1': 'http://127.0.0.1:4001/status',
  'drift.by': 'http://drift.by:4001/status',
  '::1': 'http://[::1]:4001/status',
  'fe80::1%eth0': `http://${hostname()}:4001/status`,
  '0.0.0.0': `http://${hostname()}:4001/status`,
  '::': `http://${hostname()}:4001/status`,
};

for (const [adminHost, url] of Object.entries(STATUS_URLS)) {
  address(`H12: should be ${url} for a port of its own at ${adminHost}`, () => {
    assert.is(statusUrlOf({ adminPort: 4_001, adminHost, publicUrl: null, statusUrl: null }), url);
  });
}

const WITHOUT_PORT = { adminPort: null, adminHost: '127.0.0.1', statusUrl: null };

address('H12: should be below the public URL without a port of its own', () => {
  const publicUrl = new URL('https://by.example/kalender/');
  assert.is(statusUrlOf({ ...WITHOUT_PORT, publicUrl }), 'https://by.example/kalender/status');
});

address('H12: should be unknown without a port and without a public URL', () => {
  assert.is(statusUrlOf({ ...WITHOUT_PORT, publicUrl: null }), null);
});

address('H12: should be the one of the setting, such as that of an ingress in front of a pod', () => {
  const statusUrl = new URL('https://drift.example/kalender/status');
  const pod = { adminPort: 4_001, adminHost: '::', publicUrl: new URL('https://by.example/') };
  assert.is(statusUrlOf({ ...pod, statusUrl }), 'https://drift.example/kalender/status');
});

address.run();
