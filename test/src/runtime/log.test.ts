/** Lines of the log, as text and as JSON. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createLog, type LogOptions } from '../../../src/runtime/log.ts';

const logging = suite('log');

type Log = ReturnType<typeof createLog>;

/** The output of a log. */
function written(write: (log: Log) => void, options: Partial<LogOptions> = {}): string {
  const lines: string[] = [];
  const output = { write: (line: string) => lines.push(line) };
  write(createLog({ level: 'info', format: 'text', output, ...options }));
  return lines.join('');
}

const VALUES = { a: 'one two', b: 'say "æ"', c: 'x\ny', d: '', e: { f: 1 }, g: 'h=i' };

interface WrittenLine {
  readonly title: string;
  readonly write: (log: Log) => void;
  /** Fields that the log adds to each line. */
  readonly fields?: LogOptions['fields'];
  /** The output without its time. */
  readonly line: string;
}

const LINES: readonly WrittenLine[] = [
  {
    title: 'one line an event, its values as fields',
    write: (log) => log.info({ id: 'a1', events: 3, reason: null }, 'snapshot adopted'),
    line: 'snapshot adopted id=a1 events=3 reason=null\n',
  },
  {
    title: 'the level of a warning',
    write: (log) => log.warn({}, 'snapshot refused'),
    line: 'warn snapshot refused\n',
  },
  {
    title: 'values with blanks, quotes and line ends in quotation marks',
    write: (log) => log.info(VALUES, 'said'),
    line: 'said a="one two" b="say \\"æ\\"" c="x\\ny" d="" e={"f":1} g="h=i"\n',
  },
  {
    title: 'no field without a value',
    write: (log) => log.info({ id: undefined, ms: 1 }, 'rebuild failed'),
    line: 'rebuild failed ms=1\n',
  },
  {
    title: 'its own fields on every line',
    write: (log) => log.info({ id: 'a1' }, 'snapshot adopted'),
    fields: { worker: 2 },
    line: 'snapshot adopted worker=2 id=a1\n',
  },
  {
    title: 'an err that is no Error below its line',
    write: (log) => log.error({ err: 'no such table' }, 'unexpected failure'),
    line: 'error unexpected failure\n    no such table\n',
  },
  {
    title: 'an err that is an object as JSON',
    write: (log) => log.error({ err: { code: 7 } }, 'unexpected failure'),
    line: 'error unexpected failure\n    {"code":7}\n',
  },
  {
    title: 'nothing below its level',
    write: (log) => log.debug({}, 'request'),
    line: '',
  },
];

for (const { title, write, fields = {}, line } of LINES) {
  logging(`should write ${title}`, () => {
    assert.is(written(write, { fields }).replace(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{3}Z /, ''), line);
  });
}

logging('should put the stack of an unexpected error below its line', () => {
  const text = written((log) =>
    log.error({ id: 'x', err: new Error('no such table') }, 'unexpected failure'),
  );
  assert.match(text, /Z error unexpected failure id=x\n {4}Error: no such table\n {8}at /);
});

logging('should write JSON where the settings ask for it', () => {
  const text = written((log) => log.info({ id: 'a1' }, 'snapshot adopted'), { format: 'json' });
  const { time, ...line }: Readonly<Record<string, unknown>> = JSON.parse(text);
  assert.match(String(time), /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  assert.equal(line, { level: 'info', id: 'a1', msg: 'snapshot adopted' });
});

for (const format of ['text', 'json'] as const) {
  logging(`H8: should let no value steer a terminal or end a line, as ${format}`, () => {
    const bad = '\x1b[2J\x9b2J\u2028x\u202e\x85y';
    const text = written((log) => log.warn({ bad, err: new Error(bad) }, `said ${bad}\nand more`), {
      format,
    });
    assert.not.match(text, /[^\P{Cc}\n]|[\u2028\u2029\u202e]/u);
    assert.match(text.split('\n')[0] ?? '', 'and more');
    if (format === 'json') assert.is(JSON.parse(text).bad, bad);
  });
}

logging.run();
