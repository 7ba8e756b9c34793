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
import { createPage, frame, momentOf, type PageName, table } from '../page/page.ts';
import { inEach, languageOf, writeBytes } from '../page/reader.ts';

interface ListingOptions {
  readonly folder: string;
  readonly isPublic: boolean;
  readonly menu: readonly PageName[];
}

export async function listingPage(
  request: Pick<HttpRequest, 'headers' | 'search'>,
  { folder, isPublic, menu }: ListingOptions,
): Promise<HttpReply> {
  const chosen = languageOf(request);
  const { language } = chosen;
  const texts = TEXTS[language];
  const manifest = await readManifestText(folder);
  const current = manifest === null ? null : parseManifest(manifest).id;
  const snapshots = await listSnapshots(folder);
  const rows = await Promise.all(
    snapshots.map(async ({ id, path, modified }): Promise<readonly Content[]> => {
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
  const files = table({ caption: texts.files, columns: texts.columns, figures: [2, 3], rows, isCards: true });
  const content = html`<div class="state">
<h1>${texts.title}</h1>
<p class="lede">${texts.lede}</p>
${files}<p><a href="${MANIFEST}">${MANIFEST}</a> · <a href="../calendar.sqlite">calendar.sqlite</a></p>
</div>`;
  const about = { title: `${texts.title} – almanakk`, description: texts.lede, page: null };
  const document = frame({ ...chosen, ...about, menu, root: '../', content });
  const page = createPage({ document, language, isTagged: false });
  return page(request.headers, isPublic ? 'no-cache' : 'private, no-cache');
}

/** Bytes; null if the file does not exist. */
const sizeOf = (path: string): Promise<number | null> =>
  stat(path).then(
    ({ size }) => size,
    () => null,
  );

const TEXTS = inEach({
  title: ['Kalenderfiler', 'Snapshots'],
  lede: [
    'Hele kalenderen som SQLite-filer, for speil og for SQL. En fil endres aldri; calendar.sqlite fører til den som svarer nå.',
    'The whole calendar as SQLite files, for replicas and for SQL. A file never changes; calendar.sqlite leads to the one that answers now.',
  ],
  files: ['Filer', 'Files'],
  current: ['nå', 'current'],
  columns: [
    ['Fil', 'Skrevet', 'Størrelse', 'Komprimert (br)'],
    ['File', 'Written', 'Size', 'Compressed (br)'],
  ],
});
