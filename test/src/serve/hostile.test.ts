/**
 * Requests that strangers may send, one test each: the status and the error (D1), the cost of a document before its work (D2), long
 * heads and values (D9). The cost is the CPU of the thread that serves, in references (`helpers/usage.ts`). Caches are empty.
 */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { schema } from '../../../src/serve/graphql/schema.ts';
import { assertAtMost, assertDefined } from '../../helpers/assertions.ts';
import type { Got } from '../../helpers/client.ts';
import { costsAtMost } from '../../helpers/cost.ts';
import { seeded } from '../../helpers/random.ts';
import { randomOperation } from '../../helpers/random-operations.ts';
import { DOCUMENT_CASES, FORMS } from './hostile-bodies.ts';
import { HEADS } from './hostile-heads.ts';
import { VALUES } from './hostile-values.ts';
import { startSample } from './http/sample.ts';
import type { Stand } from './http/stand.ts';
import { ANY, type Case, FULL } from './requests.ts';

/** D2: the 50 ms of a request's preparation, in references. */
const MOST = 8;

/** The status of each outcome. */
const STATUS: Readonly<Record<string, number>> = {
  ok: 200,
  BAD_USER_INPUT: 200,
  BAD_REQUEST: 400,
  GRAPHQL_PARSE_FAILED: 400,
  GRAPHQL_VALIDATION_FAILED: 400,
  QUERY_TOO_COMPLEX: 400,
  NOT_FOUND: 404,
  METHOD_NOT_ALLOWED: 405,
  PAYLOAD_TOO_LARGE: 413,
  UNSUPPORTED_MEDIA_TYPE: 415,
};

const hostile = suite<{ stand: Stand }>('hostile bodies');

hostile.before(async (context) => {
  context.stand = await startSample({ cacheBytes: 0 });
  // All code is compiled before anything is measured.
  const random = seeded(1_000);
  for (let nth = 0; nth < 60; nth++) {
    const { query, variables } = randomOperation(schema, random, () => undefined);
    await context.stand.post(query, { variables });
  }
});
hostile.after(({ stand }) => stand.close());

const CASES = {
  D1: FORMS,
  D2: DOCUMENT_CASES,
  D9: [...HEADS, ...VALUES],
};

for (const [rule, cases] of Object.entries(CASES)) {
  for (const hostileCase of cases) {
    const { name, outcome } = hostileCase;
    hostile(`${rule}: should give ${outcome} for ${name}`, async ({ stand }) => {
      const reply = await replyWithinBound(stand, hostileCase);
      const { code, refusal } = read(reply);
      const isExpected = outcome === ANY || outcome === code || outcome === refusal;
      assert.ok(isExpected, `expected ${outcome}, found ${code}: ${refusal}`);
      assert.is(reply.status, STATUS[code], refusal);
      assert.match(reply.headers['content-type'] ?? '', 'json');
      assert.equal(stand.logged, []);
    });
  }
}

for (const { name, sent } of FORMS) {
  hostile(`D1: should send no other headers than those of a refusal for ${name}`, async ({ stand }) => {
    const reply = await stand.send(sent.path ?? '/graphQL', sent);
    const { code, refusal } = read(reply);
    assert.equal(reply.headers, {
      ...headersOf(code, refusal),
      'content-length': `${reply.bytes.length}`,
    });
  });
}

/** The reply to a request that fits the bounds of HTTP, made with no more CPU than D2 allows. */
async function replyWithinBound(stand: Stand, { name, sent }: Case): Promise<Got> {
  assertAtMost(Buffer.byteLength(sent.body ?? ''), FULL + 1, 'bytes');
  let reply: Got | undefined;
  const work = async () => {
    stand.app.clearCaches();
    reply = await stand.send(sent.path ?? '/graphQL', sent);
  };
  await costsAtMost(MOST, work, { what: name, tries: 5 });
  assertDefined(reply, 'a reply');
  return reply;
}

/** The first error as the tables write it, or `ok`. */
function read({ text, headers }: Got): { readonly code: string; readonly refusal: string } {
  const { errors } = headers['content-encoding'] === undefined ? JSON.parse(text) : { errors: undefined };
  if (errors === undefined) return { code: 'ok', refusal: 'ok' };
  const [{ message, locations, extensions }] = errors;
  const { code, reason, reasons = [] } = extensions;
  const where = locations === undefined ? reason : Object.values(locations[0]).join(':');
  const why = reasons.length === 0 ? '' : ` ${reasons.join('; ')}`;
  return { code, refusal: `${code}: ${message}${where === undefined ? '' : ` (${where})`}${why}` };
}

/** All headers of a refusal, but its length. */
function headersOf(code: string, refusal: string): Readonly<Record<string, string>> {
  const isFromRouter = code === 'NOT_FOUND' || code === 'METHOD_NOT_ALLOWED';
  const [, allow] = /here: only (.*)\.$/.exec(refusal) ?? [];
  return {
    'access-control-allow-origin': '*',
    'access-control-expose-headers': 'ETag, Link, RateLimit, RateLimit-Policy, Retry-After',
    'x-content-type-options': 'nosniff',
    'content-type': 'application/json; charset=utf-8',
    'cache-control': 'no-store',
    vary: isFromRouter ? 'Accept-Encoding' : 'Accept, Accept-Encoding, Gateway-Require-Preflight, X-Api-Key',
    ...(allow !== undefined && { allow }),
  };
}

hostile.run();
