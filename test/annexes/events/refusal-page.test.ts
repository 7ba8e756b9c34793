/** I1, D1: what a browser gets for an address of `/subscribe` or `/events.html` that cannot be read. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { NOW } from '../../helpers/calendar.ts';
import { temporaryFolder } from '../../helpers/folder.ts';
import { sourceFolder } from '../../helpers/native-source.ts';
import { type Running, startBuilt, startServer } from '../../helpers/running.ts';

const EVENT = { id: 'a', title_nb: 'Kor', dates: [{ start: '2026-02-01 19:00' }] };
const BROWSER = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';

const test = suite<{ running: Running }>('address that cannot be read');

test.before(async (context) => {
  context.running = await startBuilt(sourceFolder({ 'events.json': [EVENT] }), NOW);
});
test.after(({ running }) => running.close());

async function open({ url }: Running, path: string, language = 'nb') {
  const response = await fetch(url + path, { headers: { accept: BROWSER, 'accept-language': language } });
  return { response, text: await response.text() };
}

/** The parameters that it names, each with its value. */
const itemsIn = (html: string) =>
  [...html.matchAll(/<li><code>([^<]*)<\/code>: <code>([^<]*)<\/code><\/li>/g)].map(([, name, value]) => [
    name,
    value,
  ]);

const CASES: readonly (readonly [query: string, items: readonly (readonly string[])[], expected: RegExp])[] =
  [
    ['fromDate=i+morgen', [['fromDate', 'i morgen']], /fromDate: .*2026-05-17/],
    ['mode=both', [['mode', 'both']], /mode: .*online/],
    ['free=ja', [['free', 'ja']], /free: expected true or false/],
    ['period=YEAR', [['period', 'YEAR']], /period: expected one of TODAY, TOMORROW/],
    ['hoursRange=kveld', [['hoursRange', 'kveld']], /hoursRange: .*HH:mm/],
    ['pageSize=0', [['pageSize', '0']], /pageSize/],
    [
      'tag=a&tag=b',
      [
        ['tag', 'a'],
        ['tag', 'b'],
      ],
      /tag: expected one value/,
    ],
    [
      'near=her&mode=%3Cb%3E',
      [
        ['near', 'her'],
        ['mode', '&lt;b&gt;'],
      ],
      /near: expected numbers: latitude,longitude,km/,
    ],
  ];

test('D1: should say which parameters, what was found and expected', async ({ running }) => {
  for (const path of ['/subscribe', '/events.html']) {
    for (const [query, items, expected] of CASES) {
      const { response, text } = await open(running, `${path}?${query}`);
      assert.is(response.status, 400);
      assert.is(response.headers.get('content-type'), 'text/html; charset=utf-8');
      assert.match(text, '<html lang="nb">');
      assert.equal(itemsIn(text), items, query);
      assert.match(text, expected);
    }
    const { text } = await open(running, `${path}?mode=both&lang=en`);
    assert.match(text, '<html lang="en">');
    assert.match(text, '<h1>This address cannot be read</h1>');
  }
});

test('I1: should name a field that the page does not have', async ({ running }) => {
  const long = 'x'.repeat(100);
  const { text } = await open(running, `/events.html?view=plain&header=x&${long}=1&tag=a`);
  assert.equal(itemsIn(text), [
    ['header', 'x'],
    [`${long.slice(0, 80)}…`, '1'],
  ]);
  assert.match(text, 'href="events.html?view=plain&amp;tag=a"');
});

test('should lead back to the same address without what cannot be read, and without a key', async ({
  running,
}) => {
  for (const [path, back] of [
    ['/subscribe?categories=JAZZ&mode=both&lang=en&key=geheim', 'subscribe?categories=JAZZ&lang=en'],
    ['/events.html?mode=both', 'events.html'],
  ] as const) {
    const { text } = await open(running, path);
    assert.not.match(text, 'geheim');
    assert.match(text, `<a href="${back.replaceAll('&', '&amp;')}">`);
    assert.is((await open(running, `/${back}`)).response.status, 200);
  }
});

test('D1: should give programs JSON, with the same status; each reply says on what it depends', async ({
  running,
}) => {
  for (const path of ['/subscribe?mode=both', '/events.html?mode=both']) {
    for (const [accept, type] of [
      [BROWSER, 'text/html; charset=utf-8'],
      ['*/*', 'application/json; charset=utf-8'],
      ['application/json', 'application/json; charset=utf-8'],
      ['text/html;q=0', 'application/json; charset=utf-8'],
    ] as const) {
      const response = await fetch(running.url + path, { headers: { accept } });
      const text = await response.text();
      assert.is(response.status, 400);
      assert.is(response.headers.get('content-type'), type, accept);
      assert.is(response.headers.get('cache-control'), 'no-store');
      const vary = new Set(response.headers.get('vary')?.split(', '));
      for (const name of ['Accept', 'Accept-Language', 'Accept-Encoding']) assert.ok(vary.has(name), name);
      if (type.startsWith('application/json')) {
        const [{ extensions }] = JSON.parse(text).errors;
        assert.equal([extensions.code, extensions.invalidArgs], ['BAD_USER_INPUT', ['mode']]);
      }
    }
  }
  const feed = await fetch(`${running.url}/events.rss?mode=both`, { headers: { accept: BROWSER } });
  assert.match(feed.headers.get('content-type') ?? '', 'application/json');
});

test('I10: should go into frames as the page itself does, and run nothing', async ({ running }) => {
  const { response } = await open(running, '/events.html?mode=both');
  const policy = response.headers.get('content-security-policy') ?? '';
  assert.match(policy, "default-src 'none'");
  assert.match(policy, 'frame-ancestors *');
});

test('should say that the calendar is not open yet where there is no snapshot', async () => {
  const server = await startServer({ snapshots: temporaryFolder(), clock: () => NOW * 1_000 });
  for (const path of ['/subscribe', '/events.html']) {
    const { response, text } = await open(server, path, 'en');
    assert.is(response.status, 503);
    assert.is(response.headers.get('retry-after'), '5');
    assert.match(text, '<h1>The calendar is not open yet</h1>');
  }
  await server.close();
});

test.run();
