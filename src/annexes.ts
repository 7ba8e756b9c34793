/** The annexes of the server (src/serve/annex.ts), one a line. Deleting a line and its folder removes an annex. */
export { catalog } from './annexes/catalog/annex.ts';
export { changes } from './annexes/changes/annex.ts';
export { embed } from './annexes/embed/annex.ts';
export { explain } from './annexes/explain/annex.ts';
export { feeds } from './annexes/feeds/annex.ts';
export { keyRing } from './annexes/keys/annex.ts';
export { listing } from './annexes/listing/annex.ts';
export { mcp } from './annexes/mcp/annex.ts';
export { operator } from './annexes/operator/annex.ts';
export { pages } from './annexes/pages/annex.ts';
export { persisted } from './annexes/persisted/annex.ts';
export { proxies } from './annexes/proxies/annex.ts';
export { queryLog } from './annexes/query-log/annex.ts';
export { quota } from './annexes/quota/annex.ts';
export { sandbox } from './annexes/sandbox/annex.ts';
export { snapshots } from './annexes/snapshots/annex.ts';
export { subscribe } from './annexes/subscribe/annex.ts';
