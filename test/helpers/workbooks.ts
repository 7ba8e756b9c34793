/** Workbooks for tests: written by programs of others, and archives of parts that no such program would write. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { deflateRawSync } from 'node:zlib';
import { packagePath } from '../../src/package.ts';

/** Debian's own, for which `.ci/run` installs libraries: another one on the PATH does not find them. */
const PYTHON = '/usr/bin/python3';

/**
 * The files that a program in Python saves in the folder it is given, by their names. Null if openpyxl or XlsxWriter is not installed, which
 * fails in continuous integration. `program`: its path in this package.
 */
export function savedByPython<Name extends string>(
  names: readonly Name[],
  program: string,
): Readonly<Record<Name, Buffer>> | null {
  const folder = mkdtempSync(join(tmpdir(), 'almanakk-'));
  try {
    const { status, stderr } = spawnSync(PYTHON, [packagePath(program), folder], { encoding: 'utf8' });
    const isMissing = status === null || stderr.includes('ModuleNotFoundError');
    if (isMissing && process.env.CI === undefined) return null;
    if (status !== 0) throw new Error(stderr);
    const saved = names.map((name) => [name, readFileSync(join(folder, name))] as const);
    return Object.fromEntries(saved) as Record<Name, Buffer>;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

interface Part {
  readonly content: string | Buffer;
  /** The size that the directory states, if it is not the real one. */
  readonly size?: number;
}

/**
 * A ZIP file of these parts, by PKWARE's APPNOTE: each part with its local header, then the directory with the same fields, then the end.
 * Times and checksums are 0: jobs/annexes/feeds/workbooks/archive.ts does not read them.
 */
export function archiveOf(parts: Readonly<Record<string, string | Buffer | Part>>): Buffer {
  const locals: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const [name, written] of Object.entries(parts)) {
    const part = typeof written === 'string' || Buffer.isBuffer(written) ? { content: written } : written;
    const content = Buffer.from(part.content);
    const packed = deflateRawSync(content, { level: 1 });
    const fields = Buffer.alloc(26);
    fields.writeUInt16LE(ZIP_VERSION, 0);
    fields.writeUInt16LE(DEFLATE, 4);
    fields.writeUInt32LE(packed.length, 14);
    fields.writeUInt32LE(part.size ?? content.length, 18);
    fields.writeUInt16LE(Buffer.byteLength(name), 22);
    const local = Buffer.concat([Buffer.from('PK\x03\x04'), fields, Buffer.from(name), packed]);
    const place = Buffer.alloc(14);
    place.writeUInt32LE(offset, 10);
    directory.push(Buffer.from('PK\x01\x02\x14\x00'), fields, place, Buffer.from(name));
    locals.push(local);
    offset += local.length;
  }
  const entries = Buffer.concat(directory);
  const end = Buffer.alloc(18);
  end.writeUInt16LE(Object.keys(parts).length, 4);
  end.writeUInt16LE(Object.keys(parts).length, 6);
  end.writeUInt32LE(entries.length, 8);
  end.writeUInt32LE(offset, 12);
  return Buffer.concat([...locals, entries, Buffer.from('PK\x05\x06'), end]);
}

/** 2.0: the first with DEFLATE. */
const ZIP_VERSION = 20;
const DEFLATE = 8;

/** The archive with the numbers of its end in a ZIP64 end record, which a locator finds. The end itself has only ones in their place. */
export function withLargeEnd(archive: Buffer): Buffer {
  const end = Buffer.from(archive.subarray(-22));
  const count = BigInt(end.readUInt16LE(10));
  const large = Buffer.alloc(56);
  large.write('PK\x06\x06', 'latin1');
  large.writeBigUInt64LE(44n, 4);
  large.writeBigUInt64LE(count, 24);
  large.writeBigUInt64LE(count, 32);
  large.writeBigUInt64LE(BigInt(end.readUInt32LE(12)), 40);
  large.writeBigUInt64LE(BigInt(end.readUInt32LE(16)), 48);
  const locator = Buffer.alloc(20);
  locator.write('PK\x06\x07', 'latin1');
  locator.writeBigUInt64LE(BigInt(archive.length - end.length), 8);
  locator.writeUInt32LE(1, 16);
  end.fill(0xff, 8, 20);
  return Buffer.concat([archive.subarray(0, -22), large, locator, end]);
}

const TYPE = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';

function relations(targets: Readonly<Record<string, string>>): string {
  const all = Object.entries(targets).map(
    ([type, target]) => `<Relationship Id="${type}" Type="${TYPE}/${type}" Target="${target}"/>`,
  );
  return `<Relationships>${all.join('')}</Relationships>`;
}

/** A workbook with one sheet of these rows, as XML. */
export function workbookOf(
  rows: string,
  more: Readonly<Record<string, string | Buffer | Part>> = {},
): Buffer {
  return archiveOf({
    '_rels/.rels': relations({ officeDocument: 'xl/workbook.xml' }),
    'xl/workbook.xml': '<workbook><sheets><sheet name="Ark1" r:id="worksheet"/></sheets></workbook>',
    'xl/_rels/workbook.xml.rels': relations({
      worksheet: 'worksheets/sheet1.xml',
      sharedStrings: '/xl/sharedStrings.xml',
      styles: 'styles.xml',
    }),
    'xl/sharedStrings.xml': '<sst/>',
    'xl/styles.xml': '<styleSheet/>',
    'xl/worksheets/sheet1.xml': `<worksheet><sheetData>${rows}</sheetData></worksheet>`,
    ...more,
  });
}

/** A row of texts. */
export function rowOf(...texts: readonly string[]): string {
  return `<row>${texts.map((text) => `<c t="str"><v>${text}</v></c>`).join('')}</row>`;
}
