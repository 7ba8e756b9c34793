/** One finished answer in the forms that callers want it in, however they come upon each other. */
import { gunzipSync } from 'node:zlib';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Coding } from '../../src/serve/http/coding.ts';
import { Finished, type FormWish } from '../../src/serve/http/finished.ts';
import { JSON_MEDIA } from '../../src/serve/http/media.ts';

const test = suite('finished');

const DATA = `{"data":{"text":"${'på låven '.repeat(500)}"}}`;
const NOTICE = JSON.stringify('Bruk en nøkkel.');
const NOTICED = `${DATA.slice(0, -1)},"extensions":{"notice":${NOTICE}}}`;

/** Memory that is somebody else's, right behind the room. */
const FOREIGN = 'somebody else';

interface Memory {
  readonly body: Buffer;
  readonly room: number;
  readonly foreign: () => string;
}

function memoryWith(room: number): Memory {
  const size = Buffer.byteLength(DATA);
  const whole = Buffer.alloc(size + room + FOREIGN.length);
  whole.write(DATA);
  whole.write(FOREIGN, size + room);
  return { body: whole.subarray(0, size), room, foreign: () => whole.toString('utf8', size + room) };
}

function finishedIn({ body, room }: Memory, notice: string | null = NOTICE): Finished {
  return new Finished({
    ...{ body, room, notice, hasTag: true, isKept: true },
    ...{ operationName: undefined, rootField: 'events' },
  });
}

const wish = (withNotice: boolean, coding: Coding = 'identity'): FormWish => ({
  ...{ withNotice, media: JSON_MEDIA, coding },
});

const ENDING = Buffer.byteLength(NOTICED) - Buffer.byteLength(DATA);

for (const room of [0, ENDING - 1, ENDING, 512]) {
  for (const order of ['plain first', 'notice first', 'together']) {
    test(`D4: should give both callers their bytes: ${room} bytes of room, ${order}`, async () => {
      const memory = memoryWith(room);
      const finished = finishedIn(memory);
      const codings = ['gzip', 'identity'] as const;
      const wishes = [false, true].flatMap((withNotice) => codings.map((coding) => wish(withNotice, coding)));
      if (order === 'notice first') wishes.reverse();
      const forms = [];
      if (order === 'together') forms.push(...(await Promise.all(wishes.map((one) => finished.form(one)))));
      else for (const one of wishes) forms.push(await finished.form(one));
      for (const [place, { withNotice, coding }] of wishes.entries()) {
        const { body = Buffer.alloc(0), headers = [] } = forms[place] ?? {};
        const text = coding === 'gzip' ? gunzipSync(body).toString() : body.toString();
        assert.is(text, withNotice ? NOTICED : DATA);
        assert.is(headers[headers.indexOf('Content-Length') + 1], `${body.length}`);
      }
      assert.is(memory.foreign(), FOREIGN);
    });
  }
}

test('should make each form once, and weigh all of them', async () => {
  const finished = finishedIn(memoryWith(512));
  const before = finished.bytes;
  const [first, second] = await Promise.all([finished.form(wish(true)), finished.form(wish(true))]);
  assert.ok(first === second && first === finished.ready(wish(true)));
  assert.is(finished.bytes, before + ENDING);
  const { body } = await finished.form(wish(false));
  assert.is(finished.bytes, before + ENDING + body.length);
  assert.is(finished.ready(wish(true, 'br')), undefined);
});

test('should leave an answer without a notice as it is', async () => {
  const memory = memoryWith(512);
  const finished = finishedIn(memory, null);
  const [plain, noticed] = [await finished.form(wish(false)), await finished.form(wish(true))];
  assert.ok(plain.body === memory.body && noticed.body === memory.body);
});

for (const coding of ['br', 'gzip'] as const) {
  test(`should hold no more memory than it counts: ${coding}`, async () => {
    const finished = finishedIn(memoryWith(0), null);
    const { body } = await finished.form(wish(false, coding));
    assert.is(body.buffer.byteLength, body.length);
    assert.is(finished.bytes, Buffer.byteLength(DATA) + body.length);
  });
}

test.run();
