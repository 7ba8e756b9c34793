/** D1: a refusal of an unknown argument or field says which one may have been meant. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { explain as annex } from '../../../src/annexes/explain/annex.ts';
import { schema } from '../../../src/serve/graphql/schema.ts';
import { type Stand, startStand } from '../../serve/http/stand.ts';

const names = suite<{ stand: Stand }>('names');

names.before(async (context) => {
  context.stand = await startStand({ annexes: [annex], schema });
});

names.after(({ stand }) => stand.close());

const EVENTS = 'on field "Query.events".';

for (const [query, message, column] of [
  [
    '{ events(pagesize: 5) { totalCount } }',
    `Unknown argument "pagesize" ${EVENTS} Did you mean "pageSize" or "page"?`,
    10,
  ],
  [
    '{ events(categories: ["MUSIC"]) { totalCount } }',
    `Unknown argument "categories" ${EVENTS} Did you mean "filter: { categories: … }"?`,
    10,
  ],
  ['{ events(size: 5) { totalCount } }', `Unknown argument "size" ${EVENTS} Did you mean "pageSize"?`, 10],
  [
    '{ events(limit: 5) { totalCount } }',
    `Unknown argument "limit" ${EVENTS} Its arguments are "filter", "page", "pageSize".`,
    10,
  ],
  [
    '{ events(perid: TODAY) { totalCount } }',
    `Unknown argument "perid" ${EVENTS} Did you mean "filter: { period: … }"?`,
    10,
  ],
  [
    '{ events { edges { id } } }',
    'Cannot query field "edges" on type "EventConnection". Did you mean "data"?',
    12,
  ],
  [
    '{ events { nodes { id } } }',
    'Cannot query field "nodes" on type "EventConnection". Did you mean "data"?',
    12,
  ],
  [
    '{ events { data { title } } }',
    'Cannot query field "title" on type "Event". Did you mean "title_nb" or "title_en"?',
    19,
  ],
  ['{ events { data { constructor } } }', 'Cannot query field "constructor" on type "Event".', 19],
  ['{ venues { title } }', 'Cannot query field "title" on type "Venue".', 12],
  ['{ venues(limit: 5) { id } }', 'Unknown argument "limit" on field "Query.venues".', 10],
  [
    '{ venues @include(when: true, if: true) { id } }',
    'Unknown argument "when" on directive "@include".',
    19,
  ],
] as const) {
  names(`D1: should answer 400 to ${query}`, async ({ stand }) => {
    const got = await stand.post(query);
    assert.is(got.status, 400);
    assert.equal(JSON.parse(got.text), {
      errors: [
        { message, locations: [{ line: 1, column }], extensions: { code: 'GRAPHQL_VALIDATION_FAILED' } },
      ],
    });
  });
}

names.run();
