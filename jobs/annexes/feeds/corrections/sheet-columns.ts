/** F15: the columns of a correction sheet, by their names in the first row, in any order and case. */
import { columnTitle, namedColumns, type SheetColumns, tableNames } from '../csv/named-columns.ts';

/**
 * The fields of a row, each with the folded names of its column. The first is the one that findings suggest. Descriptions have the names that
 * they have in a table of events, but there, `ingress` is a description, too.
 */
const NAMES = {
  id: ['id', 'lenke', 'lenkje', 'link', 'url'],
  date: ['dato', 'date', 'dag', 'day'],
  hide: ['skjul', 'gøym', 'hide'],
  approved: ['godkjent', 'godkjend', 'approved', 'approve'],
  title: ['tittel', 'title'],
  norwegianTitle: ['norsk tittel', 'norwegian title', 'title nb'],
  englishTitle: ['engelsk tittel', 'english title', 'title en'],
  summary: ['ingress', 'kort tekst', 'summary'],
  norwegianSummary: ['norsk ingress', 'norsk kort tekst', 'norwegian summary', 'summary nb'],
  englishSummary: ['engelsk ingress', 'engelsk kort tekst', 'english summary', 'summary en'],
  start: ['start', 'starttid', 'klokkeslett', 'start time'],
  end: ['slutt', 'sluttid', 'end', 'end time'],
  category: ['kategori', 'kategorier', 'kategoriar', 'category', 'categories'],
  venue: ['sted', 'stad', 'venue', 'place'],
  municipality: tableNames('municipality'),
  status: ['status'],
  featured: ['fremhev', 'fremhevet', 'framhev', 'framheva', 'featured', 'feature'],
  tags: tableNames('tags'),
  description: [
    'beskrivelse',
    'skildring',
    'beskriving',
    'omtale',
    'tekst',
    'info',
    'informasjon',
    'om arrangementet',
    'om tilskipinga',
    'description',
    'details',
    'about',
  ],
  norwegianDescription: [
    'norsk beskrivelse',
    'beskrivelse norsk',
    'norsk skildring',
    'skildring norsk',
    'desc_nb',
    'norwegian description',
  ],
  englishDescription: [
    'engelsk beskrivelse',
    'english description',
    'description english',
    'beskrivelse engelsk',
    'engelsk skildring',
    'skildring engelsk',
    'desc_en',
  ],
  prices: tableNames('prices'),
  ticketsURL: tableNames('ticketsURL'),
  images: tableNames('images'),
  organizers: ['arrangør', ...tableNames('organizers')],
  ageRestriction: tableNames('ageRestriction'),
  minimumAge: tableNames('minimumAge'),
  maximumAge: tableNames('maximumAge'),
  same: ['samme som', 'same som', 'same as'],
  different: ['ikke samme som', 'ikkje same som', 'not same as', 'not the same as', 'different from'],
  note: ['merknad', 'note', 'notat', 'kommentar', 'comment'],
} as const satisfies Readonly<Record<string, readonly string[]>>;

export type SheetField = keyof typeof NAMES;

type Language = 'nb' | 'en';

/** The fields with texts, and their languages; null for that of the feed. */
const TEXTS = [
  { field: 'title', text: 'title', named: null },
  { field: 'norwegianTitle', text: 'title', named: 'nb' },
  { field: 'englishTitle', text: 'title', named: 'en' },
  { field: 'summary', text: 'summary', named: null },
  { field: 'norwegianSummary', text: 'summary', named: 'nb' },
  { field: 'englishSummary', text: 'summary', named: 'en' },
  { field: 'description', text: 'desc', named: null },
  { field: 'norwegianDescription', text: 'desc', named: 'nb' },
  { field: 'englishDescription', text: 'desc', named: 'en' },
] as const satisfies readonly { field: SheetField; text: string; named: Language | null }[];

/** Each field with a text, and the field of `set` that it gives (F13). A later one takes precedence over an earlier one that gives the same. */
export function textFields(
  language: Language,
): readonly { readonly field: SheetField; readonly path: string }[] {
  return TEXTS.map(({ field, text, named }) => ({ field, path: `${text}_${named ?? language}` }));
}

/** The fields that change something. */
const EFFECTS = (Object.keys(NAMES) as SheetField[]).filter(
  (field) => !['id', 'date', 'note'].includes(field),
);

export const CORRECTION_COLUMNS = namedColumns<SheetField>({
  names: NAMES,
  isSufficient: (fields) => fields.includes('id') && EFFECTS.some((field) => fields.includes(field)),
  expected: `a first row that names the column Id and at least one of ${EFFECTS.map((field) => columnTitle(NAMES[field])).join(', ')}`,
});

/** The fields of an entry of `corrections.json` that a column gives (F13), besides its texts. */
const PATHS: Readonly<Partial<Record<SheetField, readonly string[]>>> = {
  id: ['where', 'where.id'],
  date: ['where.date'],
  hide: ['hide'],
  start: ['set.start'],
  end: ['set.end'],
  category: ['set.categories'],
  venue: ['set.venue'],
  municipality: ['set.municipality'],
  status: ['set.status', 'set.eventSoldOut'],
  featured: ['set.isFeaturedEvent'],
  approved: ['approve'],
  tags: ['add.tags'],
  prices: ['set.prices'],
  ticketsURL: ['set.ticketsURL'],
  images: ['set.images'],
  organizers: ['set.organizers'],
  ageRestriction: ['set.ageRestriction'],
  minimumAge: ['set.minimumAge'],
  maximumAge: ['set.maximumAge'],
  same: ['same'],
  different: ['different'],
};

interface NamedCells {
  readonly columns: SheetColumns<SheetField>;
  readonly language: Language;
  readonly cell: (field: SheetField) => string;
}

/** The names of a sheet's columns, by the field of an entry of `corrections.json` that each of them gives in a row. */
export function columnsByField({ columns, language, cell }: NamedCells): Readonly<Record<string, string>> {
  const given = textFields(language).filter(({ field }) => cell(field) !== '');
  const texts = new Map<SheetField, string>(given.map(({ field, path }) => [field, `set.${path}`]));
  const pathsOf = (field: SheetField) => PATHS[field] ?? texts.get(field) ?? [];
  const named = columns.fields.flatMap((field) =>
    [pathsOf(field)].flat().map((path) => [path, columns.nameOf(field)] as const),
  );
  return Object.fromEntries(named);
}
