/** G7: after a build for which the disk had no room, notices when there is more room. */

interface RoomWatch {
  /** Measures the free space, and calls back once, as soon as there is clearly more. */
  readonly start: (onRoom: () => void) => Promise<void>;
  readonly stop: () => void;
}

/** Milliseconds between two measurements. */
const POLL_MS = 60_000;
/** Smaller growth does not count: a rotated log may have freed the space. */
const LEAST_GROWTH_BYTES = 4 * 1_024 * 1_024;

export function createRoomWatch(freeBytes: () => Promise<number>, pollMs: number = POLL_MS): RoomWatch {
  let timer: NodeJS.Timeout | undefined;
  // A disk that cannot be measured counts as full.
  const measure = () => freeBytes().catch(() => 0);
  const stop = () => clearInterval(timer);
  const start = async (onRoom: () => void) => {
    const before = await measure();
    timer = setInterval(async () => {
      if ((await measure()) < before + LEAST_GROWTH_BYTES) return;
      stop();
      onRoom();
    }, pollMs);
  };
  return { start, stop };
}
