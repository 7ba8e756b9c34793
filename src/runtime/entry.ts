/** What every entry point does first and last: it looks whether it can run at all, and says plainly why it cannot. */
import cluster from 'node:cluster';
import { CalendarError, isCalendarError } from '../calendar/errors.ts';

/** Node opens many modules at once while it loads them, and a server holds one file for each connection. */
const LEAST_OPEN_FILES = 256;

/** `main` loads what it needs by itself, because with too few files even that fails. */
export async function enter(main: () => Promise<void>): Promise<void> {
  try {
    checkOpenFiles(openFilesLimit());
    await main();
  } catch (thrown) {
    if (!isCalendarError(thrown)) throw thrown;
    // A worker's first process says it for all of them.
    if (!cluster.isWorker) process.stderr.write(`${thrown.message}\n`);
    process.exit(1);
  }
}

function checkOpenFiles(limit: number): void {
  if (limit >= LEAST_OPEN_FILES) return;
  const found = `found a limit of ${limit} (raise it with "ulimit -n 1024", LimitNOFILE= or --ulimit nofile=1024)`;
  throw new CalendarError(
    'INVALID_SETTING',
    `open files: expected at least ${LEAST_OPEN_FILES} for this process, ${found}`,
  );
}

/** Of this process; infinite where the system has none or does not say. */
function openFilesLimit(): number {
  const report: { readonly userLimits?: { readonly open_files?: { readonly soft?: unknown } } } =
    process.report.getReport();
  const soft = report.userLimits?.open_files?.soft;
  return typeof soft === 'number' ? soft : Number.POSITIVE_INFINITY;
}
