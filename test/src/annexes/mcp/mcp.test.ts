/** I14: `/mcp` as clients of the Model Context Protocol use it, and as strangers misuse it. */
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { packagePath } from '../../../../src/package.ts';
import type { AccessLogEntry } from '../../../../src/serve/http/access-log.ts';
import { assertAbove, assertAtMost } from '../../../helpers/assertions.ts';
import { sourceFolder } from '../../../helpers/native-source.ts';
import { type Running, startBuilt } from '../../../helpers/running.ts';

/** A Thursday. */
const NOW = Date.parse('2026-11-26T10:00:00Z') / 1_000;
const MOST_BYTES = 8 * 1_024;

const mcp = suite<{ running: Running; entries: AccessLogEntry[] }>('/mcp');

mcp.before(async (context) => {
  context.entries = [];
  const onAccess = (entry: AccessLogEntry) => void context.entries.push(entry);
  context.running = await startBuilt(packagePath('data/sample'), NOW, { onAccess });
});
mcp.after(({ running }) => running.close());

type Headers = Readonly<Record<string, string>>;

const post = ({ send }: Running, body: unknown, headers: Headers = {}) =>
  send('/mcp', {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });

const callOf = (name: string, args: object = {}, id: unknown = 1) => ({
  jsonrpc: '2.0',
  id,
  method: 'tools/call',
  params: { name, arguments: args },
});

async function called(running: Running, name: string, args: object = {}) {
  const { text } = await post(running, callOf(name, args));
  const { result } = JSON.parse(text);
  assertAtMost(
    Buffer.byteLength(JSON.stringify(result)),
    MOST_BYTES,
    `bytes of ${name} ${JSON.stringify(args)}`,
  );
  return { isError: result.isError === true, words: result.content[0].text, found: result.structuredContent };
}

mcp('I14: should serve the official client, in each way that it agrees on a version', async ({ running }) => {
  for (const mode of ['legacy', 'auto'] as const) {
    const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode } });
    await client.connect(new StreamableHTTPClientTransport(new URL(`${running.url}/mcp`)));
    assert.is(client.getServerVersion()?.title, 'Det skjer i Trøndelag');
    const { tools } = await client.listTools();
    assert.equal(
      tools.map(({ name, annotations }) => [name, annotations?.readOnlyHint]),
      [
        ['find_events', true],
        ['get_event', true],
        ['list_choices', true],
      ],
    );
    // The client holds each structured answer against the tool's schema.
    for (const [name, args] of [
      ['find_events', { period: 'WEEKEND', age: 7, near: { latitude: 63.43, longitude: 10.4 } }],
      ['find_events', { text: 'finnes ikke i det hele tatt' }],
      ['get_event', { event: 'evt-002' }],
      ['list_choices', {}],
    ] as const) {
      const { isError, structuredContent } = await client.callTool({ name, arguments: args });
      assert.is(isError, undefined, name);
      assert.ok(structuredContent, name);
    }
    await client.ping();
    await client.close();
  }
});

mcp('I14: should answer a notification with 202, and refuse a batch, GET and DELETE', async ({ running }) => {
  const notified = await post(running, { jsonrpc: '2.0', method: 'notifications/initialized' });
  assert.equal([notified.status, notified.text], [202, '']);
  const batch = await post(running, [callOf('list_choices')]);
  assert.equal([batch.status, JSON.parse(batch.text).error.code], [400, -32_600]);
  for (const method of ['GET', 'DELETE']) {
    const { status, headers } = await running.send('/mcp', { method });
    assert.equal([status, headers.allow], [405, 'POST, OPTIONS'], method);
  }
});

mcp('I14: should answer a malformed message with an error of JSON-RPC', async ({ running }) => {
  const cases: readonly (readonly [body: unknown, status: number, code: number])[] = [
    ['{', 400, -32_700],
    ['"text"', 400, -32_600],
    [{ id: 1, method: 'ping' }, 400, -32_600],
    [{ jsonrpc: '2.0', id: {}, method: 'ping' }, 400, -32_600],
    [{ jsonrpc: '2.0', id: 'x'.repeat(200), method: 'ping' }, 400, -32_600],
    [{ jsonrpc: '2.0', id: 1, method: 7 }, 400, -32_600],
    [{ jsonrpc: '2.0', id: 1, method: 'ping', params: [] }, 400, -32_602],
    [{ jsonrpc: '2.0', id: 1, method: 'resources/list' }, 200, -32_601],
    [{ jsonrpc: '2.0', id: 1, method: 'constructor' }, 200, -32_601],
    [callOf('find_event'), 200, -32_602],
    [callOf('toString'), 200, -32_602],
  ];
  for (const [body, status, code] of cases) {
    const got = await post(running, body);
    const { jsonrpc, error } = JSON.parse(got.text);
    assert.equal([got.status, jsonrpc, error.code], [status, '2.0', code], JSON.stringify(body));
  }
  assert.match((await post(running, callOf('find_event'))).text, 'the nearest is \\"find_events\\"');
  const newer = await post(running, callOf('list_choices'), { 'mcp-protocol-version': '2099-01-01' });
  assert.equal([newer.status, JSON.parse(newer.text).error.code], [400, -32_022]);
  assert.is((await post(running, '{}', { 'content-type': 'text/plain' })).status, 415);
  assert.is((await post(running, ' '.repeat(300_000))).status, 413);
});

