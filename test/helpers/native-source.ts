/** Native source folders of a few records, and the records and findings that validation returns for them. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { openNativeSource } from '../../jobs/native.ts';
import { type RawEntry, withoutFeeds } from '../../jobs/source/source.ts';
import { validate } from '../../jobs/validate/validate.ts';
import { temporaryFolder } from './folder.ts';
import { recordingReport } from './report.ts';

/** Contents by file name: text and bytes as they are, anything else as JSON, an array under `.ndjson` line by line. */
export type Files = Readonly<Record<string, unknown>>;

export const LICENCE = {
  id: 'trondheim',
  name: 'Trondheim',
  siteUrl: 'https://kalender.example',
  categories: [
    {
      id: 'MUSIC',
      name_nb: 'Musikk',
      name_en: 'Music',
      subcategories: [{ id: 'JAZZ', name_nb: 'Jazz', name_en: 'Jazz' }],
    },
    { id: 'ART', name_nb: 'Kunst', name_en: 'Art' },
  ],
};

/** A folder that lasts as long as the test run, with a licence and no events unless the files say otherwise. */
export function sourceFolder(files: Files): string {
  const folder = temporaryFolder();
  const withDefaults = { 'licence.json': LICENCE, ...files };
  for (const [name, content] of Object.entries(withDefaults)) {
    if (content === undefined) continue;
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), written(name, content));
  }
  return folder;
}

export type Validated = Awaited<ReturnType<typeof validated>>;

/** What validation makes of a source folder with these files, and its findings. It has no events unless the files say otherwise. */
export async function validated(files: Files) {
  const { report, findings } = recordingReport();
  const source = await openNativeSource(sourceFolder({ 'events.json': [], ...files }));
  const records = await validate(withoutFeeds(source), report);
  const events = await all(records.events());
  return { records, events, references: records.finish().references, findings, summary: report.summary() };
}

/** All events of a source with only these. */
export async function validatedEvents(events: readonly unknown[], files: Files = {}): Promise<Validated> {
  return validated({ 'events.json': events, ...files });
}

export async function all<Item>(items: AsyncIterable<Item>): Promise<readonly Item[]> {
  const list: Item[] = [];
  for await (const item of items) list.push(item);
  return list;
}

export async function valuesOf(entries: AsyncIterable<RawEntry>): Promise<readonly unknown[]> {
  return (await all(entries)).map(({ value }) => value);
}

function written(name: string, content: unknown): string | Buffer {
  if (typeof content === 'string' || Buffer.isBuffer(content)) return content;
  if (!name.endsWith('.ndjson') || !Array.isArray(content)) return JSON.stringify(content);
  return content.map((record) => `${JSON.stringify(record)}\n`).join('');
}
