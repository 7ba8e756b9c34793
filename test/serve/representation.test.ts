/** One body in the representations that callers want it in, however they come upon each other. */
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { CODINGS, type Coding } from '../../src/serve/http/message.ts';
import { Content, type Representation, type Variant } from '../../src/serve/http/representation.ts';

const test = suite('representation');

const DATA = `{"data":{"text":"${'på låven '.repeat(500)}"}}`;
const NOTICE = JSON.stringify('Bruk en nøkkel.');
const NOTICED = `${DATA.slice(0, -1)},"extensions":{"notice":${NOTICE}}}`;

const contentOf = () =>
  new Content({
    body: Buffer.from(DATA.slice(0, -1)),
    endings: [Buffer.from('}'), Buffer.from(NOTICED.slice(DATA.length - 1))],
    isTagged: true,
    headers: ['Vary', 'Accept-Encoding'],
  });

const variant = (withNotice: boolean, coding: Coding = 'identity'): Variant => ({
  place: Number(withNotice) * CODINGS.length + CODINGS.indexOf(coding),
  type: 'application/json; charset=utf-8',
  coding,
  ending: Number(withNotice),
});

const bytesOf = ({ body, more = [] }: Representation) => Buffer.concat([body, ...more]);

for (const order of ['plain first', 'notice first', 'together']) {
  test(`D4: should give both callers their bytes: ${order}`, async () => {
    const content = contentOf();
    const codings = ['gzip', 'identity'] as const;
    const variants = [false, true].flatMap((withNotice) =>
      codings.map((coding) => variant(withNotice, coding)),
    );
    if (order === 'notice first') variants.reverse();
    const made: Representation[] = [];
    if (order === 'together') {
      made.push(...(await Promise.all(variants.map((one) => content.representation(one)))));
    } else for (const one of variants) made.push(await content.representation(one));
    const tags = new Set<unknown>();
    for (const [place, { ending, coding }] of variants.entries()) {
      const representation = made[place];
      if (representation === undefined) throw new Error('expected a representation of each variant');
      const bytes = bytesOf(representation);
      const text = coding === 'gzip' ? gunzipSync(bytes).toString() : bytes.toString();
      assert.is(text, ending === 1 ? NOTICED : DATA);
      const { headers, tag } = representation;
      assert.is(headers[headers.indexOf('Content-Length') + 1], `${bytes.length}`);
      tags.add(tag);
    }
    assert.is(tags.size, 4, 'each has an entity tag of its own');
  });
}

test('should make each representation once, and weigh all of them', async () => {
  const content = contentOf();
  const before = content.bytes;
  const [first, second] = await Promise.all([
    content.representation(variant(true)),
    content.representation(variant(true)),
  ]);
  assert.ok(first === second && first === content.ready(variant(true)));
  await content.representation(variant(false));
  assert.is(content.bytes, before, 'the body is there once');
  const { body } = await content.representation(variant(false, 'gzip'));
  assert.is(content.bytes, before + body.length);
  assert.is(content.ready(variant(true, 'br')), undefined);
});

test('D14: a long body without a tag should be at hand once it was made, so that its answer does not wait for the gate again', async () => {
  const slices = Array.from({ length: 40 }, () => Buffer.alloc(64 * 1_024, 32));
  const content = new Content({ body: slices, isTagged: false, headers: [] });
  const made = await content.representation(variant(false));
  assert.is(content.ready(variant(false)), made);
  const tagged = new Content({ body: slices, isTagged: true, headers: [] });
  const madeToo = await tagged.representation(variant(true));
  assert.is(tagged.ready(variant(true)), madeToo);
});

test('D14: should give a long body in slices the bytes, the tag and the coding that it has in one piece', async () => {
  const whole = Buffer.from('{"data":"Kåre, Ærlend og Zoë "}'.repeat(60_000));
  const slices = Array.from({ length: 9 }, (_, at) =>
    whole.subarray(at * 200_000, at === 8 ? undefined : (at + 1) * 200_000),
  );
  let pauses = 0;
  const pace = {
    take: () => undefined,
    pause: () => {
      pauses++;
      return undefined;
    },
  };
  for (const coding of CODINGS) {
    const of = (body: Buffer | readonly Buffer[]) =>
      new Content({ body, endings: [Buffer.from('}')], isTagged: true, headers: [] }).representation(
        variant(false, coding),
        pace,
      );
    const [one, many] = [await of(whole), await of(slices)];
    const plain = { identity: (bytes: Buffer) => bytes, gzip: gunzipSync, br: brotliDecompressSync }[coding];
    assert.ok(plain(bytesOf(many)).equals(Buffer.concat([whole, Buffer.from('}')])), coding);
    assert.is(one.tag, many.tag);
    assert.is(many.headers[many.headers.indexOf('Content-Length') + 1], `${bytesOf(many).length}`);
  }
  assert.ok(pauses > 3 * 9, 'others have the thread between slices');
});

for (const coding of ['br', 'gzip'] as const) {
  test(`should hold no more memory than it counts: ${coding}`, async () => {
    const content = contentOf();
    const { body } = await content.representation(variant(false, coding));
    assert.is(body.buffer.byteLength, body.length);
    assert.is(content.bytes, Buffer.byteLength(DATA) - 1 + body.length);
  });
}

test.run();
