/** H16: parts of a server that are switched off: their paths do not exist, and nothing names them. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { assetOf } from '../../../../src/annexes/page/assets.ts';
import { without } from '../../../../src/annexes/without/annex.ts';
import { packagePath } from '../../../../src/package.ts';
import { createParts } from '../../../../src/serve/annex.ts';
import { createKeeper } from '../../../../src/snapshot/keeper.ts';
import { ANNEXES, contextOf, hasAnnex } from '../../../helpers/annex.ts';
import { assertAbove } from '../../../helpers/assertions.ts';
import { built, events } from '../../../helpers/build.ts';
import { NOW } from '../../../helpers/calendar.ts';
import { BROWSER_ACCEPT } from '../../../helpers/client.ts';
import { rejects } from '../../../helpers/errors.ts';
import { temporaryFolder } from '../../../helpers/folder.ts';
import { verifyHere } from '../../../helpers/keeper.ts';
import { LICENCE, sourceFolder } from '../../../helpers/native-source.ts';
import { type Running, startBuilt } from '../../../helpers/running.ts';
import { DESCRIPTIONS, eventPage, linksIn, READ, UNKNOWN } from '../../../helpers/server-pages.ts';
import { hasPart } from '../../../helpers/when.ts';

const switches = suite<{ whole: Running }>('parts that are switched off');

const SAMPLE = packagePath('data/sample');

const startWithout = (without: readonly string[]) =>
  startBuilt(SAMPLE, NOW, { context: { settings: { without, publicFile: false } } });

switches.before(async (context) => {
  context.whole = await startWithout([]);
});
switches.after(({ whole }) => whole.close());

interface Part {
  readonly name: string;
  /** Paths that exist only with it. */
  readonly paths: readonly string[];
}

const SANDBOX_FILES = (['sandbox.css', 'typescript.js', 'sandbox.js'] as const).map(
  (name) => `/${assetOf(`src/annexes/sandbox/assets/${name}`).file}`,
);

const PARTS: readonly Part[] = [
  { name: 'catalog', paths: ['/openapi.json', ...DESCRIPTIONS] },
  { name: 'changes', paths: ['/changes.json'] },
  { name: 'developers', paths: ['/developers', '/docs/', '/docs/api', '/changelog', '/changelog.rss'] },
  { name: 'embed', paths: ['/embed.js', '/embed.json'] },
  {
    name: 'feeds',
    paths: ['/events.ics', '/events.rss', '/events.json', '/events.jsonld', '/events.geojson', '/events.csv'],
  },
  ...(hasAnnex('mcp') ? [{ name: 'mcp', paths: ['/mcp'] }] : []),
  // At the endpoint's address, only the page is missing: see below.
  { name: 'sandbox', paths: SANDBOX_FILES },
  {
    name: 'site',
    paths: [
      '/events.html',
      ...(hasPart('src/annexes/listing/oembed.ts') ? ['/oembed'] : []),
      '/sitemap.xml',
      '/robots.txt',
      '/manifest.webmanifest',
      '/favicon.ico',
    ],
  },
  { name: 'subscribe', paths: ['/subscribe'] },
];

switches('H16: every part that can be switched off should be in this test', () => {
  const names = ANNEXES.flatMap(({ optional }) => optional?.name ?? []);
  assert.equal(
    names.toSorted(),
    PARTS.map(({ name }) => name),
  );
});