mcp('I14: should let pages of any origin send the protocol’s headers', async ({ running }) => {
  const asked = { origin: 'https://page.example', 'access-control-request-method': 'POST' };
  const { status, headers } = await running.send('/mcp', { method: 'OPTIONS', headers: asked });
  assert.is(status, 204);
  for (const name of ['Mcp-Protocol-Version', 'Mcp-Session-Id'])
    assert.match(headers['access-control-allow-headers'] ?? '', name);
});

mcp(
  'I14: should cache an answer by the call’s arguments, in any order, whatever the id',
  async ({ running, entries }) => {
    const first = await post(running, callOf('find_events', { categories: ['MUSIC', 'ART'], free: true }, 7));
    entries.length = 0;
    const args = { free: true, text: '', municipality: null, categories: ['ART', 'MUSIC', 'ART'] };
    const second = await post(running, callOf('find_events', args, 'eight'), { 'accept-encoding': 'br' });
    assert.equal(
      entries.map(({ route, rootField, isCacheHit }) => [route, rootField, isCacheHit]),
      [['/mcp', 'find_events', true]],
    );
    const [one, other] = [first, second].map(({ text }) => JSON.parse(text));
    assert.equal([one.id, other.id], [7, 'eight']);
    assert.equal(one.result, other.result);
    assert.is(second.headers['content-length'], `${second.bytes.length}`);
    assert.match(second.headers['cache-control'] ?? '', /^public, max-age=\d+$/);
  },
);

mcp('I14: should count calls in the quota, by a key in the header or by address', async () => {
  const settings = { quota: 2 };
  const running = await startBuilt(packagePath('data/sample'), NOW, { context: { settings } });
  const statuses = [];
  for (const id of [1, 2, 3]) statuses.push((await post(running, callOf('list_choices', {}, id))).status);
  assert.equal(statuses, [200, 200, 429]);
  const over = await post(running, callOf('list_choices', {}, 4));
  const { id, error } = JSON.parse(over.text);
  assert.equal([id, error.code], [4, -32_000]);
  assertAbove(Number(over.headers['retry-after']), 0, 'seconds');
  const malformed = await post(running, { jsonrpc: '2.0', id: 5, method: 7 });
  const fault = JSON.parse(malformed.text);
  assert.equal([malformed.status, fault.id, fault.error.code], [429, 5, -32_000]);
  await running.close();
});

mcp('I14: should give time with weekday, place, price and a working link', async ({ running }) => {
  const { words, found } = await called(running, 'find_events', { text: 'lørdagseventyr' });
  const [event] = found.events;
  assert.equal(
    [event.when, event.place, event.price, event.ages, event.start],
    [
      'lørdag 28. november kl. 12.00–12.45',
      'Trondheim folkebibliotek, hovedbiblioteket, Peter Egges plass 1, 7011 Trondheim',
      'Gratis',
      '3–7 år',
      '2026-11-28T12:00:00+01:00',
    ],
  );
  for (const part of [event.when, event.place, event.price, event.ages, event.link])
    assert.match(words, part);
  const { pathname, search } = new URL(event.link);
  assert.is((await running.send(pathname + search)).status, 200);
  const english = await called(running, 'find_events', { text: 'lørdagseventyr', language: 'en' });
  assert.match(english.words, 'Saturday 28 November, 12:00–12:45');
  assert.match(english.words, 'ages 3–7');
});

