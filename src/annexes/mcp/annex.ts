import type { ServeAnnex } from '../../serve/annex.ts';

/** I14: the calendar as tools of the Model Context Protocol. */
export const mcp = {
  name: 'mcp',
  optional: {
    name: 'mcp',
    what: '`/mcp`, the tools for AI assistants',
  },
  load: () => import('./mcp.ts'),
} as const satisfies ServeAnnex;
