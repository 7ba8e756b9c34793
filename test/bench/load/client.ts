/** Entry point of the process that makes the load: runs the jobs it is sent, one after the other. */
import { type Job, runLoad } from './run.ts';

process.on('message', async (job: Job) => {
  try {
    process.send?.({ outcome: await runLoad(job) });
  } catch (cause) {
    process.send?.({ failure: cause instanceof Error ? cause.message : String(cause) });
  }
});
