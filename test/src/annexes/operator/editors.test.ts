/** H15: editors read /status with tokens of their own, and H8: Prometheus reads /metrics with one. These tokens open nothing else. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import {
  CONCERN_NAMES,
  concernOf,
  forEditors,
  overTextOf,
} from '../../../../src/annexes/operator/concerns.ts';
import { editorTokens } from '../../../../src/annexes/operator/editors.ts';
import { rejects } from '../../../helpers/errors.ts';
import { assertInNynorsk } from '../../../helpers/nynorsk.ts';
import { startPages } from '../../../helpers/pages.ts';
import type { Running } from '../../../helpers/running.ts';
import { basicAuth, FAILED, NOW, SOURCE, textOf, WITHOUT_PAUSES } from './setup.ts';

const ADMIN = 'a-token-of-the-operator';
const KARI = 'a-token-of-the-editor-kari';
const PER = 'a-token-of-the-editor-per:with-a-colon';
const OLA = 'a-token-of-the-editor-ola';
const PROMETHEUS = 'a-token-of-prometheus';
const EDITORS = [
  { name: 'kari', feeds: null, token: KARI },
  { name: 'per', feeds: null, token: PER },
  { name: 'ola', feeds: ['nord', 'bydel.kino'], token: OLA },
];

const editors = suite<{ running: Running }>('editors');

editors.before(async (context) => {
  const settings = {
    adminToken: ADMIN,
    metricsToken: PROMETHEUS,
    editorTokens: EDITORS,
    snapshotsToken: 'a-token-of-replicas',
  };
  const failing = { since: NOW, why: 'other', reason: 'connect ECONNREFUSED 127.0.0.1:1' };
  context.running = await startPages({
    clock: () => NOW,
    source: SOURCE,
    builds: [FAILED],
    store: { name: 's3://kalender/by', id: null, failing, rival: null },
    settings,
    parts: WITHOUT_PAUSES,
  });
});
editors.after(({ running }) => running.close());

for (const authorization of [
  basicAuth(`kari:${KARI}`),
  basicAuth(`per:${PER}`),
  basicAuth(`:${KARI}`),
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
    editors(`H15: should refuse ${path} for the credentials ${authorization}`, async ({ running }) => {
      assert.is((await running.send(path, { headers: { authorization } })).status, 401);
    });
  }
}

editors('H15: should open no other path for an editor of some feeds', async ({ running }) => {
  const headers = { authorization: `Bearer ${OLA}` };
  const opened = ['/metrics', '/snapshots/current.json', '/status'].map((path) =>
    running.send(path, { headers }),
  );
  const statuses = (await Promise.all(opened)).map(({ status }) => status);
  assert.equal(statuses, [401, 401, 400], 'this calendar has no such feed');
});

const OPENED = { '/metrics': 200, '/status': 401, '/snapshots/current.json': 401 };

for (const [path, status] of Object.entries(OPENED)) {
  editors(`H8: should answer ${path} with ${status} for the token of Prometheus`, async ({ running }) => {
    const headers = { authorization: `Bearer ${PROMETHEUS}` };
    assert.is((await running.send(path, { headers })).status, status);
  });
}

const WRONG: readonly (string | undefined)[] = [
  undefined,
  basicAuth(`kari:${KARI}x`),
  basicAuth(`${KARI}:kari`),
  `Bearer ${KARI}${PER}`,
  `Bearer kari:${KARI}`,
  'Bearer a-token-that-was-revoked',
];

for (const authorization of WRONG) {
  editors(`H15: should refuse /status for the credentials ${authorization}`, async ({ running }) => {
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

/** Of a failed build, of dropped records and of a store that fails. */
const ADVICE = {
  nb: [
    /Gjelder meldingen et ark eller en fil som dere redigerer, retter dere feilen der\./,
    /Merknadene viser rad og felt\./,
    /Gi beskjed til driftsansvarlig\./,
  ],
  en: [
    /If the message is about a sheet or file that you edit, fix the error there\./,
    /The findings name the row and the field\./,
    /Tell the operator\./,
  ],
  nn: [
    /Gjeld meldinga eit ark eller ei fil som de redigerer, rettar de feilen der\./,
    /Merknadene viser rad og felt\./,
    /Sei frå til driftsansvarleg\./,
  ],
};

