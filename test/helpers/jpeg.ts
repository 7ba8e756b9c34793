/** JPEG pictures for tests, of one colour. */

interface JpegOptions {
  /** Scans besides the first one, which only progressive pictures have. */
  readonly scans?: number;
  /** Bytes of other segments before the size. */
  readonly before?: number;
}

/** Progressive, with one channel. */
export function jpegOf(width: number, height: number, { scans = 0, before = 0 }: JpegOptions = {}): Buffer {
  const blocks = Math.ceil(width / 8) * Math.ceil(height / 8);
  const size = Buffer.alloc(5);
  size[0] = 8;
  size.writeUInt16BE(height, 1);
  size.writeUInt16BE(width, 3);
  return Buffer.concat([
    Buffer.from([0xff, 0xd8]),
    ...Array.from({ length: Math.ceil(before / LONGEST) }, () =>
      segmentOf(0xe2, Buffer.alloc(LONGEST, 0xff)),
    ),
    segmentOf(0xdb, Buffer.concat([Buffer.from([0]), Buffer.alloc(64, 1)])),
    segmentOf(0xc2, Buffer.concat([size, Buffer.from([1, 1, 0x11, 0])])),
    tableOf(0x00, 0),
    tableOf(0x10, END_OF_BANDS),
    // One bit a block: no difference from the one before.
    scanOf([0, 0], Buffer.alloc(Math.ceil(blocks / 8))),
    ...Array.from({ length: scans }, () => scanOf([1, 63], endsOf(blocks))),
    Buffer.from([0xff, 0xd9]),
  ]);
}

const LONGEST = 65_533;

function segmentOf(marker: number, content: Buffer): Buffer {
  const head = Buffer.from([0xff, marker, 0, 0]);
  head.writeUInt16BE(content.length + 2, 2);
  return Buffer.concat([head, content]);
}

/** A Huffman table with one symbol, whose code is one bit. */
function tableOf(id: number, symbol: number): Buffer {
  return segmentOf(0xc4, Buffer.from([id, 1, ...Array(15).fill(0), symbol]));
}

function scanOf(bands: readonly [number, number], data: Buffer): Buffer {
  return Buffer.concat([segmentOf(0xda, Buffer.from([1, 1, 0, ...bands, 0])), data]);
}

/** Ends the bands of as many blocks as the 14 bits after it say, and of 2 to the power of 14 more. */
const END_OF_BANDS = 0xe0;
const MOST_ENDS = 2 ** 15 - 1;

function endsOf(blocks: number): Buffer {
  const bits = `0${'1'.repeat(14)}`.repeat(Math.ceil(blocks / MOST_ENDS));
  const padded = bits.padEnd(Math.ceil(bits.length / 8) * 8, '1');
  // In data, a byte of ones is followed by a zero.
  const bytes = (padded.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2));
  return Buffer.from(bytes.flatMap((byte) => (byte === 0xff ? [byte, 0] : [byte])));
}
