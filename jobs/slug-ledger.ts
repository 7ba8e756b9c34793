/**
 * A17: a slug, once published, belongs to its id. Each snapshot passes on the owners of its slugs, and a build assigns slugs by them: an id
 * in the calendar keeps its slug and its former ones; those of a removed id stay reserved for it for 400 days. F6 decides for new ids.
 *
 * G9: an id that was merged into another is passed on as well. Call `merge` with both ids once it is known that they are one: from then on
 * the id and all of its slugs find the survivor, in this build and in later ones, as long as the survivor is in the calendar and the id has
 * not returned on its own. The ids need not have been published before.
 */
import { eventPagesOf } from '../src/calendar/date-address.ts';
import { compareCodePoints, LONGEST_SLUG, readSlug, SLUG_FORM, slugOf } from '../src/calendar/text.ts';
import { DAY } from '../src/calendar/time.ts';
import { insertRows } from '../src/snapshot/insert.ts';
import { integerOf, type Reader, type Row, textOf } from '../src/snapshot/reader.ts';
import type { Writer } from '../src/snapshot/sqlite.ts';
import {
  type EventRecord,
  excerpt,
  type KindLedger,
  type Link,
  type MergedId,
  type Origin,
  type OwnedSlug,
  type Reporter,
  SLUG_KINDS,
  type SlugKind,
  type SlugLedger,
} from './records.ts';

/** The complete ledger of a snapshot, with its ids' present slugs. */
export interface PreviousSlugs extends SlugLedger {
  /** Instant at which the snapshot was built. */
  readonly builtAt: number;
}

const NOTHING: KindLedger = { owned: [], merged: [] };
export const NO_SLUGS: PreviousSlugs = { builtAt: 0, event: NOTHING, venue: NOTHING, organizer: NOTHING };

/** Days for which the slugs of an id are reserved after the last snapshot that had it. */
const RESERVED_DAYS = 400;

