/** The seam between what carries a GraphQL request (HTTP, limits, reuse) and what answers it. */
import type { DocumentNode } from 'graphql';
import type { Snapshot } from '../../snapshot/open.ts';
import type { Pattern } from './pattern.ts';

/** What one GraphQL request is answered from: fixed when the request arrives (A3, C3, H5). */
export interface Moment {
  readonly snapshot: Snapshot;
  /** Whole seconds. */
  readonly now: number;
}

/** One operation that is known to be valid: parsed, validated, within the limits (D2), its variables coercible. */
export interface Operation {
  /** The document as it was sent. */
  readonly text: string;
  readonly document: () => DocumentNode;
  readonly pattern: Pattern;
  readonly operationName: string | undefined;
  /** As the client sent them: not yet coerced, defaults not yet filled in. */
  readonly variables: Readonly<Record<string, unknown>>;
  /** The same, coerced, and those that stand for literals in the pattern. */
  readonly values: Readonly<Record<string, unknown>>;
}

export interface Answer {
  /** JSON text, as UTF-8, of `{"data":…}` or `{"data":…,"errors":[…]}`: `data` comes first, and there are no extensions. */
  readonly body: Buffer;
  /** Bytes behind the body that are nobody's, so that it can grow where it is; without it, none. */
  readonly room?: number;
  /** Whether there is an `errors` list. */
  readonly failed: boolean;
}

/** Rejects only for what nobody foresaw: the client then gets a 500 with an id that the log has too. */
export type Execute = (operation: Operation, moment: Moment) => Promise<Answer>;
