/** D1: a refusal says where a body stops being JSON, and which argument or field may have been meant. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { explain as annex } from '../../../../src/annexes/explain/annex.ts';
import { JSON_BODY, PREFLIGHT } from '../../../helpers/client.ts';
import { startSample } from '../../serve/http/sample.ts';
import type { Sent, Stand } from '../../serve/http/stand.ts';

const explain = suite<{ stand: Stand }>('explain');

explain.before(async (context) => {
  context.stand = await startSample({ annexes: [annex] });
});

explain.after(({ stand }) => stand.close());

const post = (body: string): Sent => ({ method: 'POST', headers: JSON_BODY, body });
const get: Sent = { headers: PREFLIGHT };
const VARIABLES = '/graphQL?query=%7Bsnapshot%7D&variables=%7B';
const BODY = 'Malformed JSON body';
const PARAMETER = 'The parameter "variables" must be JSON.';

for (const [what, path, sent, message, reason] of [
  ['a body', '/graphQL', post("{ 'query': 1 }"), BODY, `line 1, column 3: ' is used instead of "`],
  ['an empty body', '/graphQL', post(''), BODY, 'line 1, column 1: nothing is there'],
  ['variables of a GET', VARIABLES, get, PARAMETER, 'line 1, column 2: it ends after {'],
] as const) {
  explain(`D1: should say where the JSON ends of ${what}`, async ({ stand }) => {
    const { status, text } = await stand.send(path, sent);
    assert.is(status, 400);
    assert.equal(JSON.parse(text), { errors: [{ message, extensions: { code: 'BAD_REQUEST', reason } }] });
  });
}

const argument = (name: string, of = 'field "Query.events"') => `Unknown argument "${name}" on ${of}.`;
const field = (name: string, type: string) => `Cannot query field "${name}" on type "${type}".`;

for (const [query, message, column] of [
  [
    '{ events(pagesize: 5) { totalCount } }',
    `${argument('pagesize')} Did you mean "pageSize" or "page"?`,
    10,
  ],
  [
    '{ events(categories: ["MUSIC"]) { totalCount } }',
    `${argument('categories')} Did you mean "filter: { categories: … }"?`,
    10,
  ],
  ['{ events(size: 5) { totalCount } }', `${argument('size')} Did you mean "pageSize"?`, 10],
  [
    '{ events(limit: 5) { totalCount } }',
    `${argument('limit')} Its arguments are "filter", "page", "pageSize".`,
    10,
  ],
  [
    '{ events(perid: TODAY) { totalCount } }',
    `${argument('perid')} Did you mean "filter: { period: … }"?`,
    10,
  ],
  ['{ events { edges { id } } }', `${field('edges', 'EventConnection')} Did you mean "data"?`, 12],
  ['{ events { nodes { id } } }', `${field('nodes', 'EventConnection')} Did you mean "data"?`, 12],
  ['{ events { data { title } } }', `${field('title', 'Event')} Did you mean "title_nb" or "title_en"?`, 19],
  ['{ events { data { constructor } } }', field('constructor', 'Event'), 19],
  ['{ venues { title } }', field('title', 'Venue'), 12],
  ['{ venues(limit: 5) { id } }', argument('limit', 'field "Query.venues"'), 10],
  ['{ events @include(when: true, if: true) { hasMore } }', argument('when', 'directive "@include"'), 19],
] as const) {
  explain(`D1: should answer 400 to ${query}`, async ({ stand }) => {
    const got = await stand.post(query);
    assert.is(got.status, 400);
    const extensions = { code: 'GRAPHQL_VALIDATION_FAILED' };
    assert.equal(JSON.parse(got.text), {
      errors: [{ message, locations: [{ line: 1, column }], extensions }],
    });
  });
}

explain.run();
