/** D3: GraphiQL at the endpoint: its files, and the page in Chromium. */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, Page, ViewportSize } from 'playwright-core';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { create } from '../../../../src/annexes/sandbox/sandbox.ts';
import { packagePath } from '../../../../src/package.ts';
import { assertAtLeast, assertAtMost } from '../../../helpers/assertions.ts';
import { assertVisible, inBrowser, judgedBy, openBrowser } from '../../../helpers/browser.ts';
import { BROWSER_ACCEPT } from '../../../helpers/client.ts';
import { startPages } from '../../../helpers/pages.ts';
import type { Running } from '../../../helpers/running.ts';
import { eventually } from '../../../helpers/until.ts';
import { hasPart, withPart } from '../../../helpers/when.ts';
import { SAMPLE_START } from '../../serve/http/sample.ts';
import { type Stand, startStand } from '../../serve/http/stand.ts';

/** Files of other projects, as their packages have them, byte for byte: see the README beside them. */
const VENDOR = packagePath('src/annexes/sandbox/assets/vendor');
const LIST = 'packages.json';

const TYPESCRIPT = 'src/annexes/sandbox/typescript.ts';

interface Copied {
  readonly name: string;
  /** The SHA-256 of each file, by its name. */
  readonly files: Readonly<Record<string, string>>;
  /** Packages within these files. */
  readonly contains?: readonly { readonly version: string }[];
}

interface Context {
  stand: Running;
  browser: Browser;
  page: Page;
  /** A page with the width of a phone, for several tests: loading GraphiQL is most of what a test costs. */
  phone: Page;
  /** Requests of `page`. */
  asked: string[];
  /** Errors in the console of both pages. */
  findings: string[];
}

const files = suite<{ stand: Stand }>('sandbox files');

files('should ship the files of other projects unchanged, and list all of them', () => {
  const copied: readonly Copied[] = JSON.parse(readFileSync(join(VENDOR, LIST), 'utf8'));
  const hashes = copied.flatMap(({ files }) => Object.entries(files));
  for (const [name, hash] of hashes) {
    const bytes = readFileSync(join(VENDOR, name));
    assert.is(createHash('sha256').update(bytes).digest('hex'), hash, name);
  }
  for (const { files, contains = [] } of copied) {
    const text = Object.keys(files)
      .map((name) => readFileSync(join(VENDOR, name), 'utf8'))
      .join('\n');
    for (const { version } of contains) assert.match(text, new RegExp(`version[:=]"${version}"`));
  }
  const licences = copied.map(({ name }) => `LICENSE.${name}`);
  const expected = [...hashes.map(([name]) => name), ...licences, LIST, 'README.md'];
  assert.equal(readdirSync(VENDOR).sort(), expected.sort());
});

files.before(async (context) => {
  context.stand = await startStand({
    parts: [
      create({
        parts: () => [{ offers: ['start', 'sandbox'] }],
        keeper: { state: () => ({ current: null, adoptedAt: null, lastRefusal: null, damage: null }) },
      }),
    ],
  });
});

files.after(({ stand }) => stand.close());

files('D3: should serve every file that the page names, for good', async ({ stand }) => {
  const page = await stand.send('/graphQL', { headers: { accept: 'text/html' } });
  const urls = [...page.text.matchAll(/(?:src|href)="([^"]+\.(?:css|js))"/g)].map(([, url]) => url);
  // The tool itself is fetched after the page has been painted.
  const tool = /data-files="([^"]+)"/.exec(page.text)?.[1]?.split(' ') ?? [];
  assert.is(urls.length, hasPart(TYPESCRIPT) ? 3 : 2);
  assert.is(tool.length, 4);
  for (const url of [...urls, ...tool]) {
    const got = await stand.send(`/${url}`, { headers: { 'accept-encoding': 'br' } });
    assert.is(got.status, 200, url);
    assert.is(got.headers['cache-control'], 'public, max-age=31536000, immutable');
    assert.match(got.headers['content-type'] ?? '', /^text\/(javascript|css); charset=utf-8$/);
  }
});

const VENUES = `/graphQL?query=${encodeURIComponent('{ venues { id name } }')}`;

