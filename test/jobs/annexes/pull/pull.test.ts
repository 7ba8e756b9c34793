import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync } from 'node:zlib';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import {
  copySnapshot,
  fetchManifest,
  isCurrent,
  isIntact,
  readOriginManifest,
} from '../../../../jobs/annexes/pull/copy.ts';
import { isCalendarError } from '../../../../src/calendar/errors.ts';
import { MANIFEST } from '../../../../src/snapshot/files.ts';
import {
  type Manifest,
  type PublicFile,
  parseManifest,
  renderManifest,
} from '../../../../src/snapshot/manifest.ts';
import { assertMissing, assertSameBytes } from '../../../helpers/assertions.ts';
import { built, sourceOf } from '../../../helpers/build.ts';
import { NOW } from '../../../helpers/calendar.ts';
import { rejects } from '../../../helpers/errors.ts';
import { manifestTextIn, publishCalendar, temporaryFolder } from '../../../helpers/folder.ts';
import { verifyHere } from '../../../helpers/keeper.ts';
import { type Fault, type Origin, startOrigin } from '../../../helpers/origin.ts';
import { scriptOf, startProgram } from '../../../helpers/program.ts';
import { makeSmallDisk } from '../../../helpers/small-disk.ts';

const pulling = suite<{ origins: Origin[] }>('pull', { origins: [] });

pulling.after.each(async ({ origins }) => {
  for (const origin of origins.splice(0)) await origin.close();
});

const { signal } = new AbortController();

interface Given {
  readonly allowPrivate?: boolean;
  readonly token?: string | null;
  readonly stallMs?: number;
  readonly totalMs?: number;
  readonly onPublicLost?: (reason: string) => void;
  readonly verify?: typeof verifyHere;
}

/** An origin with its folder, `theirs`, and `pull`: one pull into `ours`, whatever is there. */
async function scene({ origins }: { origins: Origin[] }, place = temporaryFolder()) {
  const theirs = temporaryFolder();
  const ours = join(place, 'made', 'by the pull');
  const manifest = await publishCalendar(theirs, { name: 'Opphav' });
  const origin = await startOrigin(theirs);
  origins.push(origin);
  const pull = async (url = origin.url, given: Given = {}) => {
    const options = {
      origin: url,
      folder: ours,
      signal,
      allowPrivate: false,
      verify: verifyHere,
      clock: () => Date.UTC(2100, 0),
      ...given,
    };
    return copySnapshot(options, await readOriginManifest(await fetchManifest(options), options));
  };
  return { theirs, ours, origin, manifest, pull };
}

pulling('H7: should refuse a build from more than a day ahead', async (context) => {
  const { ours, theirs, origin } = await scene(context);
  const { builtAt } = await publishCalendar(theirs);
  const text = await fetchManifest({ origin: origin.url, folder: ours, signal, allowPrivate: false });
  const read = (ahead: number) =>
    readOriginManifest(text, { folder: ours, clock: () => Date.parse(builtAt) - ahead });
  assert.is((await read(86_400_000)).builtAt, builtAt);
  const finding = /expected a calendar built by \S+, a day ahead of this machine's clock, found one built at/;
  await rejects(read(86_400_001), 'ORIGIN_UNUSABLE', finding);
});

const publishedIn = (folder: string) => readdirSync(folder).filter((name) => name !== '.lock');

pulling('H6: should copy what the origin has, manifest and all', async (context) => {
  const { theirs, ours, manifest, pull } = await scene(context);
  assert.equal(await pull(), manifest);
  assert.equal(publishedIn(ours).sort(), publishedIn(theirs).sort());
  assert.is(manifestTextIn(ours), manifestTextIn(theirs));
  assert.equal(readFileSync(join(ours, manifest.file)), readFileSync(join(theirs, manifest.file)));
});

pulling('H6: MUST see a second manifest of the same second, whatever entity tags say', async (context) => {
  const { theirs, ours, origin, pull } = await scene(context);
  // A plain file server's tag is made of seconds and size.
  origin.behave((_path, response, { headers }) => {
    assert.equal([headers['cache-control'], headers['accept-encoding']], ['no-cache', 'identity']);
    response.setHeader('ETag', '"same"');
    if (headers['if-none-match'] === undefined) return false;
    response.writeHead(304).end();
    return true;
  });
  await pull();
  const second = await publishCalendar(theirs, { name: 'Samme sekund' });
  assert.equal(await pull(), second);
  assert.is(manifestTextIn(ours), manifestTextIn(theirs));
});

