/** B10: the text of HTML, as a browser shows it. */
import fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { safeMarkup } from '../../../jobs/validate/sanitize.ts';
import { shownText } from '../../../src/calendar/display-text.ts';
import { anyCharacter } from '../../helpers/characters.ts';
import { costsAtMost } from '../../helpers/cost.ts';

const test = suite('markup');

/** The text by which a description is found. */
const shown = (html: string) => shownText(safeMarkup(html).text);

const CASES = {
  'Bare tekst & litt til': 'Bare tekst & litt til',
  '<p>Hei</p><p>du</p>': ' Hei  du ',
  'Linje<br>to<br/>tre': 'Linje to tre',
  '<b>K</b>on<em class="x">sert</em>': 'Konsert',
  '<a href="https://x.example/?a=1>2" title=\'>\'>Lenke</a>': 'Lenke',
  '<p class=kveld>Visesang': ' Visesang ',
  '&aring;r &AElig;rlig &#248;l &#xE5;pen &amp;lt; Kaf&eacute;': 'år Ærlig øl åpen &lt; Kafé',
  'Rock&nbsp;&amp;&nbsp;rull': 'Rock\u00a0&\u00a0rull',
  '&notanentity; &; &#; R&B': '¬anentity; &; &#; R&B',
  'en<!-- to -->tre<!doctype html><?php ?>': 'entre',
  'a<script>if (a < b) alert("<p>")</script>b<STYLE>p { }</STYLE >c': 'a b c',
  'a<script>var x = 1': 'a',
  '3 < 4 og 5 > 4, <3 deg, <18 år': '3 < 4 og 5 > 4, <3 deg, <18 år',
  'under <kr 100 og mer': 'under <kr 100 og mer',
  'aldri <a href="lukket>ferdig</a>': 'aldri <a href="lukket>ferdig</a>',
  '&lt;b&gt;ikke en tagg&lt;/b&gt;': '<b>ikke en tagg</b>',
  '': '',
};

for (const [html, expected] of Object.entries(CASES)) {
  test(`B10: should read ${JSON.stringify(html)} as a browser shows it`, () => {
    assert.is(shown(html), expected);
  });
}

test('B10: should leave nothing of a tag, and all of what stands between tags', () => {
  const text = fc.stringMatching(/^[a-zæøå .,!0-9]{0,12}$/);
  const name = fc.constantFrom('p', 'div', 'strong', 'h2', 'LI', 'custom-tag');
  const tag = fc.tuple(name, text).map(([tagName, title]) => `<${tagName} title="${title} > ${title}">`);
  fc.assert(
    fc.property(fc.array(fc.tuple(text, tag)), (pieces) => {
      const stripped = shown(pieces.flat().join(''));
      assert.is(stripped.replaceAll(' ', ''), pieces.map(([shown]) => shown.replaceAll(' ', '')).join(''));
    }),
  );
});

test('B10: should read any text in linear time', async () => {
  fc.assert(fc.property(fc.string({ unit: anyCharacter }), (text) => typeof shown(text) === 'string'));
  for (const unit of [
    '<',
    '<a',
    '<a "',
    '<a ="',
    '<!--',
    '<script>',
    '</',
    '&',
    '<a = ',
    '<a=\'x">',
    '<a>',
  ]) {
    const long = unit.repeat(200_000 / unit.length);
    await costsAtMost(100, () => shownText(long), { what: unit });
  }
});

test.run();
