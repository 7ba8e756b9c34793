/** H5: a snapshot is verified by its hash and by SQLite, in a process of its own. */
import { type ChildProcess, execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import {
  closeSync,
  copyFileSync,
  openSync,
  readFileSync,
  renameSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { messageOf } from '../../../src/calendar/errors.ts';
import type { Keeper } from '../../../src/snapshot/keeper.ts';
import type { Manifest } from '../../../src/snapshot/manifest.ts';
import { openWriter } from '../../../src/snapshot/sqlite.ts';
import { Unverified } from '../../../src/snapshot/unusable.ts';
import { openVerified, verifyFile } from '../../../src/snapshot/verify.ts';
import { verifyApart } from '../../../src/snapshot/verify-apart.ts';
import { misleadIndex } from '../../helpers/damaged-snapshots.ts';
import { rejects } from '../../helpers/errors.ts';
import { publishCalendar, temporaryFolder } from '../../helpers/folder.ts';
import { idOf, reasonsIn, startKeeper } from '../../helpers/keeper.ts';
import { childrenOf, fixtureOf, ROOT } from '../../helpers/program.ts';
import { until } from '../../helpers/until.ts';
import { openFilesOf, whereProcIs } from '../../helpers/usage.ts';

const verifying = suite<{ keepers: Keeper[] }>('verify', { keepers: [] });

verifying.after.each(async ({ keepers }) => {
  for (const keeper of keepers.splice(0)) await keeper.close();
});

const folder = temporaryFolder();
let manifest: Manifest;
let good: string;

verifying.before(async () => {
  manifest = await publishCalendar(folder);
  good = join(folder, manifest.file);
});

verifying('H5: should open a file that is what its manifest says', async () => {
  const snapshot = await openVerified(good, manifest);
  await snapshot.close();
  const { bytes, sha256, builtAt, counts, licence } = manifest;
  const verified = { bytes, sha256, builtAt, counts, licence };
  assert.equal(await verifyFile(good, manifest, { isThorough: true }), verified);
  const { signal } = new AbortController();
  assert.equal(await verifyApart(good, manifest, { isThorough: true, signal }), verified);
});

verifying('H14: should give no verdict on a file that is not there', async () => {
  const missing = join(folder, 'calendar-0123456789abcdef.sqlite');
  const { signal } = new AbortController();
  const thrown = await verifyApart(missing, {}, { signal }).catch((cause: unknown) => cause);
  assert.instance(thrown, Unverified);
  assert.match(messageOf(thrown), /^calendar-0123456789abcdef.sqlite: expected a file, found none$/);
});

verifying('H14: should give no verdict if its process cannot be started', async () => {
  // No process can have so long a variable: `spawn` throws, as it does without memory.
  process.env.TOO_LONG = 'x'.repeat(2_000_000);
  const { signal } = new AbortController();
  const thrown = await verifyApart(good, manifest, { signal }).catch((cause: unknown) => cause);
  delete process.env.TOO_LONG;
  assert.instance(thrown, Unverified);
  assert.match(messageOf(thrown), /expected to be verified, found its process not begun: spawn E2BIG$/);
});

/** The finding about a file that no manifest describes. */
const NAMELESS = /expected a SHA-256 that begins with/;

type Spoil = (path: string) => unknown;

interface SpoiledFile {
  readonly title: string;
  /** Changes a copy of the file. */
  readonly spoil: Spoil;
  readonly finding: RegExp;
  /** The finding without a manifest, if it is another one: then the name of the file vouches for its content. */
  readonly unannounced?: RegExp;
}

const SPOILED: readonly SpoiledFile[] = [
  {
    title: 'is truncated',
    spoil: (path) => truncateSync(path, 8_192),
    finding: /expected \d+ bytes, found 8192/,
    unannounced: /bytes \d+, found 8192/,
  },
  {
    title: 'has a bit flipped',
    spoil: (path) => flipBit(path, 20_000),
    finding: /expected SHA-256 \w{64}, found \w{64}/,
    unannounced: NAMELESS,
  },
  {
    title: 'has its last bit flipped',
    spoil: (path) => flipBit(path, manifest.bytes - 1),
    finding: /expected SHA-256/,
    unannounced: NAMELESS,
  },
  {
    title: 'is empty',
    spoil: (path) => truncateSync(path, 0),
    finding: /expected \d+ bytes, found 0/,
    unannounced: /an SQLite file/,
  },
  {
    title: 'is no database',
    spoil: (path) => writeFileSync(path, 'x'.repeat(manifest.bytes)),
    finding: /expected an SQLite file/,
  },
  {
    title: 'has another application_id',
    spoil: sql('pragma application_id = 1'),
    finding: /application_id 1634495841, found 1$/,
  },
  {
    title: 'has a newer format',
    spoil: sql('pragma user_version = 99'),
    finding: /found 99: this program is older than the build/,
  },
  {
    title: 'has an old format',
    spoil: sql('pragma user_version = 1'),
    finding: /expected format \d+, found 1: build it again/,
  },
  {
    title: 'has no format',
    spoil: sql('pragma user_version = 0'),
    finding: /expected format \d+, found 0: build it again/,
  },
];

for (const { title, spoil, finding, unannounced = finding } of SPOILED) {
  verifying(`H5: should refuse a file that ${title}`, async () => {
    const path = await spoiledCopy(spoil);
    await rejects(openVerified(path, manifest), 'SNAPSHOT_UNUSABLE', finding);
    const error = await rejects(openVerified(path, {}), 'SNAPSHOT_UNUSABLE', unannounced);
    assert.ok(error.message.startsWith(basename(path)), error.message);
  });
}

verifying('H5: should refuse a file of another form of this format, and say what to do', async () => {
  const path = await spoiledCopy(sql("update meta set value = 'abcdef0123456789' where key = 'shape'"));
  const sha256 = createHash('sha256').update(readFileSync(path)).digest('hex');
  const renamed = join(dirname(path), `calendar-${sha256.slice(0, 16)}.sqlite`);
  renameSync(path, renamed);
  const finding =
    /expected format \d+ in the form \w{12}, found the form abcdef012345: another version of almanakk wrote it; build it again/;
  await rejects(openVerified(renamed, {}), 'SNAPSHOT_UNUSABLE', finding);
});

verifying('H5: should report a wrong hash before it asks SQLite', async () => {
  const path = await spoiledCopy(
    (copy) => writeFileSync(copy, readFileSync(copy).fill(0xff, 100)),
    'copy.sqlite',
  );
  await rejects(verifyFile(path, {}), 'SNAPSHOT_UNUSABLE', /malformed/);
  await rejects(verifyFile(path, manifest), 'SNAPSHOT_UNUSABLE', /expected SHA-256 \w{64}, found \w{64}$/);
});

verifying('H5: should verify in another process, also if V8 prints traces into its output', async () => {
  // So small that garbage is collected in a short run, too.
  const args = ['--max-semi-space-size=1', '--trace-gc', fixtureOf('verify'), good];
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: ROOT });
  assert.match(stdout, /Scavenge|Mark-Compact/);
});

