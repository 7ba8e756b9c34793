// For almanakk-pictures.conf: refuses pictures that would take long to decode, before the image filter decodes them, and finds out how the photos of
// phones must be turned. The files of the former may be small: a PNG of 24 kB can have 200 million pixels. While the image filter decodes a picture, that nginx process does nothing else. njs is a part of JavaScript
// without destructuring.

const MOST_PIXELS = 30e6;
// Of a progressive JPEG, which has about ten. Each one passes over all pixels.
const MOST_SCANS = 50;
// Of a PNG: compressed texts and colour profiles. Each may decompress to 8 MB.
const MOST_COMPRESSED = 8;
// Chunks of a PNG, or segments of a JPEG, before its pixels.
const MOST_HEADERS = 1000;

// Of EXIF: the bytes and entries that are searched for the orientation, which cameras write near the beginning.
const EXIF_BYTES = 1024;
const MOST_ENTRIES = 64;
const ORIENTATION = 0x0112;
// By the orientation: degrees to the left. The others are mirrored, which no camera does, or upright.
const ROTATIONS = { 3: '180', 6: '270', 8: '90' };

// The longest header with a size is that of a WebP.
const HEADER_BYTES = 30;
const SCAN = Buffer.from([0xff, 0xda]);
// The image filter, and each decoder, stops with an error at two such markers.
const STOP = Buffer.from([0xff, 0xd8]);

const COMPRESSED = ['zTXt', 'iTXt', 'iCCP'];
const PROGRESSIVE = [0xc2, 0xc6, 0xca, 0xce];
// Between the markers of frames, these three have another meaning.
const NO_FRAME = [0xc4, 0xc8, 0xcc];

// Called with each part of an original. What is known of the parts before is in $picture_check.
function check(r, part, flags) {
  const known = r.variables.picture_check;
  const state = known
    ? JSON.parse(known)
    : { read: 'start', rest: '', skip: 0, headers: 0, compressed: 0, scans: 0, replaced: 0 };
  if (state.refused === undefined) {
    read(state, part);
    if (state.refused !== undefined) {
      r.warn(`not resized, because it has more than ${state.refused}: ${r.variables.original}`);
    }
  }
  r.sendBuffer(state.refused === undefined ? part : replacementOf(state, part), flags);
  r.variables.picture_check = JSON.stringify(state);
  if (state.rotation !== undefined) r.variables.picture_rotation = state.rotation;
  if (state.read === 'nothing' && state.refused === undefined) r.done();
}

// As long as the part, because nginx knows the length of the whole.
function replacementOf(state, part) {
  const from = state.replaced % STOP.length;
  state.replaced += part.length;
  return Buffer.alloc(from + part.length, STOP).subarray(from);
}

// Each reader takes what it can use from the front of the data, and returns the rest, or null if that is too short.
const READERS = { start: readStart, chunk: readChunk, segment: readSegment, scans: countScans };

function read(state, part) {
  let data = Buffer.concat([Buffer.from(state.rest, 'hex'), part]);
  state.rest = '';
  while (state.refused === undefined && state.read !== 'nothing') {
    const skipped = Math.min(state.skip, data.length);
    state.skip -= skipped;
    data = data.subarray(skipped);
    if (state.skip > 0) return;
    const rest = READERS[state.read](state, data);
    if (rest === null) {
      state.rest = data.toString('hex');
      return;
    }
    data = rest;
  }
}

function checkSize(state, width, height) {
  if (width * height > MOST_PIXELS) state.refused = `${MOST_PIXELS / 1e6} million pixels`;
}

function checkHeaders(state) {
  state.headers++;
  if (state.headers > MOST_HEADERS) state.refused = `${MOST_HEADERS} chunks or segments`;
}

function readStart(state, data) {
  if (data.length < HEADER_BYTES) return null;
  state.read = 'nothing';
  if (data[0] === 0xff && data[1] === 0xd8) {
    state.read = 'segment';
    return data.subarray(2);
  }
  const name = data.toString('utf8', 1, 4);
  if (name === 'PNG') {
    checkSize(state, data.readUInt32BE(16), data.readUInt32BE(20));
    state.read = 'chunk';
    return data.subarray(8);
  }
  if (name === 'IF8') checkSize(state, data.readUInt16LE(6), data.readUInt16LE(8));
  if (name === 'IFF') checkWebp(state, data, data.toString('utf8', 12, 16));
  return data;
}

