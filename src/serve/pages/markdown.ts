/**
 * The part of Markdown that a changelog uses: headings, paragraphs, lists (one level below another too), fenced code,
 * `code`, **strong**, *emphasis* and links. Everything else stays as it is written, and HTML is text.
 */
import { type Content, type Html, html } from './html.ts';

export function renderMarkdown(text: string): Html {
  return html`${blocksOf(text.replaceAll('\r\n', '\n').split('\n'))}`;
}

function blocksOf(lines: readonly string[]): readonly Html[] {
  const blocks: Html[] = [];
  let at = 0;
  while (at < lines.length) {
    const line = lines[at] ?? '';
    const heading = HEADING.exec(line);
    if (line.trim() === '') at++;
    else if (heading !== null) {
      blocks.push(headingOf(heading[1]?.length ?? 1, heading[2] ?? ''));
      at++;
    } else if (line.startsWith(FENCE)) {
      const end = lines.findIndex((other, place) => place > at && other.startsWith(FENCE));
      const last = end === -1 ? lines.length : end;
      blocks.push(
        html`<pre class="example" tabindex="0"><code>${lines.slice(at + 1, last).join('\n')}</code></pre>\n`,
      );
      at = last + 1;
    } else {
      const end = endOf(lines, at);
      const block = lines.slice(at, end);
      blocks.push(ITEM.test(line) ? listOf(block) : html`<p>${inline(block.join('\n'))}</p>\n`);
      at = end;
    }
  }
  return blocks;
}

const HEADING = /^(#{1,4}) +(.+?) *#*$/;
const FENCE = '```';
const ITEM = /^( *)[-*] +(.*)$/;

/** Where a paragraph or a list ends: at an empty line, a heading or a fence, and a paragraph at a list. */
function endOf(lines: readonly string[], first: number): number {
  const inList = ITEM.test(lines[first] ?? '');
  let at = first + 1;
  while (at < lines.length) {
    const line = lines[at] ?? '';
    if (line.trim() === '' || HEADING.test(line) || line.startsWith(FENCE)) break;
    if (!inList && ITEM.test(line)) break;
    at++;
  }
  return at;
}

/** Lines without a mark go on with the item before; deeper items are a list inside of it. */
function listOf(lines: readonly string[]): Html {
  const depth = ITEM.exec(lines[0] ?? '')?.[1]?.length ?? 0;
  const items: { text: string; readonly inner: string[] }[] = [];
  for (const line of lines) {
    const [, indent = '', text = ''] = ITEM.exec(line) ?? [];
    const isItem = ITEM.test(line);
    const current = items.at(-1);
    if (isItem && indent.length <= depth) items.push({ text, inner: [] });
    else if (isItem || (current !== undefined && current.inner.length > 0)) current?.inner.push(line);
    else if (current !== undefined) current.text += `\n${line.trim()}`;
  }
  return html`<ul>
${items.map(({ text, inner }) => html`<li>${inline(text)}${inner.length > 0 && listOf(inner)}</li>\n`)}</ul>
`;
}

function headingOf(level: number, text: string): Html {
  if (level === 1) return html`<h1>${inline(text)}</h1>\n`;
  if (level === 2) return html`<h2>${inline(text)}</h2>\n`;
  return level === 3 ? html`<h3>${inline(text)}</h3>\n` : html`<h4>${inline(text)}</h4>\n`;
}

/** Bounded, so that a line of marks that are never closed is not read anew from each of them. */
const INLINE =
  /`([^`]{1,400})`|\*\*([^*]{1,400})\*\*|\*([^*\s][^*]{0,400})\*|\[([^\]]{1,400})\]\(([^)\s]{1,400})\)|<(https?:\/\/[^>\s]{1,400})>/g;
/`([^`]+)`|\*\*([^*]+)\*\*|\*([^*\s][^*]*)\*|\[([^\]]+)\]\(([^)\s]+)\)|<(https?:\/\/[^>\s]+)>/g;

function inline(text: string): Content {
  const parts: Content[] = [];
  let done = 0;
  for (const match of text.matchAll(INLINE)) {
    parts.push(text.slice(done, match.index));
    const [whole, code, strong, emphasis, label, target, bare] = match;
    if (code !== undefined) parts.push(html`<code>${code}</code>`);
    else if (strong !== undefined) parts.push(html`<strong>${inline(strong)}</strong>`);
    else if (emphasis !== undefined) parts.push(html`<em>${inline(emphasis)}</em>`);
    else if (bare !== undefined) parts.push(html`<a href="${bare}">${bare}</a>`);
    else parts.push(linkTo(target ?? '', label ?? ''));
    done = match.index + whole.length;
  }
  return [...parts, text.slice(done)];
}

/** To the web or within the project; anything else is left as text. */
function linkTo(target: string, label: string): Content {
  return /^(https?:\/\/|[\w./#-]+$)/.test(target) ? html`<a href="${target}">${inline(label)}</a>` : label;
}
