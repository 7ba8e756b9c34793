import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { html } from '../../../../src/annexes/page/html.ts';
import { firstSentence } from '../../../../src/annexes/pages/doc-list.ts';
import { linkOf } from '../../../../src/annexes/pages/docs.ts';
import { renderMarkdown } from '../../../../src/annexes/pages/markdown.ts';
import { costsAtMost } from '../../../helpers/cost.ts';

const test = suite('Markdown of documentation pages');

interface MarkdownCase {
  readonly title: string;
  readonly markdown: string;
  readonly html: string;
}

const CASES: readonly MarkdownCase[] = [
  {
    title: 'give each heading an anchor',
    markdown: '# One\n\n## Two `x`\n### Three ###',
    html: '<h1 id="one">One</h1>\n<h2 id="two-x">Two <code>x</code></h2>\n<h3 id="three">Three</h3>\n',
  },
  {
    title: 'render bold text and code, and no bold text within code',
    markdown: '**a** `**c**`',
    html: '<p><strong>a</strong> <code>**c**</code></p>\n',
  },
  {
    title: 'render a list within a list, with an item of two lines',
    markdown: '- a\n  - b\n    goes on',
    html: '<ul>\n<li>a<ul>\n<li>b\ngoes on</li>\n</ul>\n</li>\n</ul>\n',
  },
  {
    title: 'escape a code block, and render no Markdown in it',
    markdown: '```sh\n# a <b>\n\n- c\n```\nd',
    html: '<div class="copied"><pre class="example" tabindex="0"><code># a &lt;b&gt;\n\n- c</code></pre></div>\n<p>d</p>\n',
  },
  {
    title: 'mark the file name above a code block',
    markdown: '`a.json`:',
    html: '<p class="file"><code>a.json</code>:</p>\n',
  },
  {
    title: 'put a table into a region that scrolls',
    markdown: '| a |\n|---|\n| `b` |',
    html: '<div class="scroller" role="region" aria-label="a" tabindex="0"><table>\n<thead><tr><th>a</th>\n</tr>\n</thead>\n<tbody><tr><td><code>b</code></td>\n</tr>\n</tbody></table></div>\n',
  },
  {
    title: 'render a web link, with its text',
    markdown: '[a *b*](https://x.example/?q=1&r=2)',
    html: '<p><a href="https://x.example/?q=1&amp;r=2">a <em>b</em></a></p>\n',
  },
  {
    title: 'link an address between angle brackets',
    markdown: '<https://x.example>',
    html: '<p><a href="https://x.example">https://x.example</a></p>\n',
  },
  {
    title: 'link a page and a section, and no file that the server does not show',
    markdown: '[a](clients.md#urql) [b](../README.md#c) [d](#e)',
    html: '<p><a href="clients#urql">a</a> b <a href="#e">d</a></p>\n',
  },
  {
    title: 'not link a script',
    markdown: '[a](javascript:alert(1))',
    html: '<p>a</p>\n',
  },
  {
    title: 'not link data or a mail address',
    markdown: '[a](data:text/html,b) <mailto:a@b.example>',
    html: '<p>a mailto:a@b.example</p>\n',
  },
  {
    title: 'show the Markdown of an image as text',
    markdown: '![a](https://x.example/b.png "c")',
    html: '<p>![a](https://x.example/b.png &quot;c&quot;)</p>\n',
  },
  {
    title: 'show an HTML element within a paragraph as text',
    markdown: 'a <img src=x onerror=alert(1)> b',
    html: '<p>a &lt;img src=x onerror=alert(1)&gt; b</p>\n',
  },
  {
    title: 'show an HTML element at the beginning of a paragraph as text',
    markdown: '<script>alert(1)</script> & <b>',
    html: '<p>&lt;script&gt;alert(1)&lt;/script&gt; &amp; &lt;b&gt;</p>\n',
  },
];

const rendered = (markdown: string) =>
  renderMarkdown(markdown, { colour: (code) => html`${code}`, linkOf }).content.html;

for (const { title, markdown, html: expected } of CASES) {
  test(`should ${title}`, () => {
    assert.is(rendered(markdown), expected);
    assert.is(rendered(markdown.replaceAll('\n', '\r\n')), expected, 'with CR LF at the ends of lines');
  });
}

/** References of CPU, for 20,000 times a mark. Quadratic work takes thousands. */
const LINEAR = 100;

for (const mark of ['*', '**', '`', '[', '[a](', '<https://', '- ']) {
  test(`should render a long line of ${mark} in linear time`, async () => {
    await costsAtMost(LINEAR, () => rendered(mark.repeat(20_000)), { what: mark });
  });
}

test('should describe a page by its first sentence, even if that is wrapped', () => {
  const opening = 'How to query version 2.0\nof the API. It has\none endpoint.';
  assert.is(firstSentence(opening), 'How to query version 2.0 of the API.');
});

test.run();
