/** F6: slugs, unique in the order in which they are asked for. */
import { LONGEST_SLUG, readSlug, SLUG_FORM, slugOf } from '../../src/calendar/text.ts';
import type { Origin, Reporter } from '../records.ts';
import { excerpt } from '../report/excerpt.ts';

export interface Slugged {
  readonly origin: Origin;
  readonly id: string;
  /** The record's own; what it is not, or what a collision changes, is reported. */
  readonly own: string | null;
  /** What a slug is made of when there is no own one: the first that gives letters or digits. */
  readonly names: readonly (string | null)[];
  /** When none does. */
  readonly fallback: string;
}

export interface Slugs {
  readonly take: (slugged: Slugged) => string;
}

export function createSlugs(report: Reporter): Slugs {
  const taken = new Set<string>();
  /** The next number to try behind a slug, so that a thousand events of one title do not each count from 2. */
  const next = new Map<string, number>();

  function unique(wanted: string): string {
    let slug = wanted;
    for (let number = next.get(wanted) ?? 2; taken.has(slug); number++) {
      slug = numbered(wanted, number);
      next.set(wanted, number + 1);
    }
    taken.add(slug);
    return slug;
  }

  function take({ origin, id, own, names, fallback }: Slugged): string {
    const given = own === null ? '' : readSlug(own);
    const slug = unique(given || firstSlug([...names, id]) || fallback);
    if (own !== null && given !== own) {
      const found = excerpt(own);
      report.complain({ action: 'made safe', origin, id, field: 'slug', expected: SLUG_FORM, found });
    } else if (own !== null && slug !== own) {
      const expected = 'a slug that no record before it has';
      report.complain({ action: 'changed value', origin, id, field: 'slug', expected, found: own });
    }
    return slug;
  }

  return { take };
}

/** A slug made unique is no longer than any other. */
function numbered(slug: string, number: number): string {
  const end = `-${number}`;
  return slug.slice(0, LONGEST_SLUG - end.length).replace(/-+$/, '') + end;
}

function firstSlug(names: readonly (string | null)[]): string | undefined {
  return names.map((name) => slugOf(name ?? '')).find((slug) => slug !== '');
}
