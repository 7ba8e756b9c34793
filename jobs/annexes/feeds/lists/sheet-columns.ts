/** F18: the columns of a list of feeds, by their names in the first row, in any order and case. */
import { failureText } from '../../../../src/calendar/failures.ts';
import { createSheetLayout, tableNames } from '../csv/sheet-layout.ts';

/** The fields of a row, each with the folded names of its column. The first is the one that findings suggest. */
const NAMES = {
  name: ['navn', 'namn', 'kilde', 'kjelde', 'name', 'source', 'feed'],
  url: ['adresse', 'nettadresse', 'url', 'address', 'lenke', 'lenkje', 'link'],
  kind: ['type', 'kind', 'slag', 'format'],
  id: ['id'],
  municipality: tableNames('municipality'),
  category: ['kategori', 'kategorier', 'kategoriar', 'category', 'categories'],
  link: ['nettsted', 'nettstad', 'nettside', 'website', 'site'],
  licence: ['lisens', 'licence', 'license'],
  follow: ['følg', 'følg lenker', 'følg lenkjer', 'follow', 'follow links'],
  days: ['endres innen dager', 'endrast innan dagar', 'changes within days', 'expectChangesWithinDays'],
  mayBeEmpty: ['kan være tom', 'kan vere tom', 'may be empty', 'mayBeEmpty'],
  note: ['merknad', 'note', 'notat', 'kommentar', 'comment'],
} as const satisfies Readonly<Record<string, readonly string[]>>;

export type ListField = keyof typeof NAMES;

export const LIST_LAYOUT = createSheetLayout<ListField>({
  names: NAMES,
  isSufficient: (fields) => fields.includes('name') && fields.includes('url'),
  expected: failureText('noAddressColumn'),
});
