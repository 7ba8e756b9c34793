/**
 * H12: when this server last stopped because it was told to. Alerts about restarts leave these stops out: a process that crashes, is killed or
 * runs out of memory does not note its end. The mark is the time of a file beside the key file, one for each port.
 */
import { statSync, writeFileSync } from 'node:fs';

interface PlannedStop {
  /** Unix time in seconds; 0 for never. It is that of the earlier processes: this one has not stopped yet. */
  readonly lastAt: number;
  /** Called once the server has stopped. */
  readonly note: () => void;
}

export function createPlannedStop({
  keys,
  port,
}: {
  readonly keys: string;
  readonly port: number;
}): PlannedStop {
  const file = `${keys}.stopped-${port}`;
  const found = statSync(file, { throwIfNoEntry: false });
  const note = () => {
    try {
      writeFileSync(file, '');
    } catch {
      // A replica in Kubernetes may not write beside its keys. All its restarts count, and planned ones there are new pods.
    }
  };
  return { lastAt: found === undefined ? 0 : found.mtimeMs / 1_000, note };
}
