/** The processes that read the documents of all feeds of a build. */
import { sumOf } from '../../../src/calendar/groups.ts';
import { createReaderProcess, type ReaderProcess, type ReadRequest } from './reader-process.ts';

export interface Readers {
  /** Reads one feed as soon as a process is free. Throws FeedProblem, and the signal's reason. */
  readonly read: (request: ReadRequest, signal?: AbortSignal) => Promise<void>;
  /** Kills all processes. */
  readonly end: () => void;
}

interface ReaderLimits {
  /** For each feed. */
  readonly milliseconds: number;
  /** The size of JavaScript's heap in the first process. */
  readonly megabytes: number;
  /** Milliseconds that a small feed waits for a process before another one starts. */
  readonly patience?: number;
}

const LIMITS = { milliseconds: 60_000, megabytes: 1024, patience: 2_000 };

/** One process for feeds of any size, the others for small feeds. Together they need less than twice the memory of one. */
const MOST_PROCESSES = 4;
const MEGABYTES_FOR_SMALL = 256;
/** Bytes of a small feed's documents: most are much smaller. */
const MOST_BYTES_OF_SMALL = 1024 * 1024;

/** A process, and what it may read. */
interface Slot {
  readonly process: ReaderProcess;
  readonly isForSmall: boolean;
  isBusy: boolean;
}

/** A feed that waits for a slot. */
interface Waiting {
  readonly isSmall: boolean;
  readonly assign: (slot: Slot) => void;
}

/**
 * One process reads the feeds of a refresh, because starting one takes half a second of CPU. A dead process is replaced. Others start only
 * when a feed has waited, so that a few slow feeds do not delay the rest.
 */
export function createReaders({
  milliseconds,
  megabytes,
  patience = LIMITS.patience,
}: ReaderLimits = LIMITS): Readers {
  const slots: Slot[] = [];
  const waiting: Waiting[] = [];

  function addSlot(slotMegabytes: number, { isForSmall }: Pick<Slot, 'isForSmall'>): void {
    const process = createReaderProcess({ milliseconds, megabytes: slotMegabytes });
    slots.push({ process, isForSmall, isBusy: false });
    assignSlots();
  }

  /** Assigns each free slot to the first feed that waits for one. */
  function assignSlots(): void {
    for (const slot of slots.filter(({ isBusy }) => !isBusy)) {
      const index = waiting.findIndex(({ isSmall }) => isSmall || !slot.isForSmall);
      const [next] = index === -1 ? [] : waiting.splice(index, 1);
      if (next === undefined) continue;
      slot.isBusy = true;
      next.assign(slot);
    }
  }

  function addSlotForSmall(): void {
    if (slots.length === MOST_PROCESSES) return;
    addSlot(Math.min(megabytes, MEGABYTES_FOR_SMALL), { isForSmall: true });
  }

  async function slotFor(isSmall: boolean): Promise<Slot> {
    const timer = isSmall ? setTimeout(addSlotForSmall, patience) : undefined;
    const slot = await new Promise<Slot>((assign) => {
      waiting.push({ isSmall, assign });
      assignSlots();
    });
    clearTimeout(timer);
    return slot;
  }

  async function read(request: ReadRequest, signal?: AbortSignal): Promise<void> {
    const bytes = sumOf(request.documents.map((document) => document.bytes?.length ?? 0));
    const slot = await slotFor(bytes <= MOST_BYTES_OF_SMALL);
    try {
      await slot.process.read(request, signal);
    } finally {
      slot.isBusy = false;
      assignSlots();
    }
  }

  function end(): void {
    for (const { process } of slots) process.end();
  }

  addSlot(megabytes, { isForSmall: false });
  return { read, end };
}
