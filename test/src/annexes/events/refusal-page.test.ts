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

/** Queries, the parameters that the page names where these are not the whole query, and what was expected. */
const CASES: readonly (readonly [query: string, expected: RegExp, items?: readonly string[]])[] = [
  ['fromDate=i+morgen', /i morgen<\/code>\. Skriv det slik: <code>2026-05-17<\/code>/, ['fromDate=i morgen']],
  ['mode=both', /Gyldige verdier: <code>online<\/code>, <code>offline<\/code>\./],
  ['tag=a&tag=b', /Oppgi bare én verdi\./, ['tag=a', 'tag=b']],
  ['near=her&mode=%3Cb%3E', /Skriv det slik: <code>63\.43,10\.4,5<\/code>/, ['near=her', 'mode=&lt;b&gt;']],
];

test('D1: should name the parameters, and what was expected and found', async ({ running }) => {
  for (const path of ['/subscribe', '/events.html']) {
    for (const [query, expected, items = [query]] of CASES) {
      const { status, headers, text } = await open(running, `${path}?${query}`);
      assert.equal([status, headers['content-type']], [400, 'text/html; charset=utf-8']);
      assert.match(text, '<html lang="nb">');
      assert.equal(itemsIn(text), items, query);
      assert.match(text, expected);
    }
    const { text } = await open(running, `${path}?mode=both&lang=en`);
    assert.match(text, '<html lang="en">');
    assert.match(text, '<h1>This address cannot be read</h1>');
  }
});

test('I1, I10: should name a field that the page does not have, in frames as the page itself', async ({
  running,
}) => {
  const long = 'x'.repeat(100);
  const { text, headers } = await open(running, `/events.html?view=plain&header=x&${long}=1&tag=a`);
  assert.equal(itemsIn(text), ['header=x', `${long.slice(0, 80)}…=1`]);
  assert.match(text, 'href="events.html?view=plain&amp;tag=a"');
  assert.match(headers['content-security-policy'] ?? '', /^default-src 'none'.*frame-ancestors \*/);
});

test('I1: should link back without the wrong parameters, and without a key', async ({ running }) => {
  for (const [path, back] of [
    ['/subscribe?categories=JAZZ&mode=both&lang=en&key=geheim', 'subscribe?categories=JAZZ&lang=en'],
    ['/events.html?mode=both', 'events.html'],
  ] as const) {
    const { text } = await open(running, path);
    assert.not.match(text, 'geheim');
    assert.match(text, `<a href="${back.replaceAll('&', '&amp;')}">`);
    assert.is((await open(running, `/${back}`)).status, 200);
  }
});

test('D1: should give programs JSON, with the same status and Vary', async ({ running }) => {
  const JSON_TYPE = 'application/json; charset=utf-8';
  for (const path of ['/subscribe?mode=both', '/events.html?mode=both']) {
    for (const [accept, type] of [
      [BROWSER_ACCEPT, 'text/html; charset=utf-8'],
      ...['*/*', 'application/json', 'text/html;q=0'].map((one) => [one, JSON_TYPE] as const),
    ] as const) {
      const { status, headers, text } = await open(running, path, 'nb', accept);
      assert.equal(
        [status, headers['content-type'], headers['cache-control']],
        [400, type, 'no-store'],
        accept,
      );
      for (const name of ['Accept', 'Accept-Language', 'Accept-Encoding'])
        assertIncludes(headers.vary?.split(', ') ?? [], name);
      if (type !== JSON_TYPE) continue;
      const [{ extensions }] = JSON.parse(text).errors;
      assert.equal([extensions.code, extensions.invalidArgs], ['BAD_USER_INPUT', ['mode']]);
    }
  }
  assert.is((await open(running, '/events.rss?mode=both')).headers['content-type'], JSON_TYPE);
});

test('should say that the calendar is not ready yet where there is no snapshot', async () => {
  const server = await startServer({ snapshots: temporaryFolder(), clock: () => NOW * 1_000 });
  for (const path of ['/', '/subscribe', '/events.html']) {
    const { status, headers, text } = await open(server, path, 'en');
    assert.equal([status, headers['retry-after']], [503, '5']);
    assert.match(text, '<h1>The calendar is not ready yet</h1>');
  }
  await server.close();
});

test.run();
