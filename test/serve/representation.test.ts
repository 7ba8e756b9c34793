/** One body in the representations that callers want it in. */

import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { inTurn } from '../../src/serve/admission/admission.ts';
import { CODINGS, type Coding } from '../../src/serve/http/negotiation.ts';
import { createRepresentation, type Representation } from '../../src/serve/http/representation.ts';

const test = suite('representation');

const DATA = Buffer.from(`{"data":{"text":"${'på låven '.repeat(500)}"}}`);
const JSON_TYPE = 'application/json; charset=utf-8';
const GRAPHQL_TYPE = 'application/graphql-response+json; charset=utf-8';

const represented = (body: readonly Buffer[], coding: Coding, type = JSON_TYPE) =>
  createRepresentation({ body, isTagged: true, headers: ['Vary', 'Accept-Encoding'] }, { type, coding });

const bytesOf = ({ body, more = [] }: Representation) => Buffer.concat([body, ...more]);
const decoded = { identity: (bytes: Buffer) => bytes, gzip: gunzipSync, br: brotliDecompressSync };

test('D7: should give each variant its bytes, its length and an entity tag of its own', async () => {
  const tags = new Set<string | undefined>();
  for (const coding of CODINGS) {
    for (const type of [JSON_TYPE, GRAPHQL_TYPE]) {
      const representation = await represented([DATA], coding, type);
      const bytes = bytesOf(representation);
      const { headers, notModifiedHeaders, tag } = representation;
      const headerOf = (name: string) => headers[headers.indexOf(name) + 1];
      assert.ok(decoded[coding](bytes).equals(DATA));
      assert.equal([headerOf('Content-Length'), headerOf('Content-Type')], [`${bytes.length}`, type]);
      assert.is(headers.includes('Content-Encoding'), coding !== 'identity');
      assert.equal(notModifiedHeaders, ['ETag', tag, 'Vary', 'Accept-Encoding']);
      tags.add(tag);
    }
  }
  assert.is(tags.size, 6);
});

test('D14: should give a long body in slices the bytes, the tag and the coding that it has in one piece', async () => {
  const whole = Buffer.from('{"data":"Kåre, Ærlend og Zoë "}'.repeat(60_000));
  const slices = Array.from({ length: 9 }, (_, at) =>
    whole.subarray(at * 200_000, at === 8 ? undefined : (at + 1) * 200_000),
  );
  for (const coding of CODINGS) {
    const [one, many] = [await represented([whole], coding), await represented(slices, coding)];
    assert.ok(decoded[coding](bytesOf(many)).equals(whole), coding);
    assert.is(one.tag, many.tag);
    assert.is(many.headers[many.headers.indexOf('Content-Length') + 1], `${many.length}`);
  }
});

test('D14: should let others have the thread between pieces of a long body', async () => {
  const slices = Array.from({ length: 40 }, () => Buffer.alloc(64 * 1_024, 32));
  let turns = 0;
  let isOver = false;
  const count = () => {
    turns++;
    if (!isOver) inTurn(count);
  };
  inTurn(count);
  await represented(slices, 'identity');
  isOver = true;
  assert.ok(turns >= slices.length, `${turns} turns of other work`);
});

for (const coding of ['br', 'gzip'] as const) {
  test(`D14: should hold no more memory than it counts: ${coding}`, async () => {
    const { body, length } = await represented([DATA], coding);
    assert.is(body.buffer.byteLength, length);
  });
}

test.run();
