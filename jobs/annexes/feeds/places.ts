/** Reads places as people and programs write them: for tables, pages and calendars. */

import { wordsOf } from '../../../src/calendar/search-term.ts';
import { fold, nameKey } from '../../../src/calendar/text.ts';
import { webAddress } from '../../validate/sanitize.ts';
import type { FeedVenue } from './directory.ts';
import { oneLine } from './event-fields.ts';
import { positionText, readPosition, type WrittenPosition } from './positions.ts';

type Text = string | null | undefined;

/** A place as its source writes it, with its position. */
export interface WrittenPlace extends WrittenPosition {
  /** Its name; an address with a number in it may follow a comma. */
  readonly name?: Text;
  /** Name and address in one, such as iCalendar's LOCATION; used if there is no name. */
  readonly text?: Text;
  /** A text, or parts such as those of a PostalAddress. */
  readonly address?: string | WrittenAddress | null | undefined;
  readonly postalCode?: Text;
  /** The town that follows the postal code. */
  readonly locality?: Text;
  readonly municipality?: Text;
}

interface WrittenAddress {
  readonly name?: Text;
  readonly street?: Text;
  readonly postalCode?: Text;
  readonly locality?: Text;
  /** Omitted if there is a postal code, which implies it. */
  readonly region?: Text;
  readonly country?: Text;
}

export interface ReadPlace {
  /** Null if there is neither a name nor an address. */
  readonly venue: FeedVenue | null;
  /** The web address that replaces a name: a stream, not a place. */
  readonly stream: string | null;
  /** Whether the name says that the event is on the web, such as `Zoom` or a web address. */
  readonly isOnline: boolean;
  /** Parts that are in neither of the two, for findings. */
  readonly lost: readonly {
    readonly part: 'position' | 'postalCode';
    readonly expected: string;
    readonly found: unknown;
  }[];
}

/** The venue that a place names, and the parts of the place that no venue can have. */
export function readPlace(written: WrittenPlace): ReadPlace {
  const { called, isText } = calledBy(written);
  const { isOnline, stream } = onlineIn(called);
  const parts = partsOf(written);
  const { name, address } = nameAndAddress(isOnline ? '' : called, { isText, parts });
  const position = readPosition(written);
  const lost: ReadPlace['lost'][number][] = [];
  const found = positionText(written);
  if (position === null && found !== '') lost.push({ part: 'position', expected: A_POSITION, found });
  if (name !== '') {
    const { postalCode, municipality } = parts;
    return { venue: { name, address, postalCode, municipality, ...position }, stream, isOnline, lost };
  }
  if (position !== null) lost.push({ part: 'position', expected: A_PLACE, found });
  if (parts.postalCode !== null)
    lost.push({ part: 'postalCode', expected: A_PLACE, found: parts.postalCode });
  return { venue: null, stream, isOnline, lost };
}

const A_POSITION = 'a latitude and a longitude such as 63.83 and 10.05';
const A_PLACE = 'a name or an address beside it';

/** The place's name, or else the lines of its text. */
function calledBy({ name, text }: WrittenPlace): { readonly called: string; readonly isText: boolean } {
  const placeName = withoutFiller(name);
  if (placeName !== '') return { called: placeName, isText: false };
  const lines = (text ?? '').split('\n').map(withoutFiller);
  return { called: lines.filter((line) => line !== '').join(', '), isText: true };
}

interface Naming {
  /** Whether the text may contain the address as well. */
  readonly isText: boolean;
  readonly parts: Parts;
}

/** The name is empty for a place that has neither a name nor an address. */
function nameAndAddress(called: string, { isText, parts }: Naming) {
  const split = splitName(called, isText);
  const whole = addressOf(parts) || split.rest;
  const named = whole === split.rest ? split.name : called;
  const name = named || parts.name || firstOf(whole) || (parts.municipality ?? '');
  return { name, address: addressBeside(name, whole) };
}

/** L4: a place that says nothing but that it is on the web. */
function onlineIn(called: string): Pick<ReadPlace, 'isOnline' | 'stream'> {
  const whole = webAddress(called);
  if (whole !== null && !/\shttps?:/i.test(called)) return { isOnline: true, stream: whole };
  if (called.length > LONGEST_ONLINE) return { isOnline: false, stream: null };
  const parts = called.split(' ');
  const [address = null] = parts.flatMap((part) => webAddress(withoutBrackets(part)) ?? []);
  const others = parts.filter((part) => !/^\(?https?:/i.test(part));
  const words = wordsOf(fold(others.join(' ')));
  const namesNoPlace = words.every((word) => ONLINE.has(word) || BESIDE_ONLINE.has(word));
  const isOnline = namesNoPlace && (address !== null || words.some((word) => ONLINE.has(word)));
  return { isOnline, stream: isOnline ? address : null };
}

/** An address in a sentence, or in brackets. */
function withoutBrackets(part: string): string {
  return part.replace(/(?<![,;.)])[,;.)]+$/, '').replace(/^\(/, '');
}