mcp(
  'I14: should take labels, names and slugs for ids, and the last day as part of the window',
  async ({ running }) => {
    const cases: readonly (readonly [readonly object[], object])[] = [
      [
        [
          { categories: ['MUSIC'] },
          { categories: 'konsert og musikk' },
          { categories: ['Concerts and music'] },
        ],
        { categories: ['MUSIC'] },
      ],
      [[{ municipality: 'trondheim' }, { municipality: '5001' }], { municipality: 'Trondheim' }],
      [
        [{ venue: 'Nidarosdomen' }, { venue: 'nidarosdomen' }, { venue: 'ven-nidarosdomen' }],
        { venues: ['nidarosdomen'] },
      ],
      [
        [{ accessibility: ['WHEELCHAIR'] }, { accessibility: ['rullestol'] }],
        { accessibility: ['WHEELCHAIR'] },
      ],
      [
        [{ from: '2026-11-28', until: '2026-11-29' }],
        { fromDate: '2026-11-28', untilDate: '2026-11-30', groupRepetitionsByDay: true },
      ],
      [[{ age: 7, free: true }], { age: 7, free: true }],
      [[{ tag: 'Jazz' }], { tag: 'jazz' }],
      [
        [{ near: { latitude: 63.43, longitude: 10.4 } }],
        { near: { latitude: 63.43, longitude: 10.4, km: 10 } },
      ],
    ];
    for (const [asked, filter] of cases) {
      const query = 'query ($filter: Filter) { events(filter: $filter) { totalCount } }';
      const { events } = await running.ask<{ events: { totalCount: number } }>(query, { filter });
      assertAbove(events.totalCount, 0, `events for ${JSON.stringify(filter)}`);
      for (const args of asked)
        assert.is(
          (await called(running, 'find_events', args)).found.total,
          events.totalCount,
          JSON.stringify(args),
        );
    }
  },
);

mcp(
  'I14: should answer a wrong choice with an error that names the nearest known value',
  async ({ running }) => {
    const cases: readonly (readonly [object, RegExp])[] = [
      [
        { categories: ['Konsrt'] },
        /^categories "Konsrt": .* The nearest is "MUSIC" \(Konsert og musikk\)\.$/,
      ],
      [{ municipality: 'Trondhjem' }, /The nearest is "Trondheim"/],
      [{ venue: 'Nidarosdommen' }, /^venue "Nidarosdommen": .* The nearest is "nidarosdomen"/],
      [{ tag: 'jazzz' }, /The nearest is "jazz"/],
      [{ tag: 'qqqqqqqqqqqq' }, /none is similar\. The tool list_choices lists them all\.$/],
      [{ perod: 'WEEKEND' }, /^perod: there is no such argument, .*; the nearest is "period"$/],
      [{ period: 'NEXT' }, /^period: expected one of TODAY, .*, found "NEXT"$/],
      [{ age: 131 }, /^age: expected a whole number of 0 to 130, found 131$/],
      [{ from: 'lørdag' }, /^from: expected a datetime in Norwegian time.*, found "lørdag"$/],
      [{ until: '2026-13-01' }, /^until: expected a datetime in Norwegian time/],
      [{ near: { latitude: 63 } }, /^near: expected latitude, longitude and km/],
      [{ limit: 21 }, /^limit: expected a whole number of 1 to 20/],
      [{ accessibility: ['stairs'] }, /^accessibility: expected some of WHEELCHAIR, /],
    ];
    for (const [args, message] of cases) {
      const { isError, words, found } = await called(running, 'find_events', args);
      assert.equal([isError, found], [true, undefined], JSON.stringify(args));
      assert.match(words, message);
    }
    const gone = await called(running, 'get_event', { event: 'no-such-event' });
    assert.is(gone.isError, true, gone.words);
    assert.match(gone.words, '"no-such-event"');
  },
);

mcp('I14: should write hints (B14) where nothing can match', async ({ running }) => {
  const swapped = { near: { latitude: 10.4, longitude: 63.43 } };
  const { isError, words, found } = await called(running, 'find_events', swapped);
  assert.equal([isError, found.total, found.hints.length], [false, 0, 1]);
  assert.match(words, 'Latitude and longitude seem to be swapped.');
  const backwards = await called(running, 'find_events', { from: '2026-12-05', until: '2026-12-01' });
  assert.match(backwards.words, /^until ".*": .* not after /m);
  assert.not.match(backwards.words, /untilDate|fromDate/);
});

/** All entries of a question, answer by answer. */
async function allOf(
  running: Running,
  name: string,
  args: object,
  entries: (found: never) => readonly unknown[],
) {
  const all: unknown[] = [];
  let from: string | null = Reflect.get(args, 'from') ?? null;
  do {
    const { found } = await called(running, name, { ...args, ...(from !== null && { from }) });
    assertAbove(entries(found as never).length, 0, `entries after ${from}`);
    all.push(...entries(found as never));
    from = found.next;
  } while (from !== null);
  return all;
}

