/** Makes the compressed copy of a snapshot, for downloads. */
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { constants, createBrotliCompress } from 'node:zlib';
import type { Compress } from './publish.ts';
import { createFile } from './unfinished.ts';

/** Brotli's quality. Compression takes hardly longer than the verification, which runs at the same time; 3 saves few bytes. */
const QUALITY = 2;

/** Bytes that are read or compressed at a time. */
const CHUNK = 256 * 1_024;

/** Writes the copy. Returns null, and leaves no file, if that failed: clients can fetch the plain one. */
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
