import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { breakable, html, withCode } from '../../../../src/annexes/page/html.ts';

const test = suite('HTML');

test('should escape a text in an element', () => {
  assert.is(html`<p>${`<b>"'&`}</p>`.html, '<p>&lt;b&gt;&quot;&apos;&amp;</p>');
});

test('should escape a text in an attribute', () => {
  assert.is(html`<p title="${`<b>"'&`}">`.html, '<p title="&lt;b&gt;&quot;&apos;&amp;">');
});

test('should insert HTML unchanged', () => {
  assert.is(html`<p>${html`<b>x</b>`}</p>`.html, '<p><b>x</b></p>');
});

test('should insert the parts of a list one after another, each by its own kind', () => {
  assert.is(html`<p>${[html`<i>x</i>`, '&', 1]}</p>`.html, '<p><i>x</i>&amp;1</p>');
});

test('should insert numbers, also 0', () => {
  assert.is(html`<p>${1}, ${0}</p>`.html, '<p>1, 0</p>');
});

for (const absent of [null, undefined]) {
  test(`should insert nothing for ${absent}`, () => {
    assert.is(html`<p>${absent}</p>`.html, '<p></p>');
  });
}

test('should write a text between backticks as code', () => {
  assert.is(withCode('a `b<c` d').html, 'a <code>b&lt;c</code> d');
});

test('should let a long name break after an underscore', () => {
  assert.is(html`${breakable('A_B_C')}`.html, 'A_<wbr>B_<wbr>C');
});

test.run();
