/** The elements of HTML, by what a description may contain of them. */
import type { Tag } from './tags.ts';

/** Words between angle brackets: neither an HTML element nor anything that could have an event handler. */
export function isWords({ name, isClosing, source }: Tag): boolean {
  if (isClosing || ELEMENTS.has(name)) return false;
  return BRACKETED_WORDS.test(source) || BRACKETED_ADDRESS.test(source);
}

const BRACKETED_WORDS = /^<[^<>="'`:]*>$/;
const BRACKETED_ADDRESS = /^<(?:https?:\/\/|mailto:)[^\s<>"'`]*>$/i;

/** Reads a list of names with a blank between them. */
export const namesIn = (list: string): ReadonlySet<string> => new Set(list.split(' '));

export const HEADINGS = 'h1 h2 h3 h4 h5 h6';
/** All elements that a description may contain. */
export const ALLOWED = namesIn(
  `p br hr ${HEADINGS} ul ol li dl dt dd blockquote pre a b strong i em u s small sub sup code`,
);

/** Block elements. */
export const PARAGRAPHS = namesIn(
  'address article aside body caption center details div fieldset figcaption figure footer form header hgroup html ' +
    'legend main nav search section summary table tr',
);

/** Inline elements: they do not separate words. */
export const INLINE = namesIn(
  'a abbr acronym b bdi bdo big blink cite code data del dfn em font i ins kbd label mark nobr q rb rp rt rtc ruby s samp ' +
    'small span strike strong sub sup time tt u var wbr',
);

/** HTML's own elements, obsolete ones, and the roots of embedded languages. */
const ELEMENTS: ReadonlySet<string> = new Set([
  ...ALLOWED,
  ...PARAGRAPHS,
  ...INLINE,
  ...namesIn(
    'applet area audio base basefont bgsound button canvas col colgroup command content datalist dialog dir element embed ' +
      'fencedframe frame frameset head iframe image img input isindex keygen link listing map marquee math menu menuitem ' +
      'meta meter multicol nextid noembed noframes noscript object optgroup option output param picture plaintext portal ' +
      'progress script select shadow slot source spacer style svg tbody td template textarea tfoot th thead title track ' +
      'video xmp',
  ),
]);
