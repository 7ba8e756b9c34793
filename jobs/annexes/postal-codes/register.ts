/** F8, postal codes and municipalities: postal-codes.tsv, and the municipalities of venues by it. */
import * as z from 'zod';
import { fold } from '../../../src/calendar/text.ts';
import type { BuildPart } from '../../annex.ts';
import type { MunicipalityOf, RawEntry } from '../../records.ts';
import type { Report } from '../../report.ts';
import { addFinding, oneLine, readableSubject } from '../../validate/entry.ts';

export function create(): BuildPart {
  return { readMunicipalities };
}

/** Called before venues are read. */
async function readMunicipalities(entries: AsyncIterable<RawEntry>, report: Report): Promise<MunicipalityOf> {
  const register = await readRegister(entries, report);
  return (own, postalCode) => municipalityOf(own, postalCode, register);
}

/** F8, B6, tags and municipalities: the record's own municipality takes precedence, by name or by number; the other one is looked up. */
function municipalityOf(
  own: string | null,
  postalCode: string | null,
  register: PostalRegister,
): ReturnType<MunicipalityOf> {
  const there = postalCode === null ? undefined : register.byCode.get(postalCode);
  if (own === null) {
    const { municipality = null, municipalityNumber = null } = there ?? {};
    return { municipality, municipalityNumber };
  }
  if (/^\d{4}$/.test(own)) return { municipality: register.nameOf(own), municipalityNumber: own };
  if (there !== undefined && fold(there.municipality) === fold(own)) {
    return { municipality: own, municipalityNumber: there.municipalityNumber };
  }
  return { municipality: own, municipalityNumber: register.numberOf(own) };
}

/** A line of the national register of postal codes (F8). */
interface PostalCode {
  readonly code: string;
  readonly municipalityNumber: string;
  readonly municipality: string;
}

/** The national register of postal codes, if the licence's folder has it (F8). */
interface PostalRegister {
  readonly byCode: ReadonlyMap<string, PostalCode>;
  /** Municipality by its number. */
  readonly nameOf: (municipalityNumber: string) => string | null;
  /** The only municipality number with that name, in any spelling; null if there is none or more than one. */
  readonly numberOf: (municipality: string) => string | null;
}

const digits = z.string().regex(/^\d{4}$/);
const LINE = z.tuple([digits, z.string(), digits, z.string().regex(/\S/)]).rest(z.string());
const EXPECTED =
  'four-digit code, place, four-digit municipality number, municipality name, category between tabs';

async function readRegister(entries: AsyncIterable<RawEntry>, report: Report): Promise<PostalRegister> {
  const byCode = new Map<string, PostalCode>();
  const names = new Map<string, string>();
  const numbers = new Map<string, Set<string>>();
  for await (const entry of entries) {
    report.read('postalCodes');
    const line = readLine(entry, byCode, report);
    if (line === null) continue;
    report.kept('postalCodes');
    byCode.set(line.code, line);
    if (!names.has(line.municipalityNumber)) names.set(line.municipalityNumber, line.municipality);
    const folded = fold(line.municipality);
    numbers.set(folded, (numbers.get(folded) ?? new Set()).add(line.municipalityNumber));
  }
  return {
    byCode,
    nameOf: (number) => names.get(number) ?? null,
    numberOf: (municipality) => {
      const [number, another] = numbers.get(fold(municipality)) ?? [];
      return number === undefined || another !== undefined ? null : number;
    },
  };
}

function readLine(
  entry: RawEntry,
  taken: ReadonlyMap<string, PostalCode>,
  report: Report,
): PostalCode | null {
  const subject = readableSubject(entry, report);
  if (subject === null) return null;
  const parsed = LINE.safeParse(entry.value);
  if (!parsed.success) {
    addFinding(subject, 'dropped record', { at: [], expected: EXPECTED, found: entry.value });
    return null;
  }
  const [code, , municipalityNumber, written] = parsed.data;
  const municipality = inPlainCase(oneLine(written, [], subject) ?? '');
  if (taken.has(code)) {
    addFinding(subject, 'dropped record', { at: [], expected: 'each postal code once', found: code });
    return null;
  }
  return { code, municipalityNumber, municipality };
}

/** F10, names in capitals: `EVJE OG HORNNES` in ordinary case, `Evje og Hornnes`. A name that is not all in capitals is unchanged. */
function inPlainCase(name: string): string {
  if (name !== name.toUpperCase()) return name;
  return name.toLowerCase().replace(WORD, (word, at: number) => {
    if (at > 0 && SMALL_WORDS.has(word)) return word;
    return word.replace(/^./u, (letter) => letter.toUpperCase());
  });
}

const WORD = /\p{L}[\p{L}\p{M}]*/gu;
const SMALL_WORDS = new Set(['og', 'i', 'på']);
