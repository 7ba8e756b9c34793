/** D1: where a body stops being JSON, said whenever `JSON.parse` refuses it, and only then; and how large JSON is. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { countKeys, measureJson, parsedJson, repeatedKeyIn } from '../../../src/calendar/json.ts';
import { jsonFault, jsonFaultIn } from '../../../src/calendar/json-fault.ts';
import { MAX_BODY_BYTES } from '../../../src/serve/http/body.ts';
import { assertBelow } from '../../helpers/assertions.ts';
import { costOf, costsAtMost } from '../../helpers/usage.ts';

const json = suite('JSON');

const CASES: readonly (readonly [text: string, fault: string])[] = [
  ["{ 'query': 1 }", `1:3 ' is used instead of "`],
  ['{"a": 1,\r\n}', '1:8 there is one comma too many'],
  ['[1,\n\n]', '1:3 there is one comma too many'],
  ['{"å🎻" 1}', '1:6 a colon is missing after "å🎻"'],
  ['[1 2]', '1:3 a comma is missing after 1'],
  ['{"a": {"b": 1}\n"c": 2}', '1:15 a comma is missing after }'],
  ['[{"a": 1}\n{"a": 2}]', '1:10 a comma is missing after }'],
  ['[1, 2}', '1:6 a ] is missing after 2'],
  ['{"a": [1], {', '1:12 { is where a name is missing'],
  ['{"a":}', '1:6 } is where a value is missing'],
  ['{"query":', '1:10 it ends after :'],
  ['[1]\n[2]', '2:1 more text after its end'],
  ['{"query": "', '1:11 a quotation mark is missing after "'],
  ['{"query": "{\n  x }"}', '1:11 a quotation mark is missing after "{'],
  ['{"a": "x "y" z"}', '1:11 a quotation mark within a string is not written as \\"'],
  ['{“a”: 1}', '1:2 a typographic quotation mark is used instead of "'],
  ['{"a”: 1}', '1:4 a typographic quotation mark is used instead of "'],
  ['{"a": "C:\\dir"}', '1:10 a backslash within a string is not written as \\\\'],
  ['{"a": "x\ty"}', '1:9 a tab within a string is not written as \\t'],
  ['{"a": None}', '1:7 unexpected None, which has no quotation marks'],
  ['{"a": True}', '1:7 unexpected True, which has no quotation marks'],
  ['[01]', '1:2 01 is not a JSON number'],
  ['[1, +5]', '1:5 +5 is not a JSON number'],
  ['[NaN]', '1:2 NaN is not a JSON number'],
  ['{a: 1}', '1:2 unexpected a, which has no quotation marks'],
  ['[1, // one\n2]', '1:5 JSON has no comments'],
  ['<!doctype html>', '1:1 it is a page (HTML or XML)'],
  ['\u202e', '1:1 unexpected \\u202e, which has no quotation marks'],
  ['', '1:1 nothing is there'],
];

for (const [text, fault] of CASES) {
  json(`D1: should say where and why a text is no JSON: ${JSON.stringify(text)}`, () => {
    const { line, column, cause } = jsonFaultIn(text) ?? {};
    assert.is(`${line}:${column} ${cause}`, fault);
  });
}

json('D1: should stop where JSON.parse does, in JSON that has lost a letter', () => {
  const json = JSON.stringify({ a: [1, -2.5e3, true, null, { 'b"\\': 'x\n\u0001' }, []], c: {} }, null, 1);
  for (let at = 0; at < json.length; at++) {
    const text = json.slice(0, at) + json.slice(at + 1);
    assert.is(jsonFaultIn(text) === null, parsedJson(text) !== undefined, text);
  }
});

json('D1: should find no fault in valid JSON', () => {
  assert.is(jsonFault(' {"a": [1, -2.5e+3, true, null, {}, [], "\\u00e5\\n"]} '), null);
});

for (const [what, make] of Object.entries({
  'open lists': (size: number) => '['.repeat(size),
  'line breaks': (size: number) => '\n'.repeat(size),
  'a text without an end': (size: number) => `"${'a'.repeat(size)}`,
})) {
  json(`D2: should take work that is linear in the body: ${what}`, async () => {
    const [small, large] = [make(MAX_BODY_BYTES / 16), make(MAX_BODY_BYTES)];
    // Exact, where a thread's time has ticks: the work is short.
    const everyThread = true;
    const many = await costOf(() => again(16 * TIMES, () => jsonFault(small)), { everyThread });
    const reference = await costOf(() => again(TIMES, () => large.split('')), { everyThread });
    // The same number of bytes; a quadratic search would take 16 times as long.
    const most = 6 * Math.max(many, reference);
    const cost = await costOf(() => again(TIMES, () => jsonFault(large)), { most, tries: 5, everyThread });
    assertBelow(cost, most, `references, ${many} for the same in 16 parts`);
  });
}

/** One time is too short to be measured. */
const TIMES = 2;

function again(times: number, work: () => unknown): void {
  for (let nth = 0; nth < times; nth++) work();
}

const SIZES: readonly (readonly [json: string, depth: number, values: number, keys?: number])[] = [
  ['', 0, 1],
  ['"[[[,"', 0, 1],
  ['[]', 1, 2],
  ['{"a":[1,{"b":2}],"c":[[]]}', 3, 8, 3],
  ['{"a":":","a":2}', 1, 3, 2],
  ['["\\"[[[",[1]]', 2, 4],
  ['["\\\\",[1]]', 2, 4],
  ['["open [[[', 1, 2],
  [']]]]', 0, 1],
];

json('should count levels, values and keys outside of strings', () => {
  for (const [json, depth, values, keys = 0] of SIZES) {
    assert.equal(measureJson(Buffer.from(json)), { depth, values, keys }, json);
  }
});

for (const [text, repeated, keys] of [
  ['{"a":1,"b":{"a":2},"c":[{"a":3},{"a":4}]}', null, 6],
  ['{"a":1,"b":{"c":2,"d":{},"c":3}}', 'c', 4],
  ['[{"a":1},{"a":1,"\\u0061":2}]', 'a', 2],
  ['{"a\\"":"a:","a":1}', null, 2],
  ['{"__proto__":1,"__proto__":2}', '__proto__', 1],
] as const) {
  json(`should find the repeated key of an object in ${text}`, () => {
    assert.equal([repeatedKeyIn(text), countKeys(JSON.parse(text))], [repeated, keys]);
  });
}

json('should measure the depth of nesting in one pass', async () => {
  for (const unit of ['[', '{"a":', '"', '\\', '"\\"']) {
    const bytes = Buffer.from(unit.repeat(16_000_000 / unit.length));
    await costsAtMost(150, () => measureJson(bytes), { what: unit });
  }
});

json.run();