pulling('H6: should return to an older snapshot when the origin does', async (context) => {
  const { theirs, ours, manifest, pull } = await scene(context);
  await publishCalendar(theirs, { name: 'Ny', builtAt: 1_800_000_000 });
  await pull();
  writeFileSync(join(theirs, MANIFEST), renderManifest(manifest));
  assert.equal(await pull(), manifest);
  assert.is(manifestTextIn(ours), renderManifest(manifest));
});

pulling('H6: should fetch a file again that was damaged here', async (context) => {
  const { ours, manifest, pull } = await scene(context);
  await pull();
  const isWhole = () => isIntact({ folder: ours, signal, verify: verifyHere }, manifest);
  assert.is(await isWhole(), true);
  const file = join(ours, manifest.file);
  writeFileSync(file, flipped(readFileSync(file)));
  assert.is(await isWhole(), false);
  await pull();
  assert.is(await isWhole(), true);
  rmSync(file);
  assert.is(await isCurrent(ours, manifest), false);
});

const isFile = (path: string) => path.endsWith('.sqlite');

/** Answers everything so. */
const answers = (text: string, status = 200, headers = {}): FaultOf => {
  return () => (_path, response) => end(response.writeHead(status, headers), text);
};
/** Sends that in place of the file. */
const sends = (make: (bytes: Buffer) => Buffer | string): FaultOf => {
  return ({ bytes }) => onFile((response) => response.end(make(bytes)));
};
/** Sends another manifest than its own. */
const says = (change: (manifest: Manifest) => Partial<Manifest>): FaultOf => {
  return ({ manifest }) => onManifest({ ...manifest, ...change(manifest) });
};

/** Faults of an origin, each with the message that it must cause. */
const FAULTS: Readonly<Record<string, readonly [fault: FaultOf, message: RegExp, given?: Given]>> = {
  'sends half of the file and hangs up': [
    ({ bytes }) =>
      onFile((response) => {
        response.writeHead(200, { 'Content-Length': bytes.length });
        response.write(bytes.subarray(0, bytes.length / 2), () => response.destroy());
      }),
    /calendar-\w+\.sqlite: .*(other side closed|ECONNRESET|does not match|aborted)/,
  ],
  'sends half of the file': [sends((bytes) => bytes.subarray(0, 4_096)), /expected \d+ bytes, found 4096$/],
  'sends too much': [
    sends((bytes) => Buffer.concat([bytes, bytes])),
    /expected at most \d+ bytes, found more$/,
  ],
  'sends one bit wrong': [sends(flipped), /expected SHA-256 \w{64}, found \w{64}$/],
  'sends a page for the file': [sends(() => '<html>maintenance</html>'), /expected \d+ bytes, found 24$/],
  'has no file': [
    () => onFile((response) => response.writeHead(404).end('gone')),
    /expected status 200, found status 404$/,
  ],
  'stops in the middle of the file': [
    ({ bytes }) => onFile((response) => response.write(bytes.subarray(0, 4_096))),
    /expected a byte within 0\.3 s, found none$/,
    { stallMs: 300 },
  ],
  'sends the file byte by byte': [
    ({ bytes }) => onFile((response) => drip(response, bytes)),
    /expected all of it within 0\.9 s$/,
    { totalMs: 900 },
  ],
  'never answers': [() => () => true, /manifest\.json: expected a byte within 0\.3 s/, { stallMs: 300 }],
  'sends a page': [answers('<html>sign in</html>'), /manifest\.json: expected JSON, found <html>/],
  'sends half a manifest': [
    ({ manifest }) =>
      (_path, response) =>
        end(response, renderManifest(manifest).slice(0, 100)),
    /manifest\.json: expected JSON/,
  ],
  'never ends its manifest': [answers(' '.repeat(100_000)), /expected at most 8192 bytes, found more$/],
  'names a file elsewhere': [
    says(() => ({ file: '../calendar.sqlite' })),
    /"file" to be calendar-<id>\.sqlite/,
  ],
  'is of a later format': [says(() => ({ format: 999 })), /found 999: this program is older than the build$/],
  'counts other events': [says(({ counts }) => ({ counts: { ...counts, events: 4 } })), /expected counts/],
  'answers in an unknown content coding': [
    answers('x', 200, { 'content-encoding': 'constructor' }),
    /expected a body in br, .* found "constructor"$/,
  ],
  'redirects for ever': [answers('', 302, { Location: '/x' }), /expected at most 5 redirects, found more$/],
  'redirects nowhere': [answers('', 302), /expected status 200, found status 302$/],
};

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

