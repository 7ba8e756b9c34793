/** H6, H7: origins that send damaged, slow, oversized or redirected answers, and the credentials of a pull. */
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { fetchManifest, readOriginManifest } from '../../../../jobs/annexes/pull/copy.ts';
import { isCalendarError } from '../../../../src/calendar/errors.ts';
import { MANIFEST } from '../../../../src/snapshot/files.ts';
import { type Manifest, renderManifest } from '../../../../src/snapshot/manifest.ts';
import { rejects } from '../../../helpers/errors.ts';
import { manifestTextIn, publishCalendar } from '../../../helpers/folder.ts';
import { type Fault, type Origin, startOrigin } from '../../../helpers/origin.ts';
import { makeSmallDisk } from '../../../helpers/small-disk.ts';
import { when } from '../../../helpers/when.ts';
import {
  addCopy,
  type Context,
  closingOrigins,
  end,
  flipped,
  type Given,
  isFile,
  onManifest,
  publishedIn,
  signal,
  startOriginToPull,
} from './pulling.ts';

const pulling = closingOrigins(suite<Context>('faults of an origin', { origins: [] }));

pulling('H7: should refuse a build from more than a day ahead', async (context) => {
  const { ours, theirs, origin } = await startOriginToPull(context);
  const { builtAt } = await publishCalendar(theirs);
  const text = await fetchManifest({ origin: origin.url, folder: ours, signal, allowPrivate: false });
  const read = (ahead: number) =>
    readOriginManifest(text, { folder: ours, clock: () => Date.parse(builtAt) - ahead });
  assert.is((await read(86_400_000)).builtAt, builtAt);
  const finding = /expected a calendar built by \S+, a day ahead of this machine's clock, found one built at/;
  await rejects(read(86_400_001), 'ORIGIN_UNUSABLE', finding);
});

/** Addresses to which an origin on a loopback address must not redirect: link-local, private, loopback, in all spellings. */
const NOT_PUBLIC = [
  'http://169.254.169.254/latest/meta-data/',
  'http://10.0.0.1/',
  'http://127.0.0.1:1/',
  'http://0x7f.1/',
  'http://[::1]/',
  'http://[::ffff:169.254.169.254]/',
  'http://localhost/',
];

pulling('H7: should not follow a redirect to an address that is not public', async (context) => {
  const { origin, pull } = await startOriginToPull(context);
  const refusal =
    /manifest\.json: redirected to .*: expected a public address, found a private.*ALLOW_PRIVATE/;
  for (const location of NOT_PUBLIC) {
    origin.behave((_path, response) => end(response.writeHead(302, { Location: location })));
    await rejects(pull(), 'ORIGIN_UNUSABLE', refusal);
  }
});

pulling('H7: should follow redirects within its origin, also on a loopback address', async (context) => {
  const { origin, manifest, pull } = await startOriginToPull(context);
  let redirects = 0;
  origin.behave((path, response) => {
    redirects++;
    return redirects % 2 === 1 && end(response.writeHead(302, { Location: path }));
  });
  assert.equal(await pull(), manifest);
  assert.is(redirects, 4);
});

pulling('H7: should not fetch a byte of a file that the manifest states to be too large', async (context) => {
  const { origin, manifest, pull } = await startOriginToPull(context);
  for (const bytes of [Number.MAX_SAFE_INTEGER, 8 * 1_024 ** 3 + 1]) {
    origin.behave(onManifest({ ...manifest, bytes }));
    await rejects(pull(), 'ORIGIN_UNUSABLE', /expected a file of 8589934592 bytes at most, found \d+$/);
  }
  assert.equal(origin.asked, [MANIFEST, MANIFEST]);
});

const disk = makeSmallDisk(2);
pulling.after(() => disk?.remove());
const onSmallDisk = when(disk !== null, 'only root may mount a file system', pulling);
onSmallDisk(
  'H7: should fetch the plain file at once if there is no room for its compressed copy',
  async (context) => {
    const { theirs, ours, origin, manifest, pull } = await startOriginToPull(context, disk?.folder);
    addCopy(theirs, manifest, Buffer.alloc(manifest.bytes - 1));
    disk?.leave(1.5 * manifest.bytes);
    assert.equal(await pull(), manifest);
    assert.equal(origin.asked, [MANIFEST, manifest.file]);
    disk?.leave(null);
    rmSync(ours, { recursive: true });
  },
);

