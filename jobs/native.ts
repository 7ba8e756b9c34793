/** The native source: a folder of files (F1–F3). `json-entries.ts` reads the records of its JSON files. */
import { createHash } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { CalendarError, readingFault } from '../src/calendar/errors.ts';
import { createNearest, withNearest } from '../src/calendar/nearest.ts';
import { isLogoFile } from './brand/logo.ts';
import { arrayEntries, jsonLines, wholeEntry } from './source/json-entries.ts';
import type { RawEntry, Source } from './source/source.ts';
import { decodedLines, openSourceFile, realPathIn, type SourceFile } from './source/source-files.ts';

const LICENCE = 'licence.json';
const FEEDS = 'sources.json';

/**
 * A folder of `licence.json`, `venues`, `organizers` and `events` (each `.json` or `.ndjson`) and `postal-codes.tsv` (F1–F3, F8). Throws
 * INVALID_SOURCE: here for missing files and later, while the lists are read, for unreadable ones.
 */
export async function openNativeSource(folder: string): Promise<Source> {
  const names = await namesIn(folder);
  const files: SourceFile[] = [];
  /** Opens a file, if the folder has it, and notes it for the hash. */
  const opened = async (name: string | null): Promise<SourceFile | null> => {
    if (name === null || !names.has(name)) return null;
    const file = await openSourceFile(await realPathIn(folder, name), name);
    files.push(file);
    return file;
  };

  const licence = await opened(LICENCE);
  if (licence === null) throw missing(folder, names, [LICENCE]);
  const events = await opened(listFile(names, 'events'));
  // A source may consist of feeds alone.
  if (events === null && !names.has(FEEDS)) throw missing(folder, names, ['events.json', 'events.ndjson']);
  const venues = await opened(listFile(names, 'venues'));
  const organizers = await opened(listFile(names, 'organizers'));
  const postalCodes = await opened('postal-codes.tsv');
  const notices = await opened('notices.json');
  const duplicates = await opened('duplicates.json');
  const corrections = await opened('corrections.json');
  const brand = await opened('brand.json');
  const logos: SourceFile[] = [];
  for (const name of [...names].filter(isLogoFile).sort()) {
    const logo = await opened(name);
    if (logo !== null) logos.push(logo);
  }
  // It is not read here, but it determines what is built, so it belongs to the hash.
  await opened(FEEDS);
  return {
    licence: () => wholeEntry(licence),
    venues: () => entriesOf(venues),
    organizers: () => entriesOf(organizers),
    events: () => entriesOf(events),
    postalCodes: () => (postalCodes === null ? noEntries() : columnLines(postalCodes)),
    notices: () => entriesOf(notices),
    duplicates: async () => (duplicates === null ? null : wholeEntry(duplicates)),
    corrections: () => (corrections === null ? noEntries() : arrayEntries(corrections)),
    brand: async () => ({ entry: brand === null ? null : await wholeEntry(brand), logos }),
    hash: () => hashOfFiles(files),
  };
}

async function namesIn(folder: string): Promise<ReadonlySet<string>> {
  try {
    return new Set(await readdir(folder));
  } catch (cause) {
    const message = `expected a readable source folder at ${folder}, but ${readingFault(cause)}`;
    throw new CalendarError('INVALID_SOURCE', message, { cause });
  }
}

/** The file of a list; null if there is none. Throws INVALID_SOURCE if there are two. */
function listFile(names: ReadonlySet<string>, list: string): string | null {
  const found = [`${list}.json`, `${list}.ndjson`].filter((name) => names.has(name));
  if (found.length > 1) {
    const wrong = `expected one of ${found.join(' and ')}, found both; remove one of them`;
    throw new CalendarError('INVALID_SOURCE', wrong);
  }
  return found[0] ?? null;
}

/** The error about a missing file, with the name that is nearest to it. */
function missing(folder: string, names: ReadonlySet<string>, wanted: readonly string[]): CalendarError {
  const others = [...names].filter((name) => !SOURCE_FILE.test(name));
  const nearest = createNearest(others, (name) => [name])(wanted[0] ?? '');
  const found = withNearest('found none', nearest);
  const message = `expected ${wanted.join(' or ')} in the source folder ${folder}, ${found}`;
  return new CalendarError('INVALID_SOURCE', message);
}

/** The names of a source's files. */
const SOURCE_FILE =
  /^(?:licence|venues|organizers|events|notices|duplicates|corrections|brand|sources)\.(?:nd)?json$/;

function entriesOf(file: SourceFile | null): AsyncIterable<RawEntry> {
  if (file === null) return noEntries();
  return file.name.endsWith('.ndjson') ? jsonLines(file) : arrayEntries(file);
}

async function* noEntries(): AsyncGenerator<RawEntry, void, undefined> {}

/** SHA-256 in hex, of the names and digests. */
async function hashOfFiles(files: readonly SourceFile[]): Promise<string> {
  const hash = createHash('sha256');
  const byName = [...files].sort((left, right) => (left.name < right.name ? -1 : 1));
  for (const file of byName) hash.update(`${file.name} ${await file.digest()}\n`);
  return hash.digest('hex');
}

/** A `.tsv` file: the columns of each line. */
async function* columnLines(file: SourceFile): AsyncGenerator<RawEntry, void, undefined> {
  for await (const { text, entry } of decodedLines(file))
    yield text === null ? entry : { ...entry, value: text.replace(/\r$/, '').split('\t') };
}
