/** G8: markup of descriptions: what is kept, what is removed, and the cost of hostile texts. */
import fc from 'fast-check';
import { type DefaultTreeAdapterTypes, parseFragment } from 'parse5';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ALLOWED } from '../../../jobs/validate/html-elements.ts';
import { plainText, safeMarkup } from '../../../jobs/validate/sanitize.ts';
import { webAddress } from '../../../jobs/validate/web-address.ts';
import { anyWebUrl } from '../../helpers/characters.ts';
import { costsAtMost } from '../../helpers/cost.ts';
import { type Case, hostileText, MARKUP } from '../../helpers/hostile-texts.ts';
import { IS_LONG } from '../../helpers/run-options.ts';

const markup = suite('G8: descriptions');

for (const [from, to, taken = []] of MARKUP)
  markup(`G8: should make ${JSON.stringify(from)} safe`, () => {
    assert.equal(safeMarkup(from), { text: to === '=' ? from : to, taken });
  });

markup('G8: should nest at most 50 elements, and keep the text of deeper ones', () => {
  const { text, taken } = safeMarkup(`${'<b>'.repeat(60)}x`);
  assert.is(text, `${'<b>'.repeat(50)}x${'</b>'.repeat(50)}`);
  assert.equal(taken, ['<b> more than 50 deep']);
});

markup('G2: should report at most eight kinds of harmless removed markup, and as many of other kinds', () => {
  const noise = 'span font big tt nobr wbr label o:p'.split(' ').map((name) => `<${name}>`);
  const others = 'img iframe object embed input video audio svg'.split(' ').map((name) => `<${name}>`);
  assert.equal(safeMarkup(`${noise.join('')}<section>`).taken, noise);
  assert.equal(safeMarkup(`${noise.join('')}${others.join('')}<math>`).taken, [...noise, ...others]);
});

/** All that a browser would make elements of. */
function elementsOf(html: string): readonly DefaultTreeAdapterTypes.Element[] {
  const elementsIn = (node: DefaultTreeAdapterTypes.ParentNode): readonly DefaultTreeAdapterTypes.Element[] =>
    node.childNodes.flatMap((child) => {
      assert.not.equal(child.nodeName, '#comment');
      return [...('tagName' in child ? [child] : []), ...('childNodes' in child ? elementsIn(child) : [])];
    });
  return elementsIn(parseFragment(html));
}

function isHarmless(html: string): boolean {
  return elementsOf(html).every(
    ({ tagName, namespaceURI, attrs }) =>
      ALLOWED.has(tagName) &&
      namespaceURI === 'http://www.w3.org/1999/xhtml' &&
      attrs.every(({ name, value }) => tagName === 'a' && name === 'href' && LINK.test(value)),
  );
}

const LINK = /^(https?:\/\/|mailto:|tel:)/i;
const RUNS = { numRuns: IS_LONG ? 5_000 : 120 };

markup(
  'G8: should leave a browser nothing but elements that format text, and change nothing the second time',
  () => {
    fc.assert(
      fc.property(hostileText, (html) => {
        const { text } = safeMarkup(html);
        assert.ok(isHarmless(text), text);
        assert.equal(safeMarkup(text), { text, taken: [] });
      }),
      RUNS,
    );
  },
);

markup.run();

const plain = suite('G8: plain text');

const PLAIN: readonly Case[] = [
  ['Rock & roll <3', '='],
  ['Tom &amp; Jerry', '='],
  ['3 < 5 > 2, a<=b', '='],
  ['Ola <ola@x.example>', '='],
  ['<Navn> på scenen', '='],
  ['«Ærlig» – \u{1f3b7} “x” \u00a0', '='],
  ['<b>Konsert</b>', 'Konsert', ['<b>']],
  ['Kon<i>s</i>ert', 'Konsert', ['<i>']],
  ['Rad en<br>rad to', 'Rad en rad to', ['<br>']],
  ['<p>En</p><p>to</p>', 'En to', ['<p>']],
  ['<script>alert(1)</script>Konsert', 'Konsert', ['<script>']],
  ['<img src=x onerror=alert(1)>Konsert', 'Konsert', ['<img>']],
  ['Konsert<!-- x -->', 'Konsert', ['comment']],
  ['Konsert <img src=x onerror=alert(1)', 'Konsert img src=x onerror=alert(1)', ['<']],
  ['<svg/onload=alert(1)>', '', ['<svg>']],
  ['<x onclick=alert(1)>k</x>', 'k', ['<x>']],
  ['<<b>script>alert(1)</script>', '< script>alert(1)', ['<b>', '<script>']],
  ['<scr<script>ipt>alert(1)</scr</script>ipt>', 'ipt>alert(1) ipt>', ['<scr<script>', '<scr</script>']],
  ['</<b>script>', 'script>', ['comment']],
  ['<title><script>x</script></title>', 'script>x/script>', ['<title>', '<']],
  ['Kon\u0000se\u202ert\u0007', 'Konsert', ['U+0000', 'U+202E', 'U+0007']],
  ['<scr\u0000ipt>', '', ['U+0000', '<script>']],
  ['x'.repeat(5_000), '='],
];

for (const [from, to, taken = []] of PLAIN)
  plain(`G8: should read ${JSON.stringify(from).slice(0, 60)} as a line of text`, () => {
    assert.equal(plainText(from, 'line'), { text: to === '=' ? from : to, taken });
  });

