/** The parts of a page that importers read: its links and its scripts. */
import { readTokens, type Tag } from '../../validate/tags.ts';

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
  let begun: number | null = null;
  let line = 1;
  let counted = 0;

  function tag(found: Tag): void {
    const { name, isClosing, at, source } = found;
    if (begun !== null && isClosing) {
      line += html.slice(counted, begun).split('\n').length - 1;
      counted = begun;
      scripts.push({ text: html.slice(begun, at), line });
    }
    const isWanted = name === 'script' && !isClosing && type.test(attributeOf(found, 'type') ?? '');
    begun = isWanted ? at + source.length : null;
  }

  readTokens(html, { tag }, { decodesReferences: true });
  return scripts;
}
