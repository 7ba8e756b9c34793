/** The parts of a page that importers read: its links and its scripts. */
import { readTokens, type Tag, tokenize } from '../../validate/tags.ts';

/** The targets of a page's links, as written. */
export function linksIn(html: string): readonly string[] {
  const links: string[] = [];
  const tag = ({ name, attributes }: Tag) => {
    const href = name === 'a' ? attributes.find(([attribute]) => attribute === 'href')?.[1] : undefined;
    if (href !== undefined) links.push(href.trim());
  };
  readTokens(html, { text: ignore, reference: ignore, tag, unshown: ignore, unfinished: ignore }, true);
  return links;
}

const ignore = () => {};

interface Script {
  readonly text: string;
  /** 1-based line of its beginning. */
  readonly line: number;
}

/** The content of a page's scripts of a type, as written. A script without an end is ignored. */
export function scriptsIn(html: string, type: RegExp): readonly Script[] {
  const scripts: Script[] = [];
  let name = '';
  let attribute = '';
  let written = '';
  let begun: number | null = null;
  let line = 1;
  let counted = 0;

  function lineOf(at: number): number {
    for (
      let feed = html.indexOf('\n', counted);
      feed !== -1 && feed < at;
      feed = html.indexOf('\n', counted)
    ) {
      line++;
      counted = feed + 1;
    }
    return line;
  }

  const handlers: Parameters<typeof tokenize>[1] = {
    onopentagname: (start, end) => {
      name = html.slice(start, end).toLowerCase();
      written = '';
    },
    onattribname: (start, end) => {
      attribute = html.slice(start, end).toLowerCase();
    },
    onattribdata: (start, end) => {
      if (attribute === 'type') written += html.slice(start, end);
    },
    onattribentity: (point) => {
      if (attribute === 'type') written += String.fromCodePoint(point);
    },
    onopentagend: (end) => {
      begun = name === 'script' && type.test(written) ? end + 1 : null;
    },
    onclosetag: (start) => {
      if (begun !== null) scripts.push({ text: html.slice(begun, start - '</'.length), line: lineOf(begun) });
      begun = null;
    },
  };
  tokenize(html, handlers, true);
  return scripts;
}
