/** I1, D1: the page for a wrong address of `/subscribe` or `/events.html`. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { assertIncludes } from '../../../helpers/assertions.ts';
import { NOW } from '../../../helpers/calendar.ts';
import { BROWSER_ACCEPT } from '../../../helpers/client.ts';
import { temporaryFolder } from '../../../helpers/folder.ts';
import { groupsIn } from '../../../helpers/html.ts';
import { sourceFolder } from '../../../helpers/native-source.ts';
import { type Running, startBuilt, startServer } from '../../../helpers/running.ts';

const EVENT = { id: 'a', title_nb: 'Kor', dates: [{ start: '2026-02-01 19:00' }] };

const test = suite<{ running: Running }>('address that cannot be read');

test.before(async (context) => {
  context.running = await startBuilt(sourceFolder({ 'events.json': [EVENT] }), NOW);
});
test.after(({ running }) => running.close());

async function open({ send }: Running, path: string, language = 'nb', accept = BROWSER_ACCEPT) {
  return send(path, { headers: { accept, 'accept-language': language } });
}

/** The parameters that it names, each with its value. */
const itemsIn = (html: string) =>
  groupsIn(html, /<li><code>([^<]*)<\/code>: <code>([^<]*)<\/code>\. [^\n]+<\/li>/g).map((pair) =>
    pair.join('='),
  );

interface WrongAddress {
  readonly query: string;
  /** Wrong parameters with their values, as the page names them. */
  readonly named: readonly string[];
  readonly expected: RegExp;
}

const WRONG: readonly WrongAddress[] = [
  {
    query: 'fromDate=i+morgen',
    named: ['fromDate=i morgen'],
    expected: /i morgen<\/code>\. Skriv det slik: <code>2026-05-17<\/code>/,
  },
  {
    query: 'mode=both',
    named: ['mode=both'],
    expected: /Gyldige verdier: <code>online<\/code>, <code>offline<\/code>\./,
  },
  {
    query: 'tag=a&tag=b',
    named: ['tag=a', 'tag=b'],
    expected: /Oppgi bare én verdi\./,
  },
  {
    query: 'near=her&mode=%3Cb%3E',
    named: ['near=her', 'mode=&lt;b&gt;'],
    expected: /Skriv det slik: <code>63\.43,10\.4,5<\/code>/,
  },
];

for (const path of ['/subscribe', '/events.html']) {
  for (const { query, named, expected } of WRONG) {
    test(`D1: should name wrong parameters, and what was expected: ${path}?${query}`, async ({ running }) => {
      const { status, headers, text } = await open(running, `${path}?${query}`);
      assert.is(status, 400);
      assert.is(headers['content-type'], 'text/html; charset=utf-8');
      assert.match(text, '<html lang="nb">');
      assert.equal(itemsIn(text), named);
      assert.match(text, expected);
    });
  }

  test(`D1: should be in the language of the address: ${path}`, async ({ running }) => {
    const { text } = await open(running, `${path}?mode=both&lang=en`);
    assert.match(text, '<html lang="en">');
    assert.match(text, '<h1>This address cannot be read</h1>');
  });
}

test('I1, I10: should name a field that the page does not have, in frames as the page itself', async ({
  running,
}) => {
  const long = 'x'.repeat(100);
  const { text, headers } = await open(running, `/events.html?view=plain&header=x&${long}=1&tag=a`);
  assert.equal(itemsIn(text), ['header=x', `${long.slice(0, 80)}…=1`]);
  assert.match(text, 'href="events.html?view=plain&amp;tag=a"');
  assert.match(headers['content-security-policy'] ?? '', /^default-src 'none'.*frame-ancestors \*/);
});

/** Wrong addresses, with the address without their wrong parameters. */
const LINKS_BACK: Readonly<Record<string, string>> = {
  '/subscribe?categories=JAZZ&mode=both&lang=en&key=geheim': 'subscribe?categories=JAZZ&lang=en',
  '/events.html?mode=both': 'events.html',
};

for (const [path, back] of Object.entries(LINKS_BACK)) {
  test(`I1: should link back without wrong parameters and without a key: ${path}`, async ({ running }) => {
    const { text } = await open(running, path);
    assert.not.match(text, 'geheim');
    assert.match(text, `<a href="${back.replaceAll('&', '&amp;')}">`);
    assert.is((await open(running, `/${back}`)).status, 200);
  });
}

const JSON_TYPE = 'application/json; charset=utf-8';
/** The media type of the refusal by the Accept header of the request. */
const TYPES: Readonly<Record<string, string>> = {
  [BROWSER_ACCEPT]: 'text/html; charset=utf-8',
  '*/*': JSON_TYPE,
  'application/json': JSON_TYPE,
  'text/html;q=0': JSON_TYPE,
};

for (const path of ['/subscribe?mode=both', '/events.html?mode=both']) {
  for (const [accept, type] of Object.entries(TYPES)) {
    test(`D1: should refuse ${path} with ${type} for ${accept}`, async ({ running }) => {
      const { status, headers } = await open(running, path, 'nb', accept);
      assert.is(status, 400);
      assert.is(headers['content-type'], type);
      assert.is(headers['cache-control'], 'no-store');
      const varied = headers.vary?.split(', ') ?? [];
      for (const name of ['Accept', 'Accept-Language', 'Accept-Encoding']) assertIncludes(varied, name);
    });
  }

  test(`D1: should name wrong parameters in JSON: ${path}`, async ({ running }) => {
    const { text } = await open(running, path, 'nb', 'application/json');
    const [{ extensions }] = JSON.parse(text).errors;
    assert.is(extensions.code, 'BAD_USER_INPUT');
    assert.equal(extensions.invalidArgs, ['mode']);
  });
}

test('D1: should refuse a feed with JSON, also to a browser', async ({ running }) => {
  assert.is((await open(running, '/events.rss?mode=both')).headers['content-type'], JSON_TYPE);
});

test.run();

const waiting = suite<{ running: Running }>('pages without a snapshot');

waiting.before(async (context) => {
  context.running = await startServer({ snapshots: temporaryFolder(), clock: () => NOW * 1_000 });
});
waiting.after(({ running }) => running.close());

for (const path of ['/', '/subscribe', '/events.html']) {
  waiting(`D1: should say that the calendar is not ready yet: ${path}`, async ({ running }) => {
    const { status, headers, text } = await open(running, path, 'en');
    assert.is(status, 503);
    assert.is(headers['retry-after'], '5');
    assert.match(text, '<h1>The calendar is not ready yet</h1>');
  });
}

waiting.run();
