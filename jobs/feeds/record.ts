/** What a feed is made into: records in the native source's form, and what there is to say about them. One a line. */
import type { Complaint } from '../records.ts';

export type RecordList = 'categories' | 'venues' | 'organizers' | 'events';

export interface FeedRecord {
  readonly list: RecordList;
  /** 1-based line in the feed, for what comes from a file. */
  readonly line: number | null;
  readonly value: Readonly<Record<string, unknown>>;
}

/** A complaint without the feed's name. */
export interface FeedComplaint extends Omit<Complaint, 'origin'> {
  readonly list: 'complaints';
  readonly line: number | null;
}

/** How many of a feed's entries became what: `entries` is the sum of the other three. */
export interface FeedCounts {
  /** Entries in the feed: VEVENTs, or events of an endpoint. */
  readonly entries: number;
  readonly events: number;
  /** Part of another entry's event: a moved or cancelled date, an older version, a copy. */
  readonly merged: number;
  readonly dropped: number;
}

export type FeedLine = FeedRecord | FeedComplaint;

export type Emit = (line: FeedLine) => void;

/** G2: names what was done to an entry, and why. */
export type Complain = (complaint: Omit<FeedComplaint, 'list'>) => void;
