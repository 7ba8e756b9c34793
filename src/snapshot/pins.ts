/** Keeps a snapshot open until the last request that began with it is done. */
import type { Snapshot } from './open.ts';

/** A request's hold on the snapshot it began with. */
export interface Pin {
  readonly snapshot: Snapshot;
  /** To be called once the answer is made; calling again does nothing. */
  readonly release: () => void;
}

export interface Held {
  readonly snapshot: Snapshot;
  readonly pin: () => Pin;
  /** Lets the snapshot close as soon as no pin is left; resolves then. */
  readonly retire: () => Promise<void>;
}

export function hold(snapshot: Snapshot): Held {
  let pins = 0;
  let closeNow: (() => void) | null = null;
  let closed: Promise<void> | null = null;
  return {
    snapshot,
    pin() {
      pins++;
      let held = true;
      return {
        snapshot,
        release() {
          if (!held) return;
          held = false;
          pins--;
          if (pins === 0) closeNow?.();
        },
      };
    },
    retire() {
      closed ??= new Promise<void>((done) => {
        closeNow = done;
        if (pins === 0) done();
      }).then(() => snapshot.close());
      return closed;
    },
  };
}
