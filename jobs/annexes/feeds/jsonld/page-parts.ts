/** The parts of a page that importers read: its links and its scripts. */
import { readTokens, type Tag } from '../../../validate/tags.ts';

/** The targets of a page's links, as written. */
export function linksIn(html: string): readonly string[] {
  const links: string[] = [];
  const tag = (found: Tag) => {
    const href = found.name === 'a' ? attributeOf(found, 'href') : undefined;
    if (href !== undefined) links.push(href.trim());
  };
  readTokens(html, { tag }, { decodesReferences: true });
  return links;
}

/** The value of a tag's attribute; undefined without one. */
function attributeOf({ attributes }: Tag, wanted: string): string | undefined {
  return attributes.find(([name]) => name === wanted)?.[1];
}

export interface Script {
  readonly text: string;
  /** 1-based line of its beginning. */
  readonly line: number;
}

/** The content of a page's scripts of a type, as written. A script without an end is ignored. */
export function scriptsIn(html: string, type: RegExp): readonly Script[] {
  const scripts: Script[] = [];
  const lineAt = createLineCounter(html);
  let contentStart: number | null = null;

  function tag(found: Tag): void {
    const { name, isClosing, at, source } = found;
    if (contentStart !== null && isClosing)
      scripts.push({ text: html.slice(contentStart, at), line: lineAt(contentStart) });
    const isWanted = name === 'script' && !isClosing && type.test(attributeOf(found, 'type') ?? '');
    contentStart = isWanted ? at + source.length : null;
  }

  readTokens(html, { tag }, { decodesReferences: true });
  return scripts;
}

/** Creates the function that returns the 1-based line at an index. Indexes must ascend, so that each part is counted once. */
function createLineCounter(text: string): (index: number) => number {
  let line = 1;
  let counted = 0;
  return (index) => {
    line += text.slice(counted, index).split('\n').length - 1;
    counted = index;
    return line;
  };
}
