/**
 * The texts of failures that `/status` explains in plain words (H12). Builds write them in English, into states and reports that other versions
 * read, so a page has to know a failure by its text: both the text and the way to recognise it are made of one template.
 */

/** Why a file or a folder cannot be read. */
const READING_FAULTS = {
  missing: 'it is not there',
  notAllowed: 'this user may not read it',
  folder: 'it is a folder',
  noFolder: 'a part of its path is not a folder',
  circle: 'its links lead in a circle',
  longName: 'its name is too long',
  manyFiles: 'too many files are open',
  badDisk: 'the disk cannot read it',
} as const;

/** By Node's codes. */
const READING_CODES: Readonly<Record<string, keyof typeof READING_FAULTS>> = {
  ENOENT: 'missing',
  EACCES: 'notAllowed',
  EPERM: 'notAllowed',
  EISDIR: 'folder',
  ENOTDIR: 'noFolder',
  ELOOP: 'circle',
  ENAMETOOLONG: 'longName',
  EMFILE: 'manyFiles',
  ENFILE: 'manyFiles',
  EIO: 'badDisk',
};

/** Undefined for an error of another kind. */
export function readingFaultText(systemCode: string): string | undefined {
  const fault = READING_CODES[systemCode];
  return fault && READING_FAULTS[fault];
}

/** `{seconds}` stands for a number, `{column:line}` for another kind of value (`VALUES`). Of several that fit, the first counts. */
const TEMPLATES = {
  // Failures of lists of feeds. The end of the first is a cell, which may be any other text.
  listedRow: 'feed {list:id}:{row} {column:short}: expected {expected:rest}, found {found:rest}',
  noRoom: '{folder:path}: expected room for {bytes} bytes, found {free}, {missing} too few',

  // Failures of requests.
  noEnd: 'expected all of it within {seconds} s',
  noByte: 'expected a byte within {seconds} s',
  lateFeeds: 'expected all feeds together within {seconds} s',
  lateAnswers: 'expected all answers together within {seconds} s',
  tooLarge: 'expected at most {bytes} bytes, found more',
  manyRedirects: 'expected at most {redirects} redirects, found more',
  // It follows the text of the next one.
  privateOfList: 'a list of feeds may not name those',
  privateAddress: 'expected a public address, found a private or reserved one',

  // Failures of feeds, compared with what they had before.
  lostColumn: 'expected the column {column:line}, which had values before, found none of this name',
  emptied: 'expected {entries:entries}, as before ({had}), found none',
  cutOff: 'expected a whole feed, as before, found one that is cut off',
  muchLarger: 'expected not more than {factor} times what was there before',
  manyMoreDates: 'expected not more than {dates} dates',
  muchSmaller: 'expected at least half of the {had} upcoming events that were there before, found {has}',

  // Faults in the contents of feeds.
  pageForTable: 'expected a table as CSV or .xlsx, found HTML or XML',
  pageForCalendar: 'expected BEGIN:VCALENDAR, found HTML or XML',
  noContent: 'expected a {content:content}, found nothing',
  noCalendar: 'expected BEGIN:VCALENDAR, found none',
  openQuote: 'expected a closing quote, found the end of the sheet',
  noIdColumn: 'a first row that names the column Id and at least one of',
  noPlaceColumn: 'a first row that names the column Sted',
  noAddressColumn: 'a first row that names the columns Navn and Adresse',
  noSheet: 'expected the sheet {sheet:json}',
  lockedWorkbook: 'found a workbook with a password',
  oldWorkbook: 'found an old workbook (.xls)',
  damagedWorkbook: 'expected a complete workbook (.xlsx), found a damaged one',

  // Failures of stores.
  otherCalendar: 'expected the calendar with the licence id {local:json}, found {stored:json}',
} as const;

/** The kinds of values in templates, as parts of regular expressions. They are bounded, so that the whole stays linear (G12). */
const VALUES: Readonly<Record<string, string>> = {
  number: '\\d+',
  id: '\\S{1,64}',
  line: '.{1,80}',
  short: '.{1,200}?',
  rest: '.+',
  // It begins a word. Otherwise, the name would be looked for at each character of it.
  path: '(?<!\\S)[^\\s:][^:]{0,200}?',
  json: '"(?:[^"\\\\]|\\\\.){1,80}"',
  entries: '(?:events|corrections|venues|feeds)',
  content: '(?:calendar|table|page)',
};

type Template = keyof typeof TEMPLATES;

export type FailureCode = Template | keyof typeof READING_FAULTS | 'missingWithNearest';

/** The names of a template's values. */
type Names<Text extends string> = Text extends `${string}{${infer Value}}${infer Rest}`
  ? (Value extends `${infer Name}:${string}` ? Name : Value) | Names<Rest>
  : never;

type Values<Code extends Template> = Readonly<Record<Names<(typeof TEMPLATES)[Code]>, string | number>>;

/** The failures without values. */
type Plain = {
  [Code in Template]: [Names<(typeof TEMPLATES)[Code]>] extends [never] ? Code : never;
}[Template];

/** The text of a failure. It may be a part of a longer message. */
export function failureText(code: Plain): string;
export function failureText<Code extends Template>(code: Code, values: Values<Code>): string;
export function failureText(code: Template, values = {}): string {
  return filled(TEMPLATES[code], values);
}

/** The text with these values in place of `{name}`. */
export function filled(text: string, values: Readonly<Record<string, string | number | undefined>>): string {
  return text.replace(VALUE, (_, name: string) => String(values[name] ?? ''));
}

const VALUE = /\{(\w+)(?::(\w+))?\}/g;

interface KnownFailure {
  readonly code: FailureCode;
  readonly values: Readonly<Record<string, string | undefined>>;
}

/** The failure that a message is about; null if it is none of these. */
export function failureIn(message: string): KnownFailure | null {
  for (const { code, pattern } of PATTERNS) {
    const found = pattern.exec(message);
    if (found !== null) return { code, values: found.groups ?? {} };
  }
  return null;
}

interface FailurePattern {
  readonly code: FailureCode;
  readonly pattern: RegExp;
}

const { listedRow, ...OTHERS } = TEMPLATES;

const PATTERNS: readonly FailurePattern[] = [
  { code: 'listedRow', pattern: new RegExp(`^${sourceOf(listedRow)}$`, 's') },
  {
    code: 'missingWithNearest',
    pattern: unreadable(`${READING_FAULTS.missing}; the nearest is {nearest:json}`),
  },
  ...codesOf(READING_FAULTS).map((code) => ({ code, pattern: unreadable(READING_FAULTS[code]) })),
  ...codesOf(OTHERS).map((code) => ({ code, pattern: new RegExp(sourceOf(OTHERS[code])) })),
];

/** A text of `READING_FAULTS` after the name of a feed's file, a file in the source folder, or the source folder itself. */
function unreadable(template: string): RegExp {
  const named = `(?:expected a readable source folder at )?${sourceOf('{file:path}')}`;
  const before = '(?:: (?:expected a readable file, but )?|, but )';
  return new RegExp(named + before + sourceOf(template));
}

function sourceOf(template: string): string {
  const literals = template.replace(/[.*+?^$()|[\]\\]/g, '\\$&');
  return literals.replace(VALUE, (_, name: string, kind = 'number') => `(?<${name}>${VALUES[kind]})`);
}

function codesOf<Code extends string>(table: Readonly<Record<Code, string>>): readonly Code[] {
  return Object.keys(table) as Code[];
}
