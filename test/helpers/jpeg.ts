/** JPEG pictures for tests, of one colour. */

interface JpegOptions {
  /** Scans besides the first one, which only progressive pictures have. */
  readonly scans?: number;
  /** Bytes of other segments before the size. */
  readonly before?: number;
  /** That of EXIF, such as 6 of a phone that was held upright. */
  readonly orientation?: number;
  /** Whether the numbers of EXIF begin with their lowest byte. */
  readonly isLittle?: boolean;
}

/** Progressive, with one channel. */
export function jpegOf(width: number, height: number, options: JpegOptions = {}): Buffer {
  const { scans = 0, before = 0, orientation, isLittle = false } = options;
  const blocks = Math.ceil(width / 8) * Math.ceil(height / 8);
  const size = Buffer.alloc(5);
  size[0] = 8;
  size.writeUInt16BE(height, 1);
  size.writeUInt16BE(width, 3);
  return Buffer.concat([
    Buffer.from([0xff, 0xd8]),
    ...(orientation === undefined ? [] : [segmentOf(0xe1, exifOf(orientation, isLittle)), XMP]),
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

/** Cameras and editors write it after EXIF, with the same marker. */
const XMP = segmentOf(0xe1, Buffer.from('http://ns.adobe.com/xap/1.0/\0<x/>'));

/** EXIF with two entries: a width, and the orientation. */
function exifOf(orientation: number, isLittle: boolean): Buffer {
  const numbers = [0x2a, 0, 8, 2, 0x0100, 3, 0, 1, 640, 0, 0x0112, 3, 0, 1, orientation, 0, 0, 0];
  const tiff = Buffer.alloc(2 * numbers.length);
  for (const [at, number] of numbers.entries()) {
    if (isLittle) tiff.writeUInt16LE(number, 2 * at);
    else tiff.writeUInt16BE(number, 2 * at);
  }
  // Numbers of four bytes: their halves change places.
  if (isLittle)
    for (const at of [2, 12, 24])
      tiff
        .subarray(at, at + 4)
        .swap32()
        .swap16();
  return Buffer.concat([Buffer.from(`Exif\0\0${isLittle ? 'II' : 'MM'}`), tiff]);
}

/** The size of a JPEG, from its first frame. */
export function sizeOfJpeg(bytes: Buffer): { readonly width: number; readonly height: number } {
  const at = bytes.findIndex((byte, index) => byte === 0xff && [0xc0, 0xc2].includes(bytes[index + 1] ?? 0));
  return { width: bytes.readUInt16BE(at + 7), height: bytes.readUInt16BE(at + 5) };
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
