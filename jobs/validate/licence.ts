/** `licence.json`: the calendar itself. Its categories are in `taxonomy.ts`. */
import { ownSiteAt } from '../../src/calendar/date-address.ts';
import type { Licence } from '../../src/calendar/model.ts';
import { excerpt, publicFault, type Reporter, sourceFault } from '../findings.ts';
import type { RawEntry } from '../source/source.ts';
import { addRepeated } from './entry.ts';
import { addFinding, type Subject } from './entry-findings.ts';
import { fieldName, valueAt } from './salvage.ts';
import { licenceSchema, type RawLicence } from './schemas.ts';
import { createTaxonomy, type Taxonomy } from './taxonomy.ts';
import { longLine, nonBlank, severalLines, shortLine, webUrl } from './texts.ts';
import { countUnknownFields, FIELDS } from './unknown-fields.ts';

export interface ValidLicence {
  readonly licence: Licence;
  readonly taxonomy: Taxonomy;
  /** G9: whether likely duplicates are merged. */
  readonly mergesDuplicates: boolean;
  readonly eventPages: EventPages;
  /** For findings about it. */
  readonly subject: Subject;
}

/** Templates of the addresses of event pages. */
interface EventPages {
  /** F13: all of them, which name events in corrections. */
  readonly known: readonly string[];
  /** F6: the address of events that are in none of the municipalities; null for the page at `siteUrl`. */
  readonly fallback: string | null;
  /** F6: by the names or numbers of municipalities, as they are written. */
  readonly towns: readonly (readonly [municipality: string, template: string])[];
}

/**
 * F1. Everything depends on the licence: a wrong field is INVALID_SOURCE, with all of them in the message (G3). `ownUrl`: the address of
 * the calendar's own pages, ending in a slash, for a licence without a site (I11).
 */
export function readLicence(
  { origin, value, problem, repeated }: RawEntry,
  reporter: Reporter,
  ownUrl = LOCAL,
): ValidLicence {
  if (problem !== undefined) {
    const { expected, found } = problem;
    throw sourceFault({ place: origin.file, expected: `expected ${expected}`, found: `found ${found}` });
  }
  countUnknownFields('licence', value, { fields: FIELDS.licence, reporter });
  const parsed = licenceSchema.safeParse(value);
  if (!parsed.success) {
    const wrong = parsed.error.issues.map(({ path, message }) => {
      const field = fieldName(path);
      const contrast = `expected ${message}, found ${excerpt(valueAt(value, path))}`;
      return field === null ? contrast : `${field}: ${contrast}`;
    });
    throw publicFault(origin.file, wrong.join('; '));
  }
  const raw = parsed.data;
  const subject: Subject = { origin, id: raw.id, reporter };
  if (repeated !== undefined) addRepeated(repeated, subject);
  return {
    licence: {
      id: raw.id,
      name: nonBlank(shortLine(raw.name, ['name'], subject)) ?? raw.id,
      siteUrl: webUrl(raw.siteUrl, ['siteUrl'], subject) ?? ownSite(ownUrl, subject),
      portalUrl: webUrl(raw.portalUrl, ['portalUrl'], subject),
      privacyUrl: webUrl(raw.privacyUrl, ['privacyUrl'], subject),
      specialEvent: raw.specialEvent ?? null,
      registration: raw.registration ?? false,
      language: raw.language ?? 'nb',
      dataLicence: dataLicenceOf(raw, subject),
      attribution: nonBlank(severalLines(raw.attribution, ['attribution'], subject)),
      contact: contactOf(raw, subject),
    },
    taxonomy: createTaxonomy(raw, subject),
    mergesDuplicates: raw.duplicates === 'merge',
    eventPages: eventPagesOf(raw),
    subject,
  };
}

function eventPagesOf({ eventPages }: RawLicence): EventPages {
  if (eventPages === null || eventPages === undefined) return { known: [], fallback: null, towns: [] };
  if (typeof eventPages === 'string') return { known: [eventPages], fallback: eventPages, towns: [] };
  if (Array.isArray(eventPages)) return { known: eventPages, fallback: null, towns: [] };
  const { default: fallback = null, ...towns } = eventPages;
  return { known: Object.values(eventPages), fallback, towns: Object.entries(towns) };
}

/** The address of a server without settings. */
const LOCAL = 'http://localhost:4000/';

/** I11: the calendar's own website. Reported if its address is known to this machine only. */
function ownSite(ownUrl: string, subject: Subject): string {
  const site = ownSiteAt(ownUrl);
  if (new URL(ownUrl).hostname === 'localhost')
    addFinding(subject, 'changed value', {
      at: ['siteUrl'],
      expected: 'the address of the calendar’s site, or ALMANAKK_PUBLIC_URL for the pages of this server',
      foundText: `none: ${site}`,
    });
  return site;
}

function dataLicenceOf({ dataLicence }: RawLicence, subject: Subject): Licence['dataLicence'] {
  const name = nonBlank(shortLine(dataLicence?.name, ['dataLicence', 'name'], subject));
  if (name === null) return null;
  return { name, url: webUrl(dataLicence?.url, ['dataLicence', 'url'], subject) };
}

function contactOf({ contact }: RawLicence, subject: Subject): Licence['contact'] {
  const reachable = {
    name: nonBlank(shortLine(contact?.name, ['contact', 'name'], subject)),
    email: nonBlank(longLine(contact?.email, ['contact', 'email'], subject)),
    url: webUrl(contact?.url, ['contact', 'url'], subject),
  };
  return reachable.name === null && reachable.email === null && reachable.url === null ? null : reachable;
}
