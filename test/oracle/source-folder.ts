/** A source as the folder that the build reads (F1–F3), in either of its two forms. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
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

export function readFolder(folder: string): Source {
  const read = (name: string) => {
    const path = join(folder, name);
    return existsSync(path) ? readFileSync(path, 'utf8') : null;
  };
  const lines = (text: string) => text.split('\n').filter((line) => line.trim() !== '');
  const list = (name: string) =>
    lines(read(`${name}.ndjson`) ?? '')
      .map((line) => JSON.parse(line))
      .concat(JSON.parse(read(`${name}.json`) ?? '[]'));
  return {
    licence: JSON.parse(read('licence.json') ?? '{}'),
    venues: list('venues'),
    organizers: list('organizers'),
    events: list('events'),
    postalCodes: lines(read('postal-codes.tsv') ?? '').map((line) => {
      const [code = '', place = '', number = '', municipality = ''] = line.split('\t');
      return { code, place, number, municipality };
    }),
  };
}
