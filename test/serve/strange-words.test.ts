/** D12: the words that every plain object seems to have, wherever a stranger may write one. None is found, and none makes the server fail. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { plainLines } from '../../src/annexes/common/plain-lines.ts';
import { disclosed } from '../../src/annexes/operator/disclosure.ts';
import { actionsIn, findingsIn } from '../../src/annexes/operator/findings.ts';
import { wordsIn } from '../../src/annexes/operator/words.ts';
import * as annexes from '../../src/annexes.ts';
import type { AnswerBasis } from '../../src/serve/graphql/execute.ts';
import { SAMPLE_START, startSample } from './http/sample.ts';
import type { Got, Stand } from './http/stand.ts';

const words = suite<{ stand: Stand }>('strange words');
const WORDS = ['constructor', '__proto__', 'toString', 'hasOwnProperty', 'valueOf'];

words.before(async (context) => {
  context.stand = await startSample({ annexes: Object.values(annexes) });
});
words.after(({ stand }) => stand?.close());

type Ask = (stand: Stand, word: string) => Promise<Got>;

const COUNT = '{ events { totalCount } }';
const LISTS = ['ics', 'rss', 'jsonld', 'json', 'csv', 'geojson', 'html'];
const PAGES = ['/', '/subscribe', '/changelog', '/oembed', '/changes.json', '/docs'];
const HEADERS = [
  ...['Accept', 'Accept-Encoding', 'Accept-Language', 'If-None-Match', 'X-Client-Id', 'X-Client-Name'],
  ...['X-Page-Url', 'X-Api-Key', 'Authorization', 'Cookie', 'Forwarded', 'Origin'],
];

/** Each place, and the statuses that it may answer with. */
const PLACES: readonly (readonly [place: string, ask: Ask, statuses: readonly number[]])[] = [
  ...LISTS.flatMap((list): (typeof PLACES)[number][] => [
    [`a parameter's name of .${list}`, (stand, word) => stand.send(`/events.${list}?${word}=x`), [400]],
    [`lang of .${list}`, (stand, word) => stand.send(`/events.${list}?lang=${word}`), [200, 400]],
    [
      `values of .${list}`,
      (stand, word) =>
        stand.send(
          `/events.${list}?categories=${word}&venues=${word}&categories=${word}&searchTerm=${word}&tag=${word}&organizers=${word}&municipality=${word}&event=${word}`,
        ),
      [200, 404],
    ],
    [`a choice of .${list}`, (stand, word) => stand.send(`/events.${list}?period=${word}`), [400]],
  ]),
  ...PAGES.flatMap((page): (typeof PLACES)[number][] => [
    [
      `a parameter's name of ${page}`,
      (stand, word) => stand.send(`${page}?${word}=${word}`),
      [200, 400, 404],
    ],
    [
      `known parameters of ${page}`,
      (stand, word) => stand.send(`${page}?lang=${word}&format=${word}&url=${word}&since=${word}`),
      [200, 400, 404, 410, 501],
    ],
  ]),
  ['a path', (stand, word) => stand.send(`/${word}`), [404]],
  ['a path below the site', (stand, word) => stand.send(`/events/${word}.html`), [404]],
  ['a list', (stand, word) => stand.send(`/events.${word}`), [404]],
  ['a method', (stand, word) => stand.send('/graphQL', { method: word.replaceAll('_', '') }), [400, 405]],
  ['Content-Encoding', (stand, word) => stand.post(COUNT, {}, { 'content-encoding': word }), [415]],
  ['Content-Type', (stand, word) => stand.post(COUNT, {}, { 'content-type': word }), [400, 415]],
  [
    'a charset',
    (stand, word) => stand.post(COUNT, {}, { 'content-type': `application/json; charset=${word}` }),
    [200, 415],
  ],
  ...HEADERS.flatMap((header): (typeof PLACES)[number][] => [
    [header, (stand, word) => stand.post(COUNT, {}, { [header]: word }), [200]],
    [
      `${header} of a page`,
      (stand, word) => stand.send('/events.html', { headers: { [header]: word } }),
      [200, 406],
    ],
  ]),
  ['a header of that name', (stand, word) => stand.post(COUNT, {}, { [word]: 'x' }), [200]],
  [
    'a property of the body',
    (stand, word) => stand.post(COUNT, JSON.parse(`{"${word}":{"query":1}}`)),
    [200],
  ],
  ['operationName', (stand, word) => stand.post(`query a ${COUNT}`, { operationName: word }), [200, 400]],
  ['an operation', (stand, word) => stand.post(`query ${word} ${COUNT}`, { operationName: word }), [200]],
  ['a root field', (stand, word) => stand.post(`{ ${word} }`), [400]],
  ['a field', (stand, word) => stand.post(`{ events { data { ${word} } ${word} } }`), [400]],
  ['an argument', (stand, word) => stand.post(`{ events(${word}: 1) { totalCount } }`), [400]],
  ['a directive', (stand, word) => stand.post(`{ events { totalCount @${word} } }`), [400]],
  ['a fragment', (stand, word) => stand.post(`{ ...${word} }`), [400]],
  ['a type', (stand, word) => stand.post(`query ($a: ${word}) ${COUNT}`), [400]],
  [
    'a variable',
    (stand, word) => stand.post(`query a ${COUNT}`, { variables: JSON.parse(`{"${word}":{"a":1}}`) }),
    [200],
  ],
  [
    'a field of a filter',
    (stand, word) => stand.post(`{ events(filter: { ${word}: 1 }) { totalCount } }`),
    [400],
  ],
  [
    'a field of a filter in a variable',
    (stand, word) =>
      stand.post('query ($f: Filter) { events(filter: $f) { totalCount } }', {
        variables: { f: JSON.parse(`{"${word}":1}`) },
      }),
    [200, 400],
  ],
  ['a choice', (stand, word) => stand.post(`{ events(filter: { period: ${word} }) { totalCount } }`), [400]],
  ['an introspected type', (stand, word) => stand.post(`{ __type(name: "${word}") { name } }`), [200, 400]],
  ['extensions', (stand, word) => stand.post(COUNT, { extensions: JSON.parse(`{"${word}":{}}`) }), [200]],
  [
    'a persisted hash',
    (stand, word) => stand.post('', { extensions: { persistedQuery: { version: 1, sha256Hash: word } } }),
    [200, 400],
  ],
];

