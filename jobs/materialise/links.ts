/** F6: an event's slug and its public address. */
import type { EventRecord, Reporter } from '../records.ts';
import { createSlugs } from './slugs.ts';

export interface Link {
  readonly slug: string;
  readonly link: string;
}

type Linked = Pick<EventRecord, 'origin' | 'id' | 'slug' | 'eventLink' | 'title_nb' | 'title_en'>;

export interface Links {
  /** To be called for every record in source order. */
  readonly take: (record: Linked) => Link;
}

export function createLinks(siteUrl: string, report: Reporter): Links {
  const slugs = createSlugs(report);
  const base = `${siteUrl.replace(/\/+$/, '')}/event/`;
  return {
    take: ({ origin, id, slug: ownSlug, eventLink, title_nb, title_en }) => {
      const own = eventLink === null ? ownSlug : (decoded(lastSegment(eventLink)) ?? ownSlug);
      const slug = slugs.take({ origin, id, own, names: [title_nb ?? title_en], fallback: 'event' });
      return { slug, link: eventLink ?? base + slug };
    },
  };
}

/** The last path segment of a link, as it is written; null when it has none. */
export function lastSegment(link: string): string | null {
  const [, path = ''] = /^(?:[^/?#]*:)?(?:\/\/[^/?#]*)?([^?#]*)/.exec(link) ?? [];
  return path.split('/').findLast((segment) => segment !== '') ?? null;
}

function decoded(segment: string | null): string | null {
  try {
    return segment === null ? null : decodeURIComponent(segment);
  } catch {
    return segment;
  }
}
