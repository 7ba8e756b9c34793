/**
 * A17 read a second time: a history of all builds, and what follows from it. Nothing is handed on from build to build; who owns
 * a slug is found by looking through the whole history.
 */
const DAY = 86_400;
const RESERVED = 400 * DAY;

export interface SlugRecord {
  readonly id: string;
  /** What the record gives; null for none. */
  readonly own: string | null;
  readonly title: string;
  /** In the source, and not in the calendar. */
  readonly isOver: boolean;
  /** The id that it is merged into in this build, and then not in the calendar itself. */
  readonly mergedInto: string | null;
}

interface Build {
  readonly now: number;
  /** By id: of those in the calendar, and of those that find one which is. */
  readonly held: ReadonlyMap<string, { readonly slug: string; readonly given: string | null }>;
  readonly merged: ReadonlyMap<string, string>;
}

/** What a build was expected to do otherwise; null where it did all of it. */
type Complaint = string | null;

export interface Observed {
  /** Slugs by id, of all that is in the calendar. */
  readonly shown: ReadonlyMap<string, string>;
  /** The id of what a slug finds; null for nothing. */
  readonly find: (slug: string) => Promise<string | null> | string | null;
  /** Ids whose slug the report names. */
  readonly reported: ReadonlySet<string>;
}

export class SlugHistory {
  readonly #builds: Build[] = [];

  /** Looks at a build and enters it. */
  async enter(records: readonly SlugRecord[], now: number, observed: Observed): Promise<Complaint> {
    const { shown } = observed;
    const listed = new Map(records.map((record) => [record.id, record]));
    const merged = this.#mergers(records, shown);
    const complaint = this.#checkShown(records, now, observed);
    const held = new Map<string, { slug: string; given: string | null }>();
    for (const [id, slug] of shown) held.set(id, { slug, given: listed.get(id)?.own ?? null });
    for (const id of merged.keys()) {
      const before = this.#lastHeld(id, now);
      if (before !== null) held.set(id, before);
    }
    this.#builds.push({ now, held, merged });
    return complaint ?? (await this.#checkFinding(now, observed));
  }

  /** Earlier mergers last while the survivor is there and the id is not. */
  #mergers(records: readonly SlugRecord[], shown: ReadonlyMap<string, string>): ReadonlyMap<string, string> {
    const all = new Map(this.#builds.at(-1)?.merged);
    for (const { id, mergedInto } of records) if (mergedInto !== null) all.set(id, mergedInto);
    const lasting = new Map<string, string>();
    for (const id of all.keys()) {
      let survivor = all.get(id);
      for (let hops = 0; hops < all.size && survivor !== undefined && !shown.has(survivor); hops++) {
        survivor = all.get(survivor);
      }
      if (survivor !== undefined && shown.has(survivor) && !shown.has(id)) lasting.set(id, survivor);
    }
    return lasting;
  }

  #checkShown(records: readonly SlugRecord[], now: number, { shown, reported }: Observed): Complaint {
    if (new Set(shown.values()).size !== shown.size) return 'two ids have one slug';
    for (const { id, own, title } of records) {
      const slug = shown.get(id);
      if (slug === undefined) continue;
      const before = this.#lastHeld(id, now);
      const isAskedAnew = own !== null && own !== before?.given && own !== before?.slug;
      if (before !== null && !isAskedAnew) {
        if (slug !== before.slug) return `${id} lost ${before.slug} unasked, and has ${slug}`;
        continue;
      }
      const wanted = own ?? title;
      const owner = this.#ownerOf(slug, now);
      if (owner !== null && owner !== id) return `${id} has ${slug}, which is ${owner}'s`;
      if (slug === wanted) continue;
      if (!new RegExp(`^${wanted}-\\d+$`).test(slug)) return `${id} wanted ${wanted}, and has ${slug}`;
      if (own !== null && !reported.has(id))
        return `${id} has ${slug} in place of ${own}, and no report says so`;
      const taken = new Set([
        ...shown.values(),
        ...records.flatMap((record) => [record.own ?? '', record.title]),
      ]);
      if (this.#ownerOf(wanted, now) === null && !taken.has(wanted)) return `${id} could have ${wanted}`;
    }
    return null;
  }

  async #checkFinding(now: number, { shown, find }: Observed): Promise<Complaint> {
    const merged = this.#builds.at(-1)?.merged ?? new Map();
    const ever = new Set(this.#builds.flatMap(({ held }) => Array.from(held.values(), ({ slug }) => slug)));
    for (const slug of ever) {
      const owner = this.#ownerOf(slug, now);
      const expected = owner === null ? null : shown.has(owner) ? owner : (merged.get(owner) ?? null);
      const found = await find(slug);
      if (found !== expected) return `${slug} found ${found}, expected ${expected}`;
    }
    return null;
  }

  /** How the id was held last, unless that is too long ago. */
  #lastHeld(id: string, now: number) {
    const last = this.#builds.findLastIndex(({ held }) => held.has(id));
    const build = this.#builds[last];
    if (build === undefined) return null;
    return last === this.#builds.length - 1 || now - build.now <= RESERVED
      ? (build.held.get(id) ?? null)
      : null;
  }

  /** Whose a slug is: that of the id which had it since when it was last away for too long. */
  #ownerOf(slug: string, now: number): string | null {
    const ids = new Set(this.#builds.flatMap(({ held }) => [...held.keys()]));
    for (const id of ids) if (this.#slugsOf(id, now).has(slug)) return id;
    return null;
  }

  #slugsOf(id: string, now: number): ReadonlySet<string> {
    const slugs = new Set<string>();
    if (this.#lastHeld(id, now) === null) return slugs;
    let later: { readonly place: number; readonly now: number } | null = null;
    for (const [place, { now: moment, held }] of [...this.#builds.entries()].reverse()) {
      const found = held.get(id);
      if (found === undefined) continue;
      if (later !== null && later.place !== place + 1 && later.now - moment > RESERVED) break;
      slugs.add(found.slug);
      later = { place, now: moment };
    }
    return slugs;
  }
}
