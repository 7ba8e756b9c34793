/** A time limit that every sign of life renews. */

export interface Patience {
  /** Aborts when it is over, or when the one it was made with does. */
  readonly signal: AbortSignal;
  readonly renew: () => void;
  /** Whether the time ran out. */
  readonly isOver: () => boolean;
  /** To be called when all is done. */
  readonly end: () => void;
}

export interface PatienceOptions {
  readonly signal: AbortSignal;
  readonly milliseconds: number;
}

/** By hand: `AbortSignal.any` holds on to what it made for as long as a long-lived signal lives. */
export function createPatience({ signal, milliseconds }: PatienceOptions): Patience {
  const controller = new AbortController();
  let over = false;
  const timer = setTimeout(() => {
    over = true;
    controller.abort();
  }, milliseconds);
  const onAbort = () => controller.abort();
  if (signal.aborted) onAbort();
  else signal.addEventListener('abort', onAbort);
  return {
    signal: controller.signal,
    renew: () => timer.refresh(),
    isOver: () => over,
    end: () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', onAbort);
    },
  };
}
