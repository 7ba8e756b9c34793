/** Pages and documents that are made once for equal requests: one for each language, address of this server and snapshot. */
import { LRUCache } from 'lru-cache';
import type { ServeContext } from '../../serve/annex.ts';
import type { Handle } from '../../serve/http/koa.ts';
import { secondOf } from '../../serve/http/message.ts';
import { createResource, type Resource } from '../../serve/http/representation.ts';
import type { Snapshot } from '../../snapshot/open.ts';
import { withSnapshot } from '../../snapshot/pins.ts';

type Make = () => Resource | Promise<Resource>;

/** Keeps at most `most` documents, by everything that they depend on. Requests for one that is being made wait for it. */
export function createCache(most: number) {
  const made = new LRUCache<string, Promise<Resource>>({ max: most });
  return (dependsOn: readonly unknown[], make: Make): Promise<Resource> => {
    const key = JSON.stringify(dependsOn);
    const cached = made.get(key);
    if (cached !== undefined) return cached;
    const making = Promise.resolve().then(make);
    made.set(key, making);
    making.catch(() => made.delete(key));
    return making;
  };
}

export interface Documented {
  readonly snapshot: Snapshot;
  /** Address of this server, without a slash at the end. */
  readonly address: string;
  /** Second of the request. */
  readonly now: number;
}

/** A document of the whole calendar: written once for each snapshot and address of this server. `type`: with its charset. */
export function createDocument(
  { keeper, settings, serverAddress }: Pick<ServeContext, 'keeper' | 'settings' | 'serverAddress'>,
  type: string,
  write: (documented: Documented) => string | Promise<string>,
): Handle {
  const cached = createCache(1);
  return async (request) => {
    const { headers } = request;
    const address = serverAddress.shown(headers);
    return withSnapshot(keeper, async (snapshot) => {
      const resource = await cached([snapshot.id, address], async () => {
        const body = Buffer.from(await write({ snapshot, address, now: secondOf(request) }));
        return createResource({ body, type, vary: serverAddress.vary });
      });
      return resource(headers, `public, max-age=${settings.maxAge}`);
    });
  };
}
