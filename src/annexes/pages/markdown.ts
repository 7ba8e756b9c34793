/** Markdown of this project as HTML, for pages: headings that can be linked to, code in colours, tables that scroll by themselves. */
import { Marked, type RendererObject, type Tokens } from 'marked';
import type { Colour } from '../page/highlight.ts';
import { type Html, html, trustedHtml } from '../page/html.ts';

interface MarkdownOptions {
  readonly colour: Colour;
  /** The address that a link leads to; null for one that leads nowhere here. */
  readonly linkOf: (href: string) => string | null;
  /** Columns of tables that are left out, by their headings. */
  readonly omitted?: ReadonlySet<string>;
}

export interface Heading {
  readonly depth: number;
  readonly id: string;
  readonly text: string;
}

interface Rendered {
  readonly content: Html;
  readonly headings: readonly Heading[];
}

/** HTML in it is shown as text. */
export function renderMarkdown(
  markdown: string,
  { colour, linkOf, omitted = new Set() }: MarkdownOptions,
): Rendered {
  const headings: Heading[] = [];
  const marked = new Marked({
    renderer: {
      ...ALIKE,
      code: ({ text, lang }) =>
        html`<div class="copied"><pre class="example" tabindex="0"><code>${colour(text, lang)}</code></pre></div>\n`
          .html,
      heading({ tokens, depth }) {
        const heading = { depth, ...namedBy(tokens) };
        headings.push(heading);
        const content = trustedHtml(this.parser.parseInline(tokens));
        return html`<h${depth} id="${heading.id}">${content}</h${depth}>\n`.html;
      },
      table(token) {
        const isShown = token.header.map((cell) => !omitted.has(cell.text));
        const cellsOf = (row: readonly Tokens.TableCell[]) =>
          row.filter((_, at) => isShown[at]).map((cell) => trustedHtml(this.tablecell(cell)));
        return tableOf({
          label: labelOf(token, headings.at(-1)),
          header: cellsOf(token.header),
          rows: token.rows.map(cellsOf),
        }).html;
      },
      link({ href, tokens }) {
        const label = this.parser.parseInline(tokens);
        const address = linkOf(href);
        return address === null ? label : html`<a href="${address}">${trustedHtml(label)}</a>`.html;
      },
    },
  });
  const content = trustedHtml(marked.parse(markdown, { async: false }));
  return { content, headings };
}

/** What is written alike on all pages. */
const ALIKE: RendererObject = {
  html: ({ text, block }) => (block ? html`<p>${text.trim()}</p>\n` : html`${text}`).html,
  image: ({ raw }) => html`${raw}`.html,
  paragraph({ raw, tokens }) {
    const namesFile = /^`[^`]+`:\s*$/.test(raw);
    const className = namesFile ? html` class="file"` : null;
    return html`<p${className}>${trustedHtml(this.parser.parseInline(tokens))}</p>\n`.html;
  },
};

/** Landmarks need names of their own, and several tables of a page may have the same columns. */
function labelOf({ header }: Tokens.Table, section: Heading | undefined): string {
  const columns = header.map(({ text }) => text).join(', ');
  return [section?.text, columns].filter(Boolean).join(': ') || '…';
}

interface Table {
  readonly label: string;
  readonly header: readonly Html[];
  readonly rows: readonly (readonly Html[])[];
}

/** A table that scrolls by itself, also by keyboard. */
function tableOf({ label, header, rows }: Table): Html {
  const rowOf = (cells: readonly Html[]) => html`<tr>${cells}</tr>\n`;
  return html`<div class="scroller" role="region" aria-label="${label}" tabindex="0"><table>
<thead>${rowOf(header)}</thead>
<tbody>${rows.map(rowOf)}</tbody></table></div>\n`;
}

/** The id that links from other pages have, as GitHub makes it. */
function namedBy(tokens: readonly Tokens.Generic[]): Pick<Heading, 'id' | 'text'> {
  const text = tokens.map((token) => ('text' in token ? String(token.text) : '')).join('');
  const id = text
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .replaceAll(/\s/g, '-');
  return { id, text };
}