onSmallDisk('H7: should not fetch more than the disk has room for', async (context) => {
  const { origin, manifest, pull } = await startOriginToPull(context, disk?.folder);
  origin.behave(onManifest({ ...manifest, bytes: 3 * 1_024 ** 2 }));
  await rejects(
    pull(),
    'DISK_FULL',
    /expected room for 3145728 bytes, found \d+, \d+ too few: free some space on this disk$/,
  );
  assert.equal(origin.asked, [MANIFEST]);
  origin.behave(null);
  assert.equal(await pull(), manifest);
});

/** Answers each request with this text. */
const answers = (text: string, status = 200, headers = {}): FaultOf => {
  return () => (_path, response) => end(response.writeHead(status, headers), text);
};
/** Sends other bytes in place of the file. */
const sends = (make: (bytes: Buffer) => Buffer | string): FaultOf => {
  return ({ bytes }) => onFile((response) => response.end(make(bytes)));
};
/** Sends a changed manifest. */
const says = (change: (manifest: Manifest) => Partial<Manifest>): FaultOf => {
  return ({ manifest }) => onManifest({ ...manifest, ...change(manifest) });
};

interface OriginFault {
  readonly faultOf: FaultOf;
  readonly message: RegExp;
  readonly given?: Given;
}

/** Faults of an origin, each with the message of the refusal. */
const FAULTS: Readonly<Record<string, OriginFault>> = {
  'sends half of the file and hangs up': {
    faultOf: ({ bytes }) =>
      onFile((response) => {
        response.writeHead(200, { 'Content-Length': bytes.length });
        response.write(bytes.subarray(0, bytes.length / 2), () => response.destroy());
      }),
    message: /calendar-\w+\.sqlite: .*(other side closed|ECONNRESET|does not match|aborted)/,
  },
  'sends half of the file': {
    faultOf: sends((bytes) => bytes.subarray(0, 4_096)),
    message: /expected \d+ bytes, found 4096$/,
  },
  'sends too much': {
    faultOf: sends((bytes) => Buffer.concat([bytes, bytes])),
    message: /expected at most \d+ bytes, found more$/,
  },
  'sends one bit wrong': { faultOf: sends(flipped), message: /expected SHA-256 \w{64}, found \w{64}$/ },
  'sends a page for the file': {
    faultOf: sends(() => '<html>maintenance</html>'),
    message: /expected \d+ bytes, found 24$/,
  },
  'has no file': {
    faultOf: () => onFile((response) => response.writeHead(404).end('gone')),
    message: /expected status 200, found status 404$/,
  },
  'stops in the middle of the file': {
    faultOf: ({ bytes }) => onFile((response) => response.write(bytes.subarray(0, 4_096))),
    message: /expected a byte within 0\.3 s, found none$/,
    given: { stallMs: 300 },
  },
  'sends the file byte by byte': {
    faultOf: ({ bytes }) => onFile((response) => drip(response, bytes)),
    message: /expected all of it within 0\.9 s$/,
    given: { totalMs: 900 },
  },
  'never answers': {
    faultOf: () => () => true,
    message: /manifest\.json: expected a byte within 0\.3 s/,
    given: { stallMs: 300 },
  },
  'sends a page': {
    faultOf: answers('<html>sign in</html>'),
    message: /manifest\.json: expected JSON, found <html>/,
  },
  'sends half a manifest': {
    faultOf:
      ({ manifest }) =>
      (_path, response) =>
        end(response, renderManifest(manifest).slice(0, 100)),
    message: /manifest\.json: expected JSON/,
  },
  'never ends its manifest': {
    faultOf: answers(' '.repeat(100_000)),
    message: /expected at most 8192 bytes, found more$/,
  },
  'names a file elsewhere': {
    faultOf: says(() => ({ file: '../calendar.sqlite' })),
    message: /"file" to be calendar-<id>\.sqlite/,
  },
  'is of a later format': {
    faultOf: says(() => ({ format: 999 })),
    message: /found 999: this program is older than the build; upgrade this machine$/,
  },
  'is of an earlier format': {
    faultOf: says(({ format }) => ({ format: format - 1 })),
    message:
      /expected format \d+, found \d+: build it again with this version.*; upgrade the builder before its replicas/,
  },
  'counts other events': {
    faultOf: says(({ counts }) => ({ counts: { ...counts, events: 4 } })),
    message: /expected counts/,
  },
  'answers in an unknown content coding': {
    faultOf: answers('x', 200, { 'content-encoding': 'constructor' }),
    message: /expected a body in br, .* found "constructor"$/,
  },
  'redirects for ever': {
    faultOf: answers('', 302, { Location: '/x' }),
    message: /expected at most 5 redirects, found more$/,
  },
  'redirects nowhere': { faultOf: answers('', 302), message: /expected status 200, found status 302$/ },
};

