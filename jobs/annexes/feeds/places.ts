/** Reads places as people and programs write them: for tables, pages and calendars. */

import { wordsOf } from '../../../src/calendar/search-term.ts';
import { fold, nameKey } from '../../../src/calendar/text.ts';
import { webAddress } from '../../validate/sanitize.ts';
import type { FeedVenue } from './directory.ts';

type Text = string | null | undefined;

export interface WrittenPlace {
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
  /** A number, or text with a decimal point or comma; either may hold both as `63.43, 10.40`. */
  readonly latitude?: unknown;
  readonly longitude?: unknown;
}

interface WrittenAddress {
  readonly name?: Text;
  readonly street?: Text;
  readonly postalCode?: Text;
  readonly locality?: Text;
  /** Omitted beside a postal code, which implies it. */
  readonly region?: Text;
  readonly country?: Text;
}

export interface ReadPlace {
  /** Null if there is neither a name nor an address. */
  readonly venue: FeedVenue | null;
  /** The web address in place of a name: a stream, not a place. */
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

export function readPlace(written: WrittenPlace): ReadPlace {
  const lost: ReadPlace['lost'][number][] = [];
  const lines = (written.text ?? '').split('\n').map(oneLine);
  const called = oneLine(written.name) || lines.filter((line) => line !== '').join(', ');
  const { isOnline, stream } = onlineIn(called);
  const place = isOnline ? '' : called;
  const split = splitName(place, oneLine(written.name) === '');
  const parts = partsOf(written);
  const whole = addressOf(parts) || split.rest;
  const name =
    (whole === split.rest ? split.name : place) || parts.name || firstOf(whole) || (parts.municipality ?? '');
  const position = readPosition(written);
  if (position === null && (isStated(written.latitude) || isStated(written.longitude)))
    lost.push({ part: 'position', expected: A_POSITION, found: writtenPosition(written) });
  if (name !== '') {
    const address = addressBeside(name, whole);
    const { postalCode, municipality } = parts;
    return { venue: { name, address, postalCode, municipality, ...position }, stream, isOnline, lost };
  }
  const expected = 'a name or an address beside it';
  if (position !== null) lost.push({ part: 'position', expected, found: writtenPosition(written) });
  if (parts.postalCode !== null) lost.push({ part: 'postalCode', expected, found: parts.postalCode });
  return { venue: null, stream, isOnline, lost };
}

/** L4: a place that says nothing but that it is on the web. */
function onlineIn(called: string): Pick<ReadPlace, 'isOnline' | 'stream'> {
  const whole = webAddress(called);
  if (whole !== null && !/\shttps?:/i.test(called)) return { isOnline: true, stream: whole };
  if (called.length > LONGEST_ONLINE) return { isOnline: false, stream: null };
  const parts = called.split(' ');
  const addresses = parts.flatMap(
    (part) => webAddress(part.replace(/(?<![,;.)])[,;.)]+$/, '').replace(/^\(/, '')) ?? [],
  );
  const words = wordsOf(fold(parts.filter((part) => !/^\(?https?:/i.test(part)).join(' ')));
  const isOnline =
    words.every((word) => ONLINE.has(word) || BESIDE_ONLINE.has(word)) &&
    (addresses.length > 0 || words.some((word) => ONLINE.has(word)));
  return { isOnline, stream: isOnline ? (addresses[0] ?? null) : null };
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

/** Strokes and dots fill a field that programs do not leave empty. Blank for those. */
export function oneLine(text: Text): string {
  const line = (text ?? '').replace(/\s+/g, ' ').trim();
  return /^[-–—_./ ]*$/.test(line) ? '' : line;
}

/** The parts of its address; those of the place itself come first. */
function partsOf(written: WrittenPlace) {
  const { address } = written;
  const inner: WrittenAddress =
    typeof address === 'object' && address !== null ? address : { street: address };
  // Some programs write the town into the field of the code, and spreadsheet programs drop a leading zero.
  const code = oneLine(written.postalCode) || oneLine(inner.postalCode);
  const [, digits, town = ''] = /^(?:(?:N|NO)[- ])?(\d{3,4})(?: (\D+))?$/i.exec(code) ?? [];
  const municipality = oneLine(written.municipality);
  return {
    name: oneLine(inner.name),
    street: oneLine(inner.street),
    postalCode: code === '' ? null : (digits?.padStart(4, '0') ?? code),
    locality: oneLine(written.locality) || oneLine(inner.locality) || town,
    region: oneLine(inner.region),
    country: oneLine(inner.country),
    municipality: municipality === '' ? null : municipality,
  };
}

type Parts = ReturnType<typeof partsOf>;

/** `Olavskvartalet 1, 7011 Trondheim`, with a foreign country. Empty if there is only the code. */
function addressOf({ name, street: written, postalCode, locality, region, country }: Parts): string {
  const [first = '', ...parts] = written.split(',').map(oneLine);
  const isTown = (part: string) => locality !== '' && nameKey(part) === nameKey(locality);
  // Some programs write all of it as the street, or the town alone, which is not added again.
  const isWhole =
    parts.some((part) => /^\d{4} /.test(part) && isTown(part.slice('7010 '.length))) ||
    (written !== '' && (postalCode === null ? locality === '' : written.includes(postalCode)));
  const street = parts.some(isTown) ? [first, ...parts.filter((part) => !isTown(part))].join(', ') : written;
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
  const rest = nameKey(whole.slice(0, name.length)) === nameKey(name) ? whole.slice(name.length) : whole;
  // A street that is the name stays part of the address.
  if (rest === '') return null;
  return /^\s*,\s*\S/.test(rest) && rest !== whole && !HOUSE.test(name) ? rest.replace(/^[\s,]+/, '') : whole;
}

/** Ends with the number of a house. */
const HOUSE = /\p{L}\.? \d{1,4} ?\p{L}?$/u;

function firstOf(address: string): string {
  return oneLine(address.split(',')[0]);
}

/**
 * `Olavshallen, Kjøpmannsgata 44, 7010 Trondheim`: the name stands before the first comma. In a name (`isText` false) that applies only
 * if digits follow: `Torget, nedre` is a name.
 */
function splitName(text: string, isText: boolean): { readonly name: string; readonly rest: string } {
  const [name = '', ...more] = text
    .split(',')
    .map(oneLine)
    .filter((part) => part !== '');
  const rest = more.join(', ');
  if (rest === '' || !(isText || /\d/.test(rest))) return { name: text, rest: '' };
  // An address without a name is named by its street.
  return { name, rest: HOUSE.test(name) ? `${name}, ${rest}` : rest };
}

const A_POSITION = 'a latitude and a longitude such as 63.83 and 10.05';

function isStated(value: unknown): boolean {
  return value !== null && value !== undefined && value !== '';
}

function writtenPosition({ latitude, longitude }: WrittenPlace): unknown {
  return [latitude, longitude].filter(isStated).join(', ');
}

/** Null for none, and for 0, 0, which programs write for an unknown position. */
function readPosition(
  written: WrittenPlace,
): { readonly latitude: number; readonly longitude: number } | null {
  const both = [written.latitude, written.longitude].find((value) => PAIR.test(String(value)));
  const [, first, second] = PAIR.exec(String(both)) ?? [];
  const latitude = numberOf(first ?? written.latitude);
  const longitude = numberOf(second ?? written.longitude);
  const isThere =
    Math.abs(latitude) <= 90 && Math.abs(longitude) <= 180 && (latitude !== 0 || longitude !== 0);
  return isThere ? { latitude, longitude } : null;
}

const PAIR =
  /^\s*([+-]?\d{1,3}(?:\.\d{1,15})?)(?:\s*(?:;|,(?=\s|[+-]?\d{1,3}\.))\s*|\s+)([+-]?\d{1,3}(?:\.\d{1,15})?)\s*$/;

/** NaN for text that is not a number. */
function numberOf(value: unknown): number {
  const text = String(value).trim();
  return /^[+-]?\d{1,9}(?:[.,]\d{1,15})?$/.test(text) ? Number(text.replace(',', '.')) : Number.NaN;
}
