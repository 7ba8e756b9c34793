/** The native source: a folder of JSON files (F1–F3). */
import { createHash } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { CalendarError, messageOf } from '../src/calendar/errors.ts';
import { arrayEntries, columnLines, type Entries, jsonLines, wholeEntry } from './read/entries.ts';
import { openSourceFile, type SourceFile } from './read/file.ts';
import type { RawEntry, Source } from './records.ts';

const LICENCE = 'licence.json';
const POSTAL_CODES = 'postal-codes.tsv';
/** This file is not read here, but it determines what is built, so it belongs to the hash. */
const FEEDS = 'sources.json';
const NOTICES = 'notices.json';
/** F12, duplicates.json. */
const DUPLICATES = 'duplicates.json';

/**
 * A folder of `licence.json`, `venues`, `organizers` and `events` (each `.json` or `.ndjson`) and `postal-codes.tsv` (F1–F3, F8, postal
 * codes and municipalities). Throws INVALID_SOURCE: here for missing files and later, while the lists are read, for unreadable ones.
 */
export async function openNativeSource(folder: string): Promise<Source> {
  const names = await namesIn(folder);
  const open = async (name: string) => openSourceFile(join(folder, name), name);
  const openList = async (list: string): Promise<SourceFile | null> => {
    const name = listFile(names, list);
    return name === null ? null : open(name);
  };

  if (!names.has(LICENCE)) throw missing(folder, LICENCE);
  const licence = await open(LICENCE);
  const events = await openList('events');
  // A source may consist of feeds alone.
  if (events === null && !names.has(FEEDS)) throw missing(folder, 'events.json or events.ndjson');
  const venues = await openList('venues');
  const organizers = await openList('organizers');
  const postalCodes = names.has(POSTAL_CODES) ? await open(POSTAL_CODES) : null;
  const notices = names.has(NOTICES) ? await open(NOTICES) : null;
  const duplicates = names.has(DUPLICATES) ? await open(DUPLICATES) : null;
  const feeds = names.has(FEEDS) ? await open(FEEDS) : null;

  const lists = [venues, organizers, events].filter((file) => file !== null);
  const files = [licence, ...lists, postalCodes, notices, duplicates, feeds].filter((file) => file !== null);
  return {
    licence: () => wholeEntry(licence),
    venues: () => entriesOf(venues),
    organizers: () => entriesOf(organizers),
    events: () => entriesOf(events),
    postalCodes: () => (postalCodes === null ? noEntries() : columnLines(postalCodes)),
    notices: () => entriesOf(notices),
    duplicates: async () => (duplicates === null ? null : wholeEntry(duplicates)),
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
  return file.name.endsWith('.ndjson') ? jsonLines(file) : arrayEntries(file);
}

async function* noEntries(): Entries {}

async function hashOf(files: readonly SourceFile[]): Promise<string> {
  const hash = createHash('sha256');
  const byName = [...files].sort((left, right) => (left.name < right.name ? -1 : 1));
  for (const file of byName) hash.update(`${file.name} ${await file.digest()}\n`);
  return hash.digest('hex');
}
