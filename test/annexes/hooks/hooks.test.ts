import { createHmac } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Program } from '../../../jobs/annex.ts';
import { create, patience } from '../../../jobs/annexes/hooks/hooks.ts';
import { tryAgain } from '../../../jobs/kit/polling.ts';
import { readSettings } from '../../../jobs/settings.ts';
import type { FailingHook } from '../../../src/annexes/common/upkeep.ts';
import type { BuildRecord } from '../../../src/upkeep.ts';
import { type FeedServer, startFeedServer } from '../../helpers/feed-server.ts';
import { publishCalendar, temporaryFolder } from '../../helpers/folder.ts';
import { until } from '../../helpers/until.ts';

const SECRET = 'a-secret-of-enough-length';
const CHANGES = { added: 2, changed: 1, removed: 0 };

/** A build that has published; its snapshot is to be named. */
const recordOf = (counts: BuildRecord['counts']): Omit<BuildRecord, 'id'> => ({
  kind: 'rebuild',
  outcome: 'published',
  startedAt: 0,
  ms: 1,
  counts,
  changes: CHANGES,
  reason: null,
  dropped: 0,
});

interface Received {
  readonly body: string;
  readonly headers: IncomingMessage['headers'];
}

interface Context {
  receiver: FeedServer;
  received: Received[];
  status: number;
  folder: string;
}

const hooks = suite<Context>('hooks');

hooks.before.each(async (context) => {
  context.received = [];
  context.status = 204;
  context.folder = temporaryFolder();
  context.receiver = await startFeedServer((request: IncomingMessage, response: ServerResponse) => {
    let body = '';
    request.setEncoding('utf8').on('data', (text: string) => {
      body += text;
    });
    request.on('end', () => {
      context.received.push({ body, headers: request.headers });
      response.writeHead(context.status).end();
    });
  });
});

hooks.after.each(({ receiver }) => receiver.close());

hooks('H10: should POST what a publish changed, signed, and nothing else', async (context) => {
  const { receiver, received, folder } = context;
  const { id, builtAt, counts } = await publishCalendar(folder);
  const { told, resident } = residentOf(context, receiver.url);
  const record = { ...recordOf(counts), id };
  const nothing = { added: 0, changed: 0, removed: 0 };
  resident?.onBuild?.({ ...record, outcome: 'unchanged' });
  resident?.onBuild?.({ ...record, changes: nothing });
  resident?.onBuild?.({ ...record, outcome: 'failed', id: null, changes: undefined });
  resident?.onBuild?.(record);
  await until('the POST arrives', () => received.length > 0);
  await resident?.stop();
  assert.is(received.length, 1);
  const [{ body, headers } = { body: '', headers: {} }] = received;
  assert.equal(JSON.parse(body), { id, builtAt, counts, ...CHANGES });
  assert.is(headers['content-type'], 'application/json');
  const signature = createHmac('sha256', SECRET).update(body).digest('hex');
  assert.is(headers['x-almanakk-signature'], `sha256=${signature}`);
  assert.equal(told.at(-1) ?? null, null);
});

hooks('H10: should say since when a hook fails, by its host alone', async (context) => {
  const { receiver, folder } = context;
  context.status = 500;
  const { id, counts } = await publishCalendar(folder);
  const { told, resident } = residentOf(context, `${receiver.url}/secret-path`);
  resident?.onBuild?.({ ...recordOf(counts), id });
  await until('the failure is told', () => told.length > 0);
  await resident?.stop();
  assert.equal(told, [
    { host: new URL(receiver.url).host, since: 1_000, reason: 'expected a status of 2xx, found 500' },
  ]);
});