for (const [place, ask, statuses] of PLACES) {
  words(`D12: should find none of them in ${place}`, async ({ stand }) => {
    const failures = stand.logged.length;
    for (const word of WORDS) {
      const { status, text } = await ask(stand, word);
      assert.ok(
        statuses.includes(status),
        `${word}: expected ${statuses}, found ${status}: ${text.slice(0, 300)}`,
      );
      assert.not.match(text, /INTERNAL_SERVER_ERROR|native code|\[object /, word);
    }
    assert.is(stand.logged.length, failures);
  });
}

words(
  'D12: should read a value of a variable, and answer under a key, whatever its name',
  async ({ stand }) => {
    for (const word of WORDS) {
      const none = await stand.ask<Record<string, { totalCount: number }>>(
        `query ($${word}: Filter) { ${word}: events(filter: $${word}) { totalCount } }`,
        JSON.parse(`{"${word}":{"venues":["no-such-venue"]}}`),
      );
      assert.equal(Object.entries(none), [[word, { totalCount: 0 }]], word);
      const left = await stand.ask(
        `query ($${word}: Boolean!) { events { totalCount @include(if: $${word}) hasMore } }`,
        JSON.parse(`{"${word}":false}`),
      );
      assert.not.ok('totalCount' in (left as { events: object }).events, word);
    }
  },
);

words('D12: should look up ids, slugs and words as values', async ({ stand }) => {
  for (const word of WORDS) {
    const found = await stand.ask(
      `{ eventByID(eventID: "${word}") { id } eventBySlug(eventSlug: "${word}") { id } eventsBySlugs(eventsSlugs: ["${word}"]) { id } }`,
    );
    assert.equal(found, { eventByID: null, eventBySlug: null, eventsBySlugs: [] }, word);
  }
});

words('D12: should take a tag of that name in a description for one that it does not know', () => {
  assert.is(plainLines('<p>a<constructor>b</constructor></p>'), 'a b');
});

words('D12: should show the findings of a feed of that name', async ({ stand }) => {
  const snapshot = stand.snapshot();
  assert.ok(snapshot);
  const about = { field: null, expected: 'a date', found: 'x', since: null };
  const findings = WORDS.map((word) => ({ ...about, action: word, place: `${word}.1`, id: 'nothing' }));
  const report = { findings, findingsLeftOut: 0, actions: WORDS.map((action) => ({ action, count: 1 })) };
  const basis = { snapshot, now: SAMPLE_START / 1_000 } as AnswerBasis;
  const { report: shown } = disclosed({ report: report as never, feeds: [], changes: [] }, basis);
  assert.ok(shown);
  assert.equal(
    shown.findings.map(({ found }) => found),
    WORDS.map(() => null),
  );
  const words = `${JSON.stringify(findingsIn(shown, wordsIn('nb')))}${actionsIn(shown, wordsIn('nb'))}`;
  assert.not.match(words, /native code|\[object /);
});

words.run();