for (const [language, advice] of Object.entries(ADVICE)) {
  editors(`H15: should give an editor advice that an editor can follow: ${language}`, async ({ running }) => {
    const pageFor = async (token: string) =>
      running.send(`/status?format=html&lang=${language}`, { headers: { authorization: `Bearer ${token}` } });
    const { text } = await pageFor(KARI);
    const page = textOf(text);
    for (const part of advice) assert.match(page, part);
    assert.not.match(page, 'npm run rebuild');
    if (language === 'nn') assertInNynorsk(text);
    assert.match(textOf((await pageFor(ADMIN)).text), 'npm run rebuild', 'the operator’s page');
  });
}

editors('H15: should give an editor the same advice as JSON', async ({ running }) => {
  const headers = { authorization: `Bearer ${KARI}` };
  const { concerns } = JSON.parse((await running.send('/status?format=json', { headers })).text);
  const texts = concerns.map(({ advice }: { readonly advice: { readonly en: string } }) => advice.en);
  assert.is(texts.length, ADVICE.en.length);
  for (const [place, part] of ADVICE.en.entries()) assert.match(texts[place], part);
});

editors(
  'H15, I16: should give an editor no advice about commands, settings or the operator’s files, in Nynorsk too',
  () => {
    for (const name of CONCERN_NAMES) {
      const { what, advice } = concernOf(name);
      const { nb, en, nn } = forEditors(concernOf(name)).advice;
      assert.not.match(`${nb} ${en} ${nn}`, /npm|almanakk|ALMANAKK_|sources\.json/, name);
      assert.ok(nb !== '' && en !== '' && nn !== '', name);
      assertInNynorsk(`<body>${what.nn} ${advice.nn} ${nn} ${overTextOf(name)?.nn ?? ''}</body>`);
    }
  },
);

editors.run();

const settings = suite('tokens of editors');

const TEXTS = {
  [`kari:${KARI},per:${PER},ola@nord+bydel.kino:${OLA}`]: EDITORS,
  [` kari:${KARI} ,\r\n\n per:${PER}\nola@nord+bydel.kino:${OLA}\n`]: EDITORS,
  [`åse.b-1_x:${KARI}`]: [{ name: 'åse.b-1_x', feeds: null, token: KARI }],
  // Tokens may have looked like this before names could have feeds.
  [`ola:${OLA}:nord@sor`]: [{ name: 'ola', feeds: null, token: `${OLA}:nord@sor` }],
  [`ola@nord:${OLA}:sor`]: [{ name: 'ola', feeds: ['nord'], token: `${OLA}:sor` }],
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
  `kari@nord:${KARI},kari@sor:${PER}`,
  `kari@nord:${KARI},kari:${PER}`,
  `kari@nord:${KARI},per:${KARI}`,
  `kari@:${KARI}`,
  `@nord:${KARI}`,
  `kari@nord+:${KARI}`,
  `kari@nord@sor:${KARI}`,
  `kari@Nord:${KARI}`,
  `kari@nord sor:${KARI}`,
  `kari@nord,sor:${KARI}`,
  'kari@nord:too-short',
];

for (const text of INVALID) {
  settings(`H15: should refuse ${JSON.stringify(text)}`, () => {
    assert.is(editorTokens().parse(text, '/'), undefined);
  });
}

/** Settings with which no server starts, each with its message. */
const CONTRADICTIONS = [
  [
    { editorTokens: EDITORS },
    /^ALMANAKK_EDITOR_TOKENS: expected ALMANAKK_ADMIN_TOKEN to be set, too, found it unset: \/status would be open/,
  ],
  [
    { adminToken: PER, editorTokens: EDITORS },
    /^ALMANAKK_EDITOR_TOKENS: expected tokens of their own, found that of ALMANAKK_ADMIN_TOKEN among them$/,
  ],
  [
    { metricsToken: PROMETHEUS },
    /^ALMANAKK_METRICS_TOKEN: expected ALMANAKK_ADMIN_TOKEN to be set, too, found it unset: \/status would be open/,
  ],
  [
    { adminToken: ADMIN, metricsToken: ADMIN },
    /^ALMANAKK_METRICS_TOKEN: expected a token of its own, found that of ALMANAKK_ADMIN_TOKEN$/,
  ],
  [
    { adminToken: ADMIN, metricsToken: PER, editorTokens: EDITORS },
    /^ALMANAKK_METRICS_TOKEN: expected a token of its own, found that of an editor$/,
  ],
] as const;

settings('H8, H15: should refuse tokens where /status is open, or that open more than is said', async () => {
  for (const [given, said] of CONTRADICTIONS)
    await rejects(startPages({ source: null, settings: given }), 'INVALID_SETTING', said);
});

settings.run();
