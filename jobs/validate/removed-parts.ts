/** G2: the parts that were removed from an untrusted text, by their kinds, for reports. */
import { namesIn } from './html-elements.ts';

/** Kinds of removed parts, each once, such as `<script>` or `onclick`. */
export type Taken = Set<string>;

/** Limits the kinds of removed parts that are named. As many again are named if they are not noise. */
const MOST_KINDS = 8;
const LONGEST_KIND = 40;

/** Adds a kind, unless enough are named. */
export function take(taken: Taken, kind: string): void {
  if (taken.size < MOST_KINDS || (taken.size < 2 * MOST_KINDS && !isNoise(kind)))
    taken.add(kind.slice(0, LONGEST_KIND));
}

/**
 * G2: whether a removed part is noise from an editing program, which readers never see: elements and attributes of style, and links within
 * a site, which do not work here; shortcodes of layout. A part that could have run or loaded something is not noise.
 */
export function isNoise(kind: string): boolean {
  if (kind.startsWith('[')) return KNOWN_SHORTCODE.test(kind.slice(1, -1));
  const address = /^href=(.*)$/s.exec(kind)?.[1];
  if (address !== undefined) return !/^[\s\p{Cc}]*[a-z][a-z0-9+.-]*[\s\p{Cc}]*:/iu.test(address);
  const element = /^<([a-z0-9:]+)>$/.exec(kind)?.[1];
  return element === undefined ? NOISY_ATTRIBUTES.test(kind) : NOISY_ELEMENTS.has(element);
}

const NOISY_ELEMENTS = namesIn(
  'span font center big tt nobr wbr label o:p section article header footer main tbody thead',
);
const NOISY_ATTRIBUTES =
  /^(?:target|rel|class|style|id|dir|lang|title|align|valign|width|height|role|name|color|face|size|tabindex|(?:data|aria)-[\w-]+|comment)$/;

/** Names of shortcodes that nobody writes as a word: WordPress's own, and those of programs for layout. */
export const KNOWN_SHORTCODE =
  /^(?:(?:vc|et_pb|fusion|av|su|mk|nectar|wpb|tribe)_[\w-]+|caption|wp_caption|gallery|playlist|embed)$/;
