/** What random events refer to: a licence with its taxonomy, venues with every kind of address, organizers. */
import { present, type Random } from './random.ts';
import {
  ACCESSIBILITY,
  type LicenceRecord,
  type OrganizerRecord,
  type PostalCode,
  type VenueRecord,
} from './records.ts';

const NAMES = [
  'Ås kulturhus',
  'Øya',
  'Ærfuglen',
  'Zebra',
  'Dokkhuset',
  'Byscenen',
  'Étage',
  'Olavshallen',
  'Øya',
];

export const REGISTER: readonly PostalCode[] = [
  { code: '7013', place: 'TRONDHEIM', number: '5001', municipality: 'Trondheim' },
  { code: '7040', place: 'TRONDHEIM', number: '5001', municipality: 'Trondheim' },
  { code: '7550', place: 'HOMMELVIK', number: '5031', municipality: 'Malvik' },
  { code: '7200', place: 'KYRKSÆTERØRA', number: '5055', municipality: 'Heim' },
  { code: '8850', place: 'HERØY', number: '1818', municipality: 'Herøy' },
  { code: '6070', place: 'TJØRVÅG', number: '1515', municipality: 'Herøy' },
];

export function randomLicence(random: Random, ids: readonly string[]): LicenceRecord {
  const label = (id: string, name_nb: string, name_en: string) => ({ id, name_nb, name_en });
  return present({
    id: 'random',
    name: 'Tilfeldig kalender',
    siteUrl: 'https://kalender.example',
    specialEvent: random.maybe(0.6, () => random.pick([...ids, 'no-such-event'])),
    registration: random.maybe(0.5, () => random.chance(0.6)),
    portalUrl: random.maybe(0.5, () => 'https://utvikler.example'),
    dataLicence: random.maybe(0.5, () =>
      present({ name: 'NLOD 2.0', url: random.maybe(0.5, () => 'https://data.example/nlod') }),
    ),
    attribution: random.maybe(0.5, () => 'Kåres kalender'),
    contact: random.maybe(0.5, () =>
      present({ name: random.maybe(0.5, () => 'Åse'), email: 'post@kalender.example' }),
    ),
    categories: [
      {
        ...label('MUSIC', 'Musikk', 'Music'),
        subcategories: [
          label('JAZZ', 'Jazz', 'Jazz'),
          { ...label('CHOIR', 'Åpent kor', 'Open choir'), visible: false },
          { ...label('ROCK', 'Ølrock', 'Rock'), slug_nb: 'rock', slug_en: 'rock-en' },
        ],
      },
      {
        ...label('ART', 'Ære og kunst', 'Art'),
        subcategories: [label('PAINT', 'Åpne atelierer', 'Studios')],
      },
      label('FAMILY', 'Barn', 'Family'),
      { ...label('SPORT', 'Aktivitet', 'Sports'), visible: false },
      label('FOOD', 'Øl og mat', 'Food'),
    ],
    retiredCategories: { GIGS: ['MUSIC'], SHOWS: ['ART', 'JAZZ'] },
  });
}

export function randomVenue(random: Random, index: number): VenueRecord {
  const place = random.pick([
    '7013 Trondheim',
    '7040 TRONDHEIM',
    '7550 Hommelvik',
    '7200 Kyrksæterøra',
    '9999 Ingensteds',
  ]);
  const address = `Øvre gate ${index}, ${place}`;
  return present({
    id: random.chance(0.8) ? `v${index}` : `V-${9 - index}`,
    name: random.pick(NAMES),
    slug: random.maybe(0.2, () => random.pick(['scenen', 'oya', 'hus'])),
    address: random.maybe(0.8, () => random.pick([address, `Boks 1234, ${place}, Norge`, 'Bryggen'])),
    postalCode: random.maybe(0.2, () => random.pick(['7013', '8850', '6070'])),
    municipality: random.maybe(0.3, () =>
      random.pick(['Trondheim', 'MALVIK', 'Herøy', '5001', '5055', 'Ukjent']),
    ),
    latitude: random.maybe(0.9, () => random.pick([63.43, 63.4305, -12.5, 90])),
    longitude: random.maybe(0.9, () => random.pick([10.4, 10.3951, 179.9, -179.9, 180])),
    accessibility: random.maybe(0.4, () => randomAccessibility(random)),
    mapImageURL: random.maybe(0.2, () => random.pick(['https://kart.example/1.png', 'ikke et kart'])),
  });
}

/** In any order and case, some twice, and some that are none. */
export function randomAccessibility(random: Random): readonly unknown[] {
  return random
    .some([...ACCESSIBILITY, ...ACCESSIBILITY, 'LIFT', ''], 0, 4)
    .map((word) => random.pick([word, word, word.toLowerCase()]));
}

export function randomOrganizer(random: Random, index: number): OrganizerRecord {
  return present({
    id: `o${index}`,
    name: random.pick(NAMES),
    slug: random.maybe(0.2, () => 'laget'),
    website: random.maybe(0.5, () => 'https://laget.example/'),
    email: random.maybe(0.2, () => random.pick(['post@laget.example', ['a', 'b']])),
    telephoneNumber: random.maybe(0.2, () => random.pick(['+47 73 00 00 00', 73_000_000])),
  });
}
