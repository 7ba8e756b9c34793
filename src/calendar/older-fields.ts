/**
 * E5: fields that the interface no longer describes but older clients still select. A record may have them, under these names; nearly no
 * record does.
 */

/** Fields of an image. */
export const OLDER_IMAGE_FIELDS = ['urlOriginal', 'originalSize', 'largeSize', 'smallSize'] as const;
export type OlderImageFields = TextsOf<typeof OLDER_IMAGE_FIELDS>;

/** Fields of an event. The last two are fields of `contact_custom`. */
export const OLDER_EVENT_FIELDS = [
  'type',
  'author_id',
  'editableBy',
  'contact_from',
  'videosURL',
  'email',
  'phone',
] as const;
export type OlderEventFields = TextsOf<typeof OLDER_EVENT_FIELDS>;

/** Fields of a single date, which does not inherit them from the event. */
export const OLDER_DATE_FIELDS = ['mode', 'streamingURL'] as const;
export type OlderDateFields = TextsOf<typeof OLDER_DATE_FIELDS>;

type TextsOf<Names extends readonly string[]> = { readonly [Name in Names[number]]: string | null };