pulling('H7: MUST NOT follow a redirect to an address that is not public', async (context) => {
  const { origin, pull } = await scene(context);
  const refusal =
    /manifest\.json: redirected to .*: expected a public address, found a private.*ALLOW_PRIVATE/;
  for (const location of NOT_PUBLIC) {
    origin.behave((_path, response) => end(response.writeHead(302, { Location: location })));
    await rejects(pull(), 'ORIGIN_UNUSABLE', refusal);
  }
});

pulling('H7: should follow redirects within its origin, wherever that is', async (context) => {
  const { origin, manifest, pull } = await scene(context);
  let redirects = 0;
  origin.behave((path, response) => {
    redirects++;
    return redirects % 2 === 1 && end(response.writeHead(302, { Location: path }));
  });
  assert.equal(await pull(), manifest);
  assert.is(redirects, 4);
});

pulling('H7: MUST NOT fetch a byte of a file that is said to be too large', async (context) => {
  const { origin, manifest, pull } = await scene(context);
  for (const bytes of [Number.MAX_SAFE_INTEGER, 8 * 1_024 ** 3 + 1]) {
    origin.behave(onManifest({ ...manifest, bytes }));
    await rejects(pull(), 'ORIGIN_UNUSABLE', /expected a file of 8589934592 bytes at most, found \d+$/);
  }
  assert.equal(origin.asked, [MANIFEST, MANIFEST]);
});

const disk = makeSmallDisk(2);
const onSmallDisk = disk === null ? pulling.skip : pulling;
onSmallDisk(
  'H7: should fetch the plain file at once if there is no room for its copy besides',
  async (context) => {
    const { theirs, ours, origin, manifest, pull } = await scene(context, disk?.folder);
    nameCopy(theirs, manifest, Buffer.alloc(manifest.bytes - 1));
    disk?.leave(1.5 * manifest.bytes);
    assert.equal(await pull(), manifest);
    assert.equal(origin.asked, [MANIFEST, manifest.file]);
    disk?.leave(null);
    rmSync(ours, { recursive: true });
  },
);

onSmallDisk('H7: MUST NOT fetch more than the disk has room for', async (context) => {
  const { origin, manifest, pull } = await scene(context, disk?.folder);
  origin.behave(onManifest({ ...manifest, bytes: 3 * 1_024 ** 2 }));
  await rejects(
    pull(),
    'DISK_FULL',
    /expected room for 3145728 bytes, found \d+, \d+ too few: free some space on this disk$/,
  );
  assert.equal(origin.asked, [MANIFEST]);
  origin.behave(null);
  assert.equal(await pull(), manifest);
  disk?.remove();
});

