/** The kinds of feeds in `sources.json`: which of them have events, and which settings only some of them take. */
import { alternatives } from '../../../src/calendar/display-text.ts';

type FeedKind = keyof typeof KINDS;

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

interface Traits {
  readonly hasEvents: boolean;
  readonly settings: readonly KindSetting[];
  /** The source lists its venues and organizers itself; otherwise its feed has those that its events name. */
  readonly hasDirectory?: true;
  /** A feed may have several URLs. */
  readonly mayHavePages?: true;
}

const KINDS = {
  ical: { hasEvents: true, settings: ['series', 'timeZone'] },
  csv: { hasEvents: true, settings: ['columns', 'format', 'series', 'sheet', 'timeZone'] },
  jsonld: { hasEvents: true, mayHavePages: true, settings: ['follow', 'series'] },
  graphql: { hasEvents: true, hasDirectory: true, settings: [] },
  corrections: { hasEvents: false, settings: ['feeds', 'format', 'municipalities', 'sheet', 'urgent'] },
  venues: { hasEvents: false, settings: ['sheet'] },
  feeds: { hasEvents: false, settings: ['municipalities', 'sheet'] },
} as const satisfies Readonly<Record<string, Traits>>;

/** Sheets correct events, describe places or list feeds. */
export type SheetKind = {
  [Kind in FeedKind]: (typeof KINDS)[Kind]['hasEvents'] extends true ? never : Kind;
}[FeedKind];

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
