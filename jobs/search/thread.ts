/** The thread that computes the search index of a large calendar: see ../search.ts. */
import { parentPort } from 'node:worker_threads';
import { createIndex, type FromThread, type ToThread } from '../search.ts';

const index = createIndex();

parentPort?.on('message', (events: ToThread) => {
  if (events !== null) index.take(events);
  answer(events === null ? index.finish() : null);
});

function answer(rows: FromThread): void {
  const bytes =
    rows === null ? [] : [...rows.parts.map(([, part]) => part), ...rows.short.map((set) => set.bytes)];
  const buffers = bytes.map(({ buffer }) => buffer).filter((buffer) => buffer instanceof ArrayBuffer);
  parentPort?.postMessage(rows, buffers);
}
