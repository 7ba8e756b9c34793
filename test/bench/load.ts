/** Starts the process that makes the load, on a core of its own, and sends it jobs. */
import { ask, LOAD_CORE, startHelper } from './processes.ts';

export interface Job {
  readonly port: number;
  readonly connections: number;
  /** Raw requests; taken in turn, over and over. */
  readonly requests: readonly string[];
  readonly count: number;
  /** Requests a second, evenly spread. Without it, each connection sends the next request at once. */
  readonly pace?: number;
}

export interface Outcome {
  readonly count: number;
  readonly seconds: number;
  /** Milliseconds from when a request was due until its whole reply had arrived. */
  readonly p50: number;
  readonly p99: number;
  /** Mean of a reply's body. */
  readonly bytes: number;
}

export interface Load {
  readonly run: (job: Job) => Promise<Outcome>;
  readonly stop: () => void;
}

export async function startLoad(): Promise<Load> {
  const child = await startHelper(new URL('./load-client.ts', import.meta.url), LOAD_CORE);
  return {
    run: async (job) => {
      const answer = await ask(child, { ...job });
      const { outcome, failure } = answer as { readonly outcome?: Outcome; readonly failure?: string };
      if (outcome === undefined) throw new Error(`the load on port ${job.port} failed: ${failure}`);
      return outcome;
    },
    stop: () => child.kill(),
  };
}
