/** H12: docs/blackbox.yml and docs/examples/check-public.sh watch a real server over HTTPS, as a caller sees it. */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { request } from 'node:https';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { text as readText } from 'node:stream/consumers';
import { createServer } from 'node:tls';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { parse, stringify } from 'yaml';
import { packagePath } from '../src/package.ts';
import { assertAbove, assertAtLeast } from './helpers/assertions.ts';
import { type Certificate, makeCertificate } from './helpers/certificate.ts';
import { endWithTests } from './helpers/child.ts';
import { clientOf } from './helpers/client.ts';
import { debianFile } from './helpers/debian-files.ts';
import { save } from './helpers/debian-root.ts';
import { temporaryFolder } from './helpers/folder.ts';
import { readSamples } from './helpers/metric-samples.ts';
import { freePort, startNginx, withNginx } from './helpers/nginx.ts';
import { startPages } from './helpers/pages.ts';
import { listening, portOf } from './helpers/port.ts';
import type { Running } from './helpers/running.ts';
import { eventually } from './helpers/until.ts';
import { isExpected, when, withPart } from './helpers/when.ts';
import { theBlock } from './readme/blocks.ts';

const EXPORTER = 'prometheus-blackbox-exporter';
const MODULES = packagePath('docs/blackbox.yml');
const SCRIPT = packagePath('docs/examples/check-public.sh');
const KEEPALIVED = packagePath('docs/examples/keepalived.conf');
const FAILOVER = debianFile('usr/local/sbin/almanakk-failover');
/** Seconds that it waits for the nginx of a machine. */
const LIMIT = /--max-time ([\d.]+)/g;

const BUILT = Date.parse('2026-11-20T12:00:00+01:00');
const HOURS = 3_600_000;

interface Context {
  clock: number;
  running: Running;
  /** The same server at two addresses, whose certificates expire in 60 days and in two. */
  long: Address;
  short: Address;
  /** Null where it is not installed. */
  exporter: Exporter | null;
  /** The certificate of a CDN. */
  cdn: Certificate;
  /** Null where it is not installed. */
  closed: Closed | null;
}

interface Address {
  /** Without a slash at the end. */
  readonly url: string;
  readonly certificate: Certificate;
  readonly close: () => void;
}

type Exporter = Awaited<ReturnType<typeof startExporter>>;

const addresses = suite<Context>('the public address');
const withTools = when(isExpected('curl') && isExpected('openssl'), 'no curl or openssl', addresses);
const withExporter = when(isExpected(EXPORTER), `no ${EXPORTER}`, withTools);
const withClosed = withNginx(withTools);

withTools.before(async (context) => {
  context.clock = BUILT;
  context.running = await startPages({ clock: () => context.clock });
  context.long = await encrypted(context.running, 60);
  context.short = await encrypted(context.running, 2);
  context.cdn = makeCertificate(2, 'cdn.example');
  context.closed = isExpected('nginx') ? await startClosed(context) : null;
  context.exporter = isExpected(EXPORTER) ? await startExporter(context) : null;
});
withTools.before.each((context) => {
  context.clock = BUILT;
});
withTools.after(async ({ running, long, short, exporter, closed }) => {
  await exporter?.stop();
  await closed?.nginx.stop();
  long.close();
  short.close();
  await running.close();
});