for (const [what, [faultOf, message, given]] of Object.entries(FAULTS)) {
  pulling(`H6: should keep its snapshot when the origin ${what}`, async (context) => {
    const { theirs, ours, origin, manifest, pull } = await scene(context);
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

/** A snapshot with a public edition in place of what the folder has. */
async function withEdition(folder: string, events: number) {
  for (const name of publishedIn(folder)) rmSync(join(folder, name));
  await built(sourceOf(events), folder, { isPublic: true, force: true, now: NOW + 60 * events });
  const manifest = parseManifest(manifestTextIn(folder));
  const { public: edition } = manifest;
  if (edition === undefined) throw new Error('expected a public edition');
  return { manifest, edition };
}

pulling('J5: should copy the public edition', async (context) => {
  const { theirs, ours, pull } = await scene(context);
  const { edition } = await withEdition(theirs, 3);
  await pull();
  assert.equal(publishedIn(ours).sort(), publishedIn(theirs).sort());
  assertSameBytes(readFileSync(join(ours, edition.file)), readFileSync(join(theirs, edition.file)));
});

interface BadEdition {
  readonly reason: RegExp;
  /** Changes the file in the origin's folder, or its entry in the manifest. */
  readonly spoil: (path: string) => Partial<PublicFile>;
}

const BAD_EDITIONS: Readonly<Record<string, BadEdition>> = {
  damaged: {
    reason: /public-\w+\.sqlite: expected \d+ bytes, found 3$/,
    spoil: (path) => {
      writeFileSync(path, 'bad');
      return {};
    },
  },
  'larger than any': {
    reason: /expected a file of 8589934592 bytes at most, found 8589934593$/,
    spoil: () => ({ bytes: 8 * 1_024 ** 3 + 1 }),
  },
};

for (const [what, { reason, spoil }] of Object.entries(BAD_EDITIONS)) {
  pulling(
    `J5: should copy a snapshot without its public edition if that is ${what}, and say why`,
    async (context) => {
      const { theirs, ours, origin, pull } = await scene(context);
      const { manifest, edition } = await withEdition(theirs, 3);
      const spoiled = spoil(join(theirs, edition.file));
      const changed = { ...manifest, public: { ...edition, compressed: undefined, ...spoiled } };
      origin.behave(onManifest(changed));
      const reasons: string[] = [];
      let draftsBesides: readonly string[] = [];
      const verify: typeof verifyHere = (...given) => {
        draftsBesides = readdirSync(ours).filter((name) => name.includes('public-'));
        return verifyHere(...given);
      };
      await pull(origin.url, { onPublicLost: (why) => reasons.push(why), verify });
      assert.is(reasons.length, 1);
      assert.match(reasons[0] ?? '', reason);
      assert.equal(draftsBesides, [], 'drafts that take room while the snapshot is verified');
      assertMissing(join(ours, edition.file));
    },
  );
}

/** Bodies of a compressed copy, made from the bytes of the file. */
const COPIES: Readonly<Record<string, (bytes: Buffer) => Buffer | null>> = {
  good: (bytes) => brotliCompressSync(bytes),
  'not there': () => null,
  'a bomb': (bytes) => brotliCompressSync(Buffer.alloc(bytes.length + 50_000_000)),
  'half of the file': (bytes) => brotliCompressSync(bytes.subarray(0, bytes.length / 2)),
  'another file': (bytes) => brotliCompressSync(flipped(bytes)),
  'nothing that Brotli has packed': (bytes) => bytes.subarray(0, 20_000),
  'cut in the packing': (bytes) => brotliCompressSync(bytes).subarray(0, -100),
};

for (const [what, make] of Object.entries(COPIES)) {
  const taken = what === 'good' ? 'it' : 'the plain file';
  pulling(`J4: should take ${taken} when the compressed copy is ${what}`, async (context) => {
    const { theirs, ours, origin, manifest, pull } = await scene(context);
    const bytes = readFileSync(join(theirs, manifest.file));
    const copy = nameCopy(theirs, manifest, make(bytes));
    // The copy is kept: others may follow this folder.
    assert.equal(await pull(), what === 'good' ? parseManifest(manifestTextIn(theirs)) : manifest);
    assert.is(existsSync(join(ours, `${manifest.file}.br`)), what === 'good');
    assert.equal(origin.asked, [MANIFEST, copy, ...(what === 'good' ? [] : [manifest.file])]);
    assert.equal(readFileSync(join(ours, manifest.file)), bytes);
  });
}

pulling('J4: MUST NOT fetch a byte of a copy that is no shorter than the file', async (context) => {
  const { theirs, origin, manifest, pull } = await scene(context);
  nameCopy(theirs, manifest, Buffer.alloc(manifest.bytes));
  assert.equal(await pull(), manifest);
  assert.equal(origin.asked, [MANIFEST, manifest.file]);
});

/** Puts a compressed copy beside the file. Returns its name. */
function nameCopy(folder: string, manifest: Manifest, copy: Buffer | null): string {
  const file = `${manifest.file}.br`;
  if (copy !== null) writeFileSync(join(folder, file), copy);
  const sha256 = createHash('sha256')
    .update(copy ?? '')
    .digest('hex');
  const compressed = { file, bytes: copy?.length ?? 1, sha256 };
  writeFileSync(join(folder, MANIFEST), renderManifest({ ...manifest, compressed }));
  return file;
}

pulling('H6: should keep its snapshot when the origin is down', async (context) => {
  const { ours, origin, manifest, pull } = await scene(context);
  await pull();
  await origin.close();
  context.origins.length = 0;
  await rejects(pull(), 'ORIGIN_UNUSABLE', /manifest\.json: connect ECONNREFUSED/);
  assert.is(manifestTextIn(ours), renderManifest(manifest));
});

const BASIC = `Basic ${Buffer.from('bruker:hemmelig').toString('base64')}`;

for (const [what, user, token, header] of [
  ['H6: its user and password', 'bruker:hemmelig@', null, BASIC],
  ['H9: its token', '', 'hemmelig', 'Bearer hemmelig'],
] as const) {
  pulling(`${what} should be shown to nobody but the origin, behind redirects too`, async (context) => {
    const { theirs, origin, manifest, pull } = await scene(context);
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

pulling('G6: should remove what a killed build has left', async (context) => {
  const { ours, manifest, pull } = await scene(context);
  await pull();
  writeFileSync(join(ours, '.unfinished-calendar.sqlite'), 'half');
  rmSync(join(ours, manifest.file));
  await pull();
  assert.equal(publishedIn(ours).sort(), [manifest.file, MANIFEST].sort());
  assert.is(statSync(join(ours, manifest.file)).size, manifest.bytes);
});

pulling(
  'H8: the command should log an origin’s texts in one line, whatever line breaks they have',
  async (context) => {
    const { theirs, ours, origin, manifest } = await scene(context);
    const licence = 'x\n2026-11-20 11:14:08.123Z published\u2028published: all is well';
    writeFileSync(join(theirs, MANIFEST), JSON.stringify({ ...manifest, licence }));
    const env = { ALMANAKK_SNAPSHOTS: ours, ALMANAKK_ORIGIN: origin.url.href };
    const program = startProgram({ script: scriptOf('jobs/cli'), args: ['pull'], env });
    assert.is((await program.ended).code, 1);
    const lines = program.lines.filter((line) => line.includes('all is well'));
    assert.is(lines.length, 1);
    assert.match(
      lines[0] ?? '',
      /the licence x\\u000a2026-11-20 11:14:08\.123Z published\\u2028published: all is well/,
    );
  },
);

pulling('H6: the command should copy once and exit 0, or say what is wrong and exit 1', async (context) => {
  const { ours, origin, manifest } = await scene(context);
  const run = async (env: Readonly<Record<string, string>>, args: readonly string[] = []) => {
    const script = scriptOf('jobs/cli');
    const program = startProgram({
      script,
      args: ['pull', ...args],
      env: { ALMANAKK_SNAPSHOTS: ours, ...env },
    });
    const { code } = await program.ended;
    return { code, output: program.lines.join('\n') };
  };
  const good = { ALMANAKK_ORIGIN: origin.url.href };
  const first = await run(good);
  assert.equal([first.code, first.output.split(',')[0]], [0, `published: ${manifest.file}`]);
  const [second, without, nowhere, unknown] = await Promise.all([
    run(good),
    run({}),
    run({ ALMANAKK_ORIGIN: new URL('/nowhere/', origin.url).href }),
    run(good, ['--sometimes']),
  ]);
  assert.equal([second.code, second.output.split(',')[0]], [0, `unchanged: ${manifest.file}`]);
  assert.equal([without.code, nowhere.code, unknown.code], [1, 1, 1]);
  assert.match(without.output, /^ALMANAKK_ORIGIN: expected the URL to copy from, found none$/);
  assert.match(nowhere.output, /^http:.*\/nowhere\/manifest\.json: expected status 200, found status 404$/);
  assert.match(unknown.output, /--sometimes.*\nUsage: npm run pull/s);
});

pulling.run();

type FaultOf = (theirs: { readonly manifest: Manifest; readonly bytes: Buffer }) => Fault;

function onFile(answer: (response: Parameters<Fault>[1]) => unknown): Fault {
  return (path, response) => {
    if (!isFile(path)) return false;
    answer(response);
    return true;
  };
}

function onManifest(manifest: Manifest): Fault {
  return (path, response) => !isFile(path) && end(response, renderManifest(manifest));
}

function end(response: Parameters<Fault>[1], text = ''): true {
  response.end(text);
  return true;
}

function flipped(bytes: Buffer): Buffer {
  const copy = Buffer.from(bytes);
  copy[copy.length - 1] = (copy.at(-1) ?? 0) ^ 1;
  return copy;
}

function drip(response: Parameters<Fault>[1], bytes: Buffer): void {
  let at = 0;
  const timer = setInterval(() => response.write(bytes.subarray(at, ++at)), 50);
  response.once('close', () => clearInterval(timer));
}