verifying('H5: should refuse a file that is missing', async () => {
  const path = join(temporaryFolder(), manifest.file);
  await rejects(openVerified(path, manifest), 'SNAPSHOT_UNUSABLE', /expected a file, found none/);
});

verifying('H5: should refuse a file with other counts than its manifest', async () => {
  const counts = { ...manifest.counts, events: 4 };
  const finding = /expected counts .*"events":4.*, found .*"events":3/;
  await rejects(openVerified(good, { ...manifest, counts }), 'SNAPSHOT_UNUSABLE', finding);
});

verifying('H5: should refuse a file whose table of events is shorter than its columns', async () => {
  const shorten = sql('delete from event where ordinal = (select max(ordinal) from event)');
  const path = await spoiledCopy(shorten, 'copy.sqlite');
  await rejects(openVerified(path, {}), 'SNAPSHOT_UNUSABLE', /expected events 3, found 2/);
});

/** G12: one row's texts are one piece of work for a server. */
for (const { column, most } of [
  { column: 'title_nb', most: 300 },
  { column: 'title_en', most: 300 },
  { column: 'desc_nb', most: 20_000 },
  { column: 'desc_en', most: 20_000 },
] as const) {
  verifying(`G12, H7: should refuse a file from elsewhere with a longer ${column} than ${most}`, async () => {
    const verified = async (length: number) => {
      const set = `update event set ${column} = printf('%.*c', ${length}, 'x') where ordinal = 1`;
      return verifyFile(await spoiledCopy(sql(set), 'copy.sqlite'), {}, { isThorough: true });
    };
    // It is not what was written, but it is short enough.
    await rejects(verified(most), 'SNAPSHOT_UNUSABLE', /event 1: expected the checksum/);
    const finding =
      /titles of at most 300 and descriptions of at most 20000 characters, found more in event 1$/;
    await rejects(verified(most + 1), 'SNAPSHOT_UNUSABLE', finding);
  });
}

