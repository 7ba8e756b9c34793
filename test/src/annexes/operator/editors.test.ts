/** H15: editors read /status with tokens of their own, which open nothing else. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { editorTokens } from '../../../../src/annexes/operator/editors.ts';
import { rejects } from '../../../helpers/errors.ts';
import { startPages } from '../../../helpers/pages.ts';
import type { Running } from '../../../helpers/running.ts';
import { NOW } from './setup.ts';

const ADMIN = 'a-token-of-the-operator';
const KARI = 'a-token-of-the-editor-kari';
const PER = 'a-token-of-the-editor-per:with-a-colon';
const EDITORS = [
  { name: 'kari', token: KARI },
  { name: 'per', token: PER },
];

const editors = suite<{ running: Running }>('editors');

editors.before(async (context) => {
  const settings = { adminToken: ADMIN, editorTokens: EDITORS, snapshotsToken: 'a-token-of-replicas' };
  context.running = await startPages({ clock: () => NOW, settings, isQuick: true });
});
editors.after(({ running }) => running.close());

const basic = (pair: string) => `Basic ${Buffer.from(pair).toString('base64')}`;

for (const authorization of [
  basic(`kari:${KARI}`),
  basic(`per:${PER}`),
  basic(`:${KARI}`),
  `Bearer ${PER}`,
]) {
  editors(`H15: should show /status for the credentials ${authorization}`, async ({ running }) => {
    const page = await running.send('/status?format=html', { headers: { authorization } });
    assert.is(page.status, 200);
    assert.match(page.text, '<h1>Status</h1>');
    assert.not.match(page.text, 'href="metrics"', 'links to what the token does not open');
    assert.is((await running.send('/status?format=json', { headers: { authorization } })).status, 200);
  });

  for (const path of ['/metrics', '/snapshots/current.json']) {
    editors(`H15: MUST refuse ${path} for the credentials ${authorization}`, async ({ running }) => {
      assert.is((await running.send(path, { headers: { authorization } })).status, 401);
    });
  }
}

const WRONG: readonly (string | undefined)[] = [
  undefined,
  basic(`kari:${KARI}x`),
  basic(`${KARI}:kari`),
  `Bearer ${KARI}${PER}`,
  `Bearer kari:${KARI}`,
  'Bearer a-token-that-was-revoked',
];

for (const authorization of WRONG) {
  editors(`H15: MUST refuse /status for the credentials ${authorization}`, async ({ running }) => {
    const headers = { accept: 'text/html', ...(authorization !== undefined && { authorization }) };
    const reply = await running.send('/status', { headers });
    assert.is(reply.status, 401);
    assert.match(reply.headers['www-authenticate'] ?? '', /^Basic realm="almanakk"/);
    assert.match(reply.text, 'the operator’s or an editor’s token');
  });
}

editors(
  'H15: should show the operator both /status, with its link to /metrics, and /metrics',
  async (context) => {
    const headers = { authorization: `Bearer ${ADMIN}` };
    const page = await context.running.send('/status?format=html', { headers });
    assert.match(page.text, 'href="metrics"');
    assert.is((await context.running.send('/metrics', { headers })).status, 200);
  },
);

editors.run();

const settings = suite('tokens of editors');

const TEXTS = {
  [`kari:${KARI},per:${PER}`]: EDITORS,
  [` kari:${KARI} ,\r\n\n per:${PER}\n`]: EDITORS,
  [`åse.b-1_x:${KARI}`]: [{ name: 'åse.b-1_x', token: KARI }],
  '': [],
};

for (const [text, expected] of Object.entries(TEXTS)) {
  settings(`H15: should read ${JSON.stringify(text)}`, () => {
    assert.equal(editorTokens().parse(text, '/'), expected);
  });
}

const INVALID = [
  KARI,
  `:${KARI}`,
  `kari ås:${KARI}`,
  'kari:too-short',
  `kari:${KARI} x`,
  `kari:${KARI},per`,
  `kari:${KARI},kari:${PER}`,
  `kari:${KARI},per:${KARI}`,
];

for (const text of INVALID) {
  settings(`H15: MUST refuse ${JSON.stringify(text)}`, () => {
    assert.is(editorTokens().parse(text, '/'), undefined);
  });
}

settings('H15: MUST refuse tokens of editors where /status is open, or that are the operator’s', async () => {
  const start = (adminToken: string | null) =>
    startPages({ source: null, settings: { adminToken, editorTokens: EDITORS } });
  await rejects(
    start(null),
    'INVALID_SETTING',
    /^ALMANAKK_EDITOR_TOKENS: expected ALMANAKK_ADMIN_TOKEN to be set, too, found it unset: \/status would be open/,
  );
  await rejects(
    start(PER),
    'INVALID_SETTING',
    /^ALMANAKK_EDITOR_TOKENS: expected tokens of their own, found that of ALMANAKK_ADMIN_TOKEN among them$/,
  );
});

settings.run();
