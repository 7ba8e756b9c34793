/** I15: reads `brand.json` and the logos beside it. An unusable part is left out and reported: a design never stops a build. */
import * as z from 'zod';
import {
  type Brand,
  COLOUR_FORM,
  LEAST_CONTRAST,
  leastContrast,
  readableColour,
  SCHEMES,
  type Scheme,
} from '../../src/calendar/brand.ts';
import { isObject } from '../../src/calendar/json.ts';
import { excerpt, type Reporter } from '../findings.ts';
import type { BrandFiles, RawEntry } from '../source/source.ts';
import { readableSubject, readValue } from '../validate/entry.ts';
import { addFinding, type Subject } from '../validate/entry-findings.ts';
import { named, webAddress } from '../validate/schemas.ts';
import { nonBlank, shortLine, webUrl } from '../validate/texts.ts';
import { countUnknownFields, fieldsOf } from '../validate/unknown-fields.ts';
import { readLogo } from './logo.ts';

const COLOUR = 'a colour such as "#8a1538"';
const colour = z.string(COLOUR).regex(COLOUR_FORM, COLOUR);
const homeSchema = z.object({ name: named, url: webAddress }, 'an object with "name" and "url"');
const accentSchema = z.object(
  { light: colour.nullish(), dark: colour.nullish() },
  'an object with "light" and "dark"',
);

/** I15: the contents of `brand.json`. */
export const brandSchema = z.object(
  { home: homeSchema.nullish(), accent: accentSchema.nullish() },
  'an object',
);

const FIELDS = fieldsOf([brandSchema]);

/** Null without any usable part. */
export async function readBrand({ entry, logos }: BrandFiles, reporter: Reporter): Promise<Brand | null> {
  const logo = await readLogo(logos, 'logo', reporter);
  const logoDark = await readLogo(logos, 'logo-dark', reporter);
  const design = entry === null ? NO_DESIGN : readDesign(entry, reporter);
  const brand: Brand = { ...design, logo, logoDark };
  return Object.values(brand).every((part) => part === null) ? null : brand;
}

type Design = Omit<Brand, 'logo' | 'logoDark'>;

const NO_DESIGN: Design = { homeName: null, homeUrl: null, accentLight: null, accentDark: null };

function readDesign(entry: RawEntry, reporter: Reporter): Design {
  const subject = readableSubject(entry, reporter);
  if (subject === null) return NO_DESIGN;
  const { value } = entry;
  if (!isObject(value)) {
    addFinding(subject, 'dropped value', { at: [], expected: 'an object', found: value });
    return NO_DESIGN;
  }
  countUnknownFields('brand', value, { fields: FIELDS, reporter });
  const { home = null, accent = null } = value;
  const link =
    home === null
      ? null
      : readValue(home, { schema: homeSchema, at: ['home'], subject, lost: 'dropped value' });
  const homeName = nonBlank(shortLine(link?.name, ['home', 'name'], subject));
  const homeUrl = webUrl(link?.url, ['home', 'url'], subject);
  const isWhole = homeName !== null && homeUrl !== null;
  return {
    homeName: isWhole ? homeName : null,
    homeUrl: isWhole ? homeUrl : null,
    accentLight: accentIn(accent, 'light', subject),
    accentDark: accentIn(accent, 'dark', subject),
  };
}

/** The accent of a scheme; null without one, or if it would be unreadable. */
function accentIn(accents: unknown, scheme: Scheme, subject: Subject): string | null {
  if (accents === null) return null;
  const at = ['accent', scheme];
  if (!isObject(accents)) {
    if (scheme === 'light')
      addFinding(subject, 'dropped value', { at: ['accent'], expected: COLOURS, found: accents });
    return null;
  }
  const { [scheme]: written = null } = accents;
  if (written === null) return null;
  const accent = readValue(written, { schema: colour, at, subject, lost: 'dropped value' });
  if (accent === null) return null;
  const contrast = leastContrast(accent, scheme);
  if (contrast >= LEAST_CONTRAST) return accent.toLowerCase();
  addFinding(subject, 'dropped value', {
    at,
    expected: `a contrast of at least ${LEAST_CONTRAST} to ${SCHEMES[scheme].grounds.join(', ')}, as ${readableColour(accent, scheme)} has`,
    // Rounded down: 4.49 is not 4.5.
    foundText: `${excerpt(accent)} with ${Math.floor(contrast * 100) / 100}`,
  });
  return null;
}

const COLOURS = 'an object with "light" and "dark"';
