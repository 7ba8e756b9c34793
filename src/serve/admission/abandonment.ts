/** Signals that no client waits for some work any more (D14). An AbortSignal would do, but it makes each refusal more expensive. */
export class Abandonment {
  isAbandoned = false;
  #listener: (() => void) | undefined;

  abandon(): void {
    this.isAbandoned = true;
    this.#listener?.();
  }

  /** Called back at once when the work is abandoned, in place of an earlier listener; undefined for none. */
  listen(listener: (() => void) | undefined): void {
    this.#listener = listener;
  }
}
