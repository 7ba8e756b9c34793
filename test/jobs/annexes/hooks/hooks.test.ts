/** H10: hooks: signed requests to other servers after a publish. */
import { createHmac } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Program } from '../../../../jobs/annex.ts';
import { create, deadlineIn } from '../../../../jobs/annexes/hooks/hooks.ts';
import { retry } from '../../../../jobs/kit/polling.ts';
import { readSettings } from '../../../../jobs/settings.ts';
import type { FailingHook } from '../../../../src/annexes/common/upkeep.ts';
import type { Manifest } from '../../../../src/snapshot/manifest.ts';
import type { BuildRecord } from '../../../../src/upkeep.ts';
import { type FeedServer, startFeedServer } from '../../../helpers/feed-server.ts';
import { publishCalendar, temporaryFolder } from '../../../helpers/folder.ts';
import { until } from '../../../helpers/until.ts';

/** Its UTF-8 bytes are the key. */
const SECRET = 'en nøkkel av god lengde';
const CHANGES = { added: 2, changed: 1, removed: 0 };
const NOTHING = { added: 0, changed: 0, removed: 0 };

interface Received {
  readonly body: string;
  readonly headers: IncomingMessage['headers'];
}

interface Context {
  receiver: FeedServer;
  received: Received[];
  /** Of the answers, unless the path names another one. */
  status: number;
  folder: string;
  manifest: Manifest;
  /** A build that has published that. */
  record: BuildRecord;
}

const hooks = suite<Context>('hooks');

hooks.before.each(async (context) => {
  context.received = [];
  context.status = 204;
  context.folder = temporaryFolder();
  context.manifest = await publishCalendar(context.folder);
  const { id, counts } = context.manifest;
  const outcome = { kind: 'rebuild', outcome: 'published', reason: null, dropped: 0 } as const;
  context.record = { ...outcome, startedAt: 0, ms: 1, id, counts, changes: CHANGES };
  context.receiver = await startFeedServer(async (request: IncomingMessage, response: ServerResponse) => {
    const body = await text(request);
    context.received.push({ body, headers: request.headers });
    const [, named = context.status] = /^\/(\d{3})$/.exec(request.url ?? '') ?? [];
    response.writeHead(Number(named)).end();
  });
});

hooks.after.each(({ receiver }) => receiver.close());

hooks('H10: should POST the changes of a publish, signed, and no build without changes', async (context) => {
  const { receiver, received, record, manifest } = context;
  const { failures, resident } = residentOf(context, receiver.url);
  resident?.onBuild?.({ ...record, outcome: 'unchanged' });
  resident?.onBuild?.({ ...record, changes: NOTHING });
  resident?.onBuild?.({ ...record, outcome: 'failed', id: null, changes: undefined });
  resident?.onBuild?.(record);
  await until('the POST arrives', () => received.length > 0);
  await resident?.stop();
  assert.is(received.length, 1);
  const [{ body, headers } = { body: '', headers: {} }] = received;
  const { id, builtAt, counts } = manifest;
  assert.equal(JSON.parse(body), { id, builtAt, counts, ...CHANGES });
  assert.is(headers['content-type'], 'application/json');
  const signature = createHmac('sha256', SECRET).update(body).digest('hex');
  assert.is(headers['x-almanakk-signature'], `sha256=${signature}`);
  assert.equal(failures.flat(), []);
});

/** The report about a failing hook. */
async function failureOf(context: Context, url: string, allowPrivate = 'true') {
  const { failures, resident } = residentOf(context, url, allowPrivate);
  resident?.onBuild?.(context.record);
  await until('the failure is told', () => failures.length > 0);
  await resident?.stop();
  return failures[0]?.[0];
}

hooks('H10: should report since when a hook fails, and name only its host', async (context) => {
  const { url } = context.receiver;
  context.status = 500;
  const reason = 'expected a status of 2xx, found 500';
  const expected = { host: new URL(url).host, number: 1, since: 1_000, reason };
  assert.equal(await failureOf(context, `${url}/secret-path`), expected);
});

hooks('H10: should report each hook that fails, with its place in the setting', async (context) => {
  const { url } = context.receiver;
  const { failures, resident } = residentOf(context, `${url}/500,${url}/503`);
  resident?.onBuild?.(context.record);
  await until('both failures are told', () => failures.some((failing) => failing.length === 2));
  await resident?.stop();
  const both = failures.find((failing) => failing.length === 2) ?? [];
  const reasons = new Map(both.map(({ number, reason }) => [number, reason]));
  assert.is(reasons.get(1), 'expected a status of 2xx, found 500');
  assert.is(reasons.get(2), 'expected a status of 2xx, found 503');
});

