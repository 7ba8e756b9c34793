/** Reads places as people and programs write them: for tables, pages and calendars. */
import { wordsOf } from '../../../src/calendar/search-term.ts';
import { fold, nameKey } from '../../../src/calendar/text.ts';
import { webAddress } from '../../validate/web-address.ts';
import { withoutFiller } from './event-fields.ts';
import { positionText, readPosition, type WrittenPosition } from './positions.ts';
import type { FeedVenue } from './venue-ids.ts';
import { type AddressParts, addressPartsOf, addressText, type PlaceWithAddress } from './written-address.ts';

/** A place as its source writes it, with its address and its position. */
export interface WrittenPlace extends PlaceWithAddress, WrittenPosition {
  /** Its name; an address with a number in it may follow a comma. */
  readonly name?: string | null | undefined;
  /** Name and address in one, such as iCalendar's LOCATION; used if there is no name. */
  readonly text?: string | null | undefined;
}

/** The place, and what it says of the web. `stream` is a web address that replaces its name. */
export interface ReadPlace extends OnlinePlace {
  /** Null if there is neither a name nor an address. */
  readonly venue: FeedVenue | null;
  /** Parts that are neither in `venue` nor in `stream`, for findings. */
  readonly lost: readonly LostPart[];
}

interface LostPart {
  readonly part: 'position' | 'postalCode';
  readonly expected: string;
  readonly found: unknown;
}

/** The venue that a place names, and the parts of the place that no venue can have. */
export function readPlace(written: WrittenPlace): ReadPlace {
  const { called, mayHaveAddress } = calledBy(written);
  const online = onlineIn(called);
  const parts = addressPartsOf(written);
  const { name, address } = nameAndAddress(online.isOnline ? '' : called, { mayHaveAddress, parts });
  const { postalCode, municipality } = parts;
  const position = readPosition(written);
  const found = positionText(written);
  const lost: LostPart[] = [];
  if (position === null && found !== '') lost.push({ part: 'position', expected: A_POSITION, found });
  if (name !== '')
    return { ...online, venue: { name, address, postalCode, municipality, ...position }, lost };
  if (position !== null) lost.push({ part: 'position', expected: A_PLACE, found });
  if (postalCode !== null) lost.push({ part: 'postalCode', expected: A_PLACE, found: postalCode });
  return { ...online, venue: null, lost };
}

const A_POSITION = 'a latitude and a longitude such as 63.83 and 10.05';
const A_PLACE = 'a name or an address beside it';

interface Called {
  readonly called: string;
  /** Whether the text may contain the address as well. */
  readonly mayHaveAddress: boolean;
}

/** The place's name, or else the lines of its text. */
function calledBy({ name, text }: WrittenPlace): Called {
  const placeName = withoutFiller(name);
  if (placeName !== '') return { called: placeName, mayHaveAddress: false };
  const lines = (text ?? '').split('\n').map(withoutFiller);
  return { called: lines.filter((line) => line !== '').join(', '), mayHaveAddress: true };
}

interface Naming extends Pick<Called, 'mayHaveAddress'> {
  readonly parts: AddressParts;
}

interface NameAndAddress {
  /** Empty for a place that has neither a name nor an address. */
  readonly name: string;
  readonly address: string | null;
}

function nameAndAddress(called: string, { mayHaveAddress, parts }: Naming): NameAndAddress {
  const split = splitName(called, mayHaveAddress);
  const address = addressText(parts) || split.rest;
  const ownName = address === split.rest ? split.name : called;
  const firstOfAddress = withoutFiller(address.split(',')[0]);
  const name = ownName || parts.name || firstOfAddress || (parts.municipality ?? '');
  return { name, address: withoutName(address, name) };
}

/** The address without the place's name at its beginning; null if nothing is left of it. */
function withoutName(address: string, name: string): string | null {
  if (address === '') return null;
  const beginsWithName = name !== '' && nameKey(address.slice(0, name.length)) === nameKey(name);
  if (!beginsWithName) return address;
  const rest = address.slice(name.length);
  if (rest === '') return null;
  // A street that is the name stays part of the address.
  const isApart = /^\s*,\s*\S/.test(rest) && !ENDS_WITH_HOUSE_NUMBER.test(name);
  return isApart ? rest.replace(/^[\s,]+/, '') : address;
}

const ENDS_WITH_HOUSE_NUMBER = /\p{L}\.? \d{1,4} ?\p{L}?$/u;

interface SplitName {
  readonly name: string;
  /** The address; empty for none. */
  readonly rest: string;
}

/**
 * `Olavshallen, Kjøpmannsgata 44, 7010 Trondheim`: the name stands before the first comma. In a name alone that applies only if digits
 * follow: `Torget, nedre` is a name.
 */
function splitName(text: string, mayHaveAddress: boolean): SplitName {
  const parts = text.split(',').map(withoutFiller);
  const [name = '', ...more] = parts.filter((part) => part !== '');
  const rest = more.join(', ');
  const hasAddress = rest !== '' && (mayHaveAddress || /\d/.test(rest));
  if (!hasAddress) return { name: text, rest: '' };
  // An address without a name is named by its street.
  return { name, rest: ENDS_WITH_HOUSE_NUMBER.test(name) ? `${name}, ${rest}` : rest };
}

/** What a place says of the web (L4): `Zoom`, `Digitalt`, or a web address. */
interface OnlinePlace {
  /** Whether the text says that the event is on the web, and names no place. */
  readonly isOnline: boolean;
  /** The web address in the text of an online place; null for none. */
  readonly stream: string | null;
}

/** Reads the name of a place, or its whole text on one line. */
function onlineIn(text: string): OnlinePlace {
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
