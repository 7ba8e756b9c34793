/** Addresses of places, from the parts in which people and programs write them. */
import { nameKey } from '../../../src/calendar/text.ts';
import { withoutFiller } from './event-fields.ts';

type Text = string | null | undefined;

/** Parts such as those of a PostalAddress. */
interface WrittenAddress {
  readonly name?: Text;
  readonly street?: Text;
  readonly postalCode?: Text;
  readonly locality?: Text;
  /** Omitted if there is a postal code, which implies it. */
  readonly region?: Text;
  readonly country?: Text;
}

/** A place with an address: a text, or parts. Its own parts take precedence over those of the address. */
export interface PlaceWithAddress {
  readonly address?: string | WrittenAddress | null | undefined;
  readonly postalCode?: Text;
  /** The town that follows the postal code. */
  readonly locality?: Text;
  readonly municipality?: Text;
}

/** Texts on one line. Texts that are missing are empty, but for the two that a venue stores itself. */
export interface AddressParts {
  readonly name: string;
  readonly street: string;
  readonly postalCode: string | null;
  readonly locality: string;
  readonly region: string;
  readonly country: string;
  readonly municipality: string | null;
}

/** The parts of the address, and those that the place gives beside it. */
export function addressPartsOf(place: PlaceWithAddress): AddressParts {
  const { address } = place;
  const inner: WrittenAddress =
    typeof address === 'object' && address !== null ? address : { street: address };
  // Some programs write the town into the field of the code, and spreadsheet programs drop a leading zero.
  const code = withoutFiller(place.postalCode) || withoutFiller(inner.postalCode);
  const [, digits, town = ''] = /^(?:(?:N|NO)[- ])?(\d{3,4})(?: (\D+))?$/i.exec(code) ?? [];
  const municipality = withoutFiller(place.municipality);
  return {
    name: withoutFiller(inner.name),
    street: withoutFiller(inner.street),
    postalCode: code === '' ? null : (digits?.padStart(4, '0') ?? code),
    locality: withoutFiller(place.locality) || withoutFiller(inner.locality) || town,
    region: withoutFiller(inner.region),
    country: withoutFiller(inner.country),
    municipality: municipality === '' ? null : municipality,
  };
}

/** `Olavskvartalet 1, 7011 Trondheim`, with a foreign country. Empty if there is only the code. */
export function addressText(parts: AddressParts): string {
  const { name, postalCode, locality, region, country } = parts;
  const street = streetOf(parts);
  const codeBeforeTown = locality === '' ? '' : (postalCode ?? '');
  const town = `${codeBeforeTown} ${locality}`.trim();
  const hasTown = isWholeAddress(parts) || nameKey(street).endsWith(nameKey(town));
  const isNorway = /^(?:no|nor|norge|norway)$/i.test(country);
  const all = [
    nameKey(street).startsWith(nameKey(name)) ? '' : name,
    street,
    hasTown ? '' : town,
    postalCode === null ? region : '',
    isNorway ? '' : country,
  ];
  return all.filter((part) => part !== '').join(', ');
}

/** Some programs write the town after the street; it is added again later. */
function streetOf({ street, locality }: AddressParts): string {
  const [first = '', ...further] = street.split(',').map(withoutFiller);
  const withoutTown = further.filter((part) => !isTown(part, locality));
  return withoutTown.length === further.length ? street : [first, ...withoutTown].join(', ');
}

/** Whether the street is the whole address: some programs write all of it there. */
function isWholeAddress({ street, postalCode, locality }: AddressParts): boolean {
  const [, ...further] = street.split(',').map(withoutFiller);
  const isCodeAndTown = (part: string) =>
    /^\d{4} /.test(part) && isTown(part.slice('7010 '.length), locality);
  const namesCode = postalCode === null ? locality === '' : street.includes(postalCode);
  return further.some(isCodeAndTown) || (street !== '' && namesCode);
}

function isTown(part: string, locality: string): boolean {
  return locality !== '' && nameKey(part) === nameKey(locality);
}
