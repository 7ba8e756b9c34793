/** L1: tables in workbooks (.xlsx), written by programs of others, and by nobody who means well. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { readCorrectionSheet } from '../../../../jobs/annexes/feeds/corrections/sheet.ts';
import { readTableFeed } from '../../../../jobs/annexes/feeds/csv/events.ts';
import { readTable } from '../../../../jobs/annexes/feeds/csv/table.ts';
import { FeedProblem } from '../../../../jobs/annexes/feeds/feed-problem.ts';
import type { Row } from '../../../../jobs/annexes/feeds/table-rows.ts';
import { plainly } from '../../../../src/annexes/operator/reasons.ts';
import { systemCodeOf } from '../../../../src/calendar/errors.ts';
import { assertIncludes } from '../../../helpers/assertions.ts';
import { shownAfter } from '../../../helpers/corrections.ts';
import { costsAtMost } from '../../../helpers/cost.ts';
import { readDocuments, refusalOf, taskOf } from '../../../helpers/feed-reading.ts';
import { when } from '../../../helpers/when.ts';
import { archiveOf, rowOf, savedByPython, withLargeEnd, workbookOf } from '../../../helpers/workbooks.ts';

/** A desk's workbook, and the same table by another program, with days since 1904. */
const SAVED = savedByPython(['desk.xlsx', 'writer.xlsx', 'inline.xlsx'], 'test/fixtures/workbooks.py');

const test = when(SAVED !== null, 'openpyxl or XlsxWriter is not installed here', suite('L1: workbooks'));
const inXml = suite('L1: workbooks written by hand');
const hostile = suite('L1: workbooks that are damaged or too large');

/** The rows of a workbook, without their blank last cells, and the findings about them. */
function rowsIn(bytes: Buffer, sheet: string | null = null) {
  const findings: string[] = [];
  const rate = (rows: readonly Row[]) => rows.length;
  const { rows } = readTable(bytes, {
    sheet,
    rate,
    addFinding: ({ line, field, expected, found }) =>
      findings.push(`${line} ${field}: ${expected}, ${found}`),
  });
  return { rows: rows.map(({ number, cells }) => [number, ...cells]), findings };
}

const ROWS = [
  [
    1,
    'Id',
    'Tittel',
    'Start',
    'Slutt',
    'Sted',
    'Postnummer',
    'Breddegrad',
    'Lengdegrad',
    'Pris',
    'Utsolgt',
    'Beskrivelse',
  ],
  [
    2,
    '7',
    'Korkveld & kaffe',
    '2031-02-14 19:00',
    '21:30',
    'Kirken',
    '0150',
    '63.961',
    '10.22',
    '149.5',
    'TRUE',
    'Tre kor\nsynger.',
  ],
  [4, '8', 'Loppemarked', '2031-03-08', '', 'Skolen', '7170', '63.83', '10.05', '0.3', 'FALSE'],
];

for (const [name, finding] of [
  ['desk.xlsx', 'K4: the result of a formula (open the workbook in Excel and save it), none'],
  ['writer.xlsx', 'K4: a value, the error #DIV/0!'],
  ['inline.xlsx', 'K4: a value, the error #DIV/0!'],
] as const) {
  test(`L1: should read dates, times, numbers and texts of ${name} as a CSV file has them`, () => {
    const { rows, findings } = rowsIn(SAVED?.[name] ?? Buffer.alloc(0));
    assert.equal(rows, ROWS);
    assert.equal(findings, [`4 ${finding}`]);
  });
}

test('L1: should read events, corrections and venues from the sheets of one workbook', async () => {
  const file = 'desk.xlsx';
  const { event, dates, lines } = await shownAfter({
    'desk.xlsx': SAVED?.[file] ?? '',
    'sources.json': [
      { id: 'program', kind: 'csv', file },
      { id: 'retting', kind: 'corrections', file, sheet: 'retting' },
      { id: 'steder', kind: 'venues', file, sheet: 'Steder' },
    ],
  });
  assert.equal(dates('program:7'), ['02-14 18:30–21:00 Lillevik kirke']);
  assert.equal(dates('program:8'), ['03-09 12:00 Skolen']);
  const { title_nb, prices, eventSoldOut } = event('program:7');
  assert.equal([title_nb, prices, eventSoldOut], ['Korkveld', [{ type: 'REGULAR', price: 200 }], true]);
  assert.equal(
    lines.filter((line) => line.startsWith('feed retting') || line.startsWith('feed steder')),
    [],
  );
});