/** Decrypts as nginx does, and passes all bytes on to the running server. */
async function encrypted({ server }: Running, days: number): Promise<Address> {
  const certificate = makeCertificate(days);
  const sockets = new Set<Socket>();
  const front = createServer({ key: certificate.key, cert: certificate.cert }, (client) => {
    const back = connect(portOf(server), '127.0.0.1');
    for (const [socket, other] of [
      [client, back],
      [back, client],
    ] as const) {
      sockets.add(socket);
      socket.on('error', () => other.destroy()).pipe(other);
    }
  });
  return {
    url: `https://localhost:${await listening(front)}`,
    certificate,
    close: () => {
      front.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}

/** Exit code and lines of check-public.sh, which trusts the certificate. */
async function check({ url, certificate }: Address, path = '/') {
  const child = spawn('sh', [SCRIPT, url + path], {
    env: { ...process.env, CURL_CA_BUNDLE: certificate.file },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const lines: string[] = [];
  child.stdout.setEncoding('utf8').on('data', (text: string) => lines.push(text));
  const [code] = await once(child, 'close');
  return { code, lines: lines.join('').replaceAll(url, 'URL') };
}

withTools('H12: check-public.sh should be silent while all is well', async (context) => {
  context.clock = BUILT + 26 * HOURS - 1_000;
  assert.equal(await check(context.long), { code: 0, lines: '' });
});

withTools('H12: check-public.sh should say that the calendar is 26 hours old', async (context) => {
  context.clock = BUILT + 26 * HOURS;
  assert.equal(await check(context.long), { code: 1, lines: 'URL: the calendar is 26 hours old\n' });
});

withTools('H12: check-public.sh should say that the certificate expires soon', async ({ short }) => {
  const lines = 'URL: the certificate expires within 14 days\n';
  assert.equal(await check(short), { code: 1, lines });
});

withTools('H12: check-public.sh should say which answers are wrong', async ({ long }) => {
  const { code, lines } = await check(long, '/elsewhere/');
  assert.is(code, 1);
  assert.match(
    lines,
    /^URL\/elsewhere: curl: \(22\) .*404\s*\nURL\/elsewhere: expected an answer at \/graphQL, found .*404\s*\n$/,
  );
});

withTools(
  'H12: check-public.sh should say that nothing listens, or that nobody vouches for it',
  async ({ long, short }) => {
    const gone = await check({ ...long, url: `https://localhost:${await freePort()}` });
    assert.is(gone.code, 1);
    assert.match(gone.lines, /^URL: curl: \(7\) .*\n$/);
    const strange = await check({ ...long, certificate: short.certificate });
    assert.is(strange.code, 1);
    assert.match(strange.lines, /^URL: curl: \(60\) /);
  },
);

/** It trusts the certificate of the first address. */
async function startExporter(context: Context) {
  const port = await freePort();
  const args = [`--config.file=${modulesOf(context)}`, `--web.listen-address=127.0.0.1:${port}`];
  const child = spawn(EXPORTER, args, { stdio: 'ignore' });
  const stop = endWithTests(child);
  const { send } = clientOf(`http://127.0.0.1:${port}`);
  await eventually('the exporter answers', async () => (await send('/-/healthy')).status === 200);
  return { send, stop };
}

/** The path of a copy of docs/blackbox.yml that trusts the certificate, with a module that has the CDN's own. */
function modulesOf({ long, cdn }: Context): string {
  const configuration = parse(readFileSync(MODULES, 'utf8'));
  const { modules } = configuration;
  for (const { http } of Object.values<{ readonly http: Record<string, unknown> }>(modules)) {
    http.tls_config = { ca_file: long.certificate.file };
    http.preferred_ip_protocol = 'ip4';
  }
  modules[AS_CDN] = structuredClone(modules.almanakk_ready);
  Object.assign(modules[AS_CDN].http.tls_config, { cert_file: cdn.file, key_file: cdn.keyFile });
  const path = join(temporaryFolder(), 'blackbox.yml');
  writeFileSync(path, stringify(configuration));
  return path;
}

const AS_CDN = 'almanakk_ready_with_certificate';

/** What the exporter measures, by the parameters of a probe. */
async function probe({ exporter }: Context, parameters: Readonly<Record<string, string>>) {
  const found = await exporter?.send(`/probe?${new URLSearchParams(parameters)}`);
  const values = new Map(readSamples(found?.text ?? '').map(({ name, value }) => [name, value]));
  return {
    succeeds: values.get('probe_success'),
    status: values.get('probe_http_status_code'),
    failsByBody: values.get('probe_failed_due_to_regex'),
    expires: values.get('probe_ssl_earliest_cert_expiry'),
  };
}

withExporter('H12: the exporter should accept docs/blackbox.yml', () => {
  const args = [`--config.file=${MODULES}`, '--config.check'];
  const { status, stderr } = spawnSync(EXPORTER, args, { encoding: 'utf8' });
  assert.is(status, 0, stderr);
});

withExporter('H12: a probe should find a ready server, and when its certificate expires', async (context) => {
  context.clock = BUILT + 26 * HOURS - 1_000;
  const { expires = 0, ...found } = await probe(context, {
    module: 'almanakk_ready',
    target: `${context.long.url}/readyz`,
  });
  assert.equal(found, { succeeds: 1, status: 200, failsByBody: 0 });
  assertAbove(expires - Date.now() / 1_000, 59 * 86_400, 'seconds until the certificate expires');
});

withExporter('H12: a probe should tell an old calendar from an address that fails', async (context) => {
  context.clock = BUILT + 26 * HOURS;
  const targets = [
    `${context.long.url}/readyz`,
    `${context.long.url}/elsewhere/readyz`,
    `https://localhost:${await freePort()}/readyz`,
  ];
  const found = await Promise.all(
    targets.map((target) => probe(context, { module: 'almanakk_ready', target })),
  );
  assert.equal(
    found.map(({ succeeds, status, failsByBody }) => [succeeds, status, failsByBody]),
    [
      [0, 200, 1],
      [0, 404, 0],
      [0, 0, 0],
    ],
  );
});

withExporter(
  'H12: a probe should find a machine by its address and the name of its certificate',
  async (context) => {
    const target = `${context.long.url.replace('localhost', '127.0.0.1')}/readyz`;
    const asked = { module: 'almanakk_ready', target };
    const { succeeds } = await probe(context, { ...asked, hostname: 'localhost' });
    assert.is(succeeds, 1);
    assert.is((await probe(context, asked)).succeeds, 0);
  },
);

withExporter('H12: a probe should find an endpoint that answers a query, and no other', async (context) => {
  const answered = await probe(context, { module: 'almanakk_answer', target: `${context.long.url}/graphQL` });
  assert.equal([answered.succeeds, answered.status], [1, 200]);
  assert.is(
    (await probe(context, { module: 'almanakk_answer', target: `${context.long.url}/mcp` })).succeeds,
    0,
  );
});

type Closed = Awaited<ReturnType<typeof startClosed>>;

const CHALLENGE = '/.well-known/acme-challenge/some';

/** The nginx of docs/cdn.md that admits only a CDN and the own machines: one port admits 127.0.0.1, and the other does not. */
async function startClosed({ running, long, cdn }: Context) {
  const root = temporaryFolder();
  save(join(root, CHALLENGE), 'challenge');
  const admitting = theBlock({ language: 'nginx', says: /^ssl_client_certificate /m })
    .text.replace('/etc/nginx/almanakk.d/cdn.pem', cdn.file)
    .replace('/var/www/html', root)
    .replaceAll('10\\.0\\.0', '127\\.0\\.0');
  const callers = theBlock({ language: 'nginx', says: /^set_real_ip_from / }).text.replace(
    '192.0.2.0/24',
    EDGE,
  );
  const ports = { own: await freePort(), other: await freePort() };
  const server = (port: number, text: string) => `server {
    listen 127.0.0.1:${port} ssl http2;
    ssl_certificate ${long.certificate.file};
    ssl_certificate_key ${long.certificate.keyFile};
    ${callers}
    ${text}
    set $calendar almanakk;
    include snippets/almanakk-site.conf;
  }`;
  const nginx = await startNginx({
    http: [
      debianFile('etc/nginx/conf.d/almanakk-cache.conf').replace(
        '/var/lib/nginx/almanakk',
        join(root, 'cache'),
      ),
      `upstream almanakk { server 127.0.0.1:${portOf(running.server)}; }`,
      server(ports.own, admitting),
      server(ports.other, admitting.replace('(127\\.0\\.0\\.1|', '(')),
    ].join('\n'),
    server: 'return 204;',
  });
  return { nginx, ports };
}

/** Of the CDN, of the second machine and of a stranger. */
const EDGE = '127.0.0.3';
const SECOND = '127.0.0.12';
const STRANGER = '127.0.0.5';

interface Visit {
  readonly from: string;
  readonly certificate?: Certificate;
  readonly path?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

async function visit({ closed }: Context, { from, certificate, path = '/readyz', headers = {} }: Visit) {
  const { key, cert } = certificate ?? {};
  const where = { host: '127.0.0.1', port: closed?.ports.own, localAddress: from, path, headers };
  const outgoing = request({ ...where, key, cert, rejectUnauthorized: false, agent: false }).end();
  const [response] = await once(outgoing, 'response');
  return { status: response.statusCode, text: await readText(response) };
}

withClosed(
  'H12: nginx should admit the CDN by its certificate, and the own machines without one',
  async (context) => {
    const { cdn, short } = context;
    const forged = { 'cf-connecting-ip': '127.0.0.1', 'x-forwarded-for': '127.0.0.1' };
    const visits: readonly (readonly [Visit, number])[] = [
      [{ from: '127.0.0.1' }, 200],
      [{ from: SECOND }, 200],
      [{ from: EDGE, certificate: cdn }, 200],
      [{ from: EDGE, headers: forged }, 403],
      [{ from: STRANGER }, 403],
      [{ from: STRANGER, headers: forged }, 403],
      [{ from: STRANGER, certificate: short.certificate }, 400],
      [{ from: STRANGER, path: '/graphQL' }, 403],
      [{ from: STRANGER, path: CHALLENGE }, 403],
    ];
    for (const [given, status] of visits)
      assert.is((await visit(context, given)).status, status, JSON.stringify(given));
    const { text } = await visit(context, { from: EDGE, certificate: cdn, path: CHALLENGE });
    assert.is(text, 'challenge');
  },
);

withPart('docs/examples/keepalived.conf', withClosed)(
  'H18: a machine should give up the floating address without nginx, or if only the other one is ready',
  async ({ closed, long }) => {
    const { key, cert } = long.certificate;
    const silent = createServer({ key, cert }, (socket) => socket.on('error', () => {}).resume());
    const ports = {
      ready: closed?.ports.own,
      // It answers 403.
      unready: closed?.ports.other,
      waiting: await listening(silent),
      dead: await freePort(),
    };
    type State = keyof typeof ports;
    const exitCode = async (here: State, there: State) => {
      // Longer limits, for machines that are busy.
      const text = FAILOVER.replace('max-time 3', `max-time ${here === 'waiting' ? 2 : 20}`)
        .replace('max-time 1', 'max-time 20')
        .replace('127.0.0.1/', `127.0.0.1:${ports[here]}/`);
      const child = spawn('sh', ['-c', text, 'almanakk-failover', `127.0.0.1:${ports[there]}`]);
      const [code] = await once(child, 'close');
      return code;
    };
    const cases: readonly (readonly [State, State, number])[] = [
      ['ready', 'ready', 0],
      ['unready', 'ready', 1],
      ['unready', 'unready', 0],
      ['unready', 'dead', 0],
      ['waiting', 'ready', 1],
      ['waiting', 'dead', 0],
      ['dead', 'unready', 1],
    ];
    await Promise.all(
      cases.map(async ([here, there, code]) =>
        assert.is(await exitCode(here, there), code, `${here} here, ${there} there`),
      ),
    );
    silent.close();
  },
);

withPart('docs/examples/keepalived.conf', addresses)(
  'H18: the check of keepalived should end before keepalived ends it, also on a busy machine',
  () => {
    const [, timeout] = /^ +timeout (\d+)$/m.exec(readFileSync(KEEPALIVED, 'utf8')) ?? [];
    const limits = [...FAILOVER.matchAll(LIMIT)].map(([, limit]) => Number(limit));
    assert.is(limits.length, 2);
    const total = limits.reduce((sum, limit) => sum + limit, 0);
    assertAtLeast(Number(timeout), 2 * total, 'seconds, twice the limits of both requests together');
  },
);

when(
  isExpected('nginx') && isExpected(EXPORTER),
  `no nginx or ${EXPORTER}`,
  withTools,
)('H12: a probe should find a machine that admits its address, or its certificate', async (context) => {
  const { own, other } = context.closed?.ports ?? {};
  const ask = async (module: string, port = 0) => {
    const { succeeds, status } = await probe(context, {
      module,
      target: `https://127.0.0.1:${port}/readyz`,
      hostname: 'localhost',
    });
    return [succeeds, status];
  };
  assert.equal(await ask('almanakk_ready', own), [1, 200]);
  assert.equal(await ask('almanakk_ready', other), [0, 403]);
  assert.equal(await ask(AS_CDN, other), [1, 200]);
});

addresses.run();
