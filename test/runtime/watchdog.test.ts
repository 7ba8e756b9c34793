import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { beatMs, createStallCheck } from '../../src/runtime/watchdog.ts';
import { endPrograms, fixtureOf, type Program, startProgram } from '../helpers/program.ts';

const STALL_MS = 1_500;
const FIXTURE = fixtureOf('watched');

const watching = suite('watchdog');

watching.after.each(endPrograms);

/** What happens between looks, and how many looks come before it is found to stand still; null for never. */
const LIVES: readonly (readonly [what: string, live: (look: number) => Look, stalled: number | null])[] = [
  ['beats all the time', (look) => ({ beat: look }), null],
  ['beats at every tenth look', (look) => ({ beat: Math.floor(look / 10) }), null],
  ['never beats again', () => ({ beat: 0 }), 16],
  ['stops beating after a while', (look) => ({ beat: Math.min(look, 40) }), 55],
  [
    'sleeps for an hour with all around it',
    (look) => ({ beat: look, passed: look === 20 ? 3_600_000 : 1_000 }),
    null,
  ],
  [
    'sleeps, and beats some looks later',
    (look) => ({ beat: look < 20 || look > 30 ? look : 20, passed: look === 20 ? 3_600_000 : 1_000 }),
    null,
  ],
  [
    'sleeps, and never beats again',
    (look) => ({ beat: Math.min(look, 20), passed: look === 21 ? 3_600_000 : 1_000 }),
    34,
  ],
  ['is looked at by somebody held up', (look) => ({ beat: Math.floor(look / 7), passed: 30_000 }), null],
  ['stands still in a debugger', () => ({ beat: 0, isDebugged: true }), null],
  ['stands still once the debugger is gone', (look) => ({ beat: 0, isDebugged: look < 30 }), 44],
];

interface Look {
  readonly beat: number;
  /** Milliseconds since the last look. */
  readonly passed?: number;
  readonly isDebugged?: boolean;
}

for (const [what, live, stalled] of LIVES) {
  watching(`D13: a loop that ${what} should ${stalled === null ? 'live' : `end at look ${stalled}`}`, () => {
    let now = 0;
    const isStalled = createStallCheck({ stallMs: 15_000, clock: () => now });
    let found: number | null = null;
    for (let look = 1; look <= 100 && found === null; look++) {
      const { beat, passed = beatMs(15_000), isDebugged = false } = live(look);
      now += passed;
      if (isStalled({ beat, isDebugged })) found = look;
    }
    assert.is(found, stalled);
  });
}

async function watched(blockMs: number, flags: readonly string[] = []): Promise<Program> {
  const program = startProgram({ script: FIXTURE, flags, args: [`${STALL_MS}`, `${blockMs}`] });
  await program.says(/ alive$/);
  return program;
}

const alive = ({ lines }: Program) => lines.filter((line) => line.endsWith(' alive')).length;

async function goesOn(program: Program): Promise<void> {
  const before = alive(program);
  while (alive(program) < before + 3) {
    await Promise.race([pause(20), program.ended.then(({ signal }) => assert.unreachable(`${signal}`))]);
  }
}

watching(
  'D13: a process whose loop is blocked MUST be ended from outside of it, and the log say so',
  async () => {
    const program = await watched(600_000);
    program.kill('SIGUSR2');
    assert.equal(await program.ended, { code: null, signal: 'SIGKILL' });
    await program.says(/fatal event loop stands still, process killed ms=1500$/);
  },
);

watching('D13: a process that blocks for a shorter time should live', async () => {
  const program = await watched(STALL_MS / 2);
  program.kill('SIGUSR2');
  await pause(STALL_MS / 2);
  await goesOn(program);
});

watching('D13: a process that was suspended with its machine should live', async () => {
  const program = await watched(0);
  for (let times = 0; times < 2; times++) {
    program.kill('SIGSTOP');
    await pause(STALL_MS * 1.5);
    program.kill('SIGCONT');
    await goesOn(program);
  }
});

watching('D13: a process that stands still in a debugger should live', async () => {
  const program = await watched(STALL_MS * 2, ['--inspect=127.0.0.1:0']);
  program.kill('SIGUSR2');
  await pause(STALL_MS * 2);
  await goesOn(program);
});

watching('D13: a process whose log nobody reads MUST end, too', async () => {
  const program = [process.execPath, FIXTURE, `${STALL_MS}`, 'flood'];
  // Into a pipe that nobody reads; its exit code goes another way.
  const shell = spawn('sh', ['-c', '{ "$@"; echo $? >&3; } | sleep 600', 'sh', ...program], {
    stdio: ['ignore', 'ignore', 'ignore', 'pipe'],
    detached: true,
  });
  try {
    const [code] = await Promise.race([
      once(shell.stdio[3] ?? shell, 'data'),
      pause(30_000, ['none'], { ref: false }),
    ]);
    assert.is(`${code}`.trim(), '137');
  } finally {
    process.kill(-(shell.pid ?? 0), 'SIGKILL');
  }
});

watching.run();
