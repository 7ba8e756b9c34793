/** I15: the logos of a source folder, `logo` and `logo-dark` with the ending of their type. */
import type { BrandPicture } from '../../src/calendar/brand.ts';
import type { Reporter } from '../findings.ts';
import type { LogoFile } from '../source/source.ts';

/** Bytes. A logo is in memory, and in each snapshot. */
const LARGEST_LOGO = 64 * 1_024;

interface PictureType {
  readonly type: string;
  /** Whether bytes are of this type, by their beginning. */
  readonly isIn: (bytes: Buffer) => boolean;
}

const beginsWith =
  (hex: string) =>
  (bytes: Buffer): boolean =>
    bytes.subarray(0, hex.length / 2).toString('hex') === hex;

/** Whether the first element is `svg`. Before it may stand an XML declaration, a document type and comments. */
function isSvg(bytes: Buffer): boolean {
  const text = bytes.toString('utf8');
  if (!/^\uFEFF?\s*</.test(text)) return false;
  let at = text.indexOf('<');
  while (at !== -1) {
    const isComment = text.startsWith('<!--', at);
    const isDeclaration = text.startsWith('<!', at) || text.startsWith('<?', at);
    if (!isComment && !isDeclaration) return /^<(?:[\w.-]{1,80}:)?svg[\s/>]/.test(text.slice(at, at + 100));
    // Between the parts of a document type are further declarations.
    const next = isComment ? text.indexOf('-->', at) : at + 1;
    at = next === -1 ? -1 : text.indexOf('<', next);
  }
  return false;
}

const JPEG: PictureType = { type: 'image/jpeg', isIn: beginsWith('ffd8ff') };

/** By the ending of a file's name. */
const TYPES: ReadonlyMap<string, PictureType> = new Map([
  ['svg', { type: 'image/svg+xml', isIn: isSvg }],
  ['png', { type: 'image/png', isIn: beginsWith('89504e470d0a1a0a') }],
  ['jpg', JPEG],
  ['jpeg', JPEG],
  [
    'webp',
    {
      type: 'image/webp',
      isIn: (bytes) => beginsWith('52494646')(bytes) && beginsWith('57454250')(bytes.subarray(8)),
    },
  ],
]);

/** Whether a file of a source folder is a logo. */
export const isLogoFile = (name: string): boolean => /^logo(?:-dark)?\.(?:svg|png|jpe?g|webp)$/.test(name);

/** The logo of a name; null if there is none, or if it is reported as unusable. */
export async function readLogo(
  files: readonly LogoFile[],
  name: 'logo' | 'logo-dark',
  reporter: Reporter,
): Promise<BrandPicture | null> {
  const found = files.filter((file) => file.name.startsWith(`${name}.`));
  const [file] = found;
  if (file === undefined) return null;
  const leaveOut = (expected: string, text: string) =>
    reporter.addFinding({
      action: 'dropped value',
      origin: { file: file.name },
      id: null,
      field: null,
      expected,
      found: text,
    });
  if (found.length > 1) {
    leaveOut(`one file named ${name}`, found.map((one) => one.name).join(', '));
    return null;
  }
  const bytes = await readUpTo(LARGEST_LOGO, file);
  if (bytes === null) {
    leaveOut(`at most ${LARGEST_LOGO} bytes`, 'more');
    return null;
  }
  const kind = TYPES.get(file.name.slice(name.length + 1));
  if (kind?.isIn(bytes) !== true) {
    leaveOut(`a picture of the type ${kind?.type}`, 'another file');
    return null;
  }
  return { type: kind.type, base64: bytes.toString('base64') };
}

/** Null for a larger file. */
async function readUpTo(most: number, file: LogoFile): Promise<Buffer | null> {
  const parts: Buffer[] = [];
  let length = 0;
  for await (const chunk of file.chunks()) {
    length += chunk.length;
    if (length > most) return null;
    parts.push(chunk);
  }
  return Buffer.concat(parts);
}
