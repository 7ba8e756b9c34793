/** F8: postal-codes.tsv, and the postal codes and municipalities of venues by it. */
import * as z from 'zod';
import { foldedNames } from '../../src/calendar/municipality.ts';
import { createNearest, withNearest } from '../../src/calendar/nearest.ts';
import { wordsOf } from '../../src/calendar/search-term.ts';
import { fold } from '../../src/calendar/text.ts';
import { type Municipality, NO_MUNICIPALITY } from '../records.ts';
import type { Report } from '../report/report.ts';
import type { RawEntry } from '../source/source.ts';
import { namesOtherCountry } from './countries.ts';
import { readableSubject } from './entry.ts';
import { addFinding, type Subject } from './entry-findings.ts';
import type { Path } from './salvage.ts';
import { longLine } from './texts.ts';

/** A postal code, as the national register has it (F8). */
interface Registered {
  readonly municipality: string;
  readonly municipalityNumber: string;
  /** Words of its place, and of its municipality in each of its languages: what may follow the code in an address. */
  readonly places: readonly string[];
}

export interface PostalCodes {
  /** F8, B6: by a venue's own municipality, a name or a number, and its postal code. */
  readonly municipalityOf: (own: string | null, postalCode: string | null) => Municipality;
  /** The municipality that an editor names; null, after a finding, if it is not in the register. */
  readonly municipalityNamed: MunicipalityNamed;
  /** The last postal code in an address; null for none. */
  readonly codeIn: (address: string) => string | null;
}

/** `at`: the field of the subject that has the name or number. */
export type MunicipalityNamed = (written: string, subject: Subject, at: Path) => Municipality | null;

/** Reads the register of postal codes, before venues are read. Invalid lines are reported. */
export async function readPostalCodes(
  entries: AsyncIterable<RawEntry>,
  report: Report,
): Promise<PostalCodes> {
  const byCode = await readRegister(entries, report);
  return { ...municipalitiesIn(byCode), codeIn: (address) => codeIn(address, byCode) };
}

type Register = ReadonlyMap<string, Registered>;

/** A four-digit group that is a part of its own, or has the beginning of a place name after it. */
const CODE = /(?<!\d)\d{4}(?=\s+\p{L}\p{L})|(?<=, ?)\d{4}(?= ?(?:,|$))/gu;

/** The last postal code of an address. House numbers, and codes of other countries, may have four digits, too. */
function codeIn(address: string, byCode: Register): string | null {
  const isCode = byCode.size === 0 ? isLikelyCode : isRegisteredCode;
  const matches = [...address.matchAll(CODE)];
  return matches.findLast(({ 0: code, index }) => isCode(address, { code, index, byCode }))?.[0] ?? null;
}

interface FoundCode {
  readonly code: string;
  /** Where it begins in the address. */
  readonly index: number;
  readonly byCode: Register;
}

/**
 * Without a register: something must precede the code, such as a street, and the address must not be in another country. Before a code that
 * is a part of its own, there must be a town, too.
 */
function isLikelyCode(address: string, { code, index }: FoundCode): boolean {
  const partsBefore = partsBeforeCode(address, { code, index });
  const isPreceded = partsBefore === null ? address.slice(0, index).trim() !== '' : partsBefore.length >= 2;
  return isPreceded && !namesOtherCountry(address);
}

/** Whether the place of the code follows it. It is before a code that is a part of its own, perhaps with a region between the two. */
function isRegisteredCode(address: string, { code, index, byCode }: FoundCode): boolean {
  const places = byCode.get(code)?.places ?? [];
  const partsBefore = partsBeforeCode(address, { code, index });
  if (partsBefore !== null) {
    const words = partsBefore.slice(-2).map((part) => wordsOf(fold(part)).join(' '));
    return places.some((name) => words.includes(name));
  }
  const after = address.slice(index + code.length, index + code.length + LONGEST_PLACE);
  const words = wordsOf(fold(after)).join(' ');
  return places.some((name) => words === name || words.startsWith(`${name} `));
}

/** Characters beside a code that are compared with its place. */
const LONGEST_PLACE = 200;

/**
 * The parts before a code that is a part of its own, as The Events Calendar writes addresses: `Kongens gate 1, Trondheim, 7013, Norway`. Null
 * for another code.
 */
function partsBeforeCode(
  address: string,
  { code, index }: Pick<FoundCode, 'code' | 'index'>,
): readonly string[] | null {
  const before = address.slice(Math.max(0, index - LONGEST_PLACE), index).trimEnd();
  const isAlone = before.endsWith(',') && /^ ?(?:,|$)/.test(address.slice(index + code.length));
  return isAlone ? before.slice(0, -1).split(',') : null;
}

const MUNICIPALITY_NUMBER = /^\d{4}$/;