interface Wanted {
  readonly origin: Origin;
  readonly id: string;
  /** The slug in the record; an invalid one, or a change by a collision, is reported. */
  readonly own: string | null;
  /** The slug of its name, for a new id without an own one; may be empty. */
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

export type SlugRegister = ReturnType<typeof createSlugRegister>;

export function createSlugRegister({ kind, previous, now, report }: RegisterOptions) {
  const heldAt = ({ held }: OwnedSlug) => held ?? previous.builtAt;
  const isReserved = (one: OwnedSlug) => now - heldAt(one) <= RESERVED_DAYS * DAY;
  // Slugs in the previous snapshot were published until now, however long ago it was built.
  const owned = previous[kind].owned.filter((one) => one.held === null || isReserved(one));
  const slugs = createOwners();
  for (const one of owned) slugs.reserve(one.slug, one.id);
  const current = owned.filter(({ isCurrent }) => isCurrent);
  const before = new Map<string, Shown>(current.map((one) => [one.id, one]));
  /** Only differences to the previous ledger: nearly all stays the same. */
  const changed = new Map<string, Shown>();
  const mergers = createMergers(previous[kind].merged);

  /** Called for every record in source order, once for each id. */
  function take({ origin, id, own, ofName }: Wanted): string {
    const asked = own === null ? '' : readSlug(own);
    const shown = before.get(id);
    const isAskedAnew = asked !== '' && asked !== shown?.slug && asked !== shown?.given;
    const slug =
      shown === undefined || isAskedAnew
        ? slugs.claim(asked || ofName || slugOf(id) || kind, id)
        : shown.slug;
    const given = asked === '' || asked === slug ? null : asked;
    if (slug !== shown?.slug || given !== shown.given) changed.set(id, { slug, given });
    if (own !== null && slug !== own) {
      const isTaken = asked === own;
      const action = isTaken ? 'changed value' : 'made safe';
      const [expected, found] = isTaken ? [FREE, own] : [SLUG_FORM, excerpt(own)];
      report.addFinding({ action, origin, id, field: 'slug', expected, found });
    }
    return slug;
  }

  /** The ledger of this build, without the present slugs of published ids, which their own rows have. */
  function finish(published: ReadonlySet<string>): KindLedger {
    const isPublished = (id: string) => published.has(id);
    const isMerged = (id: string) => !isPublished(id) && mergers.survivorOf(id, isPublished) !== null;
    // An unpublished id changes none of its slugs.
    const shownOf = (id: string) =>
      isPublished(id)
        ? (changed.get(id) ?? before.get(id))
        : (before.get(id) ?? (mergers.isNew(id) ? changed.get(id) : undefined));
    const handedOn: OwnedSlug[] = [];
    for (const one of owned) {
      if (isPublished(one.id) || isMerged(one.id)) {
        if (one.slug !== shownOf(one.id)?.slug)
          handedOn.push({ ...one, isCurrent: false, given: null, held: null });
      } else if (isReserved(one)) handedOn.push({ ...one, held: heldAt(one) });
    }
    for (const id of new Set([...before.keys(), ...changed.keys()])) {
      const { slug, given = null } = shownOf(id) ?? {};
      if (slug !== undefined && (isPublished(id) ? given !== null : isMerged(id)))
        handedOn.push({ slug, id, isCurrent: true, given, held: null });
    }
    return {
      owned: handedOn.sort((left, right) => compareCodePoints(left.slug, right.slug)),
      merged: mergers.all(isPublished),
    };
  }

  /** Whether a snapshot of the last 400 days had the id. */
  const isKnown = (id: string) => before.has(id);
  return { take, isKnown, finish, merge: mergers.add };
}

type IsPublished = (id: string) => boolean;

const FREE = `a slug that belongs to nothing else, now or within ${RESERVED_DAYS} days`;

/** G9: merged ids and their survivors. A merger of this build takes precedence over an earlier one. */
function createMergers(earlier: readonly MergedId[]) {
  const added = new Map<string, string>();
  const earlierSurvivors = new Map(earlier.map(({ id, survivor }) => [id, survivor]));
  const next = (id: string) => added.get(id) ?? earlierSurvivors.get(id);

  /** The published id that an id was merged into, through any number of mergers; null if there is none. */
  function survivorOf(id: string, isPublished: IsPublished): string | null {
    const seen = new Set<string>();
    for (let at = next(id); at !== undefined && !seen.has(at); at = next(at)) {
      if (isPublished(at)) return at;
      seen.add(at);
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

/** Longer slugs are cut before their numbers: those of one beginning count together. */
const COUNTED = LONGEST_SLUG - 10;

function createOwners() {
  const owners = new Map<string, string>();
  /** The next number to try after a beginning: all lower ones are taken, so that none is tried twice. */
  const next = new Map<string, number>();
  const isFree = (slug: string, id: string) => (owners.get(slug) ?? id) === id;

  /** The slug, or F6's next free one with a number; from now on it is the id's. */
  function claim(wanted: string, id: string): string {
    const beginning = wanted.slice(0, COUNTED);
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

type Linked = Pick<EventRecord, 'origin' | 'id' | 'slug' | 'eventLink' | 'title_nb' | 'title_en'>;

/** Creates the function that links the records of a build, in source order. */
export function createLinks(siteUrl: string, slugs: SlugRegister): (record: Linked) => Link {
  const [base, ending] = placeOfPages(siteUrl);
  return ({ origin, id, slug: ownSlug, eventLink, title_nb, title_en }) => {
    const own = eventLink === null ? ownSlug : slugOfLink(eventLink, ownSlug);
    const slug = slugs.take({ origin, id, own, ofName: slugOf(title_nb ?? title_en ?? '') });
    return { slug, link: eventLink ?? base + slug + ending };
  };
}

/** F6, I11: on this program's own site, events have pages beside the list. */
function placeOfPages(siteUrl: string): readonly [base: string, ending: string] {
  const own = eventPagesOf(siteUrl);
  return own === null ? [`${siteUrl.replace(/(?<!\/)\/+$/, '')}/event/`, ''] : [own, '.html'];
}

/**
 * The last path segment of a link, or the slug as given if there is none, or if the link leads to its page of such a site as ours (I11).
 */
export function slugOfLink(link: string, given: string | null): string | null {
  const path = URL.canParse(link) ? new URL(link).pathname : link;
  const segment = decoded(path.split('/').findLast((part) => part !== '') ?? '');
  return segment === '' || (given !== null && segment === `${given}.html`) ? given : segment;
}

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}

/** Passes on slugs that the rows of `event` and the lists of venues and organizers do not contain. */
export async function writeSlugLedger(writer: Writer, ledger: SlugLedger): Promise<void> {
  for (const kind of SLUG_KINDS) {
    const ofSlug = ({ isCurrent, ...owned }: OwnedSlug) => ({
      kind,
      ...owned,
      is_current: Number(isCurrent),
    });
    await insertRows(writer, { name: 'slug', cells: ofSlug }, ledger[kind].owned);
    const ofMerger = (merged: MergedId) => ({ kind, ...merged });
    await insertRows(writer, { name: 'merged', cells: ofMerger }, ledger[kind].merged);
  }
}

/** The ledger of a snapshot: what it shows, and what its own tables have beside. */
export async function readSlugLedger(query: Reader['all'], builtAt: string): Promise<PreviousSlugs> {
  const ofKind = async (kind: SlugKind): Promise<KindLedger> => {
    const shown = await query(SHOWN[kind], [], shownOf);
    const kept = await query(OWNED, [kind], ownedOf);
    const given = new Map(kept.map((one) => [one.slug, one]));
    const owned = shown.filter(({ slug }) => !given.has(slug));
    return { owned: [...owned, ...kept], merged: await query(MERGED_IDS, [kind], mergedOf) };
  };
  return {
    builtAt: Date.parse(builtAt) / 1_000,
    event: await ofKind('event'),
    venue: await ofKind('venue'),
    organizer: await ofKind('organizer'),
  };
}

/** Whether a snapshot of the last 400 days had an event of this id. */
export function isFormerId({ event }: PreviousSlugs, id: string): boolean {
  return event.owned.some((one) => one.id === id) || event.merged.some((one) => one.id === id);
}

const listed = (name: 'venues' | 'organizers') =>
  `select value ->> '$.id' as id, value ->> '$.slug' as slug from list_json, json_each(body) where name = '${name}' order by id`;

/** SQL for the ids and slugs of each kind, as every format since 1.0.0 has them. */
const SHOWN: Readonly<Record<SlugKind, string>> = {
  event: 'select id, slug from event order by id',
  venue: listed('venues'),
  organizer: listed('organizers'),
};

const OWNED = 'select slug, id, is_current, given, held from slug where kind = ? order by slug';
const MERGED_IDS = 'select id, survivor from merged where kind = ? order by id';

function shownOf(row: Row): OwnedSlug {
  return { slug: textOf(row, 'slug'), id: textOf(row, 'id'), isCurrent: true, given: null, held: null };
}

function ownedOf(row: Row): OwnedSlug {
  return {
    slug: textOf(row, 'slug'),
    id: textOf(row, 'id'),
    isCurrent: integerOf(row, 'is_current') === 1,
    given: row.given === null ? null : textOf(row, 'given'),
    held: row.held === null ? null : integerOf(row, 'held'),
  };
}

function mergedOf(row: Row): MergedId {
  return { id: textOf(row, 'id'), survivor: textOf(row, 'survivor') };
}
