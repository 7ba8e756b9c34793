import type { Time } from '../../jobs/schedule/time.ts';

/** A clock and timers that stand still until they are told to go on. */
export interface FakeTime extends Time {
  /** Lets that many milliseconds go by, with every timer that falls due on the way. */
  readonly advance: (milliseconds: number) => Promise<void>;
  /** Moves the clock alone, as a sleep of the machine or somebody who sets it does. */
  readonly jump: (milliseconds: number) => void;
  readonly timers: () => number;
}

export function fakeTime(now: number): FakeTime {
  let clock = now;
  /** Timers count the time that the machine is awake, not the clock. */
  let awake = 0;
  const timers = new Set<{ readonly at: number; readonly callBack: () => void }>();
  return {
    now: () => clock,
    after: (milliseconds, callBack) => {
      const timer = { at: awake + milliseconds, callBack };
      timers.add(timer);
      return () => timers.delete(timer);
    },
    jump: (milliseconds) => {
      clock += milliseconds;
    },
    timers: () => timers.size,
    advance: async (milliseconds) => {
      const end = awake + milliseconds;
      await settled();
      for (;;) {
        const [next] = [...timers].filter(({ at }) => at <= end).sort((left, right) => left.at - right.at);
        const to = next?.at ?? end;
        clock += to - awake;
        awake = to;
        if (next === undefined) return;
        timers.delete(next);
        next.callBack();
        await settled();
      }
    },
  };
}

/** Lets everything that waits for nothing but promises go on. */
function settled(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
