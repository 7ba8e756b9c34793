import { CalendarError } from '../../src/calendar/errors.ts';
import type { Licence } from '../../src/calendar/model.ts';
import type { RawEntry, Reporter } from '../records.ts';
import { excerpt } from '../report/excerpt.ts';
import { fieldName, type Subject, valueAt } from './complaints.ts';
import { oneLine, webUrl } from './entry.ts';
import { countUnknownFields } from './fields.ts';
import { licenceSchema } from './schemas.ts';
import { createTaxonomy, type Taxonomy } from './taxonomy.ts';

export interface ValidLicence {
  readonly licence: Licence;
  readonly taxonomy: Taxonomy;
  /** For complaints about it. */
  readonly subject: Subject;
}

/** F1. Everything hangs on the licence: a wrong field is INVALID_SOURCE, with all of them in the message (G3). */
export function readLicence(entry: RawEntry, reporter: Reporter): ValidLicence {
  const { origin, value, problem } = entry;
  if (problem !== undefined)
    throw invalid(origin.file, [`expected ${problem.expected}, found ${problem.found}`]);
  countUnknownFields('licence', value, reporter);
  const parsed = licenceSchema.safeParse(value);
  if (!parsed.success) {
    const wrong = parsed.error.issues.map(({ path, message }) => {
      const field = fieldName(path);
      return `${field === null ? '' : `${field}: `}expected ${message}, found ${excerpt(valueAt(value, path))}`;
    });
    throw invalid(origin.file, wrong);
  }
  const raw = parsed.data;
  const subject: Subject = { origin, id: raw.id, reporter };
  return {
    licence: {
      id: raw.id,
      name: oneLine(raw.name, ['name'], subject) ?? '',
      siteUrl: webUrl(raw.siteUrl, ['siteUrl'], subject) ?? raw.siteUrl,
      portalUrl: webUrl(raw.portalUrl, ['portalUrl'], subject),
      specialEvent: raw.specialEvent ?? null,
      registration: raw.registration ?? false,
    },
    taxonomy: createTaxonomy(raw, subject),
    subject,
  };
}

function invalid(file: string, wrong: readonly string[]): CalendarError {
  return new CalendarError('INVALID_SOURCE', `${file}: ${wrong.join('; ')}`);
}
