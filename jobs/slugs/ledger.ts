/**
 * A17: a slug, once published, belongs to its id. Each snapshot passes on the owners of its slugs, and a build assigns slugs by them: an id
 * in the calendar keeps its slug and its former ones; those of a removed id stay reserved for it for 400 days. F6 decides for new ids.
 *
 * G9: an id that was merged into another is passed on as well. Call `merge` with both ids once it is known that they are the same: from then on
 * the id and all of its slugs find the survivor, in this build and in later ones, as long as the survivor is in the calendar and the id has
 * not returned on its own. The ids need not have been published before.
 */
import { compareCodePoints, LONGEST_SLUG, readSlug, SLUG_FORM, slugOf } from '../../src/calendar/text.ts';
import { DAY } from '../../src/calendar/time.ts';
import { excerpt, type Finding, type Origin, type Reporter } from '../findings.ts';
import type { KindLedger, MergedId, OwnedSlug, SlugKind, SlugLedger } from './records.ts';

/** The complete ledger of a snapshot, with its ids' present slugs. */
export interface PreviousSlugs extends SlugLedger {
  /** Instant at which the snapshot was built. */
  readonly builtAt: number;
}

const NO_ENTRIES: KindLedger = { owned: [], merged: [] };
export const NO_SLUGS: PreviousSlugs = {
  builtAt: 0,
  event: NO_ENTRIES,
  venue: NO_ENTRIES,
  organizer: NO_ENTRIES,
};

/** Days for which the slugs of an id are reserved after the last snapshot that had it. */
const RESERVED_DAYS = 400;

interface Wanted {
  readonly origin: Origin;
  readonly id: string;
  /** The slug in the record; an invalid one, or a change by a collision, is reported. */
  readonly written: string | null;
  /** The slug of its name, for a new id whose record has no slug; may be empty. */
  readonly ofName: string;
}

interface RegisterOptions {
  readonly kind: SlugKind;
  readonly previous: PreviousSlugs;
  /** Instant of this build. */
  readonly now: number;
  readonly report: Pick<Reporter, 'addFinding'>;
}

type Shown = Pick<OwnedSlug, 'slug' | 'given'>;

export interface SlugRegister {
  /** Returns the slug of a record. Called for every record in source order, once for each id. */
  readonly assign: (wanted: Wanted) => string;
  /** Whether a snapshot of the last 400 days had the id. */
  readonly isKnown: (id: string) => boolean;
  /**
   * The ledger of this build, without the current slugs of published ids, which are in their rows. Slugs of ids that editors leave out (F13,
   * F17) stay reserved, because corrections name events by the addresses of their pages. The ledger passes on these slugs of an id:
   *
   * | the id is | current slug | former slugs |
   * |---|---|---|
   * | published | if its record asked for another one | always |
   * | merged into a published id | always | always |
   * | left out | always, as held now | always, as held now |
   * | gone | while it is reserved | while they are reserved |
   */
  readonly ledgerOf: (published: ReadonlySet<string>, leftOut?: ReadonlySet<string>) => KindLedger;
  /** The slugs of `id` lead to `survivor` from now on. */
  readonly merge: (id: string, survivor: string) => void;
}

/** The slugs of one kind in one build. */
export function createSlugRegister({ kind, previous, now, report }: RegisterOptions): SlugRegister {
  const { owned, heldAt, isReserved } = ownedBefore(previous, kind, now);
  const slugs = createOwners();
  for (const { slug, id } of owned) slugs.reserve(slug, id);
  const current = owned.filter(({ isCurrent }) => isCurrent);
  const before = new Map<string, Shown>(current.map((shown) => [shown.id, shown]));
  /** Only differences to the previous ledger: nearly all slugs stay the same. */
  const changed = new Map<string, Shown>();
  const mergers = createMergers(previous[kind].merged);

  function assign({ origin, id, written, ofName }: Wanted): string {
    const requested = written === null ? '' : readSlug(written);
    const shown = before.get(id);
    const isRequestedAnew = requested !== '' && requested !== shown?.slug && requested !== shown?.given;
    const keepsSlug = shown !== undefined && !isRequestedAnew;
    const slug = keepsSlug ? shown.slug : slugs.claim(requested || ofName || slugOf(id) || kind, id);
    const given = requested === '' || requested === slug ? null : requested;
    if (slug !== shown?.slug || given !== shown.given) changed.set(id, { slug, given });
    if (written !== null && slug !== written) {
      const isValid = requested === written;
      report.addFinding(isValid ? takenSlug(origin, id, written) : madeSafe(origin, id, written));
    }
    return slug;
  }

  function ledgerOf(published: ReadonlySet<string>, leftOut: ReadonlySet<string> = new Set()): KindLedger {
    const isPublished = (id: string) => published.has(id);
    const isMerged = (id: string) => !isPublished(id) && mergers.survivorOf(id, isPublished) !== null;
    const shownOf = (id: string): Shown | undefined => {
      if (isPublished(id)) return changed.get(id) ?? before.get(id);
      // An unpublished id changes none of its slugs.
      return before.get(id) ?? (mergers.isNew(id) ? changed.get(id) : undefined);
    };
    const passOnFormer = (former: OwnedSlug): OwnedSlug | null => {
      const { slug, id } = former;
      if (isPublished(id) || isMerged(id)) {
        // `passOnCurrent` passes on the current slug.
        const isShown = slug === shownOf(id)?.slug;
        return isShown ? null : { ...former, isCurrent: false, given: null, held: null };
      }
      if (leftOut.has(id)) return { ...former, held: now };
      return isReserved(former) ? { ...former, held: heldAt(former) } : null;
    };
    const passOnCurrent = (id: string): OwnedSlug | null => {
      const shown = shownOf(id);
      if (shown === undefined) return null;
      const { slug, given } = shown;
      // The row of a published id has its slug, but not the one that its record asked for.
      const isNeeded = isPublished(id) ? given !== null : isMerged(id);
      return isNeeded ? { slug, id, isCurrent: true, given, held: null } : null;
    };
    const ids = [...new Set([...before.keys(), ...changed.keys()])];
    const passedOn = [...owned.map(passOnFormer), ...ids.map(passOnCurrent)].filter((slug) => slug !== null);
    return {
      owned: passedOn.sort((left, right) => compareCodePoints(left.slug, right.slug)),
      merged: mergers.all(isPublished),
    };
  }

  const isKnown = (id: string) => before.has(id);
  return { assign, isKnown, ledgerOf, merge: mergers.add };
}

