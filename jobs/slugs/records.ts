/** A17, G9: the slugs and merged ids that one build passes on to the next, as data. */

/** Entities that have slugs. A snapshot has a table for each kind, of the same name. */
export const SLUG_KINDS = ['event', 'venue', 'organizer'] as const;
export type SlugKind = (typeof SLUG_KINDS)[number];

/** A17: a slug of a snapshot, with the id that it belongs to. */
export interface OwnedSlug {
  readonly slug: string;
  readonly id: string;
  /** Whether it is the id's present slug; a former one only finds the id. */
  readonly isCurrent: boolean;
  /** The record's own slug, if it differs from this one. */
  readonly given: string | null;
  /** When the last snapshot with the id was built (instant); null for an id in this one. */
  readonly held: number | null;
}

/** G9: an id that was merged into another. */
export interface MergedId {
  readonly id: string;
  readonly survivor: string;
}

/** Ordered by slug and by id, in code point order. */
export interface KindLedger {
  readonly owned: readonly OwnedSlug[];
  readonly merged: readonly MergedId[];
}

export type SlugLedger = Readonly<Record<SlugKind, KindLedger>>;
