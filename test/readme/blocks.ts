/** Blocks of code in README.md and docs/: where each is, and how tests find one by its shape. */
import { allPages, FENCED, readPage, sectionsIn } from './document.ts';

export interface Block {
  readonly page: string;
  /** The heading, the language, and the number among blocks with these: unique in the page. */
  readonly key: string;
  readonly heading: string;
  readonly language: string;
  readonly text: string;
  /** The path in the paragraph before it: "`path`:". */
  readonly file: string | null;
}

/** The blocks of a page, in their order. */
export function blocksOf(page: string): readonly Block[] {
  const counts = new Map<string, number>();
  return sectionsIn(readPage(page)).flatMap(({ heading, text }) =>
    [...text.matchAll(FENCED)].map((match): Block => {
      const [, language = '', code = ''] = match;
      const kind = `${heading} › ${language}`;
      const count = (counts.get(kind) ?? 0) + 1;
      counts.set(kind, count);
      const file = /\n\n`([^`\n]+)`:\n\n$/.exec(text.slice(0, match.index))?.[1] ?? null;
      return { page, key: `${kind} ${count}`, heading, language, text: code, file };
    }),
  );
}

/** Properties by which a block is recognised on any page. A property that is not given may be anything. */
export interface Shape {
  readonly language?: string;
  readonly file?: RegExp;
  readonly says?: RegExp;
}

export function hasShape(block: Block, { language, file, says }: Shape): boolean {
  const isInLanguage = language === undefined || block.language === language;
  const isSavedThere = file === undefined || (block.file !== null && file.test(block.file));
  const isSaid = says === undefined || says.test(block.text);
  return isInLanguage && isSavedThere && isSaid;
}

/** The only block of that shape in all pages. */
export function theBlock(shape: Shape): Block {
  const found = allPages().flatMap(blocksOf);
  const [block, ...others] = found.filter((candidate) => hasShape(candidate, shape));
  if (block === undefined || others.length > 0) {
    const wanted = Object.values(shape).join(', ');
    throw new Error(
      `expected one block in README.md and docs/ with ${wanted}, found ${block ? 'several' : 'none'}`,
    );
  }
  return block;
}

/** The block that moves the files of 1.0.0 away, after which all others follow. */
export const FROM_1_0_0: Shape = {
  language: 'sh',
  says: /remove-files --file \/root\/almanakk-1\.0\.0\.tar/,
};

/** The block that goes back to 1.0.0. `.ci/debian.sh` runs it, on a machine with that release. */
const TO_1_0_0: Shape = { language: 'sh', says: /--extract .*almanakk-1\.0\.0\.tar/ };

/** Its commands belong to one machine or the other: `.ci/debian-pair.sh` runs them. */
export const TWO_MACHINES = 'docs/two-machines.md';

/**
 * The commands of an administrator on a Debian machine, in their order, and then the files that extend the setup. Without the blocks for machines
 * with 1.0.0, and for two machines.
 */
export function debianBlocks(): readonly Block[] {
  const blocks = allPages()
    .flatMap(blocksOf)
    .filter(
      (block) =>
        block.page !== TWO_MACHINES &&
        isOnDebian(block) &&
        ![FROM_1_0_0, TO_1_0_0].some((shape) => hasShape(block, shape)),
    );
  return [...blocks.filter(({ file }) => file === null), ...blocks.filter(({ file }) => file !== null)];
}

export function isOnDebian({ file, language, text }: Block): boolean {
  return (
    file?.startsWith('/') ||
    (language === 'sh' &&
      /\b(?:apt-get|systemctl)\b|\/var\/|\/etc\/almanakk\b|\/docs\/debian\b|\bdebian\/|^almanakk[- ]/m.test(
        text,
      ))
  );
}