/** The slugs that ids own at the start of a build. */
function ownedBefore(previous: PreviousSlugs, kind: SlugKind, now: number) {
  const heldAt = ({ held }: OwnedSlug) => held ?? previous.builtAt;
  const isReserved = (slug: OwnedSlug) => now - heldAt(slug) <= RESERVED_DAYS * DAY;
  // Slugs in the previous snapshot were published until now, however long ago it was built.
  const owned = previous[kind].owned.filter((slug) => slug.held === null || isReserved(slug));
  return { owned, heldAt, isReserved };
}

type IsPublished = (id: string) => boolean;

/** The finding about a valid slug that another id has. */
function takenSlug(origin: Origin, id: string, found: string): Finding {
  const expected = `a slug that belongs to nothing else, now or within ${RESERVED_DAYS} days`;
  return { action: 'changed value', origin, id, field: 'slug', expected, found };
}

/** The finding about a slug with parts that are not valid. */
function madeSafe(origin: Origin, id: string, written: string): Finding {
  const found = excerpt(written);
  return { action: 'made safe', origin, id, field: 'slug', expected: SLUG_FORM, found };
}

/** G9: merged ids and their survivors. A merger of this build takes precedence over an earlier one. */
function createMergers(earlier: readonly MergedId[]) {
  const added = new Map<string, string>();
  const earlierSurvivors = new Map(earlier.map(({ id, survivor }) => [id, survivor]));
  const next = (id: string) => added.get(id) ?? earlierSurvivors.get(id);

  /** The published id that an id was merged into, through any number of mergers; null if there is none. */
  function survivorOf(id: string, isPublished: IsPublished): string | null {
    const seen = new Set<string>();
    for (let current = next(id); current !== undefined && !seen.has(current); current = next(current)) {
      if (isPublished(current)) return current;
      seen.add(current);
    }
    return null;
  }

  return {
    add: (id: string, survivor: string): void => void added.set(id, survivor),
    isNew: (id: string): boolean => added.has(id),
    survivorOf,
    all: (isPublished: IsPublished): readonly MergedId[] =>
      [...new Set([...added.keys(), ...earlierSurvivors.keys()])]
        .flatMap((id) => {
          const survivor = isPublished(id) ? null : survivorOf(id, isPublished);
          return survivor === null ? [] : [{ id, survivor }];
        })
        .sort((left, right) => compareCodePoints(left.id, right.id)),
  };
}

/** Characters. Slugs with the same beginning are numbered together, because longer ones are cut before their numbers. */
const BEGINNING = LONGEST_SLUG - 10;

/** The ids that own slugs. */
function createOwners() {
  const owners = new Map<string, string>();
  /** The next number to try after a beginning: all lower ones are taken, so that none is tried twice. */
  const next = new Map<string, number>();
  const isFree = (slug: string, id: string) => (owners.get(slug) ?? id) === id;

  /** Returns the slug, or F6's next free one with a number; from now on it belongs to the id. */
  function claim(wanted: string, id: string): string {
    const beginning = wanted.slice(0, BEGINNING);
    let slug = wanted;
    for (let number = next.get(beginning) ?? 2; !isFree(slug, id); number++) {
      const room = LONGEST_SLUG - 1 - String(number).length;
      slug = `${wanted.slice(0, room).replace(/(?<!-)-+$/, '')}-${number}`;
      next.set(beginning, number + 1);
    }
    owners.set(slug, id);
    return slug;
  }

  return { reserve: (slug: string, id: string) => void owners.set(slug, id), claim };
}

/** Creates the function that returns the event that an id was merged into, through any number of mergers; the id itself if it was not. */
export function survivorsIn({ event }: PreviousSlugs): (id: string) => string {
  const { survivorOf } = createMergers(event.merged);
  const merged = new Set(event.merged.map(({ id }) => id));
  return (id) => survivorOf(id, (other) => !merged.has(other)) ?? id;
}

/** Creates the function that says whether a snapshot of the last 400 days had an event of this id. */
export function createFormerIds({ event }: PreviousSlugs): (id: string) => boolean {
  let ids: ReadonlySet<string> | undefined;
  return (id) => {
    ids ??= new Set([...event.owned, ...event.merged].map((entry) => entry.id));
    return ids.has(id);
  };
}
