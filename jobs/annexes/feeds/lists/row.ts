/** F18: a row of a list of feeds, as the file of the list's last good records has it. */
import * as z from 'zod';

/**
 * The kinds that a row may have, and the words by which it names them. An endpoint would bring its own ids and categories, so only
 * `sources.json` may name one.
 */
export const KIND_WORDS = {
  ical: 'kalender|kalendar|calendar|ical|icalendar|ics',
  csv: 'regneark|rekneark|tabell|spreadsheet|table|csv|excel|xlsx',
  jsonld: 'nettside|nettsted|nettstad|side|website|web page|webpage|page|jsonld|json-ld',
} as const;

export type RowKind = keyof typeof KIND_WORDS;

export const ROW_KINDS = Object.keys(KIND_WORDS) as readonly RowKind[];

export const rowSchema = z.object({
  id: z.string(),
  name: z.string().nullable(),
  /** Null only in a row that cannot be used. */
  url: z.string().nullable(),
  kind: z.enum(ROW_KINDS),
  municipality: z.string().nullable(),
  categories: z.array(z.string()).readonly(),
  link: z.string().nullable(),
  licence: z.string().nullable(),
  follow: z.string().nullable(),
  expectChangesWithinDays: z.int().nullable(),
  mayBeEmpty: z.boolean(),
  /** Why the row cannot be used; null if it can. */
  fault: z.string().nullable(),
});

export type ListRow = Readonly<z.output<typeof rowSchema>>;