/** Finds municipalities by their names, numbers and postal codes. */
function municipalitiesIn(byCode: Register): Pick<PostalCodes, 'municipalityOf' | 'municipalityNamed'> {
  const nameOf = new Map<string, string>();
  /** The numbers of municipalities with that folded name, in one of their languages. */
  const numbersOf = new Map<string, Set<string>>();
  for (const { municipality, municipalityNumber } of byCode.values()) {
    if (!nameOf.has(municipalityNumber)) nameOf.set(municipalityNumber, municipality);
    for (const name of foldedNames(municipality)) {
      numbersOf.set(name, (numbersOf.get(name) ?? new Set()).add(municipalityNumber));
    }
  }
  const nearest = createNearest(nameOf.values(), foldedNames);

  /** A record's own municipality takes precedence over that of its postal code. */
  function municipalityOf(written: string | null, postalCode: string | null): Municipality {
    const { places: _, ...ofPostalCode } = byCode.get(postalCode ?? '') ?? NOWHERE;
    if (written === null) return ofPostalCode;
    if (MUNICIPALITY_NUMBER.test(written))
      return { municipality: nameOf.get(written) ?? null, municipalityNumber: written };
    const { municipality } = ofPostalCode;
    if (municipality !== null && foldedNames(municipality).includes(fold(written)))
      return { ...ofPostalCode, municipality: written };
    const [number = null, another] = numbersOf.get(fold(written)) ?? [];
    return { municipality: written, municipalityNumber: another === undefined ? number : null };
  }

  function municipalityNamed(written: string, subject: Subject, at: Path): Municipality | null {
    const name = written.trim();
    const isKnown = nameOf.size === 0 || nameOf.has(name) || numbersOf.has(fold(name));
    if (!isKnown) {
      const expected = withNearest(A_MUNICIPALITY, nearest(name));
      addFinding(subject, 'dropped value', { at, expected, found: written });
      return null;
    }
    const { municipality, municipalityNumber } = municipalityOf(name, null);
    return { municipality: nameOf.get(municipalityNumber ?? '') ?? municipality, municipalityNumber };
  }

  return { municipalityOf, municipalityNamed };
}

const A_MUNICIPALITY = 'the name or number of a municipality that postal-codes.tsv lists';

/** Whether a place is in a municipality that an editor names. A name without a number is that of every municipality that has it. */
export function isSameMunicipality(place: Municipality, named: Municipality): boolean {
  if (named.municipalityNumber !== null) return place.municipalityNumber === named.municipalityNumber;
  if (named.municipality === null || place.municipality === null) return false;
  const names = foldedNames(named.municipality);
  return foldedNames(place.municipality).some((name) => names.includes(name));
}

const NOWHERE = { ...NO_MUNICIPALITY, places: [] };

const digits = z.string().regex(/^\d{4}$/);
const LINE = z.tuple([digits, z.string(), digits, z.string().regex(/\S/)]).rest(z.string());
const EXPECTED =
  'four-digit code, place, four-digit municipality number, municipality name, category between tabs';

async function readRegister(entries: AsyncIterable<RawEntry>, report: Report) {
  const byCode = new Map<string, Registered>();
  for await (const entry of entries) {
    report.countRead('postalCodes');
    const subject = readableSubject(entry, report);
    if (subject === null) continue;
    const parsed = LINE.safeParse(entry.value);
    const [code = '', place = '', municipalityNumber = '', written = ''] = parsed.data ?? [];
    if (!parsed.success) {
      addFinding(subject, 'dropped record', { at: [], expected: EXPECTED, found: entry.value });
    } else if (byCode.has(code)) {
      addFinding(subject, 'dropped record', { at: [], expected: 'each postal code once', found: code });
    } else {
      report.countKept('postalCodes');
      const municipality = inPlainCase(longLine(written, [], subject) ?? '');
      byCode.set(code, { municipality, municipalityNumber, places: placesIn(place, municipality) });
    }
  }
  return byCode;
}

/** `HERØY (NORDLAND)` is Herøy as well, `KÁRÁŠJOHKA - KARASJOK` each of the two. */
function placesIn(place: string, municipality: string): readonly string[] {
  const names = [place, municipality].flatMap((name) => [
    name,
    ...name.replace(/\([^()]*\)/g, '').split(/ [-–/] /),
  ]);
  const words = names.map((name) => wordsOf(fold(name)).join(' '));
  return [...new Set(words)].filter((name) => name !== '');
}

/** F10: `EVJE OG HORNNES` in ordinary case, `Evje og Hornnes`. A name that is not all in capitals is unchanged. */
function inPlainCase(name: string): string {
  if (name !== name.toUpperCase()) return name;
  return name.toLowerCase().replace(WORD, (word, at: number) => {
    if (at > 0 && SMALL_WORDS.has(word)) return word;
    return word.replace(/^./u, (letter) => letter.toUpperCase());
  });
}

const WORD = /\p{L}[\p{L}\p{M}]*/gu;
const SMALL_WORDS = new Set(['og', 'i', 'på']);