for (const { name, paths } of PARTS) {
  switches(
    `H16: without ${name}, its paths should be unknown, and GraphQL and health remain`,
    async ({ whole }) => {
      const running = await startWithout([name]);
      try {
        const unknown = await running.send(UNKNOWN);
        for (const path of paths) {
          assert.is.not((await whole.send(path)).text, unknown.text, `${path} does not exist at all`);
          const reply = await running.send(path);
          assert.is(reply.status, 404, path);
          assert.is(reply.text, unknown.text, path);
          const post = await running.send(path, { method: 'POST', body: '{}' });
          assert.is(post.status, 404, `POST ${path}`);
        }
        assert.is((await running.post('{ categories { id } }')).status, 200);
        const { headers } = await running.send('/graphQL', { headers: { accept: BROWSER_ACCEPT } });
        const hasSandbox = headers['content-type']?.startsWith('text/html');
        assert.is(hasSandbox, name !== 'sandbox', 'a page for browsers at the endpoint');
        for (const path of ['/healthz', '/readyz', '/schema.graphql'])
          assert.is((await running.send(path)).status, 200, path);
      } finally {
        await running.close();
      }
    },
  );

  switches(`H16: without ${name}, no other part should link to it`, async ({ whole }) => {
    const running = await startWithout([name]);
    try {
      const event = await eventPage(whole);
      const gone = new Set(name === 'sandbox' ? ['/graphQL', ...paths] : paths);
      if (name === 'site') gone.add(event);
      const pages = [...READ, event].filter((page) => !gone.has(pathOf(page)));
      let links = 0;
      for (const page of pages) {
        const { status, text, headers } = await running.send(page, { headers: { accept: BROWSER_ACCEPT } });
        assert.is(status < 400, page !== UNKNOWN, `${page} answers ${status}`);
        const isHtml = (headers['content-type'] ?? '').startsWith('text/html');
        const found = isHtml ? linksIn(text, running.url + page) : addressesIn(text);
        links += found.length;
        const broken = found.filter((path) => gone.has(path));
        // OpenAPI describes the endpoint as /graphQL, and machines get it without the sandbox.
        if (!isHtml && name === 'sandbox') continue;
        assert.equal(broken, [], page);
      }
      assertAbove(links, 20, 'links');
    } finally {
      await running.close();
    }
  });
}

const pathOf = (page: string): string => page.replace(/\?.*/, '');

/** Full addresses and quoted paths in files for programs. */
function addressesIn(text: string): readonly string[] {
  const full = [...text.matchAll(/https?:\/\/127\.0\.0\.1:\d+(\/[\w./-]*)/g)].map(([, path = '']) => path);
  const quoted = [...text.matchAll(/["`](\/[\w./-]+)["`]/g)].map(([, path = '']) => path);
  return [...full, ...quoted];
}

switches(
  'H16: without site and developers, a browser should still get the page for an unknown path',
  async () => {
    const running = await startWithout(['site', 'developers']);
    try {
      const reply = await running.send('/', { headers: { accept: BROWSER_ACCEPT } });
      assert.is(reply.status, 404);
      assert.match(reply.headers['content-type'] ?? '', 'text/html');
    } finally {
      await running.close();
    }
  },
);

switches(
  'H16: should warn once of links to a part that is switched off, but only if there are any',
  async () => {
    const target = temporaryFolder();
    const warnings: string[] = [];
    const ignore = () => undefined;
    const warn = (_: unknown, warning = '') => void warnings.push(warning.replace(/,.*/s, ''));
    const log = { debug: ignore, info: ignore, warn, error: ignore };
    const keeperLog = { info: ignore, warn: ignore };
    const keeper = await createKeeper({ folder: target, log: keeperLog, pollMs: 60_000, verify: verifyHere });
    const settings = { without: ['site', 'developers'], notice: 'Get a key at {portal}' };
    const { create } = await without.load();
    create({ ...contextOf({ keeper, settings, log }), parts: () => [] }).onListen?.();
    let now = NOW;
    const warnedAfter = async (more: object) => {
      const files = { 'licence.json': { ...LICENCE, ...more }, 'events.json': events(3) };
      await built(sourceFolder(files), target, { now: now++ });
      await keeper.check();
      return warnings.splice(0);
    };
    try {
      const portalUrl = 'https://utvikler.example';
      assert.equal(warnings, [], 'without a snapshot');
      assert.equal(await warnedAfter({ portalUrl }), [], 'with both');
      assert.equal(await warnedAfter({ siteUrl: undefined, portalUrl }), ['without site']);
      assert.equal(await warnedAfter({ siteUrl: undefined }), ['without developers']);
      assert.equal(await warnedAfter({ siteUrl: undefined, name: 'Malvik' }), [], 'again');
    } finally {
      await keeper.close();
    }
  },
);

for (const name of ['mpc', 'MCP', 'operator', 'snapshots', 'not-found']) {
  switches(`H16: should refuse ${name} at the start, with the names that exist`, async ({ whole }) => {
    const { keeper } = whole;
    const context = contextOf({ keeper, settings: { without: ['embed', name] } });
    const expected = PARTS.map((part) => part.name).join(', ');
    const refusal = await rejects(createParts(ANNEXES, context), 'INVALID_SETTING');
    assert.is(refusal.message, `ALMANAKK_WITHOUT: expected names among ${expected}, found "${name}"`);
  });
}

switches.run();
