/** The messages between the feed's fetcher, the reader process, and the readers. */
import type { AddOptions } from '../../annex.ts';
import type { FeedCounts } from '../../report/summary.ts';
import type { ParsedFeed } from './config.ts';
import type { Validator } from './feed-state.ts';
import type { DocumentKind } from './kinds.ts';
import type { Emit, FeedId, FeedPlace, NewFinding } from './last-good.ts';
import type { RequestBudget } from './request-budget.ts';

/** The work of a reader. It passes between processes as a structured clone. */
export interface ReadTask extends Pick<AddOptions, 'now' | 'horizonDay'> {
  readonly kind: DocumentKind;
  readonly feed: ParsedFeed;
  readonly documents: readonly FeedDocument[];
  readonly notes: readonly NewFinding[];
  /** L4: ids of events that share a UID, from the previous reading. */
  readonly ids?: readonly FeedId[];
  /** L4: ids of the series by title, from the previous reading. */
  readonly series?: readonly string[];
  /** F11: the places of the previous reading, and those that were gone before. */
  readonly places?: readonly FeedPlace[];
}

export interface FeedDocument {
  /** `https://host`, for addresses that a page gives without it; null for a file. */
  readonly origin: string | null;
  /** Null for a page that no longer exists. */
  readonly bytes: Buffer | null;
  /** Whether a page links to others, or is linked from one; undefined for pages that the feed names. */
  readonly role?: 'listing' | 'linked' | undefined;
  readonly path?: string | undefined;
}

/** A document as it was fetched. */
export interface FetchedDocument extends Pick<FeedDocument, 'bytes' | 'role'> {
  readonly url: string | null;
  readonly validator: Validator | null;
}

/** Asks for a document; null if it is unchanged. */
export type Ask = (url: string, validator: Validator | undefined) => Promise<FetchedDocument | null>;

export interface FeedSummary {
  readonly counts: FeedCounts;
  /** Listed ones, and those of rules up to the horizon (G11). */
  readonly dates: number;
  /** False if the feed ends in the middle. */
  readonly isComplete: boolean;
  /** F15, F16, F18: the columns of a sheet, and whether they have values. */
  readonly columns?: Record<string, boolean>;
}

/** Throws FeedProblem if the feed is not of its kind, or too large. */
export type FeedReader = (documents: readonly FeedDocument[], task: ReadTask, emit: Emit) => FeedSummary;

/** A page whose links to pages of events are followed. */
export interface FollowedPage {
  readonly url: string;
  /** The beginning of the paths that are followed. */
  readonly follow: string;
}

/** How a listing and its pages are requested. */
export interface Requests {
  readonly ask: Ask;
  /** For the listing and its pages together. */
  readonly budget: Pick<RequestBudget, 'take'>;
}

export interface Listing {
  /** The listing itself, then the pages that it links to. */
  readonly documents: readonly FetchedDocument[];
  /** A hash of the listing's links, and the moment of this reading. */
  readonly validator: Validator;
  /** Findings about links that were not followed, and about pages that could not be read. */
  readonly notes: readonly NewFinding[];
}
