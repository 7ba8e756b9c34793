/** F8: postal-codes.tsv, and the municipalities of venues by it. */
import * as z from 'zod';
import { fold } from '../src/calendar/text.ts';
import type { MunicipalityOf, RawEntry } from './records.ts';
import type { Report } from './report.ts';
import { addFinding, oneLine, readableSubject } from './validate/entry.ts';

/** The municipality of a postal code, as the national register has it (F8). */
interface Municipality {
  readonly municipality: string;
  readonly municipalityNumber: string;
}

/** Called before venues are read. F8, B6: a record's own municipality, by name or number, takes precedence. */
export async function readMunicipalities(
  entries: AsyncIterable<RawEntry>,
  report: Report,
): Promise<MunicipalityOf> {
  const byCode = await readRegister(entries, report);
  const nameOf = new Map<string, string>();
  /** The numbers of municipalities with that folded name. */
  const numbersOf = new Map<string, Set<string>>();
  for (const { municipality, municipalityNumber } of byCode.values()) {
    if (!nameOf.has(municipalityNumber)) nameOf.set(municipalityNumber, municipality);
    const name = fold(municipality);
    numbersOf.set(name, (numbersOf.get(name) ?? new Set()).add(municipalityNumber));
  }
  return (own, postalCode) => {
    const there = byCode.get(postalCode ?? '') ?? null;
    if (own === null) return there ?? { municipality: null, municipalityNumber: null };
    if (/^\d{4}$/.test(own)) return { municipality: nameOf.get(own) ?? null, municipalityNumber: own };
    if (there !== null && fold(there.municipality) === fold(own)) return { ...there, municipality: own };
    const [number = null, another] = numbersOf.get(fold(own)) ?? [];
    return { municipality: own, municipalityNumber: another === undefined ? number : null };
  };
}

const digits = z.string().regex(/^\d{4}$/);
const LINE = z.tuple([digits, z.string(), digits, z.string().regex(/\S/)]).rest(z.string());
const EXPECTED =
  'four-digit code, place, four-digit municipality number, municipality name, category between tabs';

async function readRegister(entries: AsyncIterable<RawEntry>, report: Report) {
  const byCode = new Map<string, Municipality>();
  for await (const entry of entries) {
    report.read('postalCodes');
    const subject = readableSubject(entry, report);
    if (subject === null) continue;
    const parsed = LINE.safeParse(entry.value);
    const [code = '', , municipalityNumber = '', written = ''] = parsed.data ?? [];
    if (!parsed.success) {
      addFinding(subject, 'dropped record', { at: [], expected: EXPECTED, found: entry.value });
    } else if (byCode.has(code)) {
      addFinding(subject, 'dropped record', { at: [], expected: 'each postal code once', found: code });
    } else {
      report.kept('postalCodes');
      const municipality = inPlainCase(oneLine(written, [], subject) ?? '');
      byCode.set(code, { municipality, municipalityNumber });
    }
  }
  return byCode;
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
