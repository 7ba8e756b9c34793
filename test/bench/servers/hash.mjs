// What reading a file and hashing it costs at the least: the part of an adoption that grows with the file.
//   node hash.mjs FILE      prints milliseconds
import { createHash } from 'node:crypto';
import { open } from 'node:fs/promises';

const CHUNK = 256 * 1024;

const started = performance.now();
const file = await open(process.argv[2]);
const chunk = Buffer.alloc(CHUNK);
const hash = createHash('sha256');
for (let read = await file.read(chunk); read.bytesRead > 0; read = await file.read(chunk)) {
  hash.update(chunk.subarray(0, read.bytesRead));
}
hash.digest('hex');
console.log(performance.now() - started);
