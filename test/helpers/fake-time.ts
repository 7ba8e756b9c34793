/** A clock and timers that tests move by hand. */
interface Timer {
  at: number;
  /** Milliseconds between two calls; null for one call. */
  readonly every: number | null;
  readonly callBack: () => void;
}

/** Replaces the clock and the timers of this process, also for libraries. They stand still until the test moves them. */
export function installFakeTime(start: number) {
  let clock = start;
  /** Timers count the time that the machine is awake, not the clock. */
  let awake = 0;
  const timers = new Set<Timer>();
  const { Date: RealDate, setTimeout, clearTimeout, setInterval, clearInterval } = globalThis;
  const add = (callBack: () => void, milliseconds = 0, every: number | null = null) => {
    const timer = { at: awake + milliseconds, every, callBack, unref: () => timer };
    timers.add(timer);
    return timer;
  };
  const remove = (timer: Timer) => timers.delete(timer);
  Object.assign(globalThis, {
    Date: new Proxy(RealDate, {
      construct: (target, given, made) =>
        Reflect.construct(target, given.length === 0 ? [clock] : given, made),
      get: (target, key) => (key === 'now' ? () => clock : Reflect.get(target, key)),
    }),
    setTimeout: add,
    clearTimeout: remove,
    setInterval: (callBack: () => void, milliseconds: number) => add(callBack, milliseconds, milliseconds),
    clearInterval: remove,
  });
  return {
    now: () => clock,
    /** Moves the clock but no timer, as a sleep of the machine or a new setting of the clock does. */
    jump: (milliseconds: number) => {
      clock += milliseconds;
    },
    timers: () => timers.size,
    /** Moves the clock by so many milliseconds, and runs every timer that is due within them. */
    advance: async (milliseconds: number) => {
      const end = awake + milliseconds;
      await settled();
      for (;;) {
        const [next] = [...timers].filter(({ at }) => at <= end).sort((left, right) => left.at - right.at);
        const to = next?.at ?? end;
        clock += to - awake;
        awake = to;
        if (next === undefined) return;
        if (next.every === null) timers.delete(next);
        else next.at += next.every;
        next.callBack();
        await settled();
      }
    },
    /** Restores the clock and the timers of the process. */
    end: () => {
      Object.assign(globalThis, { Date: RealDate, setTimeout, clearTimeout, setInterval, clearInterval });
    },
  };
}

/** Waits until promises that are settled have run their callbacks. */
async function settled(): Promise<void> {
  for (let turn = 0; turn < 2; turn++) await new Promise((resolve) => setImmediate(resolve));
}
