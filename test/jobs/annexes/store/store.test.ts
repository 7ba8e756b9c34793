/** J1, J2: publishing to an object store (OpenStack Swift), and replicas that read from it. */
import { readdirSync, readFileSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { copySnapshot, fetchManifest, readOriginManifest } from '../../../../jobs/annexes/pull/copy.ts';
import { ForeignThere } from '../../../../jobs/annexes/store/foreign.ts';
import { replicate } from '../../../../jobs/annexes/store/replicate.ts';
import { replicateNow } from '../../../../jobs/annexes/store/store.ts';
import { watchStore } from '../../../../jobs/annexes/store/store-watch.ts';
import { openStore, originAccessOf, type Store, StoreProblem } from '../../../../jobs/kit/s3.ts';
import { compress } from '../../../../jobs/publish/compress.ts';
import { verifyAndPublish } from '../../../../jobs/publish/publish.ts';
import { unfinishedPath } from '../../../../jobs/publish/unfinished.ts';
import { writeSnapshot } from '../../../../jobs/write.ts';
import type { StoreState } from '../../../../src/annexes/common/upkeep.ts';
import type { Status } from '../../../../src/annexes/operator/status.ts';
import { packagePath } from '../../../../src/package.ts';
import { MANIFEST } from '../../../../src/snapshot/files.ts';
import { type Manifest, parseManifest } from '../../../../src/snapshot/manifest.ts';
import { assertAbove, assertMissing } from '../../../helpers/assertions.ts';
import { sourceOfEvents } from '../../../helpers/build.ts';
import { makeCalendar, NOW } from '../../../helpers/calendar.ts';
import {
  cutAfter,
  type Fault,
  type FaultProxy,
  flipBit,
  standStill,
  startFaultProxy,
} from '../../../helpers/fault-proxy.ts';
import { manifestTextIn, snapshotContentOf, temporaryFolder } from '../../../helpers/folder.ts';
import { verifyHere } from '../../../helpers/keeper.ts';
import { readSamples } from '../../../helpers/metric-samples.ts';
import {
  endPrograms,
  runCommand,
  SHORT_LIVED,
  scriptOf,
  startProgram,
  startServerProgram,
} from '../../../helpers/program.ts';
import { type Swift, startSwift, withSwift } from '../../../helpers/swift.ts';
import { until } from '../../../helpers/until.ts';

interface Context {
  swift: Swift;
  proxy: FaultProxy;
  /** The address at which everybody may read the bucket. */
  bucketUrl: string;
}

const storing = withSwift(suite<Context>('store'));

storing.before(async (context) => {
  context.swift = await startSwift();
  context.proxy = await startFaultProxy(context.swift.url);
  context.bucketUrl = await context.swift.makeBucket('kalender');
});

storing.after(async ({ swift, proxy }) => {
  endPrograms();
  await proxy?.close();
  await swift?.stop();
});

storing.before.each(({ proxy }) => {
  proxy.behave(null);
  proxy.asked.length = 0;
  proxy.requests.length = 0;
});

let places = 0;

/** A place of its own in the bucket, which everybody may read at `publicUrl`, and a builder's folder. */
function placeInBucket({ swift, proxy, bucketUrl }: Context) {
  places++;
  const publicUrl = `${bucketUrl}fixture-${places}/`;
  const location = new URL(`s3://kalender/fixture-${places}/`);
  const access = { ...swift.access, endpoint: proxy.url };
  const folder = temporaryFolder();
  const options = { s3: access, signal: new AbortController().signal, clock: Date.now, totalMs: 120_000 };
  const open = (more: Partial<Parameters<typeof openStore>[0]> = {}): Store =>
    openStore({ ...options, location, ...more });
  const build = (builtAt?: number) => buildInto(folder, builtAt);
  return { location, folder, store: open(), publicUrl, build, open, access };
}

let calendars = 0;

async function buildInto(folder: string, builtAt = NOW + calendars): Promise<Manifest> {
  calendars++;
  const file = unfinishedPath(folder, 'calendar.sqlite');
  await writeSnapshot(
    file,
    snapshotContentOf(await makeCalendar({ name: `Kalender ${calendars}` }), builtAt),
  );
  return verifyAndPublish({ folder, file, compress });
}

async function manifestAt(url: string): Promise<string | null> {
  const response = await fetch(`${url}${MANIFEST}`);
  return response.ok ? response.text() : null;
}

storing('J1: should put the file first and the manifest last', async (context) => {
  const { folder, store, build } = placeInBucket(context);
  const { file, bytes, compressed } = await build();
  const { proxy } = context;
  const { bytes: sent, replaced } = await replicate(folder, store);
  const puts = proxy.asked.filter((line) => line.startsWith('PUT')).map((line) => line.split('/').at(-1));
  assert.equal(puts, [file, `${file}.br`, MANIFEST]);
  assert.is(sent, bytes + (compressed?.bytes ?? 0) + Buffer.byteLength(manifestTextIn(folder)));
  assert.is(replaced, null);
  const headers = proxy.requests.flatMap((request) => Object.keys(request.headers));
  const conditions = headers.filter((name) => name.startsWith('if-'));
  assert.equal(conditions, [], 'some stores have no conditional puts');
});

storing('J1: should have what the folder has, and let caches store all but the manifest', async (context) => {
  const { folder, store, publicUrl, build } = placeInBucket(context);
  const { file } = await build();
  await replicate(folder, store);
  assert.is(await manifestAt(publicUrl), manifestTextIn(folder));
  for (const name of [file, `${file}.br`]) {
    const response = await fetch(publicUrl + name);
    assert.equal(Buffer.from(await response.arrayBuffer()), readFileSync(join(folder, name)));
    assert.is(response.headers.get('cache-control'), 'public, max-age=31536000, immutable');
  }
  const { headers } = await fetch(publicUrl + MANIFEST);
  assert.is(headers.get('cache-control'), 'no-cache, no-store');
});

storing('J1: should keep as many as a folder does, and remove the others', async (context) => {
  const { folder, store, build } = placeInBucket(context);
  // Stores that say no more than the second have these in one.
  const inOneSecond: Store = {
    ...store,
    list: async (beginning) =>
      (await store.list(beginning)).map(({ name }) => ({ name, modified: '2026-11-22T12:00:00.000Z' })),
  };
  const kept: string[] = [];
  for (let nth = 0; nth < 8; nth++) {
    kept.unshift((await build()).file);
    await replicate(folder, inOneSecond);
    const expected = kept.slice(0, 3).flatMap((file) => [file, `${file}.br`]);
    const found = await store.list('');
    assert.equal(found.map(({ name }) => name).sort(), [...expected, MANIFEST].sort());
  }
});

interface StoreFault {
  readonly fault: Fault;
  readonly why: string;
  readonly message: RegExp;
}

/** Faults of the store, or on the way to it, each with its short reason and its message. */
const FAULTS: Readonly<Record<string, StoreFault>> = {
  'answers 403': {
    fault: refusing(403, 'AccessDenied'),
    why: 'status 403',
    message: /found status 403 \(AccessDenied\)$/,
  },
  'answers 503 to a file': {
    fault: refusing(503, 'SlowDown', isPut),
    why: 'status 503',
    message: /status 503 \(SlowDown\)$/,
  },
  'answers with a page': {
    fault: (_request, response) => answered(response.writeHead(502).end(`<html>${'x'.repeat(9_000)}</html>`)),
    why: 'status 502',
    message: /manifest\.json: expected status .*, found status 502$/,
  },
  'says that it is elsewhere': {
    fault: (_request, response) =>
      answered(response.writeHead(307, { Location: 'http://127.0.0.1:1/' }).end()),
    why: 'redirect limit',
    message: /expected at most 0 redirects, found more$/,
  },
  'hangs up at once': {
    fault: (_request, response) => answered(response.destroy()),
    why: 'unreachable',
    message: /socket hang up \(ECONNRESET\)$/,
  },
  'hangs up in the middle of a file': {
    fault: (request) => (isPut(request) ? { upload: () => cutAfter(50_000) } : undefined),
    why: 'unreachable',
    message: /(EPIPE|ECONNRESET)/,
  },
  'never answers': {
    fault: () => 'answered',
    why: 'time limit',
    message: /expected a byte within 0\.5 s, found none$/,
  },
  'takes nothing more of a file': {
    fault: (request) => (isPut(request) ? { upload: standStill } : undefined),
    why: 'time limit',
    message: /expected a byte within 0\.5 s, found none$/,
  },
  'gets other bytes than were sent': {
    fault: (request) => (isPut(request) ? { upload: flipBit } : undefined),
    why: 'status 400',
    message: /found status 400 \((XAmzContentSHA256Mismatch|BadDigest)\)$/,
  },
};

for (const [what, { fault, why, message }] of Object.entries(FAULTS)) {
  storing(`J1: should say why, and leave both sides as they are, when the store ${what}`, async (context) => {
    const { folder, build, open, store, publicUrl } = placeInBucket(context);
    await build();
    const here = manifestTextIn(folder);
    context.proxy.behave(fault);
    const trying = why === 'time limit' ? open({ stallMs: 500 }) : store;
    const problem = await failureOf(replicate(folder, trying));
    assert.match(problem.message, message);
    assert.is(problem.why, why);
    assert.match(problem.message, /^s3:\/\/kalender\/fixture-\d+\//);
    assert.is(manifestTextIn(folder), here);
    assert.is(await manifestAt(publicUrl), null);
    context.proxy.behave(null);
    await replicate(folder, store);
    assert.is(await manifestAt(publicUrl), here);
  });
}

storing('J1: should recognise what it uploaded itself, however many builds ago', async (context) => {
  const { folder, store, build, publicUrl } = placeInBucket(context);
  // Its clock was ahead.
  const first = await build(NOW + 86_400);
  await replicate(folder, store);
  for (let nth = 0; nth < 3; nth++) await build();
  assertMissing(join(folder, first.file));
  assert.is((await replicate(folder, store)).replaced, null);
  assert.is(await manifestAt(publicUrl), manifestTextIn(folder));
});

storing('J1: should notice a newer build that comes while the file is on its way', async (context) => {
  const { folder, store, build, publicUrl } = placeInBucket(context);
  const other = temporaryFolder();
  await buildInto(other, NOW + 900);
  await build(NOW);
  let isThere: Promise<unknown> | undefined;
  context.proxy.behave((request) => {
    if (isPut(request)) isThere ??= replicate(other, store);
    return undefined;
  });
  const put: Store['put'] = async (name, content) => {
    const bytes = await store.put(name, content);
    await isThere;
    return bytes;
  };
  assert.instance(await failureOf(replicate(folder, { ...store, put })), ForeignThere);
  assert.is(await manifestAt(publicUrl), manifestTextIn(other));
});

storing('J1: should upload nothing twice, and repair what somebody removes or breaks', async (context) => {
  const { folder, store, build, publicUrl } = placeInBucket(context);
  const { file } = await build();
  const mend = () => replicate(folder, store);
  await mend();
  assert.is((await mend()).bytes, 0);
  for (const name of [MANIFEST, file, `${file}.br`]) {
    await store.remove(name);
    assertAbove((await mend()).bytes, 0, `bytes for ${name}`);
    assert.is((await fetch(publicUrl + name)).status, 200, name);
  }
  for (const body of ['<html>oops</html>', manifestTextIn(folder).slice(0, 80)]) {
    await store.put(MANIFEST, { body, type: 'text/html', cacheControl: '' });
    await mend();
    assert.is(await manifestAt(publicUrl), manifestTextIn(folder));
  }
});

/** Keeps the store like that folder, with what it tells and logs. The signatures do not see its clock. */
function watching(open: ReturnType<typeof placeInBucket>['open'], folder: string) {
  const stopping = new AbortController();
  const store = open({ signal: stopping.signal });
  const states: StoreState[] = [];
  const lines: string[] = [];
  const log = {
    info: (_: object, message: string) => lines.push(`info ${message}`),
    warn: (_: object, message: string) => lines.push(`warn ${message}`),
  };
  let now = Date.parse('2026-01-01T12:00:00Z');
  const options = { clock: () => now++, random: () => 0, pollMs: 20, retryMs: 5, log };
  const onState = (state: StoreState) => states.push(state);
  const watch = watchStore({ folder, store, stopping, onState, ...options });
  return { ...watch, states, lines, latest: () => states.at(-1) };
}

storing('J1: should retry, and log since when and why it fails, and when it works again', async (context) => {
  const { folder, open, build, publicUrl } = placeInBucket(context);
  await build();
  context.proxy.behave(refusing(503, 'SlowDown'));
  const { states, lines, latest, wake, stop } = watching(open, folder);
  await until('several tries', () => context.proxy.asked.length > 4);
  assert.is(states.length, 1);
  const { failing } = states[0] ?? {};
  assert.match(failing?.reason ?? '', /status 503 \(SlowDown\)$/);
  context.proxy.behave(refusing(403, 'AccessDenied'));
  await until('another reason', () => states.length === 2);
  assert.is(states[1]?.failing?.why, 'status 403');
  assert.is(states[1]?.failing?.since, failing?.since);
  context.proxy.behave(null);
  await until('all is well', () => latest()?.failing === null);
  assert.is(await manifestAt(publicUrl), manifestTextIn(folder));
  assert.is(latest()?.id, parseManifest(manifestTextIn(folder)).id);
  const next = await build();
  wake();
  await until('the next one is there', () => latest()?.id === next.id);
  await stop();
  const refused = 'warn not published to the store';
  const published = 'info published to the store';
  assert.equal(lines, [refused, refused, published, 'info store complete again', published]);
});

storing('J1: an older build should not replace another builder’s, and both say so', async (context) => {
  const { folder, open, build, publicUrl } = placeInBucket(context);
  const other = temporaryFolder();
  const first = await build(NOW);
  const ours = watching(open, folder);
  await until('the first is there', () => ours.latest()?.id === first.id);
  const second = await buildInto(other, NOW + 60);
  const theirs = watching(open, other);
  await until('the second knows of the first', () => theirs.latest()?.rival?.id === first.id);
  await until('the first knows of the second', () => ours.latest()?.rival?.id === second.id);
  assert.is(ours.latest()?.failing?.why, 'newer build there');
  const why = `found ${second.id} of ${second.builtAt}, by another builder`;
  assert.match(ours.latest()?.failing?.reason ?? '', why);
  assert.is(await manifestAt(publicUrl), manifestTextIn(other));
  assert.is(theirs.latest()?.failing, null);
  await Promise.all([ours.stop(), theirs.stop()]);
});

/** Settings of a builder that publishes to that place. */
const environmentOf = ({ swift, proxy }: Context, { location }: { readonly location: URL }) => ({
  ...swift.env,
  ALMANAKK_S3_ENDPOINT: proxy.url.href,
  ALMANAKK_PUBLISH: location.href,
  ALMANAKK_SOURCE: sourceOfEvents(3),
  ALMANAKK_SNAPSHOTS: temporaryFolder(),
});

storing('J1: the command should wait for the store, and print the outcome', async (context) => {
  const place = placeInBucket(context);
  const env = environmentOf(context, place);
  const rebuild = async (location: string) => {
    const changed = { ...env, ALMANAKK_PUBLISH: location };
    const program = startProgram({ script: scriptOf('jobs/cli'), args: ['rebuild'], env: changed });
    return [(await program.ended).code, program.lines.at(-1)] as const;
  };
  const [code, line = ''] = await rebuild(place.location.href);
  assert.is(code, 0);
  assert.match(line, /^published to the store, \d{5,} bytes$/);
  assert.is(await manifestAt(place.publicUrl), manifestTextIn(env.ALMANAKK_SNAPSHOTS));
  const changed = { ...env, PATH: process.env.PATH, ALMANAKK_PUBLISH: 's3://nowhere/kalender' };
  const options = { cwd: temporaryFolder(), env: changed };
  const ran = await runCommand(process.execPath, [...SHORT_LIVED, scriptOf('jobs/cli'), 'rebuild'], options);
  const { code: failed, stdout, stderr } = ran;
  assert.is(failed, 1);
  assert.not.match(stdout, 'not to the store');
  assert.match(
    stderr.trimEnd(),
    /(?:^|\n)Published here, but not to the store\. s3:\/\/nowhere\/.*404 \(NoSuchBucket\)$/,
  );
});

storing('J1: the command should retry only what may succeed', async () => {
  const tries = async (why: string) => {
    let count = 0;
    const waits: number[] = [];
    const failing = async () => {
      count++;
      throw new StoreProblem(why, why);
    };
    const store = { name: 's3://x', read: failing, sizeOf: failing, put: failing };
    const folder = temporaryFolder();
    await buildInto(folder);
    const pause = async (ms: number) => waits.push(ms);
    await failureOf(replicateNow(folder, { store: { ...store, list: failing, remove: failing } }, { pause }));
    return [count, ...waits];
  };
  assert.equal(await tries('status 503'), [4, 1_000, 2_000, 4_000]);
  assert.equal(await tries('status 429'), [4, 1_000, 2_000, 4_000]);
  assert.equal(await tries('status 403'), [1]);
});

storing(
  'J1: should show since when and why it fails on /status and in metrics, and recover',
  async (context) => {
    context.proxy.behave(refusing(503, 'SlowDown'));
    const builder = await startServerProgram('start', environmentOf(context, placeInBucket(context)));
    const get = async (path: string) => (await fetch(`${builder.url}${path}`)).text();
    const statusOf = async (): Promise<Status> => JSON.parse(await get('/status?format=json'));
    await builder.says(/warn not published to the store reason=".*status 503 \(SlowDown\)" since=/);
    const status = await statusOf();
    assert.equal(
      status.concerns.map(({ name }) => name),
      ['store failing'],
    );
    assert.match(status.store?.failing?.reason ?? '', /^s3:\/\/kalender\/fixture-\d+\/.*SlowDown/);
    const sample = async (name: string) =>
      readSamples(await get('/metrics')).find((one) => one.name === `almanakk_store_${name}`);
    const failing = await sample('failing_since_timestamp_seconds');
    assert.equal(failing?.labels, { why: 'status 503' });
    assert.is(failing?.value, Date.parse(status.store?.failing?.since ?? '') / 1_000);
    context.proxy.behave(null);
    await builder.says(/ store complete again/);
    assert.equal((await statusOf()).concerns, []);
    assert.is((await sample('failing_since_timestamp_seconds'))?.value, 0);
    builder.kill('SIGTERM');
    assert.equal(await builder.ended, { code: 0, signal: null });
  },
);

/** Pulls into that folder, and gives the names of the fetched files. */
async function pull({ proxy }: Context, origin: ReturnType<typeof originAccessOf>, folder: string) {
  proxy.asked.length = 0;
  const { signal } = new AbortController();
  const options = { ...origin, folder, signal, allowPrivate: false, verify: verifyHere };
  const wanted = await readOriginManifest(await fetchManifest(options), options);
  const { id } = await copySnapshot(options, wanted);
  return { id, fetched: proxy.asked.map((line) => line.split('/').at(-1) ?? '') };
}

storing('J2: a replica should read from a bucket with a key, and a public one without', async (context) => {
  const { folder, store, build, location, access, publicUrl } = placeInBucket(context);
  const { id, file } = await build();
  await replicate(folder, store);
  const open = new URL(publicUrl);
  open.host = context.proxy.url.host;
  for (const origin of [originAccessOf(location, access), originAccessOf(open, null)]) {
    const replica = temporaryFolder();
    const pulled = await pull(context, origin, replica);
    // J4: a fraction of the bytes.
    assert.equal(pulled, { id, fetched: [MANIFEST, `${file}.br`] });
    assert.equal(readFileSync(join(replica, file)), readFileSync(join(folder, file)));
    assert.equal(readdirSync(replica).sort(), ['.lock', file, `${file}.br`, MANIFEST].sort());
  }
  const wrong = originAccessOf(location, { ...access, secretAccessKey: 'wrong' });
  const { message } = await failureOf(pull(context, wrong, temporaryFolder()));
  assert.match(message, /manifest\.json: expected status 200, found status 403 \(SignatureDoesNotMatch\)$/);
});

storing.run();

const policy = suite('bucket policy');

policy('J1: should give the builder the rights that it needs, and no more', () => {
  const { Statement } = JSON.parse(readFileSync(packagePath('docs/examples/bucket-policy.json'), 'utf8'));
  const rights = Statement.flatMap(({ Principal, Action }: Readonly<Record<string, unknown>>) =>
    [Action].flat().map((action) => `${Principal === '*' ? 'everyone' : 'builder'} ${action}`),
  );
  assert.equal(rights.sort(), [
    'builder s3:DeleteObject',
    'builder s3:GetObject',
    'builder s3:ListBucket',
    'builder s3:PutObject',
    'everyone s3:GetObject',
  ]);
});

policy.run();

function isPut({ method, url = '' }: Pick<IncomingMessage, 'method' | 'url'>): boolean {
  return method === 'PUT' && url.includes('.sqlite');
}

function answered(_: unknown): 'answered' {
  return 'answered';
}

function refusing(
  status: number,
  code: string,
  isRefused: (request: Pick<IncomingMessage, 'method' | 'url'>) => boolean = () => true,
): Fault {
  return (request, response) => {
    if (!isRefused(request)) return undefined;
    return answered(response.writeHead(status).end(`<Error><Code>${code}</Code></Error>`));
  };
}

async function failureOf(work: Promise<unknown>): Promise<StoreProblem> {
  try {
    await work;
  } catch (thrown) {
    if (thrown instanceof Error) return thrown as StoreProblem;
  }
  throw new Error('expected a failure, found none');
}
