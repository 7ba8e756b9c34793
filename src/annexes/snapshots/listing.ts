/** `/snapshots/`: the contents of the folder, for people who download a file to query it by SQL. */
import { stat } from 'node:fs/promises';
import type { HttpReply, HttpRequest } from '../../serve/http/message.ts';
import {
  compressedFile,
  listSnapshots,
  MANIFEST,
  parseManifest,
  readManifestText,
  snapshotFile,
} from '../../snapshot/folder.ts';
import { type Content, html } from '../page/html.ts';
import { createPage, momentOf, STYLESHEET, table } from '../page/page.ts';
import { inEach, type Language, languageOf, writeBytes } from '../page/reader.ts';

export async function listingPage(
  request: Pick<HttpRequest, 'headers' | 'search'>,
  { folder, isPublic }: { readonly folder: string; readonly isPublic: boolean },
): Promise<HttpReply> {
  const { language } = languageOf(request);
  const texts = TEXTS[language];
  const manifest = await readManifestText(folder);
  const current = manifest === null ? null : parseManifest(manifest).id;
  const files = await listSnapshots(folder);
  const rows = await Promise.all(
    files.map(async ({ id, path, modified }): Promise<readonly Content[]> => {
      const name = snapshotFile(id);
      const copy = await sizeOf(`${path}.br`);
      return [
        html`<a href="${name}">${name}</a>${id === current && html` <em class="mark">${texts.current}</em>`}`,
        momentOf(new Date(modified).toISOString(), language, 'brief'),
        writeBytes((await sizeOf(path)) ?? 0, language),
        copy === null ? '' : html`<a href="${compressedFile(id)}">${writeBytes(copy, language)}</a>`,
      ];
    }),
  );
  // Pages of the root link to one another by relative addresses, so this one, a level below, stands alone.
  const document = html`<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${texts.title}</title>
<link rel="stylesheet" href="../${STYLESHEET.file}">
</head>
<body>
<main class="state">
<h1>${texts.title}</h1>
<p class="lede">${texts.lede}</p>
${table({ caption: texts.files, columns: texts.columns, figures: [2, 3], rows })}<p><a href="${MANIFEST}">${MANIFEST}</a> · <a href="../calendar.sqlite">calendar.sqlite</a></p>
</main>
</body>
</html>
`;
  const page = createPage({ document, language, isTagged: false });
  return page(request.headers, isPublic ? 'no-cache' : 'private, no-cache');
}

/** Bytes; null if the file does not exist. */
const sizeOf = (path: string): Promise<number | null> =>
  stat(path).then(
    ({ size }) => size,
    () => null,
  );

interface Texts extends Readonly<Record<'title' | 'lede' | 'files' | 'current', string>> {
  readonly columns: readonly string[];
}

const TEXTS: Readonly<Record<Language, Texts>> = inEach<Texts>({
  nb: {
    title: 'Kalenderfiler',
    lede: 'Hele kalenderen som SQLite-filer, for speil og for SQL. En fil endres aldri; calendar.sqlite fører til den som svarer nå.',
    files: 'Filer',
    current: 'nå',
    columns: ['Fil', 'Skrevet', 'Størrelse', 'Komprimert (br)'],
  },
  en: {
    title: 'Snapshots',
    lede: 'The whole calendar as SQLite files, for replicas and for SQL. A file never changes; calendar.sqlite leads to the one that answers now.',
    files: 'Files',
    current: 'current',
    columns: ['File', 'Written', 'Size', 'Compressed (br)'],
  },
});
