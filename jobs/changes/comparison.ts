/** G10: the changes of a build, as snapshots and reports store them. */
import type { Columns } from '../../src/snapshot/columns.ts';
import type { Writer } from '../../src/snapshot/sqlite.ts';
import type { ChangeCounts } from '../../src/upkeep.ts';
import type { Calendar } from '../calendar.ts';
import type { ColumnSet } from '../indexes/columns.ts';

export interface BuildChangeCounts extends ChangeCounts {
  /** The number of changed events with another title. */
  readonly renamed: number;
}

export interface NamedChange {
  readonly id: string;
  readonly title: string;
  /** The names of the changed fields, if the event was changed. */
  readonly fields?: readonly string[];
  /** The former title, if the event was renamed. */
  readonly from?: string;
}

export type ChangeKind = keyof BuildChangeCounts;

/** At most 1,000 of each kind, in the order of their ids. */
export type ChangeLists = Readonly<Record<ChangeKind, readonly NamedChange[]>>;

export interface Changes {
  /** Whether there was no snapshot to compare with: then changes are only counted. */
  readonly isFirst: boolean;
  readonly counts: BuildChangeCounts;
  readonly lists: ChangeLists;
}

export interface ComparedBuild {
  readonly changes: Changes;
  /** JSON: the changes of the latest builds, the latest first; null for those in the previous snapshot. */
  readonly recentChanges: string | null;
  /** Replaces the placeholders in the columns of a calendar that was not compared. */
  readonly columns: Partial<Pick<Columns, 'sequence' | 'changed'>>;
  /** Writes rows for later builds, and for `changes`. */
  readonly write: (writer: Writer) => Promise<void>;
}

export interface WrittenEvent {
  readonly ordinal: number;
  /** Its row of the table `event`, by column. */
  readonly cells: Readonly<Record<string, unknown>> & { readonly body: string };
}

export interface Comparison {
  /** Called with each event, in the order of the ordinals. */
  readonly take: (event: WrittenEvent) => Promise<void>;
  readonly finish: () => Promise<ComparedBuild>;
  readonly close: () => Promise<void>;
}

export interface ComparisonOptions {
  readonly calendar: Pick<Calendar, 'events' | 'venues' | 'organizers'>;
  readonly columns: ColumnSet['columns'];
  /** Instant of the build. */
  readonly now: number;
  /** Day number. */
  readonly horizonDay: number;
}

export const NO_CHANGES: BuildChangeCounts = { added: 0, changed: 0, removed: 0, renamed: 0 };