/** Characters: links to meetings have hundreds. */
const LONGEST_ONLINE = 1_000;
/** Folded words that mean the web. */
const ONLINE = words(
  'zoom teams meet webex digital digitalt digitale online virtual virtually virtuelt virtuell webinar nettmote videomote ' +
    'nettbasert livestream',
);
/** Folded words that may accompany them without naming a place. */
const BESIDE_ONLINE = words(
  'event events meeting mote motet arrangement only kun bare via pa on over by nett nettet web internett internet the link ' +
    'lenke og and or eller program microsoft ms google cisco video',
);

function words(text: string): ReadonlySet<string> {
  return new Set(text.split(' '));
}

/** The text on one line; empty for strokes and dots, which fill a field that programs do not leave empty. */
export function withoutFiller(text: Text): string {
  const line = oneLine(text ?? '');
  return /^[-–—_./ ]*$/.test(line) ? '' : line;
}

/** The parts of its address; those of the place itself come first. */
function partsOf(written: WrittenPlace) {
  const { address } = written;
  const inner: WrittenAddress =
    typeof address === 'object' && address !== null ? address : { street: address };
  // Some programs write the town into the field of the code, and spreadsheet programs drop a leading zero.
  const code = withoutFiller(written.postalCode) || withoutFiller(inner.postalCode);
  const [, digits, town = ''] = /^(?:(?:N|NO)[- ])?(\d{3,4})(?: (\D+))?$/i.exec(code) ?? [];
  const municipality = withoutFiller(written.municipality);
  return {
    name: withoutFiller(inner.name),
    street: withoutFiller(inner.street),
    postalCode: code === '' ? null : (digits?.padStart(4, '0') ?? code),
    locality: withoutFiller(written.locality) || withoutFiller(inner.locality) || town,
    region: withoutFiller(inner.region),
    country: withoutFiller(inner.country),
    municipality: municipality === '' ? null : municipality,
  };
}

type Parts = ReturnType<typeof partsOf>;

/** `Olavskvartalet 1, 7011 Trondheim`, with a foreign country. Empty if there is only the code. */
function addressOf({ name, street: written, postalCode, locality, region, country }: Parts): string {
  const [first = '', ...further] = written.split(',').map(withoutFiller);
  const isTown = (part: string) => locality !== '' && nameKey(part) === nameKey(locality);
  const isCodeAndTown = (part: string) => /^\d{4} /.test(part) && isTown(part.slice('7010 '.length));
  // Some programs write all of it as the street.
  const namesCode = postalCode === null ? locality === '' : written.includes(postalCode);
  const isWhole = further.some(isCodeAndTown) || (written !== '' && namesCode);
  // Others write the town after the street, where it is not added again.
  const withoutTown = [first, ...further.filter((part) => !isTown(part))].join(', ');
  const street = further.some(isTown) ? withoutTown : written;
  const town = [locality === '' ? '' : (postalCode ?? ''), locality].join(' ').trim();
  const isHome = /^(?:no|nor|norge|norway)$/i.test(country);
  const all = [
    nameKey(street).startsWith(nameKey(name)) ? '' : name,
    street,
    isWhole || nameKey(street).endsWith(nameKey(town)) ? '' : town,
    postalCode === null ? region : '',
    isHome ? '' : country,
  ];
  return all.filter((part) => part !== '').join(', ');
}

/** Null if only the place's own name is left of it. */
function addressBeside(name: string, whole: string): string | null {
  if (whole === '') return null;
  const isBegunByName = name !== '' && nameKey(whole.slice(0, name.length)) === nameKey(name);
  if (!isBegunByName) return whole;
  const rest = whole.slice(name.length);
  if (rest === '') return null;
  // A street that is the name stays part of the address.
  const isApart = /^\s*,\s*\S/.test(rest) && !HOUSE.test(name);
  return isApart ? rest.replace(/^[\s,]+/, '') : whole;
}

/** Ends with the number of a house. */
const HOUSE = /\p{L}\.? \d{1,4} ?\p{L}?$/u;

function firstOf(address: string): string {
  return withoutFiller(address.split(',')[0]);
}

/**
 * `Olavshallen, Kjøpmannsgata 44, 7010 Trondheim`: the name stands before the first comma. In a name (`isText` false) that applies only
 * if digits follow: `Torget, nedre` is a name.
 */
function splitName(text: string, isText: boolean): { readonly name: string; readonly rest: string } {
  const [name = '', ...more] = text
    .split(',')
    .map(withoutFiller)
    .filter((part) => part !== '');
  const rest = more.join(', ');
  if (rest === '' || !(isText || /\d/.test(rest))) return { name: text, rest: '' };
  // An address without a name is named by its street.
  return { name, rest: HOUSE.test(name) ? `${name}, ${rest}` : rest };
}
