/** What descriptions of the calendar are written from: its snapshot, and each annex's descriptions of its routes. */
import type { ServeContext, ServePart } from '../../serve/annex.ts';
import type { Handle } from '../../serve/http/koa.ts';
import type { About } from '../facts/facts.ts';
import { createDocument, type DocumentBasis } from '../page/document.ts';

export interface Described extends DocumentBasis {
  /** Descriptions of this server's answers, by path. */
  readonly abouts: Readonly<Record<string, About>>;
  /** Nine digits of the publisher; null: unknown. */
  readonly organization: string | null;
}

export interface CatalogSettings {
  readonly organization: string | null;
}

/** A document that depends on the snapshot and on the address of this server. `type`: without its charset. */
export function createDescription(
  context: ServeContext<CatalogSettings>,
  type: string,
  write: (described: Described) => string,
): Handle {
  const { parts, settings } = context;
  return createDocument(context, `${type}; charset=utf-8`, (documented) =>
    write({ ...documented, abouts: aboutsOf(parts()), organization: settings.organization }),
  );
}

/** Descriptions of all paths. */
export function aboutsOf(parts: readonly ServePart[]): Described['abouts'] {
  const all = parts.flatMap(({ routes = {} }) => Object.entries(routes));
  return Object.fromEntries(all.map(([path, { about }]) => [path, about]));
}
