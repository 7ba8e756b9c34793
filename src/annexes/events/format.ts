/** A format of lists: its address, and how its text is written. */
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
  /** The route's path; the only address unless `isFor` says otherwise. */
  readonly path: string;
  /** Selects the requests that it answers, if the path alone does not decide. */
  readonly isFor?: ((request: Pick<EndpointRequest, 'path' | 'search'>) => boolean) | undefined;
  /** The id of the event that a path names, or the refusal of a path that names none. */
  readonly eventOf?: (path: string, basis: AnswerBasis) => Promise<string | Refusal>;
  /**
   * The address, relative to this one, that a query leads to if it says the same in more words. It is decided before anything is read.
   * `file`: the last part of the path.
   */
  readonly tidyAddress?: (search: string, file: string) => string | undefined;
  /** Decides on redirects and caching of the answer. */
  readonly handling?: (list: EventList) => Handling;
  /** The conditions of the format, if they are narrower than those of the filter. */
  readonly narrowed?: (conditions: Conditions, snapshot: Snapshot) => Conditions;
  /** Media type with its charset. */
  readonly type: string;
  /** I8: one sentence. */
  readonly about: string;
  /** I8: a description of one entry, and the JSON Schema of JSON. */
  readonly answer: Pick<AboutAnswer, 'about' | 'schema'>;
  /** The text in pieces, each of at most one occurrence. */
  readonly write: (list: EventList) => Iterable<string> | Promise<Iterable<string>>;
  /** Explains a refusal to a browser's user, unless it is about parameters. */
  readonly explain?: ExplainRefusal;
  /** Whether it is for browsers: in the reader's language unless its address names one. */
  readonly isPage?: boolean;
  readonly headers?: () => HeaderList;
}

export interface Handling {
  /** Another address, relative to this one, at which the page is: the reader is sent there. */
  readonly seeOther?: string;
  /** The answer is valid for this request only, and no cache stores it. */
  readonly isUncacheable?: boolean;
}
