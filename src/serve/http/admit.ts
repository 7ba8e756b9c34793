/** Whether a request is answered at all: the judgement that stands before the response cache. */
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
  /** To be added to the reply's. */
  readonly headers: HeaderList;
  /** The same for a reply that a cache may hand to others: without what is left for this caller. */
  readonly sharedHeaders: HeaderList;
  /** Null for a request that is to be answered. */
  readonly refusal: Refusal | null;
}

/** Requests a minute; null for no limit. */
export interface CallerLimits {
  /** For one address without a valid key. */
  readonly anonymous: number | null;
  /** For one application. */
  readonly keyed: number | null;
}

/** All judgements as one: the first refusal, and the headers of each. Null where there are none. */
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
