/** A concern: what it says, since when, with which details, and of which parts, such as feeds. */
import { abridged } from '../../../calendar/groups.ts';
import type { InEach } from '../../page/reader.ts';
import type { Health } from '../health.ts';
import { plainly } from '../reasons.ts';

/** A problem that an operator should look into, and its remedy. */
export interface Concern {
  readonly name: string;
  readonly what: InEach<string>;
  /** ISO 8601; null if it is unknown. */
  readonly since: string | null;
  /** Its details, such as the message of a build. */
  readonly details: readonly InEach<string>[];
  readonly advice: InEach<string>;
  /** All the things that it is about, such as feeds, if they come and go one by one; none for a concern about one thing. */
  readonly parts: readonly ConcernPart[];
}

interface ConcernPart {
  /** Unique within the concern. */
  readonly id: string;
  /** ISO 8601; null if it is unknown. */
  readonly since: string | null;
  readonly detail: InEach<string>;
}

/** The particulars of one concern. */
export type Found = Partial<Pick<Concern, 'since' | 'details' | 'parts'>>;

/** The results of a check that finds no problem. */
type NotFound = null | false | '' | undefined;

/** A concern in general: its texts, and how it is found. */
interface Row extends Pick<Concern, 'what' | 'advice'> {
  /** The text about parts that are over, while other parts of the concern may last. */
  readonly partsOver?: InEach<string>;
  /** Whether its details are about the feeds that are reported on alone. */
  readonly isOfFeeds?: true;
  /** Whether it is a desk's daily work: it is mailed to the desks of the feeds alone, and they need no mail that it is done. */
  readonly isOfDesks?: true;
  /** For those who edit sources; absent if only the operator can do something. */
  readonly editorAdvice?: InEach<string>;
  readonly find: (health: Health) => Found | NotFound;
}

/** Concerns by their names on `/status`. */
export type Concerns = Readonly<Record<string, Row>>;

export function because(since: string | null, reason: string, about?: string): Found {
  return { since, details: [plainly(reason, about)] };
}

/** A concern about these parts, since the earliest of them; null if there are none. */
export function foundIn(parts: readonly ConcernPart[]): Found | null {
  if (parts.length === 0) return null;
  const details = parts.map(({ detail }) => detail);
  return { since: earliestOf(parts), details: firstOf(details), parts };
}

/** Since when the first of them has been known; null if that is known of none. */
export function earliestOf(all: readonly { readonly since: string | null }[]): string | null {
  const [earliest = null] = all.flatMap(({ since }) => since ?? []).toSorted();
  return earliest;
}

const MOST_DETAILS = 5;

/** The first details, and how many more there are. `all`: the number of all, if the list has only the first of them. */
export function firstOf(
  details: Concern['details'],
  { most = MOST_DETAILS, all }: { readonly most?: number; readonly all?: number } = {},
): Concern['details'] {
  return abridged(details, {
    most,
    all,
    more: (count) => ({ nb: `og ${count} til`, en: `and ${count} more`, nn: `og ${count} til` }),
  });
}
