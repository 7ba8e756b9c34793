/** L4: places that are on the web: `Zoom`, `Digitalt`, or a web address. */
import { wordsOf } from '../../../src/calendar/search-term.ts';
import { fold } from '../../../src/calendar/text.ts';
import { webAddress } from '../../validate/web-address.ts';

export interface OnlinePlace {
  /** Whether the text says that the event is on the web, and names no place. */
  readonly isOnline: boolean;
  /** The web address in the text of an online place; null for none. */
  readonly stream: string | null;
}

/** Reads the name of a place, or its whole text on one line. */
export function onlineIn(text: string): OnlinePlace {
  const whole = webAddress(text);
  if (whole !== null && !/\shttps?:/i.test(text)) return { isOnline: true, stream: whole };
  if (text.length > LONGEST_ONLINE) return NOT_ONLINE;
  const parts = text.split(' ');
  const [address = null] = parts.flatMap((part) => webAddress(withoutPunctuation(part)) ?? []);
  const otherParts = parts.filter((part) => !/^\(?https?:/i.test(part));
  const words = wordsOf(fold(otherParts.join(' ')));
  const namesPlace = words.some((word) => !ONLINE.has(word) && !BESIDE_ONLINE.has(word));
  const namesWeb = address !== null || words.some((word) => ONLINE.has(word));
  return namesWeb && !namesPlace ? { isOnline: true, stream: address } : NOT_ONLINE;
}

const NOT_ONLINE: OnlinePlace = { isOnline: false, stream: null };

/** An address without the brackets around it, and the signs after it. */
function withoutPunctuation(part: string): string {
  return part.replace(/(?<![,;.)])[,;.)]+$/, '').replace(/^\(/, '');
}

/** Characters: links to meetings have hundreds. */
const LONGEST_ONLINE = 1_000;

/** Folded words that mean the web. */
const ONLINE = setOf(
  'zoom teams meet webex digital digitalt digitale online virtual virtually virtuelt virtuell webinar nettmote videomote ' +
    'nettbasert livestream',
);

/** Folded words that may accompany them without naming a place. */
const BESIDE_ONLINE = setOf(
  'event events meeting mote motet arrangement only kun bare berre via pa on over by nett nettet web internett internet the link ' +
    'lenke lenkje og and or eller program microsoft ms google cisco video',
);

function setOf(words: string): ReadonlySet<string> {
  return new Set(words.split(' '));
}
