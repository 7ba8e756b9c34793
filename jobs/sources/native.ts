import { createHash } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { CalendarError, messageOf } from '../../src/calendar/errors.ts';
import type { RawEntry, Source } from '../records.ts';
import { arrayEntries, columnEntries, lineEntries, wholeEntry } from './entries.ts';
import { openSourceFile, type SourceFile } from './file.ts';

interface NativeSourceOptions {
  /** Told the size of each chunk of a list as it is read, for a progress bar. */
  readonly onBytes?: (count: number) => void;
}

const LICENCE = 'licence.json';
const POSTAL_CODES = 'postal-codes.tsv';
/** Not read here, but what it says decides what is built, so that it belongs to the hash. */
const FEEDS = 'sources.json';

/**
 * A folder of `licence.json`, `venues`, `organizers` and `events` (each `.json` or `.ndjson`) and `postal-codes.tsv` (F1–F3,
 * F8). Throws INVALID_SOURCE, here for what is missing and later, while the lists are read, for what cannot be read.
 */
export async function openNativeSource(folder: string, options: NativeSourceOptions = {}): Promise<Source> {
  const names = await namesIn(folder);
  const open = async (name: string) => openSourceFile({ path: join(folder, name), name });
  const openList = async (list: string): Promise<SourceFile | null> => {
    const name = listFile(names, list);
    return name === null
      ? null
      : openSourceFile({ path: join(folder, name), name, onBytes: options.onBytes });
  };

  if (!names.has(LICENCE)) throw missing(folder, LICENCE);
  const licence = await open(LICENCE);
  const events = await openList('events');
  // Feeds may be all there is.
  if (events === null && !names.has(FEEDS)) throw missing(folder, 'events.json or events.ndjson');
  const venues = await openList('venues');
  const organizers = await openList('organizers');
  const postalCodes = names.has(POSTAL_CODES) ? await open(POSTAL_CODES) : null;
  const feeds = names.has(FEEDS) ? await open(FEEDS) : null;

  const lists = [venues, organizers, events].filter((file) => file !== null);
  const files = [licence, ...lists, postalCodes, feeds].filter((file) => file !== null);
  return {
    licence: () => wholeEntry(licence),
    venues: () => entriesOf(venues),
    organizers: () => entriesOf(organizers),
    events: () => entriesOf(events),
    postalCodes: () => (postalCodes === null ? noEntries() : columnEntries(postalCodes)),
    bytes: lists.reduce((sum, file) => sum + file.bytes, 0),
    hash: () => hashOf(files),
  };
}

async function namesIn(folder: string): Promise<ReadonlySet<string>> {
  try {
    return new Set(await readdir(folder));
  } catch (cause) {
    const message = `expected a readable source folder at ${folder}, got ${messageOf(cause)}`;
    throw new CalendarError('INVALID_SOURCE', message, { cause });
  }
}

function listFile(names: ReadonlySet<string>, list: string): string | null {
  const found = [`${list}.json`, `${list}.ndjson`].filter((name) => names.has(name));
  if (found.length > 1) {
    throw new CalendarError(
      'INVALID_SOURCE',
      `expected one of ${found.join(' and ')}, found both; remove the one that is not meant`,
    );
  }
  return found[0] ?? null;
}

function missing(folder: string, names: string): CalendarError {
  return new CalendarError('INVALID_SOURCE', `expected ${names} in the source folder ${folder}, found none`);
}

function entriesOf(file: SourceFile | null): AsyncIterable<RawEntry> {
  if (file === null) return noEntries();
  return file.name.endsWith('.ndjson') ? lineEntries(file) : arrayEntries(file);
}

async function* noEntries(): AsyncGenerator<RawEntry, void, undefined> {}

async function hashOf(files: readonly SourceFile[]): Promise<string> {
  const hash = createHash('sha256');
  const byName = [...files].sort((left, right) => (left.name < right.name ? -1 : 1));
  for (const file of byName) hash.update(`${file.name} ${await file.digest()}\n`);
  return hash.digest('hex');
}
