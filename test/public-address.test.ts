/** H12: docs/blackbox.yml and docs/examples/check-public.sh watch a real server over HTTPS, as a caller sees it. */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { type AddressInfo, connect, type Server, type Socket } from 'node:net';
import { join } from 'node:path';
import { createServer } from 'node:tls';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { parse, stringify } from 'yaml';
import { packagePath } from '../src/package.ts';
import { assertAbove } from './helpers/assertions.ts';
import { type Certificate, makeCertificate } from './helpers/certificate.ts';
import { clientOf } from './helpers/client.ts';
import { temporaryFolder } from './helpers/folder.ts';
import { freePort } from './helpers/nginx.ts';
import { startPages } from './helpers/pages.ts';
import type { Running } from './helpers/running.ts';
import { readSamples } from './helpers/samples.ts';
import { eventually } from './helpers/until.ts';
import { isInstalled, when } from './helpers/when.ts';

const EXPORTER = 'prometheus-blackbox-exporter';
const MODULES = packagePath('docs/blackbox.yml');
const SCRIPT = packagePath('docs/examples/check-public.sh');

const BUILT = Date.parse('2026-11-20T10:00:00Z');
const HOURS = 3_600_000;

interface Context {
  clock: number;
  running: Running;
  /** The same server at two addresses, whose certificates expire in 60 days and in two. */
  long: Address;
  short: Address;
  /** Null where it is not installed. */
  exporter: Exporter | null;
}

interface Address {
  /** Without a slash at the end. */
  readonly url: string;
  readonly certificate: Certificate;
  readonly close: () => void;
}

type Exporter = Awaited<ReturnType<typeof startExporter>>;

const addresses = suite<Context>('the public address');
const withTools = when(isInstalled('curl') && isInstalled('openssl'), 'no curl or openssl', addresses);
const withExporter = when(isInstalled(EXPORTER), `no ${EXPORTER}`, withTools);

withTools.before(async (context) => {
  context.clock = BUILT;
  context.running = await startPages({ clock: () => context.clock });
  context.long = await encrypted(context.running, 60);
  context.short = await encrypted(context.running, 2);
  context.exporter = isInstalled(EXPORTER) ? await startExporter(context.long) : null;
});
withTools.before.each((context) => {
  context.clock = BUILT;
});
withTools.after(async ({ running, long, short, exporter }) => {
  exporter?.stop();
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
  front.listen(0, '127.0.0.1');
  await once(front, 'listening');
  return {
    url: `https://localhost:${portOf(front)}`,
    certificate,
    close: () => {
      front.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}

const portOf = (server: Pick<Server, 'address'>) => (server.address() as AddressInfo).port;

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

/** It trusts the certificate of this address. */
async function startExporter(address: Address) {
  const port = await freePort();
  const args = [`--config.file=${trusting(address)}`, `--web.listen-address=127.0.0.1:${port}`];
  const child = spawn(EXPORTER, args, { stdio: 'ignore' });
  const kill = () => child.kill('SIGKILL');
  process.once('exit', kill);
  const { send } = clientOf(`http://127.0.0.1:${port}`);
  await eventually('the exporter answers', async () => (await send('/-/healthy')).status === 200);
  return {
    send,
    stop: () => {
      process.off('exit', kill);
      kill();
    },
  };
}

/** The path of a copy of docs/blackbox.yml that trusts the certificate. */
function trusting({ certificate }: Address): string {
  const configuration = parse(readFileSync(MODULES, 'utf8'));
  for (const { http } of Object.values<{ readonly http: Record<string, unknown> }>(configuration.modules)) {
    http.tls_config = { ca_file: certificate.file };
    http.preferred_ip_protocol = 'ip4';
  }
  const path = join(temporaryFolder(), 'blackbox.yml');
  writeFileSync(path, stringify(configuration));
  return path;
}

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

addresses.run();
