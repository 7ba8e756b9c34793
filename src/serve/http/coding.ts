/** Content codings (D7). */
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { HeaderList } from './message.ts';

export const CODINGS = ['identity', 'br', 'gzip'] as const;
export type Coding = (typeof CODINGS)[number];

/** Up to here a reply fits a packet anyway. */
export const SMALLEST_TO_COMPRESS = 1_024;

export interface Encoded {
  readonly body: Buffer;
  readonly coding: Coding;
  readonly headers: HeaderList;
}

/** In Node's thread pool, so that a big answer holds up nobody else; as it is where too much waits for that already. */
export async function encode(plain: Buffer, wanted: Coding): Promise<Encoded> {
  const { length } = plain;
  if (wanted === 'identity' || length <= SMALLEST_TO_COMPRESS || underWay + length > MOST_UNDER_WAY) {
    return { body: plain, coding: 'identity', headers: [] };
  }
  underWay += length;
  try {
    const body = inOwnMemory(await COMPRESS[wanted](plain));
    return { body, coding: wanted, headers: ['Content-Encoding', wanted] };
  } finally {
    underWay -= length;
  }
}

/** zlib gives a view of the 16 KiB that it wrote into, which would be kept as a whole for as long as the answer is. */
function inOwnMemory(view: Buffer): Buffer {
  const own = Buffer.allocUnsafeSlow(view.length);
  own.set(view);
  return own;
}

/** Bytes that are being compressed, or wait for it. */
let underWay = 0;

/** D10: four of the largest answers, one for each of the pool's threads. */
const MOST_UNDER_WAY = 128 * 1_024 * 1_024;

const brotli = promisify(brotliCompress);
const zip = promisify(gzip);

/** Quality 4 costs about what gzip's default does, and gives smaller answers; 5 and up cost several times that. */
const BROTLI_QUALITY = 4;

const COMPRESS = {
  br: (plain: Buffer): Promise<Buffer> =>
    brotli(plain, {
      params: {
        [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY,
        [constants.BROTLI_PARAM_MODE]: constants.BROTLI_MODE_TEXT,
        [constants.BROTLI_PARAM_SIZE_HINT]: plain.length,
      },
    }),
  gzip: (plain: Buffer): Promise<Buffer> => zip(plain),
};
