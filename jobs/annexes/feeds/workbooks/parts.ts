/** The parts of a workbook that a sheet needs: which they are, the texts that cells share, and the formats of their numbers. */
import { posix } from 'node:path';
import { failureText } from '../../../../src/calendar/failures.ts';
import { createNearest, withNearest } from '../../../../src/calendar/nearest.ts';
import { nameKey } from '../../../../src/calendar/text.ts';
import { excerpt, shorten } from '../../../findings.ts';
import { FeedProblem } from '../feed-problem.ts';
import { LONGEST_ROW } from '../table-rows.ts';
import { type Archive, damagedWithout, openArchive } from './archive.ts';
import { type NumberFormat, numberFormat } from './number-formats.ts';
import { readXml } from './xml.ts';

export interface SheetParts {
  /** The part with the rows. */
  readonly sheet: Buffer;
  /** The texts that cells refer to by their numbers. */
  readonly texts: readonly string[];
  /** By the number of a cell's style. */
  readonly formats: readonly NumberFormat[];
  readonly is1904: boolean;
}

/** `wanted`: the name of the sheet; null for the first one that is not hidden. Throws FeedProblem. */
export function openSheet(bytes: Buffer, wanted: string | null): SheetParts {
  const archive = openArchive(bytes);
  const path = workbookIn(archive);
  const relations = relationsOf(archive, path);
  const { sheets, is1904 } = readOverview(archive.read(path) ?? NO_PART);
  const targets = new Map(
    relations.map(({ id, type, target }) => [id, type === 'worksheet' ? target : null]),
  );
  const worksheets = sheets.flatMap(({ id, ...sheet }) => {
    const target = targets.get(id) ?? null;
    return target === null ? [] : [{ ...sheet, target }];
  });
  const partOf = (type: string) => {
    const relation = relations.find((candidate) => candidate.type === type);
    return relation === undefined ? NO_PART : needed(archive, relation.target);
  };
  return {
    sheet: needed(archive, chosen(worksheets, wanted).target),
    texts: textsIn(partOf('sharedStrings')),
    formats: formatsIn(partOf('styles')),
    is1904,
  };
}

function needed(archive: Archive, name: string): Buffer {
  const part = archive.read(name);
  if (part === null) throw damagedWithout(name);
  return part;
}

const NO_PART = Buffer.alloc(0);

/** The path of the part that lists the sheets. */
function workbookIn(archive: Archive): string {
  const kind = archive.read('mimetype')?.toString('latin1', 0, 80) ?? '';
  if (kind.startsWith('application/vnd.oasis.opendocument')) throw otherFormat('an OpenDocument file (.ods)');
  const path = relationsOf(archive, '').find(({ type }) => type === 'officeDocument')?.target ?? '';
  if (path.endsWith('.bin')) throw otherFormat('a binary workbook (.xlsb)');
  if (!archive.has(path) || !archive.has(relationsPath(path))) throw otherFormat('another ZIP file');
  return path;
}

function otherFormat(found: string): FeedProblem {
  return new FeedProblem('unreadable answer', `expected a table as CSV or .xlsx, found ${found}; ${AS_XLSX}`);
}

export const AS_XLSX = 'save it as an Excel workbook (.xlsx) or as CSV';

/** A part that another part uses. */
interface Relation {
  readonly id: string;
  /** The last part of its name, such as `worksheet`: the rest differs between editions of the standard. */
  readonly type: string;
  readonly target: string;
}

/** `path`: of the part; empty for the archive itself. */
function relationsOf(archive: Archive, path: string): readonly Relation[] {
  const relations: Relation[] = [];
  readXml(archive.read(relationsPath(path)) ?? NO_PART, {
    open(name, { Id: id = '', Type: type = '', Target: target }) {
      if (name !== 'Relationship' || target === undefined) return;
      const resolved = posix.resolve('/', posix.dirname(path), target);
      relations.push({ id, type: posix.basename(type), target: resolved.slice(1) });
    },
  });
  return relations;
}

function relationsPath(path: string): string {
  return posix.join(posix.dirname(path), '_rels', `${posix.basename(path)}.rels`);
}

interface Overview {
  readonly sheets: readonly NamedSheet[];
  readonly is1904: boolean;
}

interface NamedSheet {
  readonly name: string;
  /** The id of its relation. */
  readonly id: string;
  readonly isHidden: boolean;
}

