/** A worker's connection to the primary, which supervises it. */
import type { Upkeep } from '../upkeep.ts';
import { CHECKS, isToWorker, STALL_MS, type ToPrimary, type ToWorker } from './worker-messages.ts';

interface SupervisorOptions {
  /** Called when the folder may have a new snapshot. */
  readonly onUpkeep: () => void;
  /** H14: called when another process has left the folder's current file. */
  readonly onDamage: () => void;
  /** The primary's `stallMs`. */
  readonly stallMs?: number;
}

interface Supervisor {
  /** The state of the primary's builder; null if it has none. */
  readonly upkeep: () => Upkeep | null;
  /** Resolves once the message is sent. */
  readonly send: (message: ToPrimary) => Promise<void>;
}

/** For a process that node:cluster started. */
export function connectSupervisor(options: SupervisorOptions): Supervisor {
  const { onUpkeep, onDamage, stallMs = STALL_MS } = options;
  let upkeep: Upkeep | null = null;
  const beat = () => void send({ kind: 'beat' });
  beat();
  setInterval(beat, stallMs / CHECKS).unref();
  const receive = (message: ToWorker) => {
    if (message.kind === 'damage') {
      onDamage();
      return;
    }
    upkeep = message.upkeep;
    onUpkeep();
  };
  process.on('message', (message: unknown) => {
    if (isToWorker(message)) receive(message);
  });
  return { upkeep: () => upkeep, send };
}

function send(message: ToPrimary): Promise<void> {
  return new Promise((resolve) => {
    if (process.connected) process.send?.(message, undefined, undefined, () => resolve());
    else resolve();
  });
}