test('L1: should read the sheet of the given name, and refuse a name that no sheet has', () => {
  const bytes = SAVED?.['desk.xlsx'] ?? Buffer.alloc(0);
  assert.equal(rowsIn(bytes, 'LISTER').rows, [[1, 'Musikk']]);
  const refusal = refusalOf(readTableFeed, bytes, { sheet: 'Programm' });
  assert.is(
    refusal,
    'unreadable answer: expected the sheet "Programm"; the nearest is "Program", found "Lister", "Program", "Retting", "Steder"',
  );
  assertIncludes(plainly(refusal).nb, 'arbeidsboken har ikke arket "Programm"');
});

test('L1: should say that a CSV file has no sheets', () => {
  const { findings } = readDocuments(readTableFeed, 'Tittel;Start\nKor;2031-02-14\n', { sheet: 'Program' });
  assert.equal(findings, [
    ': changed value, expected a workbook with the sheet "Program", found a CSV file, which is one sheet',
  ]);
});

const inlineRow = (...texts: readonly string[]): string =>
  `<row>${texts.map((text) => `<c t="inlineStr"><is><t>${text}</t></is></c>`).join('')}</row>`;

inXml('L1: should keep texts that look like numbers, wherever the workbook stores them', () => {
  const texts = ['18.30', '0150', '1e3'];
  assert.equal(rowsIn(workbookOf(inlineRow(...texts) + rowOf(...texts))).rows, [
    [1, ...texts],
    [2, ...texts],
  ]);
});

inXml('L1: should read the value of merged cells in each of their rows that has others', () => {
  const rows = [
    rowOf('Program for mai'),
    rowOf('Tittel', 'Dato', 'Sted'),
    rowOf('Tog', '1. mai 2031', 'Torget'),
    rowOf('Tale'),
    rowOf(''),
    rowOf('Kor', '', 'Kirken'),
  ].join('');
  const merged = ['A1:C1', 'B3:B7', 'C3:D4', 'A1:XFD', 'B0:B4'].map((ref) => `<mergeCell ref="${ref}"/>`);
  const sheet = `<worksheet><sheetData>${rows}</sheetData><mergeCells>${merged.join('')}</mergeCells></worksheet>`;
  assert.equal(rowsIn(workbookOf('', { 'xl/worksheets/sheet1.xml': sheet })).rows, [
    [1, 'Program for mai'],
    [2, 'Tittel', 'Dato', 'Sted'],
    [3, 'Tog', '1. mai 2031', 'Torget'],
    [4, 'Tale', '1. mai 2031', 'Torget'],
    [6, 'Kor', '1. mai 2031', 'Kirken'],
  ]);
});

const HEAD = rowOf('Tittel', 'Start');
const OLD = Buffer.from('\xd0\xcf\x11\xe0 and so on', 'latin1');

const LONG = 1024 * 1024 + 1;
/** The texts are in a part that is not there. */
const RELATIONS =
  '<Relationships><Relationship Id="worksheet" Type="a/worksheet" Target="worksheets/sheet1.xml"/><Relationship Id="b" Type="a/sharedStrings" Target="gone.xml"/></Relationships>';

