import type { Feed } from './config.ts';
import type { FeedState, Validators } from './state.ts';

/** What reading a feed needs to know of the world. */
export interface FeedWorld {
  /** The source folder, which paths of files are relative to. */
  readonly source: string;
  /** Whether private and loopback addresses may be asked. */
  readonly allowPrivate: boolean;
  /** A variable of the environment. */
  readonly variable: (name: string) => string | undefined;
  readonly userAgent: string;
  /** Its reason is the FeedProblem to fail with. */
  readonly signal: AbortSignal;
  /** Waits that many milliseconds between requests. */
  readonly pause: (milliseconds: number) => Promise<void>;
}

export interface ImportRequest {
  readonly feed: Feed;
  readonly world: FeedWorld;
  /** What is known from before, when a slice of the same feed by the same rules is still there; else null. */
  readonly known: FeedState | null;
  /** When, and up to what day (A11) rules will be expanded: instant and day number. */
  readonly now: number;
  readonly horizonDay: number;
  readonly place: string;
  readonly config: string;
  /** Where a new slice is to be written, and flushed to disk. */
  readonly draft: string;
}

/** Null when the feed says what it said before. */
export interface Imported {
  readonly source: string | null;
  readonly bytes: number;
  readonly validators: Validators;
}

/** Throws FeedProblem when the feed cannot be had or makes no sense. */
export type Importer = (request: ImportRequest) => Promise<Imported | null>;
