/** G10: counts the added, removed and changed events of a build, and lists the first of each kind: for its report and for `/status`. */
import { type ChangeKind, type Changes, type NamedChange, NO_CHANGES } from './comparison.ts';

/** Events of each kind in a report. */
const MOST_LISTED = 1_000;
/** Events of each kind in a snapshot. */
const MOST_VISIBLE = 50;
/** Builds that a snapshot passes on for `/status`. */
const MOST_RECENT = 20;

interface ListedChanges {
  /** H9: a change is hidden unless callers could see the event both before and after it. */
  readonly add: (kind: ChangeKind, change: NamedChange, visibility: { readonly isHidden: boolean }) => void;
  readonly finish: () => Changes;
  /** JSON: the latest builds that changed something, the latest first, with this one. `previous`: those of the previous snapshot, in the same form; `builtAt`: ISO 8601. */
  readonly recentChanges: (previous: string, builtAt: string) => string;
}

export function createChangeLists(): ListedChanges {
  const lists = emptyLists();
  const visible = emptyLists();
  const counts = { ...NO_CHANGES };
  return {
    add: (kind, change, { isHidden }) => {
      counts[kind]++;
      if (lists[kind].length < MOST_LISTED) lists[kind].push(change);
      if (!isHidden && visible[kind].length < MOST_VISIBLE) visible[kind].push(change);
    },
    finish: () => ({ isFirst: false, counts, lists }),
    recentChanges: (previous, builtAt) => {
      const builds: readonly unknown[] = JSON.parse(previous);
      const isUnchanged = Object.values(counts).every((count) => count === 0);
      const thisBuild = { builtAt, counts, lists: visible };
      return JSON.stringify((isUnchanged ? builds : [thisBuild, ...builds]).slice(0, MOST_RECENT));
    },
  };
}

function emptyLists(): Record<ChangeKind, NamedChange[]> {
  return { added: [], changed: [], removed: [], renamed: [] };
}