/** What is refused, with a part of the message. */
const REFUSED: Readonly<Record<string, readonly [bytes: () => Buffer, message: string]>> = {
  'an old workbook': [() => OLD, 'an old workbook (.xls); save it as an Excel workbook (.xlsx) or as CSV'],
  'an encrypted workbook': [
    () => Buffer.concat([OLD, Buffer.from('EncryptedPackage', 'utf16le')]),
    'a workbook with a password; remove the password, or save it as CSV',
  ],
  'an OpenDocument file': [
    () => archiveOf({ mimetype: 'application/vnd.oasis.opendocument.spreadsheet' }),
    'an OpenDocument file (.ods); save it as',
  ],
  'another ZIP file': [() => archiveOf({ 'a.txt': 'a' }), 'another ZIP file; save it as'],
  'half of a workbook': [() => workbookOf(HEAD).subarray(0, 700), 'found a damaged one'],
  'a workbook without the texts that it refers to': [
    () => workbookOf(HEAD, { 'xl/_rels/workbook.xml.rels': RELATIONS }),
    'found a damaged one without xl/gone.xml',
  ],
  'a cell with a text that is not there': [
    () =>
      workbookOf('<row r="4"><c r="B4" t="s"><v>1</v></c></row>', {
        'xl/sharedStrings.xml': '<sst><si><t>Kor</t></si></sst>',
      }),
    'found a damaged one without the text 1 of the cell B4',
  ],
  'a sheet that ends in the middle': [
    () => workbookOf('', { 'xl/worksheets/sheet1.xml': '<worksheet><sheetData><row><c>' }),
    'found the element c without its end',
  ],
  'a document type': [
    () =>
      workbookOf('', {
        'xl/sharedStrings.xml':
          '<!DOCTYPE sst [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]><sst><si><t>&b;</t></si></sst>',
      }),
    'found a document type, which may declare entities',
  ],
  'other bytes than UTF-8': [
    () =>
      workbookOf('', { 'xl/worksheets/sheet1.xml': Buffer.from('<worksheet>\xe5</worksheet>', 'latin1') }),
    'in UTF-8, found other bytes',
  ],
  'elements within one another': [
    () => workbookOf('<a>'.repeat(200) + '</a>'.repeat(200)),
    'found elements nested deeper than 100 levels',
  ],
  'more than 10,000 parts': [
    () => archiveOf(Object.fromEntries(Array.from({ length: 10_001 }, (_, part) => [`${part}`, '']))),
    'size limit: expected at most 10000 parts in the workbook, found more',
  ],
  'a part of more than 64 MiB': [
    () => workbookOf('', { 'xl/sharedStrings.xml': Buffer.alloc(64 * 1024 * 1024) }),
    'size limit: expected at most 67108864 bytes in the sheet, found more',
  ],
  'a part that is smaller than it says': [
    () => workbookOf('', { 'xl/sharedStrings.xml': { content: '<sst></sst>', size: 100 } }),
    'found a damaged one',
  ],
  'a part that is larger than it says': [
    () => workbookOf('', { 'xl/sharedStrings.xml': { content: Buffer.alloc(64 * 1024 * 1024), size: 100 } }),
    'found a damaged one',
  ],
  'more than 500,000 different texts': [
    () => workbookOf('', { 'xl/sharedStrings.xml': `<sst>${'<si/>'.repeat(500_001)}</sst>` }),
    'size limit: expected at most 500000 different texts, found more',
  ],
  'a cell that never ends': [
    () => workbookOf(`<row><c><v>${'1'.repeat(LONG)}`),
    'size limit: expected at most 1048576 characters in a cell, found more',
  ],
  'a text that never ends': [
    () => workbookOf('', { 'xl/sharedStrings.xml': `<sst><si><t>${'a'.repeat(LONG)}` }),
    'size limit: expected at most 1048576 characters in a cell, found more',
  ],
  'an attribute that never ends': [
    () => workbookOf(`<row><c r="${'A'.repeat(LONG)}`),
    'found a tag or comment with more than 65536 bytes in one piece',
  ],
  'a cell in the last column of each row': [
    () => workbookOf('<row><c r="ALL1"><v>1</v></c></row>'.repeat(5_001)),
    'size limit: expected at most 5000000 cells, found more',
  ],
  'one long text in many cells': [
    () =>
      workbookOf('<row><c t="s"><v>0</v></c></row>'.repeat(65), {
        'xl/sharedStrings.xml': `<sst><si><t>${'a'.repeat(1024 * 1024)}</t></si></sst>`,
      }),
    'size limit: expected at most 1048576 characters in a row and 67108864 in the sheet, found more',
  ],
};

for (const [what, [bytesOf, message]] of Object.entries(REFUSED)) {
  hostile(`L1: should refuse ${what}`, () => {
    assertIncludes(refusalOf(readTableFeed, bytesOf()), message);
  });
}

hostile('L1: should stop inflating a part at the size that it states', () => {
  const bomb = workbookOf('', { 'xl/sharedStrings.xml': { content: Buffer.alloc(1024 * 1024), size: 100 } });
  try {
    rowsIn(bomb);
    assert.unreachable('expected a refusal');
  } catch (thrown) {
    const cause = thrown instanceof FeedProblem ? thrown.cause : thrown;
    assert.is(systemCodeOf(cause), 'ERR_BUFFER_TOO_LARGE');
  }
});