hooks('H10: should follow no redirect, wherever it leads', async (context) => {
  for (const status of [301, 302, 303, 307, 308]) {
    const location = `${context.receiver.url}/inside`;
    const sender = await startFeedServer((_, response) => {
      response.writeHead(status, { location }).end();
    });
    try {
      const failure = await failureOf(context, sender.url);
      assert.is(failure?.reason, 'expected at most 0 redirects, found more', `status ${status}`);
    } finally {
      await sender.close();
    }
  }
  assert.is(context.received.length, 0);
});

hooks('H10: should send no request to a private address unless a setting allows it', async (context) => {
  await failureOf(context, context.receiver.url, 'false');
  assert.is(context.receiver.requests.length, 0);
});

hooks('H10: should log a manifest that cannot be read, and go on with the next build', async (context) => {
  const { receiver, received, folder, record } = context;
  const { warned, resident } = residentOf(context, receiver.url);
  const manifest = join(folder, 'manifest.json');
  const good = readFileSync(manifest, 'utf8');
  writeFileSync(manifest, '{ "id": ');
  resident?.onBuild?.(record);
  await until('the reason is logged', () => warned.length > 0);
  assert.match(warned[0] ?? '', /expected JSON, found/);
  writeFileSync(manifest, good);
  resident?.onBuild?.(record);
  await until('the POST arrives', () => received.length > 0);
  await resident?.stop();
  assert.is(received.length, 1);
});

hooks('H10: should drop the oldest POST if too many wait for a hook, and log that', async (context) => {
  const { receiver, record } = context;
  const { warned, resident } = residentOf(context, `${receiver.url}/500`);
  // One is being retried, 20 wait, and one is too many.
  for (let build = 0; build < 22; build++) resident?.onBuild?.(record);
  const dropped = () => warned.filter((fields) => fields.includes('waiting'));
  await until('a POST is dropped', () => dropped().length > 0);
  await resident?.stop();
  const { host } = new URL(receiver.url);
  assert.equal(dropped(), [JSON.stringify({ hook: `${host}/500`, waiting: 20 })]);
});

hooks('H10: should try again until the time is over', async () => {
  /** Attempts of a second each, until the one with the number `good` succeeds. */
  const tried = async (deadlineInMs: number, good: number) => {
    let now = 0;
    let attempts = 0;
    const mayGoOn = deadlineIn(deadlineInMs, () => now);
    const attempt = async () => {
      attempts++;
      now += 1_000;
      if (attempts !== good) throw new Error(`attempt ${attempts}`);
      return true;
    };
    const isGood = await retry({ attempt, pauseMs: () => (mayGoOn(0) ? 0 : null) }).catch(() => false);
    return { isGood, attempts };
  };
  assert.equal(await tried(60_000, 3), { isGood: true, attempts: 3 });
  assert.equal(await tried(5_000, 100), { isGood: false, attempts: 6 });
});

hooks('H10: should be called by `npm run rebuild`, too', async (context) => {
  const { folder, receiver, received, manifest } = context;
  const { afterBuild } = create(settingsOf(folder, receiver.url, 'true'));
  const value = { accepted: 1, failures: [] };
  assert.equal(await afterBuild?.(folder, { ...manifest, changes: CHANGES }, Date.now), {
    value,
    line: 'hooks: 1 of 1 accepted',
    isFailed: false,
  });
  assert.is(received.length, 1);
  assert.is(await afterBuild?.(folder, { ...manifest, changes: NOTHING }, Date.now), null);
});

hooks.run();

function settingsOf(snapshots: string, url: string, allowPrivate: string) {
  const environment = {
    ALMANAKK_HOOKS: url,
    ALMANAKK_HOOK_SECRET: SECRET,
    ALMANAKK_SNAPSHOTS: snapshots,
    ALMANAKK_ALLOW_PRIVATE_FEEDS: allowPrivate,
  };
  return readSettings(environment, temporaryFolder()).settings;
}

function residentOf({ folder }: Context, url: string, allowPrivate = 'true') {
  const failures: (readonly FailingHook[])[] = [];
  const warned: string[] = [];
  const ignore = () => undefined;
  const warn = (fields: object) => warned.push(JSON.stringify(fields));
  const program: Program = {
    log: { debug: ignore, info: ignore, warn, error: ignore },
    clock: () => 1_000,
    random: () => 0,
    build: null,
    previous: {},
    reportState: ({ hooks: failing }) => {
      if (failing !== undefined) failures.push(failing);
    },
  };
  return {
    failures,
    warned,
    resident: create(settingsOf(folder, url, allowPrivate)).startService?.(program),
  };
}
