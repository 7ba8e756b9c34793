/** F6: slugs, unique in the order in which they are asked for. */
import { slugOf } from '../../src/calendar/text.ts';
import type { Origin, Reporter } from '../records.ts';

export interface Slugged {
  readonly origin: Origin;
  readonly id: string;
  /** The record's own, which a collision changes with a complaint. */
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
      slug = `${wanted}-${number}`;
      next.set(wanted, number + 1);
    }
    taken.add(slug);
    return slug;
  }

  function take({ origin, id, own, names, fallback }: Slugged): string {
    const wanted = own ?? firstSlug([...names, id]) ?? fallback;
    const slug = unique(wanted);
    if (own !== null && slug !== own) {
      const expected = 'a slug that no record before it has';
      report.complain({ action: 'changed value', origin, id, field: 'slug', expected, found: own });
    }
    return slug;
  }

  return { take };
}

function firstSlug(names: readonly (string | null)[]): string | undefined {
  return names.map((name) => slugOf(name ?? '')).find((slug) => slug !== '');
}