mcp('I14: should give the rest of an answer that was cut, each entry once', async ({ running }) => {
  const query =
    'query ($filter: Filter) { events(filter: $filter, pageSize: 1000) { data { occurrenceLink } } }';
  const filter = { fromDate: '2026-11-28', untilDate: '2026-12-06', groupRepetitionsByDay: true };
  const { events } = await running.ask<{ events: { data: readonly { occurrenceLink: string }[] } }>(query, {
    filter,
  });
  const args = { from: '2026-11-28', until: '2026-12-05', limit: 20 };
  const found = await allOf(running, 'find_events', args, ({ events }: { events: { link: string }[] }) =>
    events.map(({ link }) => link),
  );
  assert.equal(
    found,
    events.data.map(({ occurrenceLink }) => occurrenceLink),
  );
  const dates = await allOf(
    running,
    'get_event',
    { event: 'evt-002' },
    ({ dates }: { dates: { start: string }[] }) => dates.map(({ start }) => start),
  );
  const { eventByID } = await running.ask<{ eventByID: { repetitions: readonly unknown[] } }>(
    '{ eventByID(eventID: "evt-002") { repetitions { id } } }',
  );
  assert.is(new Set(dates).size, eventByID.repetitions.length + 1);
  assert.is(dates.length, new Set(dates).size);
  const venues = await allOf(
    running,
    'list_choices',
    { kind: 'venues' },
    ({ choices }: { choices: { value: string }[] }) => choices.map(({ value }) => value),
  );
  assert.is(new Set(venues).size, venues.length);
});

mcp('I14: should refuse a day as the `from` of choices', async ({ running }) => {
  for (const from of ['2026-12-05', '2026-12-05#3', 'x']) {
    const { isError, words } = await called(running, 'list_choices', { from });
    assert.equal(
      [isError, /^from: expected the `next` of an earlier answer/.test(words)],
      [true, true],
      words,
    );
  }
  assert.is((await called(running, 'list_choices', { from: '#3' })).isError, false);
});

mcp('I14: should find an event by its id, its date’s id, its slug and its links', async ({ running }) => {
  const { found } = await called(running, 'get_event', { event: 'evt-007' });
  const { eventByID } = await running.ask<{ eventByID: Readonly<Record<string, string>> }>(
    '{ eventByID(eventID: "evt-007") { event_slug eventLink occurrenceLink occurrenceID } }',
  );
  for (const event of Object.values(eventByID)) {
    const other = await called(running, 'get_event', { event });
    assert.equal(other.found, found, event);
  }
});

mcp('I14: should keep its size where every value has the greatest length', async () => {
  const wide = (most: number) => '漢'.repeat(most);
  const link = (most: number) => `https://example.org/${'x'.repeat(most - 20)}`;
  const events = Array.from({ length: 30 }, (_, at) => ({
    id: wide(199) + at,
    title_nb: wide(300),
    desc_nb: wide(19_000),
    venue: 'v',
    organizers: ['o'],
    tags: [`${wide(290)}${at}`],
    ticketsURL: link(590),
    streamingURL: link(590),
    eventLink: link(590 - String(at).length) + at,
    ticketsInformation: 'ticketsInfo',
    prices: Array.from({ length: 100 }, (_, price) => ({ type: 'REGULAR', price, name_nb: wide(300) })),
    accessibility: ['WHEELCHAIR', 'HEARING_LOOP', 'SIGN_LANGUAGE', 'SUBTITLES', 'RELAXED'],
    dates: Array.from({ length: 40 }, (_, day) => ({
      start: `2027-0${1 + (day % 9)}-1${at % 10} ${10 + (day % 12)}:00`,
    })),
  }));
  const venues = [{ id: 'v', name: wide(300), address: wide(2_000), municipality: wide(300) }];
  const organizers = [{ id: 'o', name: wide(300) }];
  const source = { 'events.json': events, 'venues.json': venues, 'organizers.json': organizers };
  const running = await startBuilt(sourceFolder(source), NOW);
  const { found } = await called(running, 'find_events', { limit: 20 });
  assertAbove(found.events.length, 0, 'events');
  assert.match(found.next, /^#\d+$/);
  const one = await called(running, 'get_event', { event: found.events[0].id });
  assertAbove(one.found.dates.length, 0, 'dates');
  const choices = await called(running, 'list_choices');
  assertAbove(choices.found.choices.length, 0, 'choices');
  for (const kind of ['municipalities', 'tags']) {
    const offered = await called(running, 'list_choices', { kind });
    const [{ argument, value }] = offered.found.choices;
    assert.match(value, /…$/);
    assertAbove((await called(running, 'find_events', { [argument]: value })).found?.total, 0, kind);
  }
  await running.close();
});

mcp.run();
