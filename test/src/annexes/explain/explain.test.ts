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

interface JsonCase {
  readonly title: string;
  readonly path: string;
  readonly sent: Sent;
  readonly message: string;
  readonly reason: string;
}

const MALFORMED: readonly JsonCase[] = [
  {
    title: 'a body',
    path: '/graphQL',
    sent: post("{ 'query': 1 }"),
    message: 'Malformed JSON body',
    reason: `line 1, column 3: ' is used instead of "`,
  },
  {
    title: 'an empty body',
    path: '/graphQL',
    sent: post(''),
    message: 'Malformed JSON body',
    reason: 'line 1, column 1: nothing is there',
  },
  {
    title: 'the variables of a GET',
    path: '/graphQL?query=%7Bsnapshot%7D&variables=%7B',
    sent: get,
    message: 'The parameter "variables" must be JSON.',
    reason: 'line 1, column 2: it ends after {',
  },
];

for (const { title, path, sent, message, reason } of MALFORMED) {
  explain(`D1: should say where ${title} is no longer JSON`, async ({ stand }) => {
    const { status, text } = await stand.send(path, sent);
    assert.is(status, 400);
    assert.equal(JSON.parse(text), { errors: [{ message, extensions: { code: 'BAD_REQUEST', reason } }] });
  });
}

const argument = (name: string, of = 'field "Query.events"') => `Unknown argument "${name}" on ${of}.`;
const field = (name: string, type: string) => `Cannot query field "${name}" on type "${type}".`;

interface DocumentCase {
  readonly query: string;
  readonly message: string;
  readonly column: number;
}

const INVALID: readonly DocumentCase[] = [
  {
    query: '{ events(pagesize: 5) { totalCount } }',
    message: `${argument('pagesize')} Did you mean "pageSize" or "page"?`,
    column: 10,
  },
  {
    query: '{ events(categories: ["MUSIC"]) { totalCount } }',
    message: `${argument('categories')} Did you mean "filter: { categories: … }"?`,
    column: 10,
  },
  {
    query: '{ events(size: 5) { totalCount } }',
    message: `${argument('size')} Did you mean "pageSize"?`,
    column: 10,
  },
  {
    query: '{ events(limit: 5) { totalCount } }',
    message: `${argument('limit')} Its arguments are "filter", "page", "pageSize".`,
    column: 10,
  },
  {
    query: '{ events(perid: TODAY) { totalCount } }',
    message: `${argument('perid')} Did you mean "filter: { period: … }"?`,
    column: 10,
  },
  {
    query: '{ events { edges { id } } }',
    message: `${field('edges', 'EventConnection')} Did you mean "data"?`,
    column: 12,
  },
  {
    query: '{ events { nodes { id } } }',
    message: `${field('nodes', 'EventConnection')} Did you mean "data"?`,
    column: 12,
  },
  {
    query: '{ events { data { title } } }',
    message: `${field('title', 'Event')} Did you mean "title_nb" or "title_en"?`,
    column: 19,
  },
  {
    query: '{ events { data { constructor } } }',
    message: field('constructor', 'Event'),
    column: 19,
  },
  {
    query: '{ venues { title } }',
    message: field('title', 'Venue'),
    column: 12,
  },
  {
    query: '{ venues(limit: 5) { id } }',
    message: argument('limit', 'field "Query.venues"'),
    column: 10,
  },
  {
    query: '{ events @include(when: true, if: true) { hasMore } }',
    message: argument('when', 'directive "@include"'),
    column: 19,
  },
];

for (const { query, message, column } of INVALID) {
  explain(`D1: should refuse ${query} with its place, and a suggestion if there is one`, async (context) => {
    const { status, text } = await context.stand.post(query);
    assert.is(status, 400);
    const extensions = { code: 'GRAPHQL_VALIDATION_FAILED' };
    assert.equal(JSON.parse(text), { errors: [{ message, locations: [{ line: 1, column }], extensions }] });
  });
}

explain.run();
