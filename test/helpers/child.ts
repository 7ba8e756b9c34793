/** Other people's programs, such as nginx, that run during a test. */
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';

/** Kills the program when this process exits. Returns a function that ends it earlier, and resolves once it has ended. */
export function endWithTests(child: ChildProcess): () => Promise<void> {
  const kill = () => child.kill('SIGKILL');
  process.once('exit', kill);
  return async () => {
    process.off('exit', kill);
    child.kill('SIGTERM');
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
  };
}
