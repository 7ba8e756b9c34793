/** I17, D14: the script with which the nginx of docs/debian judges originals: in this process, part by part. */
import { pathToFileURL } from 'node:url';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { packagePath } from '../../../../src/package.ts';
import { jpegOf } from '../../../helpers/jpeg.ts';
import { pngOf } from '../../../helpers/png.ts';

const checks = suite('checks of pictures');

const gif = (width: number, height: number) => {
  const header = Buffer.alloc(40);
  header.write('GIF89a');
  header.writeUInt16LE(width, 6);
  header.writeUInt16LE(height, 8);
  return header;
};
const webp = (format: string, content: string) => {
  const header = Buffer.alloc(40);
  header.write(`RIFF----WEBP${format}`);
  header.write(content, 20, 'hex');
  return header;
};

/** A number as hexadecimal bytes, the lowest first. */
function lowestFirst(number: number, length: number): string {
  const bytes = Buffer.alloc(length);
  bytes.writeUIntLE(number, 0, length);
  return bytes.toString('hex');
}

/** WebP files of a size in pixels, which each kind writes in its own form. */
const webpOf = {
  lossy: (width: number, height: number) =>
    webp('VP8 ', `3001009d012a${lowestFirst(width, 2)}${lowestFirst(height, 2)}`),
  lossless: (width: number, height: number) =>
    webp('VP8L', `2f${lowestFirst((height - 1) * 2 ** 14 + width - 1, 4)}`),
  withProfile: (width: number, height: number) =>
    webp('VP8X', `00000000${lowestFirst(width - 1, 3)}${lowestFirst(height - 1, 3)}`),
};

/** Originals, and why they are refused. */
const JUDGED: Readonly<Record<string, readonly [Buffer, RegExp | null]>> = {
  'a GIF with 30 megapixels': [gif(6_000, 5_000), null],
  'a GIF with more': [gif(6_001, 5_000), /30 million pixels/],
  'a lossy WebP with 30 megapixels': [webpOf.lossy(6_000, 5_000), null],
  'a lossy WebP with more': [webpOf.lossy(6_001, 5_000), /30 million pixels/],
  'a lossless WebP with 30 megapixels': [webpOf.lossless(6_000, 5_000), null],
  'a lossless WebP with more': [webpOf.lossless(6_001, 5_000), /30 million pixels/],
  'a WebP with a profile and 30 megapixels': [webpOf.withProfile(6_000, 5_000), null],
  'a WebP with a profile and more': [webpOf.withProfile(6_001, 5_000), /30 million pixels/],
  'a PNG with eight texts': [pngOf(8, 8, { texts: 8 }), null],
  'a PNG with more': [pngOf(8, 8, { texts: 9 }), /8 compressed texts/],
  'a JPEG with 49 scans': [jpegOf(8, 8, { scans: 49 }), null],
  'a JPEG with more': [jpegOf(8, 8, { scans: 50 }), /50 scans/],
  'a JPEG with more pixels, after other segments': [
    jpegOf(6_001, 5_000, { before: 70_000 }).subarray(0, 140_000),
    /30 million pixels/,
  ],
  'a JPEG of segments alone': [Buffer.from(`ffd8${'ffe00002'.repeat(2_000)}`, 'hex'), /1000 chunks/],
  'a page': [Buffer.from(`<h1>${'A page. '.repeat(9)}</h1>`), null],
  'an empty file': [Buffer.alloc(0), null],
};

for (const [what, [original, reason]] of Object.entries(JUDGED)) {
  checks(`I17, D14: should ${reason ? 'refuse' : 'pass on'} ${what}, in parts of any length`, async () => {
    for (const length of original.length > 10_000 ? [501, 4_096] : [1, 7, 4_096]) {
      const { sent, warnings } = await judge(original, length);
      assert.is(sent.length, original.length);
      if (reason === null) assert.ok(sent.equals(original), `parts of ${length}`);
      // The rest is one marker, again and again: after an odd number of bytes, it ends within the marker.
      else assert.is(sent.subarray(-2).toString('hex').replace('d8ff', 'ffd8'), 'ffd8', `parts of ${length}`);
      assert.is(warnings.length, reason === null ? 0 : 1);
      if (reason !== null) assert.match(String(warnings[0]), reason);
    }
  });
}

/** By the orientation: the degrees by which the image filter turns a picture to the left. It cannot mirror the others. */
const ROTATIONS: Readonly<Record<number, string>> = { 3: '180', 6: '270', 8: '90' };

checks('I17: should turn a JPEG as its EXIF says, in parts of any length', async () => {
  for (const orientation of [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]) {
    for (const isLittle of [false, true]) {
      const original = jpegOf(8, 8, { orientation, isLittle });
      for (const length of [1, 7, 4_096]) {
        const { sent, rotation } = await judge(original, length);
        assert.ok(sent.equals(original), `parts of ${length}`);
        assert.is(rotation, ROTATIONS[orientation], `${orientation}, in parts of ${length}`);
      }
    }
  }
});

checks('I17, D14: should not turn a JPEG whose EXIF leads out of it or has no orientation', async () => {
  const original = jpegOf(8, 8, { orientation: 6 });
  for (const [at, number] of [
    [16, 0xffffffff],
    [16, 0],
    [20, 0x0000ffff],
    [32, 0],
  ] as const) {
    const wrong = Buffer.from(original);
    wrong.writeUInt32BE(number, at);
    assert.is((await judge(wrong, 4_096)).rotation, undefined, `${number} at ${at}`);
  }
});

/** Runs the script as njs does, with an original that arrives in parts. */
async function judge(original: Buffer, length: number) {
  const { default: script } = await import(
    pathToFileURL(packagePath('docs/debian/etc/nginx/almanakk-pictures.js')).href
  );
  const sent: Buffer[] = [];
  const warnings: string[] = [];
  let isDone = false;
  const request = {
    variables: { picture_check: undefined, picture_rotation: undefined, original: 'bilder.example/a' },
    sendBuffer: (part: Buffer) => sent.push(part),
    warn: (text: string) => warnings.push(text),
    done: () => {
      isDone = true;
    },
  };
  for (let at = 0; at < original.length; at += length) {
    const part = original.subarray(at, at + length);
    if (isDone) sent.push(part);
    else script.check(request, part, { last: at + length >= original.length });
  }
  return { sent: Buffer.concat(sent), warnings, rotation: request.variables.picture_rotation };
}

checks.run();
