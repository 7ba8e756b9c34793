/** Hostile texts, and their safe forms (G8). */
import fc from 'fast-check';
import { anyCharacter } from './characters.ts';

export type Case = readonly [from: string, to: string, taken?: readonly string[]];

const VC = ['[vc_row]', '[vc_column]'];

/** Markup, its safe form (`=` if it is unchanged), and the parts that are removed. */
export const MARKUP: readonly Case[] = [
  // Elements that format text stay.
  ['<p>Hel <strong>og</strong> <em>halv</em>.</p><p>Maraton &amp; <br>10 km</p>', '='],
  ['<h2>Program</h2><ul><li>Kor</li><li>Tale</li></ul><ol><li>a</li></ol>', '='],
  ['<a href="https://x.example/a?b=1&amp;c=2">Se her</a>', '='],
  ['<a href="mailto:post@x.example">post</a> <a href="tel:+4712345678">ring</a>', '='],
  ['<blockquote>Sitat</blockquote><hr><pre>a\n b</pre>', '='],
  // Texts without markup are left alone.
  ['Mat & drikke, 3 > 2', '='],
  ['&lt;script&gt;alert(1)&lt;/script&gt;', '='],
  ['Linje\nto', '='],
  // Text is text.
  ['Fra 3 < 5 år <3', 'Fra 3 &lt; 5 år &lt;3'],
  ['Ola <ola@x.example>', 'Ola &lt;ola@x.example&gt;'],
  ['Se <https://x.example/?a=1>', 'Se &lt;https://x.example/?a=1&gt;'],
  ['Aldersgrense <b', 'Aldersgrense &lt;b'],
  ['x <img src=x onerror=alert(1)', 'x &lt;img src=x onerror=alert(1)'],
  ['<!-- aldri lukket', '&lt;!-- aldri lukket'],
  ['K&#229;re & co', 'Kåre &amp; co'],
  // Elements are closed where they end.
  ['<b>fet', '<b>fet</b>'],
  ['</b>tekst', 'tekst'],
  ['<p>a<p>b', '<p>a</p><p>b</p>'],
  ['<ul><li>a<li>b<ul><li>c</ul></ul>', '<ul><li>a</li><li>b<ul><li>c</li></ul></li></ul>'],
  ['<div><div>a</div><div>b</div></div>', '<p>a</p><p>b</p>'],
  ['<BR/>x<HR>', '<br>x<hr>'],
  // Shortcodes are removed, and what is between them stays. Words in brackets are an editor's.
  ['[vc_row][vc_column width="1/2"]Kor[/vc_column][vc_column]Tale[/vc_column][/vc_row]', 'Kor Tale', VC],
  ['<p>[vc_row css=&#8221;.vc{}&#8243;]</p><p>Kor</p>', '<p>Kor</p>', ['[vc_row]']],
  ['Se [caption id="a" width="300"]<img src=x>Koret[/caption]', 'Se  Koret', ['<img>', '[caption]']],
  ['[contact-form-7 id="12"]Meld deg på[/meld]', 'Meld deg på', ['[contact-form-7]', '[meld]']],
  ['[gallery] [embed]https://x.example[/embed]', 'https://x.example', ['[gallery]', '[embed]']],
  ['[avlyst] [18+] [kor/orkester] [gratis for barn] [video] [caption by Ola] [b]a[/b] & [1=2]', '='],
  [
    '[caption[vc_row]] [se [https://x.example]] &#91;/vc_row]',
    '[caption[vc_row]] [se [https://x.example]]',
    ['[vc_row]'],
  ],
  // Elements and attributes that run or load something are removed.
  ['<script>alert(1)</script>Hei', 'Hei', ['<script>']],
  ['<SCRIPT SRC=//x.example/a.js></SCRIPT>Hei', 'Hei', ['<script>']],
  ['<script>alert(1)', '', ['<script>']],
  ['<script/>Hei <b>du</b>', 'Hei <b>du</b>', ['<script>']],
  ['<img src=x onerror=alert(1)>Hei', 'Hei', ['<img>']],
  ['<IMG """><SCRIPT>alert(1)</SCRIPT>">', '"&gt;', ['<img>', '<script>']],
  [
    '<p onclick="alert(1)" style="position:fixed" class=x>Hei</p>',
    '<p>Hei</p>',
    ['onclick', 'style', 'class'],
  ],
  ['<p/onclick=alert(1)>Hei', '<p>Hei</p>', ['onclick']],
  ['<body onload=alert(1)>Hei', '<p>Hei</p>', ['onload']],
  ['<x onclick=alert(1)>Hei</x>', 'Hei', ['<x>']],
  ['<iframe src="javascript:alert(1)">Hei</iframe>', 'Hei', ['<iframe>']],
  ['<style>@import "//x.example"</style>Hei', 'Hei', ['<style>']],
  ['<link rel=stylesheet href=//x.example>Hei', 'Hei', ['<link>']],
  ['<base href="javascript:">Hei', 'Hei', ['<base>']],
  ['<meta http-equiv=refresh content="0;url=javascript:alert(1)">Hei', 'Hei', ['<meta>']],
  ['<form action=javascript:alert(1)><input type=submit>Hei', '<p> Hei</p>', ['action', '<input>']],
  ['<object data=x></object><embed src=x>Hei', 'Hei', ['<object>', '<embed>']],
  ['<video onerror=alert(1)><source></video>Hei', 'Hei', ['<video>', '<source>']],
  ['<svg onload=alert(1)><script>alert(1)</script></svg>Hei', 'Hei', ['<svg>', '<script>']],
  ['<svg><animate onbegin=alert(1) attributeName=x>Hei', 'Hei', ['<svg>', '<animate>']],
  ['<!--<img src="--><img src=x onerror=alert(1)//">Hei', 'Hei', ['comment', '<img>']],
  ['<![CDATA[<img src=x onerror=1>]]>Hei', 'Hei', ['comment']],
  ['<?php echo 1 ?>Hei<!doctype html>', 'Hei', ['comment']],
  ['<scr<script>ipt>alert(1)</scr</script>ipt>', 'ipt&gt;alert(1)ipt&gt;', ['<scr<script>']],
  ['<<b>script>alert(1)</script>', '&lt;<b>script&gt;alert(1)</b>'],
  // Links lead where a reader may be led.
  ['<a href="javascript:alert(1)">x</a>', 'x', ['href=javascript:alert(1)']],
  ['<a href="JaVaScRiPt:alert(1)">x</a>', 'x', ['href=JaVaScRiPt:alert(1)']],
  ['<a href="&#106;avascript&colon;alert(1)">x</a>', 'x', ['href=javascript:alert(1)']],
  ['<a href="java\tscript:alert(1)">x</a>', 'x', ['href=java script:alert(1)']],
  ['<a href=" \u0001javascript:alert(1)">x</a>', 'x', ['U+0001', 'href= javascript:alert(1)']],
  [
    '<a href="data:text/html,<script>alert(1)</script>">x</a>',
    'x',
    ['href=data:text/html,<script>alert(1)</sc'],
  ],
  ['<a href="vbscript:msgbox(1)">x</a>', 'x', ['href=vbscript:msgbox(1)']],
  ['<a href="/side">x</a>', 'x', ['href=/side']],
  ['<a href="//x.example">x</a>', 'x', ['href=//x.example']],
  ['<a href="https://x.example" target=_blank>x</a>', '<a href="https://x.example">x</a>', ['target']],
  [
    `<a href='https://x.example/" onmouseover="alert(1)'>x</a>`,
    '<a href="https://x.example/%22%20onmouseover=%22alert(1)">x</a>',
  ],
  [
    '<a href=https://a.example>a <a href=https://b.example>b</a>',
    '<a href="https://a.example">a </a><a href="https://b.example">b</a>',
  ],
  [
    '<a href=https://a.example><ul><li><a href=https://b.example>b',
    '<a href="https://a.example"><ul><li></li></ul></a><a href="https://b.example">b</a>',
  ],
  // Mutation: markup that is harmless until it is read a second time.
  ['<noscript><p title="</noscript><img src=x onerror=alert(1)>">', '', ['<noscript>', 'title']],
  ['<title><b>x</b></title>', '&lt;b&gt;x&lt;/b&gt;', ['<title>']],
  ['<textarea><img src=x onerror=1></textarea>', '&lt;img src=x onerror=1&gt;', ['<textarea>']],
  ['<xmp><img src=x onerror=1></xmp>', '&lt;img src=x onerror=1&gt;', ['<xmp>']],
  ['<plaintext><b>x', '<b>x</b>', ['<plaintext>']],
  [
    '<math><mtext><table><mglyph><style><!--</style><img title="--&gt;&lt;img src=1 onerror=alert(1)&gt;">',
    '&lt;mtext&gt;<p>&lt;mglyph&gt;  </p>',
    ['<math>', '<style>', '<img>'],
  ],
  ['<svg></p><style><a id="</style><img src=1 onerror=alert(1)>">', '"&gt;', ['<svg>', '<style>', '<img>']],
  // Characters that steer.
  ['Gratis\u202egnp.exe\u0000\u001b[2J', 'Gratisgnp.exe[2J', ['U+202E', 'U+0000', 'U+001B']],
  ['Gratis&#x202E;gnp&rlm;', 'Gratisgnp', ['U+202E', 'U+200F']],
  ['<scr\u0000ipt>alert(1)</scr\u0000ipt>x', 'x', ['U+0000', '<script>']],
];

/** Pieces of hostile markup for random texts. */
const PIECES = [
  ...MARKUP.map(([from]) => from),
  ...'< > </ <! <!-- --> --!> <? ?> " \' ` = / & &lt; &#60; &#x3c; &colon; &Tab; \0 \u202e \u200f \n \r'.split(
    ' ',
  ),
  ...'<b> </b> <p> </p> <a <a href= href=" https://x.example javascript: on click= <li> <ul> </ul> <svg> <math> <mi>'.split(
    ' ',
  ),
  ...'<style> </style> <script> </script> <title> </title> <xmp> <textarea> <noscript> <table> <td> <template>'.split(
    ' ',
  ),
  ...'x Ærlig \u{1f3b7} <ola> <ola@x.example> <h1> <br> <dd> <pre> <div>'.split(' '),
  ' ',
  '</p >',
];
const piece = fc.oneof(fc.constantFrom(...PIECES), fc.string({ unit: anyCharacter, maxLength: 5 }));
const hostile = fc.array(piece, { maxLength: 12 });
/** Random texts of these pieces in any order. */
export const hostileText = hostile.map((pieces) => pieces.join(''));
