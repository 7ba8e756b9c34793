/** Makes the compressed copy of a snapshot, for downloads. */
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { constants, createBrotliCompress } from 'node:zlib';
import type { Compress } from './publish.ts';
import { createFile } from './unfinished.ts';

/** It takes hardly longer than the verification, which runs at the same time; 3 makes hardly fewer bytes. */
const QUALITY = 2;

const CHUNK = 256 * 1_024;

/** Writes the copy next to the file. Null if that failed: clients can fetch the plain file. */
export const compress: Compress = async (file, to) => {
  const hash = createHash('sha256');
  let bytes = 0;
  const count = async function* (chunks: AsyncIterable<Buffer>) {
    for await (const chunk of chunks) {
      hash.update(chunk);
      bytes += chunk.length;
      yield chunk;
    }
  };
  const params = { [constants.BROTLI_PARAM_QUALITY]: QUALITY };
  try {
    await pipeline(
      createReadStream(file, { highWaterMark: CHUNK }),
      createBrotliCompress({ params, chunkSize: CHUNK }),
      count,
      await createFile(to, { flush: true }),
    );
  } catch {
    await rm(to, { force: true, recursive: true }).catch(() => undefined);
    return null;
  }
  return { bytes, sha256: hash.digest('hex') };
};
