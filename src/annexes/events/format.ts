/** A format of lists: its address, how its text is written, and the steps that only pages take. */
import type { AnswerBasis } from '../../serve/graphql/answer.ts';
import type { Refusal } from '../../serve/graphql/refusal.ts';
import type { EndpointRequest } from '../../serve/http/endpoint.ts';
import type { HeaderList } from '../../serve/http/message.ts';
import type { Conditions } from '../../snapshot/filters.ts';
import type { Snapshot } from '../../snapshot/open.ts';
import type { AboutAnswer } from '../facts/facts.ts';
import type { EventList } from './event-list.ts';
import type { ListParameters } from './query.ts';
import type { ExplainRefusal } from './refusal-page.ts';

export interface Format extends ListParameters {
  /** The route's path. Several formats may have the same one, if they are pages whose `isFor` tells them apart. */
  readonly path: string;
  /** Media type with its charset. */
  readonly type: string;
  /** I8: one sentence. */
  readonly about: string;
  /** I8: a description of one entry, and the JSON Schema of JSON. */
  readonly answer: Pick<AboutAnswer, 'about' | 'schema'>;
  /** The text in pieces, each of at most one occurrence. */
  readonly write: (list: EventList) => Iterable<string> | Promise<Iterable<string>>;
  /** For HTML pages. */
  readonly page?: PageSteps;
}

/** What only pages do, in the order in which a request meets it. */
export interface PageSteps {
  /** Selects the requests that the page answers, if its path alone does not decide. */
  readonly isFor?: IsFor;
  /** Whether the page is in its reader's language unless its address names one; otherwise, it is in the calendar's. */
  readonly isLocalized: boolean;
  /**
   * The address, relative to this one, that a query leads to if it says the same in more words. It is decided before anything is read.
   * `file`: the last part of the path.
   */
  readonly tidyAddress?: (search: string, file: string) => string | undefined;
  /** The id of the event that the path names, or the refusal of a path that names none. For pages of one event. */
  readonly eventOf?: (path: string, basis: AnswerBasis) => Promise<string | Refusal>;
  /** The conditions of the page, if they are narrower than those of the filter. */
  readonly narrowed?: (conditions: Conditions, snapshot: Snapshot) => Conditions;
  /** Decides on redirects and caching, once the list is read. */
  readonly handling?: (list: EventList) => Handling;
  /** The headers of the page, and of one that explains a refusal. */
  readonly headers: () => HeaderList;
  /** Explains a refusal in place of `explainList`. */
  readonly explain?: ExplainRefusal;
}

export type IsFor = (request: Pick<EndpointRequest, 'path' | 'search'>) => boolean;

export interface Handling {
  /** Another address, relative to this one, at which the page is: the reader is sent there. */
  readonly seeOther?: string;
  /** The answer is valid for this request only, and no cache stores it. */
  readonly isUncacheable?: boolean;
}
