/** F1–F3: the records of a native source as plain objects, and which of them are sound (G2). */

export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

/** The words of a text, as a type. */
export type Words<Text extends string> = Text extends `${infer Word} ${infer Rest}`
  ? Word | Words<Rest>
  : Text;

/** Optional fields of these names. */
export type Fields<Value, Names extends string> = { readonly [Name in Words<Names>]?: Value };
/** Fields of these names. */
type Texts<Names extends string> = Required<Fields<string, Names>>;

export type CategoryRecord = Texts<'id name_nb name_en'> &
  Fields<string, 'name_nn slug_nb slug_en'> &
  Fields<boolean, 'visible'> & { readonly subcategories?: readonly CategoryRecord[] };

export type LicenceRecord = Texts<'id name'> &
  Fields<string, 'siteUrl portalUrl attribution specialEvent'> & {
    readonly dataLicence?: Texts<'name'> & Fields<string, 'url'>;
    readonly contact?: Fields<string, 'name email url'>;
    readonly registration?: boolean;
    readonly categories: readonly CategoryRecord[];
    readonly retiredCategories?: Readonly<Record<string, readonly string[]>>;
  };

export type VenueRecord = Texts<'id name'> &
  Fields<string, 'slug address postalCode municipality'> &
  Fields<number, 'latitude longitude'> &
  Fields<unknown, 'mapImageURL'> &
  Fields<readonly unknown[] | null, 'accessibility'>;

export type OrganizerRecord = Texts<'id name'> &
  Fields<string, 'slug website'> &
  Fields<unknown, 'email telephoneNumber'>;

/** One line of the national register, as in `postal-codes.tsv`. */
export type PostalCode = Texts<'code place number municipality'>;

export type PriceRecord = Texts<'type'> &
  Fields<number | string | null, 'price'> &
  Fields<string, 'name_nb name_en'>;

/** Values that a date or a repeat may have of its own (F5). */
export type OwnValues = Fields<string | null, 'startTime venue ticketsURL status'> &
  Fields<boolean | null, 'eventCancelled eventSoldOut'> &
  Fields<readonly PriceRecord[] | null, 'prices'> &
  Fields<unknown, 'mode streamingURL'>;

export type DateRecord = OwnValues &
  Texts<'start'> &
  Fields<string | null, 'end previousStart'> &
  Fields<number | null, 'duration'>;

export type RepeatRecord = DateRecord & Texts<'rule'> & Fields<readonly string[] | null, 'except'>;

/** A source folder in memory. Some of its events may be no events at all: G2 says what becomes of those. */
export interface Source {
  readonly licence: LicenceRecord;
  readonly venues: readonly VenueRecord[];
  readonly organizers: readonly OrganizerRecord[];
  readonly events: readonly unknown[];
  readonly postalCodes: readonly PostalCode[];
}

/** E: what older clients ask for is text; a number is one, too, and anything else is nothing. */
export function olderText(value: unknown): string | null {
  if (typeof value === 'number') return String(value);
  return typeof value === 'string' && value !== '' ? value : null;
}

/** E6: in this order, each once; written in any case. Other words are left out. */
export const ACCESSIBILITY =
  'WHEELCHAIR HEARING_LOOP SIGN_LANGUAGE SUBTITLES AUDIO_DESCRIPTION RELAXED ASSISTANCE_DOG ACCESSIBLE_TOILET'.split(
    ' ',
  );

export function accessibilityOf(
  ...lists: readonly (readonly unknown[] | null | undefined)[]
): readonly string[] {
  const words = lists.flatMap((list) => list ?? []).map((word) => String(word).toUpperCase());
  return ACCESSIBILITY.filter((word) => words.includes(word));
}

export type EventRecord = { readonly id: string } & Fields<
  string | null,
  'slug eventLink title_nb title_en desc_nb desc_en summary_nb summary_en status venue ticketsURL superEvent mode ticketsInformation'
> &
  Fields<string | null, 'maxBookingDate maxBookingTime paymentMethod moreInfoURL streamingURL facebookURL'> &
  Fields<string | null, 'venueNote ageRestriction publishingDate ticketsFromDate created_at updated_at'> &
  Fields<readonly string[] | null, 'categories tags organizers'> &
  Fields<boolean | null, 'eventCancelled eventSoldOut isSuperEvent isFeaturedEvent'> &
  Fields<boolean | null, 'isFeaturedInSpecialEvent registrationEnabled'> &
  Fields<number | null, 'minimumAge maximumAge cancellationPeriod views availableTickets activeTickets'> &
  // E: in any form.
  Fields<unknown, 'type author_id editableBy contact_from contact_custom videosURL'> & {
    readonly images?: readonly Readonly<Record<string, Json>>[] | null;
    readonly accessibility?: readonly unknown[] | null;
    readonly prices?: readonly PriceRecord[] | null;
    readonly dates?: readonly DateRecord[] | null;
    readonly repeats?: readonly RepeatRecord[] | null;
  };

/** G2: an event with an id and a title that is not blank. */
export function isEvent(value: unknown): value is EventRecord {
  const { id, title_nb, title_en } = value as Readonly<Record<string, unknown>>;
  return typeof id === 'string' && (isTitle(title_nb) || isTitle(title_en));
}

/** A title that is blank counts as none. */
export function isTitle(value: unknown): value is string {
  return typeof value === 'string' && value.trim() !== '';
}
