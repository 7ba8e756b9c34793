/** The directories of a random calendar: a licence with its taxonomy, venues with every kind of address, organizers. */
import type { Random } from './random.ts';
import {
  ACCESSIBILITY,
  type LicenceRecord,
  type OrganizerRecord,
  type PostalCode,
  type VenueRecord,
} from './records.ts';

const NAMES = 'Ås kulturhus,Øya,Ærfuglen,Zebra,Dokkhuset,Byscenen,Étage,Olavshallen,Øya'.split(',');

export const REGISTER: readonly PostalCode[] = [
  { code: '7013', place: 'TRONDHEIM', number: '5001', municipality: 'Trondheim' },
  { code: '7040', place: 'TRONDHEIM', number: '5001', municipality: 'Trondheim' },
  { code: '7550', place: 'HOMMELVIK', number: '5031', municipality: 'Malvik' },
  { code: '7200', place: 'KYRKSÆTERØRA', number: '5055', municipality: 'Heim' },
  { code: '8850', place: 'HERØY', number: '1818', municipality: 'Herøy' },
  { code: '6070', place: 'TJØRVÅG', number: '1515', municipality: 'Herøy' },
];

const label = (id: string, name_nb: string, name_en: string) => ({ id, name_nb, name_en });
const MUSIC = [
  label('JAZZ', 'Jazz', 'Jazz'),
  { ...label('CHOIR', 'Åpent kor', 'Open choir'), visible: false },
  { ...label('ROCK', 'Ølrock', 'Rock'), slug_nb: 'rock', slug_en: 'rock-en' },
];
const CATEGORIES = [
  { ...label('MUSIC', 'Musikk', 'Music'), subcategories: MUSIC },
  { ...label('ART', 'Ære og kunst', 'Art'), subcategories: [label('PAINT', 'Åpne atelierer', 'Studios')] },
  label('FAMILY', 'Barn', 'Family'),
  { ...label('SPORT', 'Aktivitet', 'Sports'), visible: false },
  label('FOOD', 'Øl og mat', 'Food'),
];

export function randomLicence({ fields }: Random, ids: readonly string[]): LicenceRecord {
  return {
    id: 'random',
    name: 'Tilfeldig kalender',
    siteUrl: 'https://kalender.example',
    ...fields(0.6, 'specialEvent', [...ids, 'no-such-event']),
    ...fields(0.5, 'registration', [true, true, false]),
    ...fields(0.5, 'portalUrl', ['https://utvikler.example']),
    ...fields(0.5, 'dataLicence', [{ name: 'NLOD 2.0' }, { name: 'NLOD', url: 'https://data.example/nlod' }]),
    ...fields(0.5, 'attribution', ['Kåres kalender']),
    ...fields(0.5, 'contact', [{ name: 'Åse', email: 'post@kalender.example' }, { email: 'a@b.example' }]),
    categories: CATEGORIES,
    retiredCategories: { GIGS: ['MUSIC'], SHOWS: ['ART', 'JAZZ'] },
  };
}

const PLACES = '7013 Trondheim,7040 TRONDHEIM,7550 Hommelvik,7200 Kyrksæterøra,9999 Ingensteds'.split(',');

export function randomVenue(random: Random, index: number): VenueRecord {
  const { chance, fields, pick } = random;
  const place = pick(PLACES);
  return {
    id: chance(0.8) ? `v${index}` : `V-${9 - index}`,
    name: pick(NAMES),
    ...fields(0.2, 'slug', ['scenen', 'oya', 'hus']),
    ...fields(0.8, 'address', [`Øvre gate ${index}, ${place}`, `Boks 1234, ${place}, Norge`, 'Bryggen']),
    ...fields(0.2, 'postalCode', ['7013', '8850', '6070']),
    ...fields(0.3, 'municipality', ['Trondheim', 'MALVIK', 'Herøy', '5001', '5055', 'Ukjent']),
    ...fields(0.9, 'latitude', [63.43, 63.4305, -12.5, 90]),
    ...fields(0.9, 'longitude', [10.4, 10.3951, 179.9, -179.9, 180]),
    ...fields(0.4, 'accessibility', [randomAccessibility(random)]),
    ...fields(0.2, 'mapImageURL', ['https://kart.example/1.png']),
  };
}

/** Words of the enum in any order and case, some twice, and some unknown. */
export function randomAccessibility({ some, pick }: Random): readonly unknown[] {
  const words = some([...ACCESSIBILITY, ...ACCESSIBILITY, 'LIFT', ''], 0, 4);
  return words.map((word) => pick([word, word, word.toLowerCase()]));
}

export function randomOrganizer({ fields, pick }: Random, index: number): OrganizerRecord {
  return {
    id: `o${index}`,
    name: pick(NAMES),
    ...fields(0.2, 'slug', ['laget']),
    ...fields(0.5, 'website', ['https://laget.example/']),
    ...fields(0.2, 'email', ['post@laget.example', ['a', 'b']]),
    ...fields(0.2, 'telephoneNumber', ['+47 73 00 00 00', 73_000_000]),
  };
}
