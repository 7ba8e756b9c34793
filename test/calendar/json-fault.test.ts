/** D1: where a body stops being JSON, said whenever `JSON.parse` refuses it, and only then. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { jsonFault } from '../../src/calendar/json-fault.ts';
import { MAX_BODY_BYTES } from '../../src/serve/http/bodies.ts';
import { costOf } from '../helpers/usage.ts';

const faults = suite('faults of JSON');

for (const [text, fault] of [
  ["{ 'query': 1 }", /^line 1, column 3: expected property name or '}'$/],
  ['{"a": 1,\r\n}', /^line 2, column 1: expected double-quoted property name$/],
  ['{"å🎻" 1}', /^line 1, column 7: expected ':' after property name$/],
  ['[1 2]', /^line 1, column 4: expected ',' or ']' after array element$/],
  ['{"query":', /^line 1, column 10: unexpected end of JSON input$/],
  ['{"query": "', /^line 1, column 12: unterminated string$/],
  ['{"query": "{\n  x }"}', /^line 1, column 13: bad control character in string literal$/],
  ['{} {}', /^line 1, column 4: unexpected non-whitespace character after JSON$/],
  ['{"a": None}', /^unexpected token 'N'.* is not valid JSON$/],
  ['\u202e', /^unexpected token '\\u202e'.* is not valid JSON$/],
  ['', /^line 1, column 1: unexpected end of JSON input$/],
] as const) {
  faults(`D1: should say where it is no JSON: ${JSON.stringify(text)}`, () =>
    assert.match(jsonFault(text) ?? '', fault),
  );
}

faults('D1: should find no fault in JSON', () => {
  assert.is(jsonFault(' {"a": [1, -2.5e+3, true, null, {}, [], "\\u00e5\\n"]} '), null);
});

for (const [what, make] of Object.entries({
  'open lists': (size: number) => '['.repeat(size),
  'line breaks': (size: number) => '\n'.repeat(size),
  'a text without an end': (size: number) => `"${'a'.repeat(size)}`,
})) {
  faults(`D2: should take work that is linear in the body: ${what}`, async () => {
    const [small, large] = [make(MAX_BODY_BYTES / 16), make(MAX_BODY_BYTES)];
    const many = await costOf(() => again(16 * TIMES, () => jsonFault(small)));
    const reference = await costOf(() => again(TIMES, () => large.split('')));
    // As many bytes in all; a quadratic search would take 16 times as long.
    const most = 6 * Math.max(many, reference);
    const cost = await costOf(() => again(TIMES, () => jsonFault(large)), { most, tries: 5 });
    assert.ok(cost < most, `${cost} references, ${many} for the same in 16 parts`);
  });
}

/** One time is too short to be measured. */
const TIMES = 8;

function again(times: number, work: () => unknown): void {
  for (let nth = 0; nth < times; nth++) work();
}

faults.run();