for (const [what, { faultOf, message, given }] of Object.entries(FAULTS)) {
  pulling(`H6: should keep its snapshot when the origin ${what}`, async (context) => {
    const { theirs, ours, origin, manifest, pull } = await startOriginToPull(context);
    await pull();
    const before = [publishedIn(ours), manifestTextIn(ours)];
    const next = await publishCalendar(theirs, { name: 'Uheldig' });
    assert.is.not(next.id, manifest.id);
    const bytes = readFileSync(join(theirs, next.file));
    origin.behave(faultOf({ manifest: next, bytes }));
    const failed = await pull(origin.url, given).catch((cause: unknown) => cause);
    if (!isCalendarError(failed)) throw new Error(`expected a refusal, found ${failed}`);
    assert.match(failed.message, message);
    assert.equal([publishedIn(ours), manifestTextIn(ours)], before);
    origin.behave(null);
    assert.equal(await pull(), next);
  });
}

const BASIC = `Basic ${Buffer.from('bruker:hemmelig').toString('base64')}`;

const CREDENTIALS = [
  { rule: 'H6', what: 'user and password', user: 'bruker:hemmelig@', token: null, header: BASIC },
  { rule: 'H9', what: 'token', user: '', token: 'hemmelig', header: 'Bearer hemmelig' },
];

for (const { rule, what, user, token, header } of CREDENTIALS) {
  pulling(`${rule}: should send its ${what} to the origin only, also after a redirect`, async (context) => {
    const { theirs, origin, manifest, pull } = await startOriginToPull(context);
    const other = await startOrigin(theirs);
    context.origins.push(other);
    origin.behave((path, response) =>
      end(response.writeHead(307, { Location: new URL(path, other.url).href })),
    );
    const url = new URL(origin.url.href.replace('//', `//${user}`));
    const given = { allowPrivate: true, token };
    assert.equal(await pull(url, given), manifest);
    const authorizations = (one: Origin) => one.requests.map(({ headers }) => headers.authorization);
    assert.equal(authorizations(origin), [header, header]);
    assert.equal(authorizations(other), [undefined, undefined]);
    origin.behave((_path, response) => end(response.writeHead(401)));
    const advice = /found status 401; ALMANAKK_SNAPSHOTS_TOKEN must be the token of the origin$/;
    const { message } = await rejects(pull(url, given), 'ORIGIN_UNUSABLE', advice);
    assert.not.match(message, /hemmelig|bruker/);
  });
}

pulling.run();

type FaultOf = (theirs: { readonly manifest: Manifest; readonly bytes: Buffer }) => Fault;

function onFile(answer: (response: Parameters<Fault>[1]) => unknown): Fault {
  return (path, response) => {
    if (!isFile(path)) return false;
    answer(response);
    return true;
  };
}

function drip(response: Parameters<Fault>[1], bytes: Buffer): void {
  let at = 0;
  const timer = setInterval(() => response.write(bytes.subarray(at, ++at)), 50);
  response.once('close', () => clearInterval(timer));
}
