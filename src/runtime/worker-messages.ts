/** The messages between the primary and its workers, and what both ends have agreed on. */
import { isObject } from '../calendar/json.ts';
import type { Upkeep } from '../upkeep.ts';

/** The environment variable with a worker's slot. */
export const SLOT = 'WORKER_SLOT';

/** Milliseconds for which the event loop of a worker may stall. */
export const STALL_MS = 15_000;
/** Checks in that time, and heartbeats. */
export const CHECKS = 15;

export type ToWorker =
  | { readonly kind: 'upkeep'; readonly upkeep: Upkeep }
  /** Another worker has left the folder's current file. */
  | { readonly kind: 'damage' };

export type ToPrimary =
  /** Heartbeat. */
  | { readonly kind: 'beat' }
  /** H14: the process has left the folder's current file. */
  | { readonly kind: 'damage' }
  /** The process has a snapshot and answers. */
  | { readonly kind: 'started'; readonly url: string }
  /** It cannot start, and a retry would fail too. */
  | { readonly kind: 'refused'; readonly reason: string };

/** Both ends run the same program; a message of any other kind is an annex's, node:cluster's or a library's. */
export function isToWorker(message: unknown): message is ToWorker {
  return hasKind(message, TO_WORKER);
}

export function isToPrimary(message: unknown): message is ToPrimary {
  return hasKind(message, TO_PRIMARY);
}

const TO_WORKER: Readonly<Record<ToWorker['kind'], true>> = { upkeep: true, damage: true };

const TO_PRIMARY: Readonly<Record<ToPrimary['kind'], true>> = {
  beat: true,
  damage: true,
  started: true,
  refused: true,
};

function hasKind(message: unknown, kinds: Readonly<Record<string, true>>): boolean {
  return isObject(message) && typeof message.kind === 'string' && Object.hasOwn(kinds, message.kind);
}
