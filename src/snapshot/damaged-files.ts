/** H14: remembers the files that turned out damaged while they were served, and why the last of them was left. */
import type { FileStamp } from './files.ts';

/** Something that kept a file from being served. */
export interface SnapshotProblem {
  readonly reason: string;
  /** Milliseconds since 1970. */
  readonly at: number;
}

interface DamagedFiles {
  readonly record: (path: string, stamp: FileStamp, problem: SnapshotProblem) => void;
  /** Whether these very bytes were recorded: a file that is written again has another stamp, and gets another chance. */
  readonly includes: (path: string, stamp: FileStamp) => boolean;
  /** The damage that was found last; null from a good delivery on. */
  readonly latest: () => SnapshotProblem | null;
  /** Called after a good delivery. The files stay recorded. */
  readonly forgive: () => void;
}

export function createDamagedFiles(): DamagedFiles {
  const recorded = new Set<string>();
  const keyOf = (path: string, { text }: FileStamp) => `${path} ${text}`;
  let latest: SnapshotProblem | null = null;
  return {
    record: (path, stamp, problem) => {
      recorded.add(keyOf(path, stamp));
      latest = problem;
    },
    includes: (path, stamp) => recorded.has(keyOf(path, stamp)),
    latest: () => latest,
    forgive: () => {
      latest = null;
    },
  };
}
