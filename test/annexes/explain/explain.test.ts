/** D1: a refusal of malformed JSON says where it stops being JSON. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { explain as annex } from '../../../src/annexes/explain/annex.ts';
import { type Sent, type Stand, startStand } from '../../serve/http/stand.ts';

const explain = suite<{ stand: Stand }>('explain');

explain.before(async (context) => {
  context.stand = await startStand({ annexes: [annex] });
});

explain.after(({ stand }) => stand.close());

const post = (body: string): Sent => ({
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body,
});
const VARIABLES = '/graphQL?query=%7Bsnapshot%7D&variables=%7B';
const BODY = 'Malformed JSON body';

const CASES: readonly (readonly [what: string, path: string, sent: Sent, message: string, reason: string])[] =
  [
    [
      'a body that is no JSON',
      '/graphQL',
      post("{ 'query': 1 }"),
      BODY,
      `line 1, column 3: ' stands in place of "`,
    ],
    ['an empty body', '/graphQL', post(''), BODY, 'line 1, column 1: nothing is there'],
    [
      'a GET with variables that are no JSON',
      VARIABLES,
      { headers: { 'gateway-require-preflight': 'true' } },
      'The parameter "variables" must be JSON.',
      'line 1, column 2: it ends behind {',
    ],
  ];

for (const [what, path, sent, message, reason] of CASES) {
  explain(`D1: should say where the JSON ends of ${what}`, async ({ stand }) => {
    const { status, text } = await stand.send(path, sent);
    assert.is(status, 400);
    assert.equal(JSON.parse(text), {
      errors: [{ message, extensions: { code: 'BAD_REQUEST', reason } }],
    });
  });
}

explain.run();
