import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { weekOf, writeDay, writeMoment } from '../../../../src/annexes/page/dates.ts';
import { loadColours } from '../../../../src/annexes/page/highlight.ts';
import { breakable, html, withCode } from '../../../../src/annexes/page/html.ts';
import { writeNumber } from '../../../../src/annexes/page/reader.ts';
import { linkOf } from '../../../../src/annexes/pages/docs.ts';
import { renderMarkdown } from '../../../../src/annexes/pages/markdown.ts';
import { instantOf, weekdayOf } from '../../../../src/calendar/time.ts';
import { costsAtMost } from '../../../helpers/usage.ts';

const writing = suite('writing');

const dayOf = (text: string) => Date.parse(text) / 86_400_000;

writing('should escape whatever is put into HTML, in texts and attributes', () => {
  const nasty = `<b>"'&`;
  assert.is(
    html`<p title="${nasty}">${nasty}</p>`.html,
    '<p title="&lt;b&gt;&quot;&apos;&amp;">&lt;b&gt;&quot;&apos;&amp;</p>',
  );
});

writing('should insert HTML, numbers and lists as they are, and nothing for undefined', () => {
  assert.is(
    html`${html`<b>${1}</b>`}${[html`<i>x</i>`, '&']}${null}${undefined}${false}${0}`.html,
    '<b>1</b><i>x</i>&amp;0',
  );
  assert.is(withCode('a `b<c` d').html, 'a <code>b&lt;c</code> d');
  assert.is(html`${breakable('A_B_C')}`.html, 'A_<wbr>B_<wbr>C');
});

writing('should count weeks as ISO 8601 does', () => {
  const weeks = { '2026-01-01': 1, '2026-11-20': 47, '2026-12-31': 53, '2027-01-03': 53, '2027-01-04': 1 };
  for (const [day, week] of Object.entries({ ...weeks, '2024-12-30': 1, '2020-12-31': 53, '1969-12-29': 1 }))
    assert.is(weekOf(dayOf(day)), week, day);
  assert.is(weekdayOf(dayOf('2026-11-22')), 6);
  assert.is(weekdayOf(dayOf('1969-12-29')), 0);
});

writing('should write days, moments and figures in both languages', () => {
  const day = dayOf('2026-11-22');
  assert.is(writeDay(day, 'long', 'nb'), 'søndag 22. november');
  assert.is(writeDay(day, 'long', 'en').replace(',', ''), 'Sunday 22 November');
  assert.is(writeMoment(instantOf(day * 86_400 + 3_900), 'nb'), '22. november 2026 kl. 01.05');
  assert.is(writeMoment(instantOf(day * 86_400 + 3_900), 'en'), '22 November 2026 at 01:05');
  assert.is(writeNumber(1_234_567.25, 'en'), '1,234,567.3');
  assert.is(writeNumber(1_234_567.25, 'nb').replaceAll(/\s/g, ' '), '1 234 567,3');
});

const MARKDOWN: readonly (readonly [markdown: string, html: string])[] = [
  [
    '# One\n\n## Two `x`\n### Three ###',
    '<h1 id="one">One</h1>\n<h2 id="two-x">Two <code>x</code></h2>\n<h3 id="three">Three</h3>\n',
  ],
  [
    '**a** `**c**`\n\n- a\n  - b\n    goes on',
    '<p><strong>a</strong> <code>**c**</code></p>\n<ul>\n<li>a<ul>\n<li>b\ngoes on</li>\n</ul>\n</li>\n</ul>\n',
  ],
  [
    '```sh\n# a <b>\n\n- c\n```\nd',
    '<div class="copied"><pre class="example" tabindex="0"><code># a &lt;b&gt;\n\n- c</code></pre></div>\n<p>d</p>\n',
  ],
  ['`a.json`:', '<p class="file"><code>a.json</code>:</p>\n'],
  [
    '| a |\n|---|\n| `b` |',
    '<div class="scroller" role="region" aria-label="a" tabindex="0"><table>\n<thead><tr><th>a</th>\n</tr>\n</thead>\n<tbody><tr><td><code>b</code></td>\n</tr>\n</tbody></table></div>\n',
  ],
  [
    '[a *b*](https://x.example/?q=1&r=2)',
    '<p><a href="https://x.example/?q=1&amp;r=2">a <em>b</em></a></p>\n',
  ],
  [
    '[a](clients.md#urql) [b](../README.md#c) [d](#e) <https://x.example>',
    '<p><a href="clients#urql">a</a> b <a href="#e">d</a> <a href="https://x.example">https://x.example</a></p>\n',
  ],
  ['[a](javascript:alert(1))', '<p>a</p>\n'],
  ['![a](https://x.example/b.png "c")', '<p>![a](https://x.example/b.png &quot;c&quot;)</p>\n'],
  ['a <img src=x onerror=alert(1)> b', '<p>a &lt;img src=x onerror=alert(1)&gt; b</p>\n'],
  ['[a](data:text/html,b) <mailto:a@b.example>', '<p>a mailto:a@b.example</p>\n'],
  ['<script>alert(1)</script> & <b>', '<p>&lt;script&gt;alert(1)&lt;/script&gt; &amp; &lt;b&gt;</p>\n'],
];

const rendered = (markdown: string) =>
  renderMarkdown(markdown, { colour: (code) => html`${code}`, linkOf }).content.html;

writing('should render Markdown, with HTML in it as text, and links where they lead somewhere', () => {
  for (const [markdown, expected] of MARKDOWN)
    for (const text of [markdown, markdown.replaceAll('\n', '\r\n')])
      assert.is(rendered(text), expected, JSON.stringify(text));
});

writing('should render long lines of punctuation in linear time', async () => {
  await costsAtMost(200, () => {
    for (const mark of ['*', '**', '`', '[', '[a](', '<https://', '- ']) rendered(mark.repeat(20_000));
  });
});

writing('should colour code of known languages, and escape all of it', async () => {
  const colour = await loadColours();
  assert.is(
    colour('{ a(b: "<i>") } # c', 'graphql').html.replaceAll(
      /<span class="hljs-punctuation">(.)<\/span>/g,
      '$1',
    ),
    '{ a(<span class="hljs-symbol">b</span>: <span class="hljs-string">&quot;&lt;i&gt;&quot;</span>) } <span class="hljs-comment"># c</span>',
  );
  for (const language of ['csv', undefined]) assert.is(colour('<b>', language).html, '&lt;b&gt;');
});

writing.run();
