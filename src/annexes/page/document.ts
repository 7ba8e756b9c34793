/** Pages and documents that are made once for equal requests, and are cached while they are exact. */
import { LRUCache } from 'lru-cache';
import type { ServeContext } from '../../serve/annex.ts';
import type { Handle } from '../../serve/http/koa.ts';
import { type HttpRequest, secondOf } from '../../serve/http/message.ts';
import { createResource, type Resource } from '../../serve/http/representation.ts';
import { epochOf, nextChangeIn } from '../../serve/query/epoch.ts';
import type { Snapshot } from '../../snapshot/open.ts';
import { withSnapshot } from '../../snapshot/pins.ts';

/** `dependsOn`: everything that the document depends on. Requests for one that is being made wait for it. */
type MakeOnce<Made> = (dependsOn: readonly unknown[], make: () => Made | Promise<Made>) => Promise<Made>;

/** Makes each document once, and keeps at most `most` of them; one that could not be made is made again for the next request. */
export function createMakeOnce<Made = Resource>(most: number): MakeOnce<Made> {
  const made = new LRUCache<string, Promise<Made>>({ max: most });
  return (dependsOn, make) => {
    const key = JSON.stringify(dependsOn);
    const cached = made.get(key);
    if (cached !== undefined) return cached;
    const making = Promise.resolve().then(make);
    made.set(key, making);
    making.catch(() => {
      // Another one may have been made since, after this one was evicted.
      if (made.peek(key) === making) made.delete(key);
    });
    return making;
  };
}

export interface DocumentBasis {
  readonly snapshot: Snapshot;
  /** Address of this server, without a slash at the end. */
  readonly address: string;
  /** Second of the request. */
  readonly now: number;
}

/**
 * A document of the whole calendar, for each address of this server. It is cached until the calendar may change, and written again by the next
 * request. `type`: with its charset.
 */
export function createDocument(
  { keeper, settings, serverAddress }: Pick<ServeContext, 'keeper' | 'settings' | 'serverAddress'>,
  type: string,
  write: (documented: DocumentBasis) => string | Promise<string>,
): Handle {
  const makeOnce = createMakeOnce(1);
  return async (request) => {
    const { headers } = request;
    const address = serverAddress.shown(headers);
    const now = secondOf(request);
    return withSnapshot(keeper, async (snapshot) => {
      const makeResource = async () => {
        const body = Buffer.from(await write({ snapshot, address, now }));
        return createResource({ body, type, vary: serverAddress.vary });
      };
      const until = nextChangeIn(epochOf(snapshot, now), true);
      const resource = await makeOnce([snapshot.id, until, address], () => admitted(request, makeResource));
      return resource(headers, cacheControlUntil(until, request, settings));
    });
  };
}

/** D6: of what is exact until that second. `maxAge`: seconds that it may be cached at most. */
export function cacheControlUntil(
  until: number,
  { arrivedAt }: Pick<HttpRequest, 'arrivedAt'>,
  { maxAge }: { readonly maxAge: number },
): string {
  const exact = Math.floor(until - arrivedAt / 1_000);
  return `public, max-age=${Math.max(0, Math.min(maxAge, exact))}`;
}

/** D14: makes a document once the request has entered, which bounds the documents that are made at a time. */
export async function admitted<Made>(request: HttpRequest, make: () => Promise<Made>): Promise<Made> {
  const leave = await request.enter?.();
  try {
    return await make();
  } finally {
    leave?.();
  }
}
