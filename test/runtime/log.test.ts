import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createLog, type LogOptions } from '../../src/runtime/log.ts';

const logging = suite('log');

function logInto(lines: string[], options: Partial<LogOptions> = {}) {
  return createLog({
    level: 'info',
    format: 'text',
    output: { write: (line) => lines.push(line) },
    ...options,
  });
}

/** Without the moment. */
const textOf = ([line = '']: readonly string[]) =>
  line.replace(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{3}Z /, '');

logging('should write one line an event, its values as fields', () => {
  const lines: string[] = [];
  logInto(lines).info({ id: 'a1', events: 3, reason: null }, 'snapshot adopted');
  assert.is(textOf(lines), 'snapshot adopted id=a1 events=3 reason=null\n');
});

logging('should name the level of what is not ordinary', () => {
  const lines: string[] = [];
  logInto(lines).warn({}, 'snapshot refused');
  assert.is(textOf(lines), 'warn snapshot refused\n');
});

logging('should quote what has blanks, quotes or line ends', () => {
  const lines: string[] = [];
  logInto(lines).info({ a: 'one two', b: 'say "æ"', c: 'x\ny', d: '', e: { f: 1 } }, 'said');
  assert.is(textOf(lines), 'said a="one two" b="say \\"æ\\"" c="x\\ny" d="" e={"f":1}\n');
});

logging('should leave out fields without a value', () => {
  const lines: string[] = [];
  logInto(lines).info({ id: undefined, ms: 1 }, 'rebuild failed');
  assert.is(textOf(lines), 'rebuild failed ms=1\n');
});

logging('should put the stack of what nobody foresaw below its line', () => {
  const lines: string[] = [];
  logInto(lines).error({ id: 'x', err: new Error('no such table') }, 'unexpected failure');
  assert.match(textOf(lines), /^error unexpected failure id=x\n {4}Error: no such table\n {8}at /);
});

logging('should put its own fields on every line', () => {
  const lines: string[] = [];
  logInto(lines, { fields: { worker: 2 } }).info({ id: 'a1' }, 'snapshot adopted');
  assert.is(textOf(lines), 'snapshot adopted worker=2 id=a1\n');
});

logging('should write nothing below its level', () => {
  const lines: string[] = [];
  logInto(lines).debug({}, 'request');
  assert.equal(lines, []);
});

logging('should write JSON where that is asked for', () => {
  const lines: string[] = [];
  logInto(lines, { format: 'json' }).info({ id: 'a1' }, 'snapshot adopted');
  const { time, ...line }: Readonly<Record<string, unknown>> = JSON.parse(lines.join(''));
  assert.ok(!Number.isNaN(Date.parse(String(time))));
  assert.equal(line, { level: 'info', id: 'a1', msg: 'snapshot adopted' });
});

for (const format of ['text', 'json'] as const) {
  logging(`H8: should let no value steer a terminal or end a line, as ${format}`, () => {
    const lines: string[] = [];
    const bad = '\x1b[2J\x9b2J\u2028x\u202e\x85y';
    logInto(lines, { format }).warn({ bad, err: new Error(bad) }, `said ${bad}\nand more`);
    assert.is(lines.length, 1);
    assert.not.match(lines.join(''), /[^\P{Cc}\n]|[\u2028\u2029\u202e]/u);
    const [first = ''] = lines.join('').split('\n');
    assert.match(first, 'and more');
    if (format === 'json') assert.is(JSON.parse(lines.join('')).bad, bad);
  });
}

logging.run();