files('D3: should give a browser the sandbox, with a policy', async ({ stand }) => {
  const { status, headers } = await stand.send(VENUES, { headers: { accept: BROWSER_ACCEPT } });
  assert.is(status, 200);
  assert.is(headers['content-type'], 'text/html; charset=utf-8');
  assert.is(headers.vary, 'Accept, Gateway-Require-Preflight, Accept-Language, Accept-Encoding');
  const policy =
    "default-src 'none'; style-src 'self'; img-src 'self' data:; base-uri 'none'; script-src 'self';";
  assert.match(headers['content-security-policy'] ?? '', policy);
});

files('D3: should give an answer to a browser that sends the preflight header', async ({ stand }) => {
  const headers = { accept: BROWSER_ACCEPT, 'gateway-require-preflight': 'true' };
  const { text } = await stand.send(VENUES, { headers });
  assert.equal(JSON.parse(text).data, { venues: [{ id: 'v1', name: 'Rådhuset' }] });
});

for (const accept of ['*/*', 'text/html;q=0']) {
  files(`D3: should give no sandbox to a client that accepts ${accept}`, async ({ stand }) => {
    assert.is((await stand.send(VENUES, { headers: { accept } })).status, 400);
  });
}

interface Worded {
  readonly path: string;
  /** Of the reader. */
  readonly language: string;
  readonly title: string;
  readonly back: string;
}

const WORDED: readonly Worded[] = [
  {
    path: '/graphQL',
    language: 'nb',
    title: 'Prøv selv: GraphQL',
    back: '<a href="developers">For utviklere</a>',
  },
  {
    path: '/graphQL',
    language: 'en',
    title: 'GraphQL sandbox',
    back: '<a href="developers">For developers</a>',
  },
  {
    path: '/graphQL?lang=en',
    language: 'nb',
    title: 'GraphQL sandbox',
    back: '<a href="developers?lang=en">For developers</a>',
  },
];

for (const { path, language, title, back } of WORDED) {
  files(
    `should have words around GraphiQL, which is in English: ${path} for ${language}`,
    async (context) => {
      const headers = { accept: BROWSER_ACCEPT, 'accept-language': language };
      const { text } = await context.stand.send(path, { headers });
      for (const part of [`<h1>${title}</h1>`, back, '<div id="sandbox" lang="en" '])
        assert.match(text, part);
    },
  );
}

files.run();

const sandbox = inBrowser(suite<Context>('sandbox in Chromium'));

sandbox.before(async (context) => {
  context.stand = await startPages({ clock: () => SAMPLE_START });
  // No name but the server's own can be resolved: the network is cut.
  context.browser = await openBrowser(['--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1']);
  context.findings = [];
  context.phone = await openPage(context, PHONE);
  await openSandbox(context.phone, `${context.stand.url}/graphQL`);
});

sandbox.before.each(async (context) => {
  context.asked = [];
  context.page = await openPage(context, { width: 1_200, height: 700 });
  context.page.on('request', (request) => context.asked.push(request.url()));
});

const PHONE = { width: 320, height: 640 };

/** A page whose errors are findings of the test that runs. */
async function openPage(context: Context, viewport: ViewportSize): Promise<Page> {
  const page = await context.browser.newPage({ viewport });
  page.on('console', (message) => {
    if (message.type() === 'error') context.findings.push(message.text());
  });
  page.on('pageerror', (error) => context.findings.push(String(error)));
  return page;
}

sandbox.after.each(async ({ page, findings }) => {
  await page.close();
  assert.equal(findings.splice(0), []);
});

sandbox.after(async ({ browser, stand }) => {
  await browser.close();
  await stand.close();
});

const EDITOR = '.graphiql-query-editor .CodeMirror';
const RESULT = '.result-window .CodeMirror';

/** Ready to work with: the editors stand, and the schema has come. */
async function openSandbox(page: Page, url: string): Promise<void> {
  await Promise.all([
    page.waitForResponse((response) => `${response.request().postData()}`.includes('__schema')),
    page.goto(url),
  ]);
  await page.waitForSelector(EDITOR);
  await page.waitForSelector(RESULT);
}

/** The editors cut their lines into many elements. */
async function waitForText(page: Page, selector: string, text: string): Promise<void> {
  await page.locator(selector).filter({ hasText: text }).waitFor();
}

/** The editor reads a query a moment after it is written: it knows the operation's name then. */
async function hasRead(page: Page, name: string): Promise<void> {
  await eventually('the editor has read it', async () => {
    return (await page.evaluate(`localStorage.getItem('graphiql:operationName')`)) === name;
  });
}

