/** The thread that computes the search index of a large calendar: see ../search.ts. */
import { parentPort } from 'node:worker_threads';
import { createIndex, type FromThread, type ToThread } from '../search.ts';

const index = createIndex();

parentPort?.on('message', (message: ToThread) => {
  if (!(message instanceof Int32Array)) {
    index.take(message);
    return answer(null);
  }
  answer(index.finish(message));
  // It ends, and gives its memory back, before the rows are written.
  parentPort?.close();
});

function answer(rows: FromThread): void {
  const bytes =
    rows === null ? [] : [...rows.parts.map(([, part]) => part), ...rows.short.map((set) => set.bytes)];
  const buffers = bytes.map(({ buffer }) => buffer).filter((buffer) => buffer instanceof ArrayBuffer);
  parentPort?.postMessage(rows, buffers);
}