verifying('G1: should find a broken index, which a hash cannot', async () => {
  const path = await spoiledCopy(misleadIndex, 'copy.sqlite');
  await verifyFile(path, {});
  const finding = /expected integrity_check to say ok, found/;
  await rejects(verifyFile(path, {}, { isThorough: true }), 'SNAPSHOT_UNUSABLE', finding);
});

/** A server verifies each file in a process of its own before it opens it. */
const start = (context: { keepers: Keeper[] }, verify = verifyApart) =>
  startKeeper(context, (folder) => publishCalendar(folder), { verify });

const PROGRAM = 'snapshot/verify-child';
const verifiers = () => childrenOf(process.pid, PROGRAM);

/** The process id of the next verifier as soon as it runs. A search for it could find one that has ended before it is used. */
function nextVerifier(): Promise<number> {
  return new Promise((resolve) => {
    const onProcess = (message: unknown) => {
      const { process: child } = message as { readonly process: ChildProcess };
      child.once('spawn', () => {
        const { pid, spawnargs } = child;
        if (pid === undefined || !spawnargs.some((argument) => argument.includes(PROGRAM))) return;
        unsubscribe('child_process', onProcess);
        resolve(pid);
      });
    };
    subscribe('child_process', onProcess);
  });
}

whereProcIs(verifying)('H7: should open no file before all of it is verified', async (context) => {
  const seen: boolean[] = [];
  const isOpen = (file: string) => openFilesOf(process.pid).includes(file);
  const { keeper } = await start(context, async (file, expected, options) => {
    const looking = setInterval(() => seen.push(isOpen(file)), 1);
    return verifyApart(file, expected, options).finally(() => clearInterval(looking));
  });
  assert.equal([...new Set(seen)], [false]);
  assert.ok(isOpen(keeper.path ?? ''), 'it is open now');
});

whereProcIs(verifying)('H5: should keep what it has when the verifier is killed', async (context) => {
  const { keeper, lines, publish } = await start(context);
  const before = idOf(keeper);
  await publish('Drept');
  const verifier = nextVerifier();
  const looking = keeper.check();
  process.kill(await verifier, 'SIGKILL');
  await looking;
  assert.match(reasonsIn(lines)[0] ?? '', /expected to be verified, found its process ended by SIGKILL/);
  assert.is(idOf(keeper), before);
});

whereProcIs(verifying)(
  'H7: should verify in a process that does not return each blob’s memory',
  async (context) => {
    const { keeper, publish } = await start(context);
    await publish('Minne');
    const verifier = nextVerifier();
    const looking = keeper.check();
    const variables = readFileSync(`/proc/${await verifier}/environ`, 'utf8').split('\0');
    assert.ok(variables.includes(`MALLOC_TRIM_THRESHOLD_=${256 * 1_024 * 1_024}`), variables.join('\n'));
    assert.ok(variables.some((variable) => variable.startsWith('PATH=')));
    await looking;
  },
);

whereProcIs(verifying)('H4: should leave no verifier when it stops', async (context) => {
  const { keeper, lines, publish } = await start(context);
  await publish('Stanset');
  const verifier = nextVerifier();
  void keeper.check();
  await verifier;
  await keeper.close();
  await until('the verifier has ended', () => verifiers().length === 0);
  assert.equal(reasonsIn(lines), []);
});

verifying('H5: should adopt the last of two publications in quick succession', async (context) => {
  const { keeper, publish } = await start(context);
  await publish('Første');
  const looking = keeper.check();
  const last = await publish('Andre');
  await Promise.all([looking, keeper.check()]);
  assert.is(idOf(keeper), last.id);
});

/** Under its own name, unless another is given, which vouches for nothing. */
async function spoiledCopy(spoil: Spoil, name = manifest.file): Promise<string> {
  const path = join(temporaryFolder(), name);
  copyFileSync(good, path);
  await spoil(path);
  return path;
}

function sql(statement: string): Spoil {
  return async (path) => {
    const writer = await openWriter(path);
    await writer.exec(statement);
    await writer.close();
  };
}

function flipBit(path: string, at: number): void {
  const byte = readFileSync(path)[at] ?? 0;
  const file = openSync(path, 'r+');
  writeSync(file, Uint8Array.of(byte ^ 1), 0, 1, at);
  closeSync(file);
}

verifying.run();
