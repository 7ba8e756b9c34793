/** D1: where a body stops being JSON, said whenever `JSON.parse` refuses it, and only then. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { faultOf } from '../../../src/annexes/explain/json-fault.ts';
import { MAX_BODY_BYTES } from '../../../src/serve/http/bodies.ts';
import { costOf } from '../../helpers/usage.ts';

const faults = suite('faults of JSON');

const NAME = 'a name in double quotes or "}"';
const NEXT_NAME = 'a name in double quotes (and no comma after the last one)';
const ONE_LINE = 'a text on one line (\\n stands for a line break)';

for (const [text, fault] of [
  ["{ 'query': 1 }", 'line 1, column 3: expected a double quote, found a single one'],
  ['{"query": \'{ x }\'}', 'line 1, column 11: expected a double quote, found a single one'],
  ['{“query”: 1}', 'line 1, column 2: expected a double quote, found a typographic one'],
  ['{query: 1}', `line 1, column 2: expected ${NAME}, found "query"`],
  ['{"a": 1,\r\n}', `line 2, column 1: expected ${NEXT_NAME}, found "}"`],
  ['{"a" 1}', 'line 1, column 6: expected a colon, found "1"'],
  ['{"a": 1 "b": 2}', 'line 1, column 9: expected a comma or "}", found "\\""'],
  ['[1 2]', 'line 1, column 4: expected a comma or "]", found "2"'],
  ['[1,]', 'line 1, column 4: expected a value, found "]"'],
  ['{"a": None}', 'line 1, column 7: expected a value, found "None"'],
  ['{"a": 01}', 'line 1, column 7: expected a value, found "01"'],
  ['{"a": .5}', 'line 1, column 7: expected a value, found ".5"'],
  ['query=%7Bx%7D', 'line 1, column 1: expected a value, found "query=%7Bx%7D"'],
  ['{"query":', 'line 1, column 10: expected a value, found the end'],
  [
    '{"query": "',
    'line 1, column 12: expected a double quote to end the text that begins at line 1, column 11, found the end',
  ],
  ['{"query": "{\n  x }"}', `line 1, column 13: expected ${ONE_LINE}, found a line break`],
  ['["\t"]', 'line 1, column 3: expected control characters as \\u and four digits, found one as it is'],
  [
    '["å🎻\\x"]',
    'line 1, column 5: expected one of \\" \\\\ \\/ \\b \\f \\n \\r \\t \\u and four hexadecimal digits, found "\\\\x"',
  ],
  ['{} {}', 'line 1, column 4: expected the end, found "{"'],
  ['\u202e', 'line 1, column 1: expected a value, found "\\u202e"'],
  ['', 'line 1, column 1: expected a value, found the end'],
  [' {"a": [1, -2.5e+3, true, null, {}, [], "\\u00e5\\n"]} ', null],
] as const) {
  faults(`D1: should say where it is no JSON: ${JSON.stringify(text)}`, () =>
    assert.is(faultOf(text), fault),
  );
}

faults('D1: should find a fault wherever JSON.parse does, whatever is damaged', () => {
  const whole = '{"query": "{ a(b: \\"c\\") }", "variables": {"n": [1, -2.5e3, true, null, {}, []]}} ';
  for (let at = 0; at <= whole.length; at++) {
    for (const put of ['', '"', '\\', ',', '}', ']', ':', '0', '-', 'e', 'x', '\n', '\u00a0', '[{']) {
      for (const skip of [0, 1, 2]) {
        const text = whole.slice(0, at) + put + whole.slice(at + skip);
        assert.is(faultOf(text) === null, parses(text), text);
      }
    }
  }
});

/** The largest bodies that can be sent, each made to be slow at one place. */
const WORST: Readonly<Record<string, (size: number) => string>> = {
  'open lists': (size) => '['.repeat(size),
  'line breaks': (size) => '\n'.repeat(size),
  digits: (size) => `${'1'.repeat(size)}x`,
  'digits and points': (size) => `[${'1.'.repeat(size / 2)}`,
  'a text without an end': (size) => `"${'a'.repeat(size)}`,
  escapes: (size) => `"${'\\n'.repeat(size / 2)}`,
  pairs: (size) => `[${'"a",'.repeat(size / 4)}`,
};

for (const [what, make] of Object.entries(WORST)) {
  faults(`D2: should take work that is linear in the body: ${what}`, async () => {
    const [small, large] = [make(MAX_BODY_BYTES / 16), make(MAX_BODY_BYTES)];
    const many = await costOf(() => again(16 * TIMES, () => faultOf(small)));
    const reference = await costOf(() => again(TIMES, () => large.split('')));
    // As many bytes in all; a quadratic search would take 16 times as long.
    const most = 6 * Math.max(many, reference);
    const cost = await costOf(() => again(TIMES, () => faultOf(large)), { most, tries: 5 });
    assert.ok(cost < most, `${cost} references, ${many} for the same in 16 parts`);
  });
}

faults.run();

function parses(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** One time is too short to be measured. */
const TIMES = 8;

function again(times: number, work: () => unknown): void {
  for (let nth = 0; nth < times; nth++) work();
}
