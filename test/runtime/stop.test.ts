import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createStop } from '../../src/runtime/entry.ts';

const stopping = suite('stop');

function scene() {
  const exits: number[] = [];
  const causes: string[] = [];
  const time = { now: 0 };
  const end = { finish: () => {}, fail: () => {} };
  const stop = (why: string) => {
    causes.push(why);
    return new Promise<void>((resolve, reject) => {
      Object.assign(end, { finish: resolve, fail: () => reject(new Error('not closed')) });
    });
  };
  const cause = createStop({ stop, exit: (code) => exits.push(code), clock: () => time.now });
  return { cause, exits, causes, time, end };
}

const settled = () => new Promise((resolve) => setImmediate(resolve));

stopping('H4: should exit 0 when all is done, and not before', async () => {
  const { cause, exits, causes, end } = scene();
  cause('SIGTERM');
  await settled();
  assert.equal([causes, exits], [['SIGTERM'], []]);
  end.finish();
  await settled();
  assert.equal(exits, [0]);
});

stopping('H4: should take the second of two signals of one Ctrl-C for the first', async () => {
  const { cause, exits, causes, time } = scene();
  cause('SIGINT');
  time.now = 20;
  cause('SIGINT');
  assert.equal([causes, exits], [['SIGINT'], []]);
});

for (const [signal, code] of [
  ['SIGINT', 130],
  ['SIGTERM', 143],
] as const) {
  stopping(`H4: should exit at once at a second ${signal}`, async () => {
    const { cause, exits, time } = scene();
    cause('SIGTERM');
    time.now = 600;
    cause(signal);
    assert.equal(exits, [code]);
  });
}

stopping('H4: should not hurry because of anything but a signal', () => {
  const { cause, exits, time } = scene();
  cause('SIGTERM');
  time.now = 5_000;
  cause('stop');
  assert.equal(exits, []);
});

stopping('H4: should exit 1 when something could not be closed', async () => {
  const { cause, exits, end } = scene();
  cause('SIGTERM');
  end.fail();
  await settled();
  assert.equal(exits, [1]);
});

stopping.run();
