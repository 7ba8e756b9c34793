/** G10: what came, went and changed, counted, and named as far as anybody reads it. */

export interface ChangeCounts {
  readonly added: number;
  readonly changed: number;
  readonly removed: number;
  /** Of those that changed: with another title. */
  readonly renamed: number;
}

export interface NamedChange {
  readonly id: string;
  readonly title: string;
  /** Of a changed one: in which fields. */
  readonly fields?: readonly string[];
  /** Of a renamed one: the title that it had. */
  readonly from?: string;
}

type Kind = keyof ChangeCounts;

/** The first of each kind, by id. */
type ChangeLists = Readonly<Record<Kind, readonly NamedChange[]>>;

export interface Changes {
  /** A build without a snapshot to compare itself with, which only counts. */
  readonly isFirst: boolean;
  readonly counts: ChangeCounts;
  readonly lists: ChangeLists;
  /** H9: those among them that callers could see, before or after. */
  readonly visible: ChangeLists;
}

/** Of each kind: in a report, and in what a snapshot hands on. */
const MOST_LISTED = 1_000;
const MOST_VISIBLE = 50;

interface ChangeListsBuilder {
  readonly add: (kind: Kind, change: NamedChange, hidden: { readonly isHidden: boolean }) => void;
  readonly finish: (
    first: { readonly isFirst: boolean } & Partial<Pick<ChangeCounts, 'added' | 'removed'>>,
  ) => Changes;
}

export function createChangeLists(): ChangeListsBuilder {
  const lists = { added: [], changed: [], removed: [], renamed: [] } as Record<Kind, NamedChange[]>;
  const visible = { added: [], changed: [], removed: [], renamed: [] } as Record<Kind, NamedChange[]>;
  const counts = { ...NO_CHANGES };
  return {
    add(kind, change, { isHidden }) {
      counts[kind]++;
      if (lists[kind].length < MOST_LISTED) lists[kind].push(change);
      if (!isHidden && visible[kind].length < MOST_VISIBLE) visible[kind].push(change);
    },
    finish: ({ isFirst, ...counted }) => ({
      isFirst,
      counts: { ...counts, ...counted },
      lists,
      visible,
    }),
  };
}

export const NO_CHANGES: ChangeCounts = { added: 0, changed: 0, removed: 0, renamed: 0 };

/** A build that changed something, as snapshots hand it on for `/status`. */
interface RecentChanges {
  /** ISO 8601 in UTC. */
  readonly builtAt: string;
  readonly counts: ChangeCounts;
  readonly lists: ChangeLists;
}

const MOST_RECENT = 20;

/** G10: JSON of the latest builds that changed something, the latest first. `before`: the same of the snapshot before. */
export function recentChanges(
  before: string,
  { isFirst, counts, visible }: Changes,
  builtAt: string,
): string {
  const known: unknown = JSON.parse(before);
  const earlier: readonly unknown[] = Array.isArray(known) ? known : [];
  const isNone = isFirst || Object.values(counts).every((count) => count === 0);
  const own: RecentChanges = { builtAt, counts, lists: visible };
  return JSON.stringify((isNone ? earlier : [own, ...earlier]).slice(0, MOST_RECENT));
}