inXml('L1: should find a part of a workbook whose name is in another case', () => {
  const texts = '<sst><si><t>Kor</t></si></sst>';
  const { rows } = rowsIn(
    workbookOf('<row><c t="s"><v>0</v></c></row>', {
      'xl/_rels/workbook.xml.rels': RELATIONS.replace('gone.xml', 'SharedTexts.xml'),
      'xl/sharedTexts.xml': texts,
    }),
  );
  assert.equal(rows, [[1, 'Kor']]);
});

inXml('L1: should read a workbook with the end record of a large archive', () => {
  const large = withLargeEnd(workbookOf(HEAD));
  assert.equal(rowsIn(large).rows, [[1, 'Tittel', 'Start']]);
  large.fill(0, large.length - 42, large.length - 22);
  assertIncludes(refusalOf(readTableFeed, large), 'found a damaged one');
});

hostile('L1: should read at most 1,000 columns of a workbook, and report the others once', () => {
  const wide = '<row r="3"><c t="str"><v>Kor</v></c><c><v>2031</v></c><c r="XFD3"><v>1</v></c></row>';
  const { rows, findings } = rowsIn(workbookOf(HEAD + wide + wide));
  assert.equal(
    rows.map((row) => row.length),
    [3, 1001, 1001],
  );
  assert.equal(findings, [
    '3 undefined: at most 1000 columns (the rest of this row and others is not read), 1001',
  ]);
});

inXml('L1: should report the errors of a column, and its formulas without a result, once each', () => {
  const helpers = (row: number) =>
    `<row r="${row}"><c r="A${row}" t="str"><v>Kor</v></c><c r="C${row}" t="e"><v>#N/A</v></c><c r="AB${row}"><f>A1</f></c></row>`;
  const other = '<row r="9"><c r="C9"><f>A1</f></c><c r="D9" t="e"><v>#REF!</v></c></row>';
  const { rows, findings } = rowsIn(workbookOf(helpers(4) + helpers(5) + helpers(7) + other));
  assert.equal(
    rows.map(([row]) => row),
    [4, 5, 7],
  );
  const formula = 'the result of a formula (open the workbook in Excel and save it), none';
  assert.equal(findings, [
    '4 C4: a value, the error #N/A (and 2 more in this column)',
    `4 AB4: ${formula} (and 2 more in this column)`,
    `9 C9: ${formula}`,
    '9 D9: a value, the error #REF!',
  ]);
});

/** Cells of numbers, with the format of each and the text that is read. */
const NUMBERS: readonly (readonly [value: string, format: string, text: string])[] = [
  ['48258.9999999', 'd.m.yy h:mm', '2032-02-15 00:00'],
  ['48258.5', 'dd/mm/yyyy', '2032-02-14'],
  ['0.5', 'dd.mm.yyyy hh:mm', '12:00'],
  ['1.0625', '[h]:mm', '25:30'],
  ['59', 'yyyy-mm-dd', '1900-02-28'],
  ['60', 'yyyy-mm-dd', '1900-02-29'],
  ['61', 'mmm yy', '1900-03-01'],
  ['-1', 'yyyy-mm-dd', '-1'],
  ['2958466', 'yyyy-mm-dd', '2958466'],
  ['150', '0000', '0150'],
  ['250', '#,##0.00 "kr per dag"', '250'],
  ['1E3', '[Red]0;[Blue]-0', '1000'],
  ['0.35', '0.00E+00', '0.35'],
  ['abc', 'General', 'abc'],
];

/** Formats of conditions, which have numbers of their own. */
const CONDITIONAL = '<dxfs><dxf><numFmt numFmtId="201" formatCode="0.00%"/></dxf></dxfs>';

