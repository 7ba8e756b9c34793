/** H2: a build on a terminal says how far it is. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createProgress } from '../../jobs/progress.ts';
import { assertDefined, assertIncludes } from '../helpers/assertions.ts';
import { built, sourceOfEvents } from '../helpers/build.ts';
import { NOW } from '../helpers/calendar.ts';
import { temporaryFolder } from '../helpers/folder.ts';

const test = suite('progress');

/** A terminal whose clock goes on by half a second at each look. */
function terminal() {
  const lines: string[] = [];
  let time = 0;
  const write = (text: string) => lines.push(text.replace('\r\u001b[K', ''));
  const clock = () => {
    time += 500;
    return time;
  };
  return { lines, progress: createProgress({ isTTY: true, write }, clock) };
}

test('H2: should show the step with its records, their total and the elapsed time', async () => {
  const { lines, progress } = terminal();
  await built(sourceOfEvents(3), temporaryFolder(), { progress });
  const steps = lines.map((line) => line.replace(/, \d+ s$/, ''));
  assert.equal(
    steps.filter((line) => /^(?:events|write) \d/.test(line)),
    ['events 1', 'events 2', 'events 3', 'write 1 of 3', 'write 2 of 3', 'write 3 of 3'],
  );
  assert.equal(
    lines.filter((line) => !/^[a-z]+(?: \d+(?: of \d+)?)?, \d+ s$/.test(line)),
    [],
  );
});

test('H2: should show the number of records of the build before as the expected total', async () => {
  const target = temporaryFolder();
  await built(sourceOfEvents(3), target);
  const { lines, progress } = terminal();
  await built(sourceOfEvents(4), target, { progress, now: NOW + 60 });
  assertIncludes(lines.join('\n'), 'events 2 of 3, ');
});

test('H2: should write a line ten times a second at most', () => {
  const lines: string[] = [];
  let now = 0;
  const progress = createProgress({ isTTY: true, write: (text) => lines.push(text) }, () => now);
  assertDefined(progress, 'progress on a terminal');
  progress.step('events');
  for (now = 1; now <= 200; now++) progress.record();
  assert.equal(lines, ['\r\u001b[Kevents, 0 s', '\r\u001b[Kevents 100, 0 s', '\r\u001b[Kevents 200, 0 s']);
});

test('H2: should clear the line at the end', () => {
  const lines: string[] = [];
  const progress = createProgress({ isTTY: true, write: (text) => lines.push(text) }, () => 0);
  assertDefined(progress, 'progress on a terminal');
  progress.end();
  assert.equal(lines, ['\r\u001b[K']);
});

test('H2: should write no progress to an output that is no terminal', () => {
  const write = () => assert.unreachable('expected no output');
  assert.is(
    createProgress({ write }, () => 0),
    undefined,
  );
  assert.is(
    createProgress({ isTTY: false, write }, () => 0),
    undefined,
  );
});

test.run();
