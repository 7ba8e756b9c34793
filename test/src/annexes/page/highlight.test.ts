import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { loadColours } from '../../../../src/annexes/page/highlight.ts';
import { plainText } from '../../../helpers/html.ts';

const test = suite('highlighted code');

const CODE = '{ a(b: "<i>") } # c';

test('should mark the names, strings and comments of a known language', async () => {
  const colour = await loadColours();
  const { html } = colour(CODE, 'graphql');
  for (const marked of [
    '<span class="hljs-symbol">b</span>',
    '<span class="hljs-string">&quot;&lt;i&gt;&quot;</span>',
    '<span class="hljs-comment"># c</span>',
  ])
    assert.match(html, marked);
});

test('should keep every character of the code', async () => {
  const colour = await loadColours();
  const unmarked = colour(CODE, 'graphql').html.replaceAll(/<\/?span[^>]*>/g, '');
  assert.is(plainText(unmarked), CODE);
});

for (const language of ['csv', undefined]) {
  test(`should only escape code of the language ${language}`, async () => {
    const colour = await loadColours();
    assert.is(colour('<b>', language).html, '&lt;b&gt;');
  });
}

test.run();
