/**
 * The freshness lifetime of a response (D6): `Cache-Control`, with the header that nginx obeys. A result is fresh until the next change of the
 * calendar that it depends on, and at most for the time that the operator allows.
 */
import { type Epoch, nextChangeIn } from '../query/epoch.ts';
import type { EndpointRequest, EndpointResult } from './endpoint.ts';
import type { HeaderList } from './message.ts';

/** The moment at which a response is sent. */
interface Moment {
  /** Undefined while there is no snapshot. */
  readonly epoch: Epoch | undefined;
  /** Milliseconds since 1970 at which it becomes fresh: from then on it is for whole seconds. */
  readonly at: number;
  /** Seconds: the longest time that a client may cache a response. */
  readonly maxAge: number;
}

type Dated = Pick<EndpointResult, 'hasErrors' | 'isUncacheable' | 'dependsOnDay' | 'exactUntil'>;

/** Whether a result may be stored to answer other requests: not if it has errors, and not if it says so. */
export function isCacheable({
  hasErrors,
  isUncacheable,
}: Pick<Dated, 'hasErrors' | 'isUncacheable'>): boolean {
  return !hasErrors && isUncacheable !== true;
}

export function freshnessOf(
  result: Dated,
  { epoch, at, maxAge }: Moment,
  request: EndpointRequest,
): HeaderList {
  if (epoch === undefined || !isCacheable(result)) return NOT_FRESH;
  const { dependsOnDay, exactUntil = Number.POSITIVE_INFINITY } = result;
  const change = Math.min(nextChangeIn(epoch, dependsOnDay), exactUntil);
  const unchanged = Math.max(0, Math.floor((change * 1_000 - at) / 1_000));
  return freshFor(Math.min(maxAge, unchanged), request);
}

const NOT_FRESH: HeaderList = ['Cache-Control', 'no-store'];

/**
 * nginx counts whole seconds, including the last: it would serve a response that arrives in its clock's next second for up to a second too
 * long. It obeys its own header before `max-age`, and does not forward it.
 */
function freshFor(seconds: number, request: EndpointRequest): HeaderList {
  const scope = request.caller.hasKeyInUrl ? 'private' : 'public';
  const headers = ['Cache-Control', `${scope}, max-age=${seconds}`];
  return isForSharedCaches(request)
    ? [...headers, 'X-Accel-Expires', `${Math.max(0, seconds - 1)}`]
    : headers;
}

/** Whether shared caches may store the response: not of a POST, and not with a key in the URL. */
export function isForSharedCaches({ method, caller }: EndpointRequest): boolean {
  return method !== 'POST' && !caller.hasKeyInUrl;
}
