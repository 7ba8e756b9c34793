/** D12: the words that every plain object seems to have, wherever a stranger may write one. None is found, and none makes the server fail. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { plainLines } from '../../../src/annexes/common/lines.ts';
import * as annexes from '../../../src/annexes.ts';
import { startSample } from './http/sample.ts';
import type { Stand } from './http/stand.ts';
import { type Asked, asked } from './requests.ts';

const words = suite<{ stand: Stand }>('strange words');
const WORDS = ['constructor', '__proto__', 'toString', 'hasOwnProperty', 'valueOf'];

words.before(async (context) => {
  context.stand = await startSample({ annexes: Object.values(annexes) });
});
words.after(({ stand }) => stand?.close());

const COUNT = '{ events { totalCount } }';
const FILTERED = 'query ($f: Filter) { events(filter: $f) { totalCount } }';
const LISTS = ['ics', 'rss', 'jsonld', 'json', 'csv', 'geojson', 'html'];
const PAGES = ['/', '/subscribe', '/changelog', '/oembed', '/changes.json', '/docs'];
const HEADERS = [
  'Accept',
  'Accept-Encoding',
  'Accept-Language',
  'If-None-Match',
  'X-Client-Id',
  'X-Client-Name',
  'X-Page-Url',
  'X-Api-Key',
  'Authorization',
  'Cookie',
  'Forwarded',
  'Origin',
];
const VALUES = 'categories venues searchTerm tag organizers municipality event'.split(' ');

/** Requests with the word in some place, by a name for the place. */
type Places = Readonly<Record<string, (word: string) => Asked>>;

/** The same for each of several addresses or headers. */
const inEach = (
  place: string,
  names: readonly string[],
  write: (name: string, word: string) => Asked,
): Places =>
  Object.fromEntries(names.map((name) => [`${place} of ${name}`, (word: string) => write(name, word)]));
/** An object with a property of that name, as JSON makes it. */
const own = (word: string, value: unknown) => JSON.parse(`{"${word}":${JSON.stringify(value)}}`);

const REFUSED: Places = {
  ...inEach('a parameter’s name', LISTS, (list, word) => ({ path: `/events.${list}?${word}=x` })),
  ...inEach('a choice', LISTS, (list, word) => ({ path: `/events.${list}?period=${word}` })),
  'a root field': (word) => asked(`{ ${word} }`),
  'a field': (word) => asked(`{ events { data { ${word} } ${word} } }`),
  'an argument': (word) => asked(`{ events(${word}: 1) { totalCount } }`),
  'a directive': (word) => asked(`{ events { totalCount @${word} } }`),
  'a fragment': (word) => asked(`{ ...${word} }`),
  'a type': (word) => asked(`query ($a: ${word}) ${COUNT}`),
  'a field of a filter': (word) => asked(`{ events(filter: { ${word}: 1 }) { totalCount } }`),
  'a choice of a filter': (word) => asked(`{ events(filter: { period: ${word} }) { totalCount } }`),
  'a path': (word) => ({ path: `/${word}` }),
  'a path below the site': (word) => ({ path: `/events/${word}.html` }),
  'a list': (word) => ({ path: `/events.${word}` }),
  'a method': (word) => ({ method: word.replaceAll('_', '') }),
  'Content-Encoding': (word) => asked(COUNT, {}, { 'content-encoding': word }),
  'Content-Type': (word) => asked(COUNT, {}, { 'content-type': word }),
  'a charset': (word) => asked(COUNT, {}, { 'content-type': `application/json; charset=${word}` }),
  operationName: (word) => asked(`query a ${COUNT}`, { operationName: word }),
};

const ACCEPTED: Places = {
  ...inEach('a call', HEADERS, (header, word) => asked(COUNT, {}, { [header]: word })),
  'a header of that name': (word) => asked(COUNT, {}, { [word]: 'x' }),
  'a property of the body': (word) => asked(COUNT, own(word, { query: 1 })),
  'an operation': (word) => asked(`query ${word} ${COUNT}`, { operationName: word }),
  'a variable': (word) => asked(COUNT, { variables: own(word, { a: 1 }) }),
  extensions: (word) => asked(COUNT, { extensions: own(word, {}) }),
  'an introspected type': (word) => asked(`{ __type(name: "${word}") { name } }`),
  'a field of a filter in a variable': (word) => asked(FILTERED, { variables: { f: own(word, 1) } }),
  'a persisted hash': (word) =>
    asked('', { extensions: { persistedQuery: { version: 1, sha256Hash: word } } }),
  ...inEach('values', LISTS, (list, word) => ({
    path: `/events.${list}?${VALUES.map((name) => `${name}=${word}`).join('&')}`,
  })),
  ...inEach('lang', LISTS, (list, word) => ({ path: `/events.${list}?lang=${word}` })),
  ...inEach('a page', HEADERS, (header, word) => ({ path: '/events.html', headers: { [header]: word } })),
  ...inEach('parameters', PAGES, (page, word) => ({
    path: `${page}?${word}=${word}&lang=${word}&format=${word}&url=${word}&since=${word}`,
  })),
};

for (const { places, isRefused } of [
  { places: REFUSED, isRefused: true },
  { places: ACCEPTED, isRefused: false },
] as const) {
  for (const [place, write] of Object.entries(places)) {
    words(`D12: should find no name of Object.prototype in ${place}`, async ({ stand }) => {
      const failures = stand.logged.length;
      for (const word of WORDS) {
        const sent = write(word);
        const { status, text } = await stand.send(sent.path ?? '/graphQL', sent);
        const isAllowed = status !== 500 && (status >= 400 || !isRefused);
        assert.ok(isAllowed, `${word}: ${status}: ${text.slice(0, 300)}`);
        assert.not.match(text, /INTERNAL_SERVER_ERROR|native code|\[object /, word);
      }
      assert.equal(stand.logged.slice(failures), [], place);
    });
  }
}

words('D12: should read variables and look-ups, and answer under a key, of any name', async ({ stand }) => {
  for (const word of WORDS) {
    const query = `query ($${word}: Filter) { ${word}: events(filter: $${word}) { totalCount }
      eventByID(eventID: "${word}") { id } eventBySlug(eventSlug: "${word}") { id } eventsBySlugs(eventsSlugs: ["${word}"]) { id } }`;
    const found = await stand.ask<object>(query, own(word, { venues: ['no-such-venue'] }));
    const nothing = { eventByID: null, eventBySlug: null, eventsBySlugs: [] };
    assert.equal(
      JSON.stringify(found),
      JSON.stringify({ ...own(word, { totalCount: 0 }), ...nothing }),
      word,
    );
    const left = await stand.ask<{ readonly events: object }>(
      `query ($${word}: Boolean!) { events { totalCount @include(if: $${word}) hasMore } }`,
      own(word, false),
    );
    assert.is('totalCount' in left.events, false, word);
  }
});

words('D12: should take a tag of that name in a description for one that it does not know', () => {
  assert.is(plainLines('<p>a<constructor>b</constructor></p>'), 'a b');
});

words.run();
