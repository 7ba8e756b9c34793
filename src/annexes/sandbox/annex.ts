import type { ServeAnnex } from '../../serve/annex.ts';

/** D3: GraphiQL for browsers that open the endpoint's address. */
export const sandbox = {
  name: 'sandbox',
  optional: {
    name: 'sandbox',
    what: 'the interactive sandbox at `/graphQL` in a browser; the endpoint stays',
  },
  load: () => import('./sandbox.ts'),
} as const satisfies ServeAnnex;
