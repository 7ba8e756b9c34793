/** What the first process and its serving processes tell each other. */
import type { Upkeep } from '../serve/builds.ts';
import type { Report } from './metrics.ts';

export type ToWorker =
  | { readonly kind: 'stop' }
  | { readonly kind: 'upkeep'; readonly upkeep: Upkeep }
  /** Asks for the worker's own metrics. */
  | { readonly kind: 'report'; readonly ask: number }
  /** Answers `collect`; null when it could not be done. */
  | { readonly kind: 'collected'; readonly ask: number; readonly text: string | null };

export type ToPrimary =
  /** Its event loop goes round. */
  | { readonly kind: 'beat'; readonly isDebugged: boolean }
  /** Has a snapshot to answer from. */
  | { readonly kind: 'ready'; readonly url: string }
  /** Cannot start, and could not if it were tried again. */
  | { readonly kind: 'refused'; readonly message: string }
  /** Asks for the metrics of all. */
  | { readonly kind: 'collect'; readonly ask: number }
  /** Answers `report`. */
  | { readonly kind: 'reported'; readonly ask: number; readonly report: Report };

const TO_WORKER: ReadonlySet<unknown> = new Set(['stop', 'upkeep', 'report', 'collected']);
const TO_PRIMARY: ReadonlySet<unknown> = new Set(['beat', 'ready', 'refused', 'collect', 'reported']);

/** Both ends run the same program; what else comes over the channel is node:cluster's or a library's. */
export function isToWorker(message: unknown): message is ToWorker {
  return isObject(message) && 'kind' in message && TO_WORKER.has(message.kind);
}

export function isToPrimary(message: unknown): message is ToPrimary {
  return isObject(message) && 'kind' in message && TO_PRIMARY.has(message.kind);
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}