async function typeQuery(page: Page, text: string): Promise<void> {
  await page.click(EDITOR);
  await page.keyboard.press('Control+A');
  await page.keyboard.press('Delete');
  await page.keyboard.type(text);
}

sandbox('D3: should run a typed query with completed names, and contact no other host', async (context) => {
  const { page, stand, asked } = context;
  await openSandbox(page, `${stand.url}/graphQL`);
  // The editor closes brackets by itself.
  await typeQuery(page, 'query Places { ven');
  await page.keyboard.press('Control+Space');
  await page.waitForSelector('.CodeMirror-hints >> text=venues');
  await page.keyboard.press('Enter');
  await page.keyboard.type(' { id name');
  await hasRead(page, 'Places');
  await page.keyboard.press('Control+Enter');
  await waitForText(page, RESULT, '"name": "Antikvariatet"');
  await page.click('button[aria-label="Show Documentation Explorer"]');
  await page.click('.graphiql-doc-explorer >> text=Query');
  await page.waitForSelector('.graphiql-doc-explorer >> text=EventConnection');
  assertAtLeast(asked.length, 8, 'requests');
  for (const url of asked) assert.ok(url.startsWith(`${stand.url}/`) || url.startsWith('data:'), url);
});

withPart(TYPESCRIPT, sandbox)(
  'D3: should copy the query as TypeScript, and ask for the schema once',
  async ({ browser, stand }) => {
    const context = await browser.newContext({ permissions: ['clipboard-read', 'clipboard-write'] });
    const page = await context.newPage();
    await openSandbox(page, `${stand.url}/graphQL?lang=en`);
    await hasRead(page, 'NextEvents');
    let introspections = 0;
    page.on('request', (request) => {
      if (request.postData()?.includes('IntrospectionQuery')) introspections++;
    });
    for (let click = 0; click < 2; click++) {
      await page.evaluate("document.getElementById('typescript-status').textContent = ''");
      await page.click('text=Copy as TypeScript');
      await waitForText(page, '#typescript-status', 'Copied.');
    }
    assert.is(introspections, 1);
    const copied = await page.evaluate<string>('navigator.clipboard.readText()');
    assert.match(copied, 'export async function fetchNextEvents(init: RequestInit = {})');
    assert.match(copied, `fetch("${stand.url}/graphQL", `);
    await context.close();
  },
);

sandbox('D3: should show its first example whole, and link back to the pages', async ({ page, stand }) => {
  for (const width of [320, 768, 1_280]) {
    await page.setViewportSize({ width, height: 700 });
    await openSandbox(page, `${stand.url}/graphQL`);
    await page.waitForSelector('.graphiql-query-editor .CodeMirror-wrap');
    const [wide, room] = await page.evaluate<[number, number]>(
      `(({ scrollWidth, clientWidth }) => [scrollWidth, clientWidth])(document.querySelector('.graphiql-query-editor .CodeMirror-scroll'))`,
    );
    assertAtMost(wide, room, `pixels, ${width} wide`);
    assert.is(await page.evaluate('document.documentElement.scrollWidth'), width);
  }
  await page.click('footer a[href="developers"]');
  await page.waitForURL(/\/developers$/);
  await assertVisible(page.locator('.endpoint'));
});

/** The elements have room on a phone. */
async function assertRoom(page: Page, selectors: readonly string[]): Promise<void> {
  for (const selector of selectors) {
    const { width = 0, height = 0 } = (await page.locator(selector).boundingBox()) ?? {};
    assertAtLeast(width, 280, `pixels of ${selector} across`);
    assertAtLeast(height, 100, `pixels of ${selector} from top to bottom`);
  }
}

sandbox('should have room on a phone for the query and the answer', async ({ phone }) => {
  await assertRoom(phone, [EDITOR, '.graphiql-response']);
});

const BUTTONS = ['Execute query', 'Show Documentation Explorer', 'Show History', 'Open settings dialog'];

for (const name of BUTTONS) {
  sandbox(`should have a button on a phone: ${name}`, async ({ phone }) => {
    const { x = -1, width = 0 } = (await phone.locator(`[aria-label^="${name}"]`).boundingBox()) ?? {};
    assertAtLeast(x, 0, 'as the left edge');
    assertAtMost(x + width, PHONE.width, 'as the right edge');
  });
}

