/** G7: after a build for which the disk had no room, notices when there is more room. */

interface RoomWatch {
  /** Measures the free space, and calls back once, as soon as there is clearly more. Ends an earlier watch. */
  readonly start: (onRoom: () => void) => Promise<void>;
  readonly stop: () => void;
}

/** Between two measurements. */
const POLL_MS = 60_000;
/** Smaller growth does not count: a rotated log may have freed the space. */
const LEAST_GROWTH_BYTES = 4 * 1_024 * 1_024;

export function createRoomWatch(freeBytes: () => Promise<number>, pollMs: number = POLL_MS): RoomWatch {
  let timer: NodeJS.Timeout | undefined;
  /** A measurement may end after its watch was stopped, or after another was started. */
  let watch = 0;
  // A disk that cannot be measured counts as full.
  const measure = () => freeBytes().catch(() => 0);

  function stop(): void {
    watch++;
    clearTimeout(timer);
  }

  async function start(onRoom: () => void): Promise<void> {
    stop();
    const started = watch;
    const before = await measure();
    // A disk may take longer to answer than the time between two polls, so each poll is timed after the one before.
    const pollLater = () => {
      timer = setTimeout(poll, pollMs);
    };
    const poll = async () => {
      const free = await measure();
      if (watch !== started) return;
      if (free < before + LEAST_GROWTH_BYTES) return pollLater();
      stop();
      onRoom();
    };
    if (watch === started) pollLater();
  }

  return { start, stop };
}
