import * as z from 'zod';
import { fold } from '../../src/calendar/text.ts';
import type { PostalCode, RawEntry } from '../records.ts';
import type { Report } from '../report.ts';
import { complain, subjectOf } from './complaints.ts';
import { oneLine } from './entry.ts';

/** The national register of postal codes, as far as the licence's folder has it (F8). */
export interface PostalRegister {
  readonly byCode: ReadonlyMap<string, PostalCode>;
  /** Municipality by its number. */
  readonly nameOf: (municipalityNumber: string) => string | null;
  /** The only municipality number with that name, however it is spelled; null when there is none or more than one. */
  readonly numberOf: (municipality: string) => string | null;
}

const digits = z.string().regex(/^\d{4}$/);
const LINE = z.tuple([digits, z.string(), digits, z.string().regex(/\S/)]).rest(z.string());
const EXPECTED =
  'four-digit code, place, four-digit municipality number, municipality name, category between tabs';

export async function readPostalRegister(
  entries: AsyncIterable<RawEntry>,
  report: Report,
): Promise<PostalRegister> {
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
  const subject = subjectOf(entry, report);
  if (entry.problem !== undefined) {
    report.complain({
      action: 'dropped record',
      origin: entry.origin,
      id: null,
      field: null,
      ...entry.problem,
    });
    return null;
  }
  const parsed = LINE.safeParse(entry.value);
  if (!parsed.success) {
    complain(subject, 'dropped record', { at: [], expected: EXPECTED, found: entry.value });
    return null;
  }
  const [code, place, municipalityNumber, written] = parsed.data;
  const municipality = oneLine(written, [], subject) ?? '';
  if (taken.has(code)) {
    complain(subject, 'dropped record', { at: [], expected: 'each postal code once', found: code });
    return null;
  }
  return { code, place, municipalityNumber, municipality };
}

/** A four-digit group and the beginning of a place name. */
const CODE_AND_PLACE = /(?<!\d)(\d{4})(?=\s+\p{L}\p{L})/gu;

/** F8: the last postal code in an address, such as that of `Kongens gate 2, 7013 Trondheim`. */
export function postalCodeIn(address: string): string | null {
  return [...address.matchAll(CODE_AND_PLACE)].at(-1)?.[1] ?? null;
}