sandbox('should have room on a phone for the variables', async ({ phone }) => {
  await phone.click('.graphiql-toggle-editor-tools');
  await assertRoom(phone, ['.graphiql-editor-tool .CodeMirror >> nth=0']);
});

sandbox(
  'should have room on a phone for the docs and, once they are closed, for the query',
  async (context) => {
    const { phone } = context;
    await phone.click('button[aria-label="Show Documentation Explorer"]');
    await assertRoom(phone, ['.graphiql-doc-explorer']);
    await phone.click('button[aria-label="Hide Documentation Explorer"]');
    await assertRoom(phone, [EDITOR]);
    await waitForText(phone, EDITOR, 'NextEvents');
  },
);

const HINTED = encodeURIComponent('{ events(filter: { categories: ["Musikk"] }) { totalCount } }');

sandbox(
  'B14, D3: should take a query from a link, and show an answer with its hints',
  async ({ page, stand }) => {
    await openSandbox(page, `${stand.url}/graphQL?query=${HINTED}`);
    await page.click('button[aria-label^="Execute query"]');
    await waitForText(page, RESULT, 'The nearest is \\"MUSIC\\"');
  },
);

const inEditor = (page: Page) =>
  page.evaluate<string | null>(
    `document.activeElement.closest('.CodeMirror')?.parentElement.className ?? null`,
  );

sandbox('should let the keyboard leave every editor: Escape, then Tab (WCAG 2.1.2)', async (context) => {
  const { page, stand } = context;
  await openSandbox(page, `${stand.url}/graphQL?lang=en`);
  await waitForText(page, '#keys', 'press Escape and then Tab.');
  for (const editor of [EDITOR, '.graphiql-editor-tool .CodeMirror >> nth=0', RESULT]) {
    for (const key of ['Tab', 'Shift+Tab']) {
      await page.click(`${editor} >> .CodeMirror-scroll`);
      const begun = await inEditor(page);
      assert.ok(begun !== null, editor);
      if (editor !== RESULT) {
        await page.keyboard.press(key);
        assert.is(await inEditor(page), begun, `${editor} indents`);
        await page.keyboard.press('Escape');
      }
      // The answer's scroller is a stop of its own.
      for (let stops = editor === RESULT ? 2 : 1; stops > 0 && (await inEditor(page)) === begun; stops--)
        await page.keyboard.press(key);
      assert.is.not(await inEditor(page), begun, `${editor} ${key}`);
    }
  }
});

for (const width of [320, 1_280]) {
  sandbox(
    `should have nothing that axe-core objects to, light or dark, ${width} wide`,
    async ({ browser, stand }) => {
      const page = await browser.newPage({ bypassCSP: true, viewport: { width, height: 700 } });
      await openSandbox(page, `${stand.url}/graphQL?lang=nb&query=${HINTED}`);
      await page.click('button[aria-label^="Execute query"]');
      await waitForText(page, RESULT, 'The nearest is');
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme });
        assert.is(await page.evaluate(`matchMedia('(prefers-color-scheme: ${colorScheme})').matches`), true);
        const { objections } = await judgedBy(page);
        assert.equal(objections, [], colorScheme);
      }
      await page.close();
    },
  );
}

interface Answer {
  readonly data: Readonly<Record<string, { readonly totalCount?: number } | null>>;
  readonly errors?: unknown;
}

sandbox('D3: should begin with named examples that find something in this calendar', async (context) => {
  const { page, stand } = context;
  await openSandbox(page, `${stand.url}/graphQL`);
  const names = await page.locator('.graphiql-tab-button').allTextContents();
  assert.equal(names, ['NextEvents', 'ThisWeekend', 'Search', 'OneEvent']);
  for (const name of names) {
    await page.click(`.graphiql-tab-button >> text=${name}`);
    await hasRead(page, name);
    const [response] = await Promise.all([
      page.waitForResponse((one) => `${one.request().postData()}`.includes(name)),
      page.click('button[aria-label^="Execute query"]'),
    ]);
    const { data, errors }: Answer = await response.json();
    assert.is(errors, undefined, name);
    for (const found of Object.values(data)) assert.ok(found !== null && found.totalCount !== 0, name);
  }
});

sandbox.run();