function checkWebp(state, data, format) {
  if (format === 'VP8 ') checkSize(state, data.readUInt16LE(26) & 0x3fff, data.readUInt16LE(28) & 0x3fff);
  if (format === 'VP8X') checkSize(state, data.readUIntLE(24, 3) + 1, data.readUIntLE(27, 3) + 1);
  if (format === 'VP8L') {
    const sizes = data.readUInt32LE(21);
    checkSize(state, (sizes & 0x3fff) + 1, ((sizes >>> 14) & 0x3fff) + 1);
  }
}

// Of a PNG: length, name, content and checksum. Pixels begin with the chunk IDAT.
function readChunk(state, data) {
  if (data.length < 8) return null;
  const name = data.toString('utf8', 4, 8);
  if (name === 'IDAT') {
    state.read = 'nothing';
    return data;
  }
  checkHeaders(state);
  if (COMPRESSED.includes(name)) state.compressed++;
  if (state.compressed > MOST_COMPRESSED) state.refused = `${MOST_COMPRESSED} compressed texts and profiles`;
  state.skip = 12 + data.readUInt32BE(0);
  return data;
}

// Of a JPEG: a marker, and then most have a length and content. A decoder also skips what is before a marker.
function readSegment(state, data) {
  const at = data.indexOf(0xff);
  if (at === -1) return data.length > 0 ? data.subarray(data.length) : null;
  if (data.length < at + 9) return at === 0 ? null : data.subarray(at);
  checkHeaders(state);
  const marker = data[at + 1];
  if (marker >= 0xc0 && marker <= 0xcf && !NO_FRAME.includes(marker)) {
    checkSize(state, data.readUInt16BE(at + 7), data.readUInt16BE(at + 5));
    state.read = PROGRESSIVE.includes(marker) ? 'scans' : 'nothing';
    return data.subarray(at + 9);
  }
  if (marker === 0xff) return data.subarray(at + 1);
  // These have no length.
  if (marker <= 0x01 || (marker >= 0xd0 && marker <= 0xd9)) return data.subarray(at + 2);
  const length = 2 + data.readUInt16BE(at + 2);
  if (marker === 0xe1) {
    const segment = data.subarray(at, at + Math.min(length, EXIF_BYTES));
    if (segment.length < Math.min(length, EXIF_BYTES)) return at === 0 ? null : data.subarray(at);
    state.rotation = ROTATIONS[orientationIn(segment)] || state.rotation;
  }
  state.skip = length;
  return data.subarray(at);
}

// Marker, length and name are before the header of the TIFF, from which its addresses count. What is outside of the segment counts as 0.
function orientationIn(segment) {
  if (segment.toString('utf8', 4, 8) !== 'Exif') return 0;
  const tiff = segment.subarray(10);
  const isLittle = tiff[0] === 0x49;
  const number = (at) => {
    if (at + 2 > tiff.length) return 0;
    return isLittle ? tiff.readUInt16LE(at) : tiff.readUInt16BE(at);
  };
  const entries = number(isLittle ? 6 : 4) === 0 ? number(isLittle ? 4 : 6) : tiff.length;
  const count = Math.min(number(entries), MOST_ENTRIES);
  for (let entry = entries + 2; entry < entries + 2 + 12 * count; entry += 12) {
    if (number(entry) === ORIENTATION) return number(entry + 8);
  }
  return 0;
}

function countScans(state, data) {
  if (data.length < 2) return null;
  let at = data.indexOf(SCAN);
  while (at !== -1 && state.scans <= MOST_SCANS) {
    state.scans++;
    at = data.indexOf(SCAN, at + 2);
  }
  if (state.scans > MOST_SCANS) state.refused = `${MOST_SCANS} scans`;
  // The last byte may begin a marker.
  return data.subarray(data.length - 1);
}

// biome-ignore lint/style/noDefaultExport: njs imports the default export.
export default { check };
