/** The memory of ready-made JSON: what is read again is what was written, and no more is held than its bound. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { beginBudget, createTextCache, DEFAULT_MEMORY } from '../../../src/serve/admission/budget.ts';
import { startBuilt } from '../../helpers/running.ts';
import { BUILT_AT } from '../../helpers/sample.ts';

const KB = 1_024;
const test = suite('bodies of events');

test.after.each(() => void beginBudget(DEFAULT_MEMORY));

test('should give back every text as it was, in letters of any alphabet', () => {
  const texts = ['"Kor"\n', 'Ærlig talt på øya', '“Quoted” – and dashed', 'Łódź 🎻', `${'å'.repeat(9_000)}–`];
  const bodies = createTextCache(texts.length + 1, 256 * KB);
  for (const [ordinal, text] of texts.entries()) bodies.set(ordinal, text);
  assert.equal(
    texts.map((_, ordinal) => bodies.get(ordinal)),
    texts,
  );
  assert.is(bodies.get(texts.length), undefined);
});

for (const [coding, letter, bytes] of [
  ['one byte', 'å', 1],
  ['three bytes', '–', 3],
] as const) {
  test(`D14: should hold the latest bodies within its bound, where a letter takes ${coding}`, () => {
    const [events, most, length] = [1_000, 100 * KB, 300];
    const bodyOf = (ordinal: number) => letter.repeat(length - 4) + `${ordinal}`.padStart(4, '0');
    const heldOf = () =>
      Array.from({ length: events }, (_, ordinal) => ordinal).filter(
        (ordinal) => bodies.get(ordinal) !== undefined,
      );
    const bodies = createTextCache(events, most);
    let held: readonly number[] = [];
    for (let ordinal = 0; ordinal < events; ordinal++) {
      bodies.set(ordinal, bodyOf(ordinal));
      assert.is(bodies.get(ordinal), bodyOf(ordinal));
      held = heldOf();
      assert.ok(held.length * ((length - 4) * bytes + 4) <= most, `${held.length} bodies`);
    }
    assert.ok(held.length * bytes * length > 0.45 * most, `${held.length} bodies`);
    assert.equal(
      held,
      Array.from(held, (_, place) => events - held.length + place),
      'the latest',
    );
  });
}

test('D14: should give its memory back when it is cleared, and take texts again', () => {
  const bodies = createTextCache(3, 16 * 1_024 * KB);
  const bytes = () => process.memoryUsage().arrayBuffers;
  const before = bytes();
  bodies.set(0, 'Ærlig');
  const held = bytes() - before;
  assert.ok(held >= 8 * 1_024 * KB, `${held} bytes`);
  // Whatever survives that is old; further garbage collects what is young.
  makeGarbage(() => false);
  assert.ok(bytes() - before >= held / 2);
  bodies.clear();
  makeGarbage(() => bytes() - before < held / 2);
  assert.ok(bytes() - before < held / 2, `${bytes() - before} bytes`);
  assert.is(bodies.get(0), undefined);
  bodies.set(1, 'Łódź');
  assert.is(bodies.get(1), 'Łódź');
});

/** 100 MB of short strings at most. */
function makeGarbage(isEnough: () => boolean): void {
  let text = '';
  for (let turn = 0; turn < 500_000 && (turn % 1_000 > 0 || !isEnough()); turn++) {
    text = Buffer.from(`${turn} ${text.slice(0, 90)}`).toString('latin1');
  }
  assert.ok(text.length > 0);
}

test('D14: should not drop others for a body that is larger than half of its bound', () => {
  const bodies = createTextCache(2, 10 * KB);
  bodies.set(0, 'small');
  bodies.set(1, 'x'.repeat(6 * KB));
  assert.is(bodies.get(1), undefined);
  assert.is(bodies.get(0), 'small');
});

test('D14: should answer the same from memory for a few events as from memory for all', async () => {
  const ask = async (memory: number) => {
    beginBudget(memory);
    const server = await startBuilt('data/sample', BUILT_AT, { cacheBytes: 1 });
    const pages: string[] = [];
    for (const turn of ['a', 'b', 'c']) {
      for (const page of [0, 1, 2, 0]) {
        const query = `{ ${turn}: events(page: ${page}, pageSize: 40) { data { id title_nb desc_nb desc_en tags images { alt } } } }`;
        pages.push((await server.post(query)).text);
      }
    }
    await server.close();
    return pages;
  };
  const few = await ask(1_024 * KB);
  assert.equal(few, await ask(DEFAULT_MEMORY));
  assert.ok(few.every((page) => page.includes('"desc_nb":"')));
});

test.run();
