/** A document of the whole calendar: written once for each snapshot and address of this server. */
import type { ServeContext } from '../../serve/annex.ts';
import type { Handle } from '../../serve/http/koa.ts';
import { createResource, type Resource } from '../../serve/http/representation.ts';
import type { Snapshot } from '../../snapshot/open.ts';

export interface Documented {
  readonly snapshot: Snapshot;
  /** Of this server, without a slash at the end. */
  readonly address: string;
  /** Second of the request. */
  readonly now: number;
}

interface Description {
  /** Media type with its charset. */
  readonly type: string;
  readonly write: (documented: Documented) => string | Promise<string>;
}

export function createDocument(
  { keeper, settings, ownAddress }: Pick<ServeContext, 'keeper' | 'settings' | 'ownAddress'>,
  { type, write }: Description,
): Handle {
  let latest: { readonly key: string; readonly resource: Resource } | undefined;
  return async ({ headers, arrivedAt }) => {
    const address = ownAddress.shown(headers);
    const { snapshot, release } = keeper.pin();
    try {
      const key = `${snapshot.id} ${address}`;
      let resource = latest?.key === key ? latest.resource : undefined;
      if (resource === undefined) {
        const body = Buffer.from(await write({ snapshot, address, now: Math.floor(arrivedAt / 1_000) }));
        resource = createResource({ body, type, vary: ownAddress.vary });
        latest = { key, resource };
      }
      return await resource(headers, `public, max-age=${settings.maxAge}`);
    } finally {
      release();
    }
  };
}