plain('G8: should read a title as one line, and keep the lines of a note', () => {
  const text = 'En\r\nto\rtre\tfire\u2028fem';
  assert.equal(plainText(text, 'line'), { text: 'En to tre fire fem', taken: [] });
  assert.equal(plainText(text, 'lines'), { text: 'En\nto\ntre fire\u2028fem', taken: [] });
});

plain('G8: should remove every HTML element of random texts, and change nothing the second time', () => {
  fc.assert(
    fc.property(hostileText, fc.constantFrom('line' as const, 'lines' as const), (from, lines) => {
      const { text } = plainText(from, lines);
      assert.equal(plainText(text, lines), { text, taken: [] });
      for (const { tagName, attrs } of elementsOf(text)) {
        assert.not(ALLOWED.has(tagName), text);
        assert.not(
          attrs.some(({ name, value }) => /^on/.test(name) && value !== ''),
          text,
        );
      }
      assert.not.match(text, /[^\P{Cc}\n]|\p{Bidi_Control}|<script|<img|<svg/iu);
    }),
    RUNS,
  );
});

plain.run();

const address = suite('G8: URLs');

const NO_ADDRESSES =
  'JaVaScRiPt:alert(1) javascript://x.example/%0aalert(1) &#106;avascript:alert(1) vbscript:x file:///etc/passwd ' +
  'blob:https://x.example/1 view-source:https://x.example mailto:post@x.example //x.example /side www.x.example ' +
  'https:x.example https:// https://[::1 https://x.example:99999 https://x.example" https://x.example"onload=a/ ' +
  "https://x'example/ https://x`{example}/ data:text/html,<script>alert(1)</script>";
const WITH_BLANKS = [
  'java\tscript:alert(1)',
  '\u0001javascript:alert(1)',
  'ht\ntps://x.example',
  '',
  'x'.repeat(5_000),
];

const ADDRESSES: readonly (readonly [from: string, to: string | null])[] = [
  ['https://x.example', '='],
  ['HTTP://X.example/A?b=c#d', '='],
  ['https://blåbær.example/søk?q=ø', '='],
  ['https://x.example/%20(1)~*!$&+,;=:@', '='],
  [' https://x.example ', 'https://x.example'],
  ['https://x.example/a b', 'https://x.example/a%20b'],
  ['https://x.example/"onerror="', 'https://x.example/%22onerror=%22'],
  ["https://x.example/'><script>", 'https://x.example/%27%3E%3Cscript%3E'],
  ['https://x.example/\u202egnp', 'https://x.example/%E2%80%AEgnp'],
  ...[...NO_ADDRESSES.split(' '), ...WITH_BLANKS].map((address) => [address, null] as const),
];

for (const [from, to] of ADDRESSES)
  address(`G8: should read ${JSON.stringify(from).slice(0, 60)} as an absolute URL or nothing`, () => {
    assert.is(webAddress(from), to === '=' ? from : to);
  });

address('G8: should read an address with "å" in the same way, however often', () => {
  const written = 'https://blåbær.example/søk?q=ø';
  for (let time = 0; time < 50_000; time++) assert.is(webAddress(written), written);
});

address('G8: should return an absolute http or https URL or nothing, the same the second time', () => {
  const text = fc.oneof(
    anyWebUrl,
    hostileText,
    hostileText.map((rest) => `https://x.example/${rest}`),
  );
  fc.assert(
    fc.property(text, (from) => {
      const url = webAddress(from);
      if (url === null) return;
      assert.match(new URL(url).protocol, /^https?:$/);
      assert.not.match(url, /[\s"'<>\p{Cc}]/u);
      assert.is(webAddress(url), url);
    }),
    RUNS,
  );
});

address.run();

const cost = suite('G8: cost');

/** Quadratic work would cost thousands of references. */
const BYTES = 100_000;
const fill = (piece: string) => piece.repeat(Math.ceil(BYTES / piece.length));

/** Texts that cost some parsers time that grows with the square. */
const WORST: Readonly<Record<string, string>> = {
  'openings of nothing': fill('<'),
  'unfinished tags': fill('<a'),
  'open elements': fill('<b>'),
  'nested blocks': fill('<div><ul><li>'),
  'closings of what is not open': fill('<b>').slice(0, BYTES / 2) + fill('</i>').slice(0, BYTES / 2),
  'unclosed comments': fill('<!--'),
  'unclosed declarations': fill('<!'),
  attributes: `<a ${fill('a=b ')}`,
  'attributes of their own': `<a ${Array.from({ length: 32_000 }, (_, at) => `a${at}`).join(' ')}>`,
  'an unclosed attribute': `<a href="${fill('x')}`,
  'unclosed attributes': fill('<a b="'),
  references: fill('&#'),
  'unclosed scripts': fill('<script></sc'),
  'links in links': fill('<a href=https://x.example>'),
  'foreign elements': fill('<svg><p>'),
  'blanks after a closing': fill('</ '),
  'characters that change the direction of writing': fill('\u202e'),
  'bracketed words': fill('<ola>'),
  shortcodes: fill('[vc_row [vc_a ').replace(/.$/, ']'),
  'an address to encode': `https://x.example/${fill('%<')}`,
};

for (const [name, text] of Object.entries(WORST))
  cost(`G8: should read 100 KB of ${name} in linear time`, async () => {
    for (const read of [safeMarkup, readLine, webAddress]) await costsAtMost(10, () => read(text));
  });

function readLine(text: string) {
  return plainText(text, 'line');
}

cost.run();