hooks('H10: should follow no redirect, wherever it leads', async (context) => {
  const { receiver, received, folder } = context;
  const { id, counts } = await publishCalendar(folder);
  for (const status of [301, 302, 303, 307, 308]) {
    const sender = await startFeedServer((_, response) => {
      response.writeHead(status, { location: `${receiver.url}/inside` }).end();
    });
    const { told, resident } = residentOf(context, sender.url);
    resident?.onBuild?.({ ...recordOf(counts), id });
    await until('the failure is told', () => told.length > 0);
    await resident?.stop();
    await sender.close();
    assert.match(told[0]?.reason ?? '', /^expected at most 0 redirects, found more$/);
  }
  assert.is(received.length, 0);
});

hooks('H10: should log a manifest that cannot be read, and go on with the next build', async (context) => {
  const { receiver, received, folder } = context;
  const { id, counts } = await publishCalendar(folder);
  const { warned, resident } = residentOf(context, receiver.url);
  const manifest = join(folder, 'manifest.json');
  const good = readFileSync(manifest, 'utf8');
  const record = { ...recordOf(counts), id };
  const bad = { '{ "id": ': /expected JSON, found/, ['x'.repeat(10_000)]: /expected 8192 bytes at most/ };
  for (const [text, reason] of Object.entries(bad)) {
    writeFileSync(manifest, text);
    warned.length = 0;
    resident?.onBuild?.(record);
    await until('the reason is logged', () => warned.length > 0);
    assert.match(warned[0] ?? '', reason);
  }
  writeFileSync(manifest, good);
  resident?.onBuild?.(record);
  await until('the POST arrives', () => received.length > 0);
  await resident?.stop();
  assert.is(received.length, 1);
});

hooks('H10: should try again with pauses, and give up in the end', async () => {
  let now = 0;
  let attempts = 0;
  const failures: string[] = [];
  const trying = (patienceMs: number, good: number) => {
    const mayGoOn = patience(patienceMs, () => now);
    return tryAgain({
      attempt: async () => {
        attempts++;
        now += 1_000;
        if (attempts !== good) throw new Error(`attempt ${attempts}`);
      },
      pauseMs: (_, cause) => {
        failures.push(cause instanceof Error ? cause.message : '');
        return mayGoOn(0) ? 0 : null;
      },
    }).then(
      () => true,
      () => false,
    );
  };
  assert.is(await trying(60_000, 3), true);
  assert.equal(failures, ['attempt 1', 'attempt 2']);
  attempts = 0;
  assert.is(await trying(5_000, 100), false);
  assert.is(attempts, 6);
});

hooks('H10: should leave private addresses alone unless they are allowed', async (context) => {
  const { receiver, folder } = context;
  const { id, counts } = await publishCalendar(folder);
  const { told, resident } = residentOf(context, receiver.url, 'false');
  resident?.onBuild?.({ ...recordOf(counts), id });
  await until('the failure is told', () => told.length > 0);
  await resident?.stop();
  assert.is(receiver.requests.length, 0);
});

hooks(
  'H10: should be told by `npm run rebuild`, too, whose build stays published whatever they say',
  async (context) => {
    const { folder, receiver, received } = context;
    const published = { ...(await publishCalendar(folder)), changes: CHANGES };
    const part = create(settingsOf(folder, receiver.url, 'true'));
    const after = await part.afterBuild?.(folder, published);
    assert.is(received.length, 1);
    assert.equal(after, {
      value: { accepted: 1, failures: [] },
      line: 'hooks: 1 of 1 accepted',
      isFailed: false,
    });
    const none = { added: 0, changed: 0, removed: 0 };
    assert.is(await part.afterBuild?.(folder, { ...published, changes: none }), null);
  },
);

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
  const told: (FailingHook | null)[] = [];
  const warned: string[] = [];
  const ignore = () => undefined;
  const program: Program = {
    log: {
      debug: ignore,
      info: ignore,
      warn: (fields) => warned.push(JSON.stringify(fields)),
      error: ignore,
    },
    clock: () => 1_000,
    random: () => 0,
    build: null,
    tell: ({ hook }) => {
      if (hook !== undefined) told.push(hook);
    },
  };
  return {
    told,
    warned,
    resident: create(settingsOf(folder, url, allowPrivate)).startService?.(program),
  };
}