inXml('L1: should tell dates from other numbers by their formats', () => {
  const codes = NUMBERS.map(([, code], at) => {
    const escaped = code.replaceAll('"', '&quot;');
    return `<numFmt numFmtId="${at + 200}" formatCode="${escaped}"/>`;
  });
  const styles = NUMBERS.map((_, at) => `<xf numFmtId="${at + 200}"/>`);
  const cells = NUMBERS.map(([value], at) => `<x:row><x:c s="${at}"><x:v>${value}</x:v></x:c></x:row>`);
  const relation = 'Type="http://purl.oclc.org/ooxml/officeDocument/relationships';
  const { rows } = rowsIn(
    workbookOf(cells.join(''), {
      'xl/_rels/workbook.xml.rels': `<Relationships><Relationship Id="worksheet" ${relation}/worksheet" Target="worksheets/sheet1.xml"/><Relationship Id="s" ${relation}/styles" Target="styles.xml"/></Relationships>`,
      'xl/styles.xml': `<styleSheet><numFmts>${codes.join('')}</numFmts><cellStyleXfs><xf numFmtId="14"/></cellStyleXfs><cellXfs>${styles.join('')}</cellXfs>${CONDITIONAL}</styleSheet>`,
    }),
  );
  assert.equal(
    rows.map(([, text]) => text),
    NUMBERS.map(([, , text]) => text),
  );
});

const numberCell = (number: string): string => `<c><v>${number}</v></c>`;
const textCell = (text: string): string => `<c t="str"><v>${text}</v></c>`;

inXml('L1, F15: should read a number as a price with a decimal point, and only texts with thousands', () => {
  const merged = '</sheetData><mergeCells><mergeCell ref="C2:C3"/></mergeCells><sheetData>';
  const prices = ['112.375', '', '133.33333333333334', '66.666666666666671', '-5', '1200'].map(numberCell);
  const rows = [...prices, textCell('1.200')].map(
    (price, index) => `<row>${textCell(`Kor ${index}`)}${textCell('2031-02-14')}${price}</row>`,
  );
  const { events, findings } = readDocuments(
    readTableFeed,
    workbookOf(rowOf('Tittel', 'Start', 'Pris') + rows.join('') + merged),
  );
  const amounts = [112.375, 112.375, 133.333333333333, 66.6666666666667, null, 1200, 1200];
  assert.equal(
    events.map(({ prices }) => prices),
    amounts.map((price) => [{ type: 'REGULAR', price, ...(price === null && { name_nb: '-5' }) }]),
  );
  assert.equal(findings, [
    '6 Pris: changed value, expected a price such as 150 or 149,50, or gratis (the text is kept), found -5',
  ]);

  const sheet = workbookOf(`${rowOf('Id', 'Pris')}<row>${textCell('a')}${numberCell('112.375')}</row>`);
  const set: unknown[] = [];
  readCorrectionSheet([{ origin: null, bytes: sheet }], taskOf(), (line) => {
    if ('value' in line) set.push(line.value.set);
  });
  assert.equal(set, [{ ticketsInformation: 'ticketsInfo', prices: [{ type: 'REGULAR', price: 112.375 }] }]);
});

/** Properties of a workbook, with the date of day 46000. */
const EPOCHS = [
  ['', '2025-12-09'],
  ['<workbookPr date1904="1"/>', '2029-12-10'],
  ['<workbookPr date1904="false"/>', '2025-12-09'],
  [
    '<workbookPr date1904="true"/><extLst><ext><x15:workbookPr chartTrackingRefBase="1"/></ext></extLst>',
    '2029-12-10',
  ],
] as const;

inXml('L1: should count days from 1900 or 1904 as the workbook says', () => {
  for (const [properties, date] of EPOCHS) {
    const { rows } = rowsIn(
      workbookOf('<row><c s="0"><v>46000</v></c></row>', {
        'xl/workbook.xml': `<workbook><sheets><sheet name="Ark1" r:id="worksheet"/></sheets>${properties}</workbook>`,
        'xl/styles.xml': '<styleSheet><cellXfs><xf numFmtId="14"/></cellXfs></styleSheet>',
      }),
    );
    assert.equal(rows, [[1, date]], properties);
  }
});

hostile('L1: should work linearly on the worst of sheets', async () => {
  const sheets = ['<c/>', '<c>', 'x', '&#65;', '<row r="9">', '<v>1</v>', ' '].map((part) =>
    workbookOf(`<row>${part.repeat(200_000 / part.length)}`),
  );
  const merged = '<mergeCell ref="A1:A9999"/>';
  sheets.push(workbookOf(rowOf('a').repeat(5_000) + merged.repeat(2_000)));
  await costsAtMost(60, () => {
    for (const bytes of sheets) {
      try {
        rowsIn(bytes);
      } catch (thrown) {
        if (!(thrown instanceof FeedProblem)) throw thrown;
      }
    }
  });
});

test.run();
inXml.run();
hostile.run();
