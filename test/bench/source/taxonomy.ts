/** The licence, venues and organizers of the made-up calendar: as many as a Norwegian region has. */
import type { Random } from '../../helpers/random.ts';
import words from './words.json' with { type: 'json' };

export const VENUES = 300;
export const ORGANIZERS = 400;

export const LICENCE = {
  id: 'bench',
  name: 'Det skjer',
  siteUrl: 'https://kalender.example.org',
  portalUrl: 'https://utvikler.example.org',
  categories: words.categories.map(({ id, name_nb, name_en, below }) => ({
    id,
    name_nb,
    name_en,
    subcategories: Array.from({ length: below }, (_, place) => ({
      id: `${id}_${place + 1}`,
      name_nb: `${name_nb} ${place + 1}`,
      name_en: `${name_en} ${place + 1}`,
    })),
  })),
};

/** Subcategories first: most events carry one of those. */
export const CATEGORY_IDS: readonly string[] = LICENCE.categories.flatMap(({ id, subcategories }) => [
  ...subcategories.map((child) => child.id),
  id,
]);

export function makeVenues(random: Random): readonly object[] {
  return Array.from({ length: VENUES }, (_, place) => {
    const { postalCode, town, municipality } = pick(random, words.places);
    return {
      id: venueId(place),
      name: `${compound(random)} ${pick(random, words.lastNames)}`,
      address: `${pick(random, words.lastNames)}s gate ${1 + random(80)}, ${postalCode} ${town}`,
      postalCode,
      municipality,
      latitude: 63 + random(200_000) / 100_000,
      longitude: 9.5 + random(300_000) / 100_000,
    };
  });
}

export function makeOrganizers(random: Random): readonly object[] {
  return Array.from({ length: ORGANIZERS }, (_, place) => ({
    id: organizerId(place),
    name: place % 3 === 0 ? personName(random) : `${compound(random)} ${pick(random, words.lastNames)}`,
    website: `https://arrangor-${place}.example.org`,
  }));
}

export const venueId = (place: number): string => `ven-${place}`;
export const organizerId = (place: number): string => `org-${place}`;

/** Early places far more often than late ones, as big houses have more events than small ones. */
export function skewed(random: Random, count: number): number {
  const share = random(1_000_000) / 1_000_000;
  return Math.floor(count * share * share * share);
}

export function pick<T>(random: Random, list: readonly T[]): T {
  const picked = list[random(list.length)];
  if (picked === undefined) throw new Error('expected a list to pick from, found an empty one');
  return picked;
}

export function compound(random: Random): string {
  const word = pick(random, words.firstParts) + pick(random, words.lastParts);
  return word.charAt(0).toUpperCase() + word.slice(1);
}

export function personName(random: Random): string {
  return `${pick(random, words.firstNames)} ${pick(random, words.lastNames)}`;
}
