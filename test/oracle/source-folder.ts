/** Writes a source as the folder that the build reads (F1–F3), in either of the two forms. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Source } from './records.ts';

export function writeSource(folder: string, source: Source, form: 'json' | 'ndjson'): void {
  mkdirSync(folder, { recursive: true });
  const write = (name: string, text: string) => writeFileSync(join(folder, name), text);
  const list = (name: string, records: readonly unknown[]) =>
    form === 'json'
      ? write(`${name}.json`, JSON.stringify(records))
      : write(`${name}.ndjson`, records.map((record) => `${JSON.stringify(record)}\n`).join(''));
  write('licence.json', JSON.stringify(source.licence));
  list('venues', source.venues);
  list('organizers', source.organizers);
  list('events', source.events);
  if (source.postalCodes.length === 0) return;
  const lines = source.postalCodes.map(({ code, place, number, municipality }) =>
    [code, place, number, municipality, 'B'].join('\t'),
  );
  write('postal-codes.tsv', `${lines.join('\n')}\n`);
}
