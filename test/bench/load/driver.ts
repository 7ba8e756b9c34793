/** The process that makes the load, seen from the benchmark: it has a core of its own. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { LOAD_CORE, onCore } from '../machine.ts';
import type { Job, Outcome } from './run.ts';

export interface Load {
  readonly run: (job: Job) => Promise<Outcome>;
  readonly stop: () => void;
}

const CLIENT = fileURLToPath(new URL('./client.ts', import.meta.url));

export function startLoad(): Load {
  const [command, ...args] = onCore(LOAD_CORE, [process.execPath, '--import', 'tsx', CLIENT]);
  const child = spawn(command, args, {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    serialization: 'advanced',
  });
  return {
    run: async (job) => {
      const answered = once(child, 'message');
      child.send(job);
      const [answer]: unknown[] = await answered;
      return outcomeOf(answer, job);
    },
    stop: () => child.kill(),
  };
}

function outcomeOf(answer: unknown, { port }: Job): Outcome {
  const { outcome, failure } = answer as { readonly outcome?: Outcome; readonly failure?: string };
  if (outcome === undefined) throw new Error(`the load on port ${port} failed: ${failure}`);
  return outcome;
}
