// Lets Node run TypeScript, in threads too: tsx by itself sees to the first one only.
import { isMainThread } from 'node:worker_threads';

if (isMainThread) await import('tsx');
else (await import('tsx/esm/api')).register();
