/** D14: tells the budget what the program and a snapshot take, once the first snapshot is open and before requests arrive. */
import { statSync } from 'node:fs';
import type { Logger } from 'pino';
import type { Budget } from '../serve/admission/budget.ts';
import type { Keeper } from '../snapshot/keeper.ts';

interface MemoryOptions {
  readonly keeper: Pick<Keeper, 'path' | 'onSwap'>;
  readonly budget: Pick<Budget, 'setUsage'>;
  readonly log: Pick<Logger, 'warn'>;
}

/** Resolves as soon as a snapshot is open. A later one takes as much memory for each byte of its file. */
export function measureSnapshots({ keeper, budget, log }: MemoryOptions): Promise<void> {
  let first: Measured | undefined;
  return new Promise((resolve) => {
    const onOpen = () => {
      const { path } = keeper;
      if (path === null) return;
      resolve();
      const { size } = statSync(path);
      first ??= measure(size);
      const warning = budget.setUsage({ program: first.program, snapshot: first.perByte * size });
      if (warning !== null) log.warn(warning);
    };
    keeper.onSwap(onOpen);
    onOpen();
  });
}

interface Measured {
  /** Resident bytes of the process without a snapshot. */
  readonly program: number;
  /** Bytes of memory for each byte of a snapshot's file. */
  readonly perByte: number;
}

function measure(fileSize: number): Measured {
  const { rss, external } = process.memoryUsage();
  const snapshot = BESIDE_COLUMNS * external;
  return { program: rss - snapshot, perByte: snapshot / fileSize };
}

/** Memory of a snapshot, with its lists and cached parts, as a multiple of its columns. */
const BESIDE_COLUMNS = 1.5;
