/** Pins keep a snapshot open for as long as it is read (H5): it closes once the last one is released. */
import type { Snapshot } from './open.ts';

export interface Pin {
  readonly snapshot: Snapshot;
  /** Called when nothing more is read; further calls do nothing. */
  readonly release: () => void;
}

/** Pins the current snapshot for as long as it is read. Throws SERVICE_UNAVAILABLE if none is open. */
export async function withSnapshot<Read>(
  keeper: { readonly pin: () => Pin },
  read: (snapshot: Snapshot) => Read | Promise<Read>,
): Promise<Read> {
  const { snapshot, release } = keeper.pin();
  try {
    return await read(snapshot);
  } finally {
    release();
  }
}

interface Pins {
  readonly pin: () => Pin;
  /** Resolves once the snapshot is closed. */
  readonly closed: Promise<void>;
}

/** A snapshot without pins, which stays open until it has had one. */
export function createPins(snapshot: Snapshot): Pins {
  let count = 0;
  let onLastRelease = (): void => undefined;
  const released = new Promise<void>((resolve) => {
    onLastRelease = resolve;
  });
  const pin = (): Pin => {
    count++;
    let isReleased = false;
    const release = () => {
      if (isReleased) return;
      isReleased = true;
      count--;
      if (count === 0) onLastRelease();
    };
    return { snapshot, release };
  };
  return { pin, closed: released.then(() => snapshot.close()) };
}
