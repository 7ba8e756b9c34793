/** The kinds of feeds in `sources.json`: which of them have events, what their documents are, and which settings only some of them take. */
import { alternatives } from '../../../src/calendar/display-text.ts';

export type FeedKind = keyof typeof KINDS;

/** The settings that not every kind takes. Feeds without events also take none of those about events, such as `defaults`. */
export type KindSetting =
  | 'columns'
  | 'feeds'
  | 'follow'
  | 'format'
  | 'municipalities'
  | 'series'
  | 'sheet'
  | 'timeZone'
  | 'urgent';

/** What a document is, as far as its first bytes and its `Content-Type` say. */
export type Content = 'calendar' | 'table' | 'page';

interface Traits {
  readonly hasEvents: boolean;
  /** For a kind that is fetched as documents, which a reader of `readers.ts` reads; other kinds have an importer of their own (`merge.ts`). */
  readonly document?: Content;
  readonly settings: readonly KindSetting[];
  /** The source lists its venues and organizers itself; otherwise its feed has those that its events name. */
  readonly hasDirectory?: true;
  /** A feed may have several URLs. */
  readonly mayHavePages?: true;
}

const KINDS = {
  ical: { hasEvents: true, document: 'calendar', settings: ['series', 'timeZone'] },
  csv: {
    hasEvents: true,
    document: 'table',
    settings: ['columns', 'format', 'series', 'sheet', 'timeZone'],
  },
  jsonld: { hasEvents: true, document: 'page', mayHavePages: true, settings: ['follow', 'series'] },
  graphql: { hasEvents: true, hasDirectory: true, settings: [] },
  corrections: {
    hasEvents: false,
    document: 'table',
    settings: ['feeds', 'format', 'municipalities', 'sheet', 'urgent'],
  },
  venues: { hasEvents: false, document: 'table', settings: ['sheet'] },
  feeds: { hasEvents: false, document: 'table', settings: ['municipalities', 'sheet'] },
} as const satisfies Readonly<Record<string, Traits>>;

/** Sheets correct events, describe places or list feeds. */
export type SheetKind = {
  [Kind in FeedKind]: (typeof KINDS)[Kind]['hasEvents'] extends true ? never : Kind;
}[FeedKind];

/** The kinds that are fetched as documents. */
export type DocumentKind = {
  [Kind in FeedKind]: (typeof KINDS)[Kind] extends { readonly document: Content } ? Kind : never;
}[FeedKind];

export const isDocument = (kind: FeedKind): kind is DocumentKind => 'document' in KINDS[kind];

export const contentOf = (kind: DocumentKind): Content => KINDS[kind].document;

export const FEED_KINDS = Object.keys(KINDS) as readonly FeedKind[];

export function isSheet(kind: FeedKind): kind is SheetKind {
  return !KINDS[kind].hasEvents;
}

export const hasDirectory = (kind: FeedKind): boolean => 'hasDirectory' in KINDS[kind];

export const mayHavePages = (kind: FeedKind): boolean => 'mayHavePages' in KINDS[kind];

export function takes(kind: FeedKind, setting: KindSetting): boolean {
  const settings: readonly KindSetting[] = KINDS[kind].settings;
  return settings.includes(setting);
}

/** Such as `kind "ical" or "csv"`. */
export function kindsWith(setting: KindSetting): string {
  return `kind ${quotedKinds(FEED_KINDS.filter((kind) => takes(kind, setting)))}`;
}

/** Such as `"ical", "csv" or "jsonld"`. */
export function quotedKinds(kinds: readonly FeedKind[]): string {
  return alternatives(kinds.map((kind) => `"${kind}"`));
}
