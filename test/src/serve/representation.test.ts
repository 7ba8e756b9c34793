/** One body in the representations that callers want it in. */
import { brotliDecompressSync, createBrotliCompress, gunzipSync } from 'node:zlib';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { TURNS } from '../../../src/serve/admission/turns.ts';
import { CODINGS, type Coding } from '../../../src/serve/http/negotiation.ts';
import { withBody } from '../../../src/serve/http/reply-body.ts';
import { createRepresentation, type Representation } from '../../../src/serve/http/representation.ts';
import { assertAtLeast, assertSameBytes } from '../../helpers/assertions.ts';

const test = suite('representation');

const DATA = Buffer.from(`{"data":{"text":"${'på låven '.repeat(500)}"}}`);

const represented = (body: readonly Buffer[], coding: Coding) =>
  createRepresentation({ body, isTagged: true, headers: [] }, { type: 'application/json', coding });

const bytesOf = ({ body }: Representation) => Buffer.concat(body);
const decoded = { identity: (bytes: Buffer) => bytes, gzip: gunzipSync, br: brotliDecompressSync };

test('D14: should give a long body in slices the bytes, the tag and the coding that it has in one piece', async () => {
  const whole = Buffer.from('{"data":"Kåre, Ærlend og Zoë "}'.repeat(60_000));
  const slices = Array.from({ length: 9 }, (_, at) =>
    whole.subarray(at * 200_000, at === 8 ? undefined : (at + 1) * 200_000),
  );
  for (const coding of CODINGS) {
    const [one, many] = [await represented([whole], coding), await represented(slices, coding)];
    assertSameBytes(decoded[coding](bytesOf(many)), whole);
    assert.is(one.tag, many.tag);
    assert.is(many.headers[many.headers.indexOf('Content-Length') + 1], `${many.length}`);
  }
});

test('D14: should do other work between pieces of a long body', async () => {
  const slices = Array.from({ length: 40 }, () => Buffer.alloc(64 * 1_024, 32));
  let turns = 0;
  let isOver = false;
  const count = () => {
    turns++;
    if (!isOver) TURNS.inTurn(count);
  };
  TURNS.inTurn(count);
  await represented(slices, 'identity');
  isOver = true;
  assertAtLeast(turns, slices.length - 1, 'turns of other work');
});

for (const coding of ['br', 'gzip'] as const) {
  test(`D14: should hold no more memory than it counts: ${coding}`, async () => {
    const { body, length } = await represented([DATA], coding);
    assert.equal(
      body.map(({ buffer }) => buffer.byteLength),
      [length],
    );
  });
}

test('D14: should fail one answer alone when its compression fails, also half-way', async () => {
  const unhandled: unknown[] = [];
  const onUnhandled = (reason: unknown) => unhandled.push(reason);
  process.on('unhandledRejection', onUnhandled);
  const coder = Object.getPrototypeOf(createBrotliCompress());
  coder.write = function () {
    // Before the next slice: on a busy machine, one turn of the event loop may write all of them.
    process.nextTick(() => this.destroy(new Error('no memory')));
    return true;
  };
  try {
    const slices = Array.from({ length: 40 }, () => Buffer.alloc(64 * 1_024, 32));
    const thrown = await represented(slices, 'br').catch((cause: Error) => cause.message);
    assert.is(thrown, 'no memory');
    await new Promise((resolve) => setImmediate(resolve));
    assert.equal(unhandled, []);
  } finally {
    // The prototype's method is called again.
    delete coder.write;
    process.off('unhandledRejection', onUnhandled);
  }
});

test('should replace the length of a reply with that of its new body, and nothing of the same text', () => {
  const headers = ['Trailer', 'Content-Length', 'Content-Length', '1', 'Vary', 'Accept'];
  const reply = withBody({ status: 200, headers, body: [Buffer.from('a')] }, [Buffer.from('abc')]);
  assert.equal(reply.headers, ['Trailer', 'Content-Length', 'Content-Length', '3', 'Vary', 'Accept']);
});

test.run();
