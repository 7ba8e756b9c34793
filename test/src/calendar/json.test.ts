/** D1: where a body stops being JSON, said whenever `JSON.parse` refuses it, and only then; and how large JSON is. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { countKeys, measureJson, parsedJson, repeatedKeyIn } from '../../../src/calendar/json.ts';
import { jsonFault, jsonFaultIn } from '../../../src/calendar/json-fault.ts';
import { MAX_BODY_BYTES } from '../../../src/serve/http/body.ts';
import { assertBelow } from '../../helpers/assertions.ts';
import { costOf, costsAtMost } from '../../helpers/cost.ts';

const json = suite('JSON');

interface Case {
  readonly text: string;
  readonly fault: string;
}

const CASES: readonly Case[] = [
  { text: "{ 'query': 1 }", fault: `1:3 ' is used instead of "` },
  { text: '{"a": 1,\r\n}', fault: '1:8 there is one comma too many' },
  { text: '[1,\n\n]', fault: '1:3 there is one comma too many' },
  { text: '{"å🎻" 1}', fault: '1:6 a colon is missing after "å🎻"' },
  { text: '[1 2]', fault: '1:3 a comma is missing after 1' },
  { text: '{"a": {"b": 1}\n"c": 2}', fault: '1:15 a comma is missing after }' },
  { text: '[{"a": 1}\n{"a": 2}]', fault: '1:10 a comma is missing after }' },
  { text: '[1, 2}', fault: '1:6 a ] is missing after 2' },
  { text: '{"a": [1], {', fault: '1:12 { is where a name is missing' },
  { text: '{"a":}', fault: '1:6 } is where a value is missing' },
  { text: '{"query":', fault: '1:10 it ends after :' },
  { text: '[1]\n[2]', fault: '2:1 more text after its end' },
  { text: '{"query": "', fault: '1:11 a quotation mark is missing after "' },
  {
    text: '{"query": "{\n  x }"}',
    fault: '1:11 a quotation mark is missing after "{',
  },
  {
    text: '{"a": "x "y" z"}',
    fault: '1:11 a quotation mark within a string is not written as \\"',
  },
  { text: '{“a”: 1}', fault: '1:2 a typographic quotation mark is used instead of "' },
  { text: '{"a”: 1}', fault: '1:4 a typographic quotation mark is used instead of "' },
  {
    text: '{"a": "C:\\dir"}',
    fault: '1:10 a backslash within a string is not written as \\\\',
  },
  { text: '{"a": "x\ty"}', fault: '1:9 a tab within a string is not written as \\t' },
  { text: '{"a": None}', fault: '1:7 unexpected None, which has no quotation marks' },
  { text: '{"a": True}', fault: '1:7 unexpected True, which has no quotation marks' },
  { text: '[01]', fault: '1:2 01 is not a JSON number' },
  { text: '[1, +5]', fault: '1:5 +5 is not a JSON number' },
  { text: '[NaN]', fault: '1:2 NaN is not a JSON number' },
  { text: '{a: 1}', fault: '1:2 unexpected a, which has no quotation marks' },
  { text: '[1, // one\n2]', fault: '1:5 JSON has no comments' },
  { text: '<!doctype html>', fault: '1:1 it is a page (HTML or XML)' },
  { text: '\u202e', fault: '1:1 unexpected \\u202e, which has no quotation marks' },
  { text: '', fault: '1:1 nothing is there' },
];

for (const { text, fault } of CASES) {
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
    const measuring = { everyThread: true, tries: 2 };
    const many = await costOf(() => again(16 * TIMES, () => jsonFault(small)), measuring);
    const reference = await costOf(() => again(TIMES, () => large.split('')), measuring);
    // The same number of bytes; a quadratic search would take 16 times as long.
    const most = 6 * Math.max(many, reference);
    const cost = await costOf(() => again(TIMES, () => jsonFault(large)), { ...measuring, most, tries: 5 });
    assertBelow(cost, most, `references, ${many} for the same in 16 parts`);
  });
}

/** One time is too short to be measured. */
const TIMES = 2;

function again(times: number, work: () => unknown): void {
  for (let nth = 0; nth < times; nth++) work();
}

interface SizeCase {
  readonly json: string;
  readonly depth: number;
  readonly values: number;
  readonly keys?: number;
}

const SIZES: readonly SizeCase[] = [
  { json: '', depth: 0, values: 1 },
  { json: '"[[[,"', depth: 0, values: 1 },
  { json: '[]', depth: 1, values: 2 },
  {
    json: '{"a":[1,{"b":2}],"c":[[]]}',
    depth: 3,
    values: 8,
    keys: 3,
  },
  {
    json: '{"a":":","a":2}',
    depth: 1,
    values: 3,
    keys: 2,
  },
  { json: '["\\"[[[",[1]]', depth: 2, values: 4 },
  { json: '["\\\\",[1]]', depth: 2, values: 4 },
  { json: '["open [[[', depth: 1, values: 2 },
  { json: ']]]]', depth: 0, values: 1 },
];

json('should count levels, values and keys outside of strings', () => {
  for (const { json, depth, values, keys = 0 } of SIZES) {
    assert.equal(measureJson(Buffer.from(json)), { depth, values, keys }, json);
  }
});

for (const { text, repeated, keys } of [
  { text: '{"a":1,"b":{"a":2},"c":[{"a":3},{"a":4}]}', repeated: null, keys: 6 },
  { text: '{"a":1,"b":{"c":2,"d":{},"c":3}}', repeated: 'c', keys: 4 },
  { text: '[{"a":1},{"a":1,"\\u0061":2}]', repeated: 'a', keys: 2 },
  { text: '{"a\\"":"a:","a":1}', repeated: null, keys: 2 },
  { text: '{"__proto__":1,"__proto__":2}', repeated: '__proto__', keys: 1 },
] as const) {
  json(`should find the repeated key of an object in ${text}`, () => {
    assert.equal(repeatedKeyIn(text), repeated);
    assert.equal(countKeys(JSON.parse(text)), keys);
  });
}

json('should measure the depth of nesting in one pass', async () => {
  for (const unit of ['[', '{"a":', '"', '\\', '"\\"']) {
    const bytes = Buffer.from(unit.repeat(16_000_000 / unit.length));
    await costsAtMost(150, () => measureJson(bytes), { what: unit });
  }
});

json.run();
