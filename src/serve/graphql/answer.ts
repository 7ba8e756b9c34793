/**
 * The types that reading a request, executing it and sending its answer share: first the input and output of an execution, then those of one
 * root field. A root field is executed in four phases:
 *
 *     made       once per document, at its first execution, and again for other values of `@skip`, `@include` and `first`: a `SelectValue`,
 *                with the parts that write the selected fields (`project.ts`)
 *     selected   once per request: the arguments are read, and rows, facts or other objects chosen, as a `SelectedValue`; no event is read
 *     sized      once all root fields are selected: their fields and events are counted, and bytes reserved for them (`execute.ts`)
 *     written    the events are read in batches, and appended to the `Output` as JSON
 */
import type { Arguments } from '../../calendar/arguments.ts';
import type { ChangesSince } from '../../snapshot/changes.ts';
import type { FilterPlan } from '../../snapshot/filters.ts';
import type { Snapshot } from '../../snapshot/open.ts';
import type { Work } from '../admission/admission.ts';
import type { Hint } from '../query/hints.ts';
import type { Search } from '../query/search.ts';
import type { NodeSet, View } from '../query/view.ts';
import type { CopiesOf, Output } from './output.ts';
import type { Refusal } from './refusal.ts';
import type { Operation, Parameters } from './selection.ts';

export type ExecuteRequest = (parameters: Parameters, pinBasis: PinBasis) => Promise<RequestResult | Refusal>;

/**
 * Pins the current snapshot, and returns the same basis each time. Called once the request has proved valid, so that an invalid
 * request gets its own error (D1). Throws SERVICE_UNAVAILABLE while there is no snapshot.
 */
export type PinBasis = () => AnswerBasis;

/** Rejects with unexpected errors, and with CalendarErrors that concern the whole answer. */
export type Execute = (operation: Operation, basis: AnswerBasis) => Promise<Result>;

/** The snapshot and second that one request is answered from, fixed when it arrives (A3, C3, H5). */
export interface AnswerBasis {
  readonly snapshot: Snapshot;
  /** Seconds since 1970. */
  readonly now: number;
  /** D14: the work that was admitted for it, with its pauses; by default the program's own. */
  readonly work?: Work;
  /** I17; without it, no picture has copies. */
  readonly copiesOf?: CopiesOf;
}

export interface RequestResult extends Result {
  readonly operationName: string | undefined;
  /** For metrics: the name of its root field, or `several`; never a text from the client. */
  readonly rootField: string;
}

export interface Result {
  /**
   * JSON text, as UTF-8, of `{"data":…}` or `{"data":…,"errors":[…]}`: `data` comes first, and there are no extensions. A long one is in
   * several slices.
   */
  readonly body: readonly Buffer[];
  /** Whether `data` is not null. */
  readonly hasData: boolean;
  /** Whether there is an `errors` list. */
  readonly hasErrors: boolean;
  /** B12: whether the answer may change at midnight. */
  readonly dependsOnDay: boolean;
  readonly hints?: readonly Hint[];
}

/** Selects the value of a root field: reads no event, so that the size of an answer is known before its data is read (D2). */
export type SelectValue = (request: RootRequest) => Promise<SelectedValue>;

export interface RootRequest {
  readonly args: Arguments;
  readonly view: View;
  readonly now: number;
  readonly work: Work;
  readonly shared: Shared;
}

/** The ordinals of the events with these slugs, as they were sent. */
export type FindSlugs = (sent: unknown) => readonly number[];

/** The state that the root fields of one operation share, changed while they are selected: work and limits count once for all of them. */
export interface Shared {
  /** Filters by their JSON: equal ones are read, and their nodes selected, once. */
  readonly filters: Map<string, SharedFilter>;
  /** B12: whether the answer depends on the date. Set while root fields are selected. */
  dependsOnDay: boolean;
  /** B14: at most MOST_HINTS. */
  readonly hints: Hint[];
  /** Counts the words of all terms; made for the first one. */
  search?: Search;
  /** Introspection by its text without an alias: what several fields ask for is answered once. */
  readonly introspected: Map<string, Promise<string>>;
  /** Reads the lists of builds once; made for the first field that needs them. */
  changesSince?: ChangesSince;
  /** Counts the slugs of all lists; made for the first one. */
  findSlugs?: FindSlugs;
}

export interface SharedFilter {
  readonly plan: FilterPlan;
  set?: Promise<NodeSet>;
}

/** The selected value of a root field. */
export interface SelectedValue {
  /** D2: its fields at all levels. */
  readonly fields: number;
  /** Events that are read while it is written. */
  readonly events: number;
  readonly write: (out: Output) => Promise<void>;
}
