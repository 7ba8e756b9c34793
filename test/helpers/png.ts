/** PNG pictures for tests, of one colour. */
import { crc32, deflateSync } from 'node:zlib';

const SIGNATURE = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1');

interface PngOptions {
  /** Bits of grey a pixel, 1 or 8. */
  readonly bits?: number;
  /** Compressed texts before the pixels. */
  readonly texts?: number;
}

export function pngOf(width: number, height: number, { bits = 8, texts = 0 }: PngOptions = {}): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header[8] = bits;
  // Each line begins with its filter.
  const lines = Buffer.alloc((Math.ceil((width * bits) / 8) + 1) * height);
  const data = deflateSync(lines, { level: 1 });
  const text = chunkOf('zTXt', Buffer.concat([Buffer.from('Title\0\0'), deflateSync('Fjord')]));
  return Buffer.concat([
    SIGNATURE,
    chunkOf('IHDR', header),
    ...Array.from({ length: texts }, () => text),
    chunkOf('IDAT', data),
    chunkOf('IEND', Buffer.alloc(0)),
  ]);
}

function chunkOf(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type), data]);
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  sum.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, sum]);
}

/** Pixels. */
export function widthOfPng(png: Buffer): number {
  return png.readUInt32BE(16);
}
