/** H2: a build on a terminal says how far it is. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createProgress } from '../../jobs/progress.ts';
import { assertIncludes } from '../helpers/assertions.ts';
import { built, sourceOf } from '../helpers/build.ts';
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

test('H2: should name the step, how many of how many records, and the time so far', async () => {
  const target = temporaryFolder();
  const first = terminal();
  await built(sourceOf(3), target, { progress: first.progress });
  const steps = first.lines.map((line) => line.replace(/, \d+ s$/, ''));
  assert.equal(
    steps.filter((line) => /^(?:events|write) \d/.test(line)),
    ['events 1', 'events 2', 'events 3', 'write 1 of 3', 'write 2 of 3', 'write 3 of 3'],
  );
  for (const line of first.lines) assert.match(line, /^[a-z]+(?: \d+(?: of \d+)?)?, \d+ s$/);
  // A later build knows some number beforehand.
  const second = terminal();
  await built(sourceOf(4), target, { progress: second.progress, now: NOW + 60 });
  assertIncludes(second.lines.join('\n'), 'events 2 of 3, ');
});

test('H2: should write a line ten times a second at most, clear it at the end, and write none elsewhere', () => {
  const lines: string[] = [];
  const progress = createProgress({ isTTY: true, write: (text) => lines.push(text) }, () => 0);
  progress?.step('events');
  for (let nth = 0; nth < 1_000; nth++) progress?.record();
  progress?.end();
  assert.equal(lines, ['\r\u001b[Kevents, 0 s', '\r\u001b[K']);
  assert.is(
    createProgress({ write: (text) => lines.push(text) }, () => 0),
    undefined,
  );
});

test.run();
