/**
 * Work that equal requests share: the first of them begins it, and the others wait for its result. It is abandoned once the connections of
 * all of them are closed (D14).
 */
import type { ServerResponse } from 'node:http';
import { Abandonment } from '../admission/semaphore.ts';

export interface SharedWork<Made> {
  readonly result: Promise<Made>;
  readonly isAbandoned: () => boolean;
  /** Counts a response that waits for the result. */
  readonly join: (response: ServerResponse) => void;
}

/** Makes a result, unless no request waits for it. Must not reject. */
export type Make<Made> = (abandonment: Abandonment) => Promise<Made>;

/** `onEnd`: called with the result, before the waiting requests get it. */
export function createSharedWork<Made>(make: Make<Made>, onEnd: (made: Made) => void): SharedWork<Made> {
  const abandonment = new Abandonment();
  let waiting = 0;
  let isOver = false;
  const result = make(abandonment).then((made) => {
    isOver = true;
    onEnd(made);
    return made;
  });
  const leave = () => {
    waiting--;
    if (waiting === 0 && !isOver) abandonment.abandon();
  };
  return {
    result,
    isAbandoned: () => abandonment.isAbandoned,
    join: (response) => {
      waiting++;
      response.once('close', leave);
    },
  };
}
