/** F15: the columns of a correction sheet, by their names in the first row, in any order and case. */
import { failureText } from '../../../../src/calendar/failures.ts';
import { columnTitle, createSheetLayout, type SheetColumns, tableNames } from '../csv/sheet-layout.ts';

interface SheetColumn {
  /** Folded names. The first is the one that findings suggest. */
  readonly names: readonly string[];
  /** What a cell does: it selects an event or its dates, hides them, changes them, or is only a note. */
  readonly effect: 'selects' | 'hides' | 'changes' | 'none';
  /** Whether it is about the whole event: a date has no value of its own. */
  readonly isOfEvent?: true;
  /** The fields of an entry of `corrections.json` that it gives (F13). */
  readonly paths?: readonly string[];
  /** In place of `paths`: a text of the event, and its language if the name says one; otherwise, it is in that of the feed. */
  readonly text?: { readonly pair: 'title' | 'summary' | 'desc'; readonly language?: Language };
  /** For a check box, what its cell says when it is not ticked: `no`, or nothing at all. */
  readonly unticked?: 'no' | 'nothing';
}

type Language = 'nb' | 'en';

/**
 * Every column, by the field of a row that it gives. Descriptions have the names that they have in a table of events, but there, `ingress` is
 * a description, too.
 */
const COLUMNS = {
  id: {
    names: ['id', 'lenke', 'lenkje', 'link', 'url'],
    effect: 'selects',
    paths: ['where', 'where.id'],
  },
  date: {
    names: ['dato', 'date', 'dag', 'day'],
    effect: 'selects',
    paths: ['where.date'],
  },
  hide: {
    names: ['skjul', 'gøym', 'hide'],
    effect: 'hides',
    paths: ['hide'],
    unticked: 'no',
  },
  approved: {
    names: ['godkjent', 'godkjend', 'approved', 'approve'],
    effect: 'changes',
    isOfEvent: true,
    paths: ['approve'],
    unticked: 'nothing',
  },
  title: {
    names: ['tittel', 'title'],
    effect: 'changes',
    isOfEvent: true,
    text: { pair: 'title' },
  },
  norwegianTitle: {
    names: ['norsk tittel', 'norwegian title', 'title nb'],
    effect: 'changes',
    isOfEvent: true,
    text: { pair: 'title', language: 'nb' },
  },
  englishTitle: {
    names: ['engelsk tittel', 'english title', 'title en'],
    effect: 'changes',
    isOfEvent: true,
    text: { pair: 'title', language: 'en' },
  },
  summary: {
    names: ['ingress', 'kort tekst', 'summary'],
    effect: 'changes',
    isOfEvent: true,
    text: { pair: 'summary' },
  },
  norwegianSummary: {
    names: ['norsk ingress', 'norsk kort tekst', 'norwegian summary', 'summary nb'],
    effect: 'changes',
    isOfEvent: true,
    text: { pair: 'summary', language: 'nb' },
  },
  englishSummary: {
    names: ['engelsk ingress', 'engelsk kort tekst', 'english summary', 'summary en'],
    effect: 'changes',
    isOfEvent: true,
    text: { pair: 'summary', language: 'en' },
  },
  start: {
    names: ['start', 'starttid', 'klokkeslett', 'start time'],
    effect: 'changes',
    paths: ['set.start'],
  },
  end: {
    names: ['slutt', 'sluttid', 'end', 'end time'],
    effect: 'changes',
    paths: ['set.end'],
  },
  category: {
    names: ['kategori', 'kategorier', 'kategoriar', 'category', 'categories'],
    effect: 'changes',
    isOfEvent: true,
    paths: ['set.categories'],
  },
  venue: {
    names: ['sted', 'stad', 'venue', 'place'],
    effect: 'changes',
    paths: ['set.venue'],
  },
  municipality: {
    names: tableNames('municipality'),
    effect: 'changes',
    paths: ['set.municipality'],
  },
  status: {
    names: ['status'],
    effect: 'changes',
    paths: ['set.status', 'set.eventSoldOut'],
  },
  featured: {
    names: ['fremhev', 'fremhevet', 'framhev', 'framheva', 'featured', 'feature'],
    effect: 'changes',
    isOfEvent: true,
    paths: ['set.isFeaturedEvent'],
    unticked: 'no',
  },
  tags: {
    names: tableNames('tags'),
    effect: 'changes',
    isOfEvent: true,
    paths: ['add.tags'],
  },
  description: {
    names: [
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
    effect: 'changes',
    isOfEvent: true,
    text: { pair: 'desc' },
  },
  norwegianDescription: {
    names: [
      'norsk beskrivelse',
      'beskrivelse norsk',
      'norsk skildring',
      'skildring norsk',
      'desc_nb',
      'norwegian description',
    ],
    effect: 'changes',
    isOfEvent: true,
    text: { pair: 'desc', language: 'nb' },
  },
  englishDescription: {
    names: [
      'engelsk beskrivelse',
      'english description',
      'description english',
      'beskrivelse engelsk',
      'engelsk skildring',
      'skildring engelsk',
      'desc_en',
    ],
    effect: 'changes',
    isOfEvent: true,
    text: { pair: 'desc', language: 'en' },
  },
  prices: {
    names: tableNames('prices'),
    effect: 'changes',
    isOfEvent: true,
    paths: ['set.prices'],
  },
  ticketsURL: {
    names: tableNames('ticketsURL'),
    effect: 'changes',
    paths: ['set.ticketsURL'],
  },
  images: {
    names: tableNames('images'),
    effect: 'changes',
    isOfEvent: true,
    paths: ['set.images'],
  },
  organizers: {
    names: ['arrangør', ...tableNames('organizers')],
    effect: 'changes',
    isOfEvent: true,
    paths: ['set.organizers'],
  },
  ageRestriction: {
    names: tableNames('ageRestriction'),
    effect: 'changes',
    isOfEvent: true,
    paths: ['set.ageRestriction'],
  },
  minimumAge: {
    names: tableNames('minimumAge'),
    effect: 'changes',
    isOfEvent: true,
    paths: ['set.minimumAge'],
  },
  maximumAge: {
    names: tableNames('maximumAge'),
    effect: 'changes',
    isOfEvent: true,
    paths: ['set.maximumAge'],
  },
  same: {
    names: ['samme som', 'same som', 'same as'],
    effect: 'changes',
    isOfEvent: true,
    paths: ['same'],
  },
  different: {
    names: ['ikke samme som', 'ikkje same som', 'not same as', 'not the same as', 'different from'],
    effect: 'changes',
    isOfEvent: true,
    paths: ['different'],
  },
  note: {
    names: ['merknad', 'note', 'notat', 'kommentar', 'comment'],
    effect: 'none',
  },
} as const satisfies Readonly<Record<string, SheetColumn>>;

export type SheetField = keyof typeof COLUMNS;

const FIELDS = Object.keys(COLUMNS) as SheetField[];

/** The column of a field. */
export const columnOf = (field: SheetField): SheetColumn => COLUMNS[field];

/** Fields of the whole event. */
export const FIELDS_OF_EVENT = FIELDS.filter((field) => columnOf(field).isOfEvent);

interface TextField {
  readonly field: SheetField;
  /** A field of `set`. */
  readonly name: string;
}

/** Each field with a text, and the field of `set` that it gives (F13). A later one takes precedence over an earlier one that gives the same. */
export function textFields(language: Language): readonly TextField[] {
  return FIELDS.flatMap((field) => {
    const { text } = columnOf(field);
    return text === undefined ? [] : [{ field, name: `${text.pair}_${text.language ?? language}` }];
  });
}

/** Fields without which a row says nothing about the event that it selects. */
const EFFECTIVE = FIELDS.filter((field) => ['hides', 'changes'].includes(columnOf(field).effect));

const columnNames = (field: SheetField) => columnOf(field).names;

export const CORRECTION_LAYOUT = createSheetLayout<SheetField>({
  names: Object.fromEntries(FIELDS.map((field) => [field, columnNames(field)])) as Record<
    SheetField,
    readonly string[]
  >,
  isSufficient: (fields) => fields.includes('id') && EFFECTIVE.some((field) => fields.includes(field)),
  expected: `${failureText('noIdColumn')} ${EFFECTIVE.map((field) => columnTitle(columnNames(field))).join(', ')}`,
});

interface NamedCells {
  readonly columns: SheetColumns<SheetField>;
  readonly language: Language;
  readonly cell: (field: SheetField) => string;
}

/** The names of a sheet's columns, by the field of an entry of `corrections.json` that each of them gives in a row. */
export function columnsByField({ columns, language, cell }: NamedCells): Readonly<Record<string, string>> {
  const named: Record<string, string> = {};
  for (const field of columns.fields)
    for (const path of columnOf(field).paths ?? []) named[path] = columns.nameOf(field);
  for (const { field, name } of textFields(language))
    if (cell(field) !== '') named[`set.${name}`] = columns.nameOf(field);
  return named;
}