function readOverview(part: Buffer): Overview {
  const sheets: NamedSheet[] = [];
  let is1904 = false;
  readXml(part, {
    open(element, { name = '', state = 'visible', date1904, ':id': id = '' }) {
      // Excel adds another element of this name, without this attribute.
      if (element === 'workbookPr' && date1904 !== undefined) is1904 = TRUE.has(date1904);
      if (element !== 'sheet') return;
      sheets.push({ name, id, isHidden: state !== 'visible' });
    },
  });
  return { sheets, is1904 };
}

const TRUE = new Set(['1', 'true', 'on']);

interface Worksheet extends Omit<NamedSheet, 'id'> {
  readonly target: string;
}

function chosen(sheets: readonly Worksheet[], wanted: string | null): Worksheet {
  const found =
    wanted === null
      ? (sheets.find(({ isHidden }) => !isHidden) ?? sheets[0])
      : sheets.find(({ name }) => nameKey(name) === nameKey(wanted));
  if (found !== undefined) return found;
  if (wanted === null)
    throw new FeedProblem('unreadable answer', 'expected a workbook with a sheet, found none');
  const names = sheets.map(({ name }) => name);
  const expected = withNearest(
    failureText('noSheet', { sheet: excerpt(wanted) }),
    createNearest(names, (name) => [name])(wanted),
  );
  const listed = names.slice(0, MOST_LISTED).map((name) => JSON.stringify(name));
  throw new FeedProblem('unreadable answer', `${expected}, found ${shorten(listed.join(', '))}`);
}

/** Names of sheets in a message. */
const MOST_LISTED = 20;

/** Texts of a workbook that differ from one another. */
const MOST_TEXTS = 500_000;

function textsIn(part: Buffer): readonly string[] {
  const texts: string[] = [];
  const text = createTextReader();
  readXml(part, {
    open(name) {
      text.open(name);
      if (name !== 'si') return;
      if (texts.length === MOST_TEXTS)
        throw new FeedProblem('size limit', `expected at most ${MOST_TEXTS} different texts, found more`);
    },
    text: text.add,
    close(name) {
      text.close(name);
      if (name === 'si') texts.push(text.take());
    },
  });
  return texts;
}

interface TextReader {
  readonly open: (name: string) => void;
  readonly add: (text: string) => void;
  readonly close: (name: string) => void;
  /** The text since the last call. */
  readonly take: () => string;
}

/** Collects the text of elements `t`, of which a formatted text has several, without the readings (`rPh`) of Asian writing. */
export function createTextReader(): TextReader {
  let written = '';
  let isText = false;
  let isReading = false;
  return {
    open(name) {
      if (name === 'rPh') isReading = true;
      isText = name === 't' && !isReading;
    },
    add(text) {
      if (isText) written = extended(written, text);
    },
    close(name) {
      if (name === 'rPh') isReading = false;
      isText = false;
    },
    take() {
      const text = unescaped(written);
      written = '';
      return text;
    },
  };
}

/** Each character reference is a piece of its own, so that a few bytes of a file can be millions. */
export function extended(text: string, piece: string): string {
  if (text.length + piece.length > LONGEST_ROW)
    throw new FeedProblem('size limit', `expected at most ${LONGEST_ROW} characters in a cell, found more`);
  return text + piece;
}

/** `_x000D_` is a character that XML cannot hold. */
export function unescaped(text: string): string {
  return text.replace(/_x([0-9a-f]{4})_/gi, (_, code: string) =>
    String.fromCharCode(Number.parseInt(code, 16)),
  );
}

/** Styles of cells: Excel's own limit is 65,490. */
const MOST_STYLES = 100_000;

/** Number formats and styles elsewhere, as of conditional formats, have numbers of their own. */
const STYLE_LISTS = new Set(['numFmts', 'cellXfs']);

function formatsIn(part: Buffer): readonly NumberFormat[] {
  const codes = new Map<number, string>();
  const numbers: number[] = [];
  let list: string | null = null;
  readXml(part, {
    open(name, { numFmtId = '0', formatCode = '' }) {
      const number = Number(numFmtId);
      if (STYLE_LISTS.has(name)) list = name;
      if (name === 'numFmt' && list === 'numFmts') codes.set(number, formatCode);
      if (name === 'xf' && list === 'cellXfs' && numbers.length < MOST_STYLES) numbers.push(number);
    },
    close(name) {
      if (name === list) list = null;
    },
  });
  const formats = new Map(
    [...new Set(numbers)].map((number) => [number, numberFormat(number, codes.get(number))]),
  );
  return numbers.flatMap((number) => formats.get(number) ?? []);
}
