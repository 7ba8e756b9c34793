/** Decides, before the response cache, whether a request is answered at all. */
import type { IncomingMessage } from 'node:http';
import type { Refusal } from '../graphql/refusal.ts';
import type { Attribution } from './identity.ts';
import type { HeaderList } from './message.ts';

/** Judges a request, and counts it. */
export type Admit = (request: AdmissionRequest) => Verdict;

export interface AdmissionRequest {
  readonly message: Pick<IncomingMessage, 'socket' | 'headers'>;
  readonly caller: Pick<Attribution, 'application'>;
  /** Milliseconds since 1970. */
  readonly arrivedAt: number;
}

export interface Verdict {
  /** Headers that are added to the reply. */
  readonly headers: HeaderList;
  /** The same for a reply that a shared cache may store: without this caller's remaining quota. */
  readonly sharedHeaders: HeaderList;
  /** Null if the request is to be answered. */
  readonly refusal: Refusal | null;
}

/** Requests a minute; null for no limit. */
export interface CallerLimits {
  /** For one address without a valid key. */
  readonly anonymous: number | null;
  /** For one application. */
  readonly keyed: number | null;
}

/** Joins all judgements into one: the first refusal, and the headers of each. Null if there are none. */
export function admitBy(all: readonly Admit[]): Admit | null {
  const [first, ...others] = all;
  if (first === undefined) return null;
  return others.reduce<Admit>(
    (before, next) => (request) => {
      const verdict = before(request);
      if (verdict.refusal !== null) return verdict;
      const { headers, sharedHeaders, refusal } = next(request);
      return {
        headers: [...verdict.headers, ...headers],
        sharedHeaders: [...verdict.sharedHeaders, ...sharedHeaders],
        refusal,
      };
    },
    first,
  );
}
