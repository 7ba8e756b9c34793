/** Requests and their times in each hour of the last day, in this process: for the plots of `/status`. */

export interface Hour {
  /** ISO 8601: when it began. */
  readonly at: string;
  readonly requests: number;
  /** 95 of 100 requests took at most so long; null without a request. */
  readonly p95Milliseconds: number | null;
}

const HOUR_MS = 3_600_000;
const SHOWN = 24;
/** Upper bounds of the buckets in milliseconds, a fifth apart from 0.05 ms to some 11 s: p95 is exact to a fifth. */
const BOUNDS = Array.from({ length: 68 }, (_, at) => 0.05 * 1.2 ** at);

interface Counted {
  readonly hour: number;
  requests: number;
  readonly buckets: Uint32Array;
}

export function createHours(clock: () => number) {
  /** By the hour of the day, so that each hour takes the place of the same one of the day before. */
  const ring: (Counted | undefined)[] = new Array(SHOWN);
  return {
    count: (milliseconds: number): void => {
      const hour = Math.floor(clock() / HOUR_MS);
      let counted = ring[hour % SHOWN];
      if (counted?.hour !== hour) {
        counted = { hour, requests: 0, buckets: new Uint32Array(BOUNDS.length) };
        ring[hour % SHOWN] = counted;
      }
      counted.requests += 1;
      const place = BOUNDS.findIndex((bound) => milliseconds <= bound);
      const bucket = place === -1 ? BOUNDS.length - 1 : place;
      counted.buckets[bucket] = (counted.buckets[bucket] ?? 0) + 1;
    },
    read: (): readonly Hour[] => {
      const last = Math.floor(clock() / HOUR_MS);
      return Array.from({ length: SHOWN }, (_, place) => {
        const hour = last - SHOWN + 1 + place;
        const counted = ring[hour % SHOWN];
        const at = new Date(hour * HOUR_MS).toISOString();
        return counted?.hour === hour
          ? { at, requests: counted.requests, p95Milliseconds: percentile95(counted) }
          : { at, requests: 0, p95Milliseconds: null };
      });
    },
  };
}

function percentile95({ requests, buckets }: Counted): number {
  let below = 0;
  const place = buckets.findIndex((count) => {
    below += count;
    return below >= 0.95 * requests;
  });
  return BOUNDS[place] ?? 0;
}
