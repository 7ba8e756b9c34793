/** E6: the names of accessibility features: for people, in schema.org, and in sources. */
import { ACCESSIBILITY, type Accessibility } from '../../calendar/accessibility.ts';
import { fold } from '../../calendar/text.ts';

interface Feature {
  /** Names for people. */
  readonly nb: string;
  readonly en: string;
  readonly nn: string;
  /** Its value in schema.org's `accessibilityFeature`, and its name as an `amenityFeature`. */
  readonly schemaOrg: string;
}

export const FEATURES = {
  WHEELCHAIR: {
    nb: 'Rullestoltilgang',
    en: 'Wheelchair access',
    nn: 'Rullestoltilgang',
    schemaOrg: 'wheelchairAccess',
  },
  HEARING_LOOP: { nb: 'Teleslynge', en: 'Hearing loop', nn: 'Teleslyngje', schemaOrg: 'hearingLoop' },
  SIGN_LANGUAGE: { nb: 'Tegnspråk', en: 'Sign language', nn: 'Teiknspråk', schemaOrg: 'signLanguage' },
  SUBTITLES: { nb: 'Teksting', en: 'Subtitles', nn: 'Teksting', schemaOrg: 'captions' },
  AUDIO_DESCRIPTION: {
    nb: 'Synstolking',
    en: 'Audio description',
    nn: 'Synstolking',
    schemaOrg: 'audioDescription',
  },
  RELAXED: {
    nb: 'Rolig forestilling',
    en: 'Relaxed performance',
    nn: 'Roleg framsyning',
    schemaOrg: 'relaxedPerformance',
  },
  ASSISTANCE_DOG: { nb: 'Servicehund', en: 'Assistance dogs', nn: 'Servicehund', schemaOrg: 'assistanceDog' },
  ACCESSIBLE_TOILET: {
    nb: 'Tilgjengelig toalett',
    en: 'Accessible toilet',
    nn: 'Tilgjengeleg toalett',
    schemaOrg: 'accessibleToilet',
  },
} as const satisfies Readonly<Record<Accessibility, Feature>>;

/** Other names that sources use. */
export const OTHER_NAMES: Readonly<Record<Accessibility, readonly string[]>> = {
  WHEELCHAIR: [
    'rullestol',
    'rullestolbruker',
    'rullestolbrukar',
    'rullestolvennlig',
    'rullestolvenleg',
    'trinnfri',
    'trinnfri adkomst',
    'trinnfri tilkomst',
    'wheelchair accessible',
    'step-free',
  ],
  HEARING_LOOP: [
    'teleslyngeanlegg',
    'teleslyngjeanlegg',
    'hørselsslynge',
    'høyrselsslyngje',
    'induction loop',
  ],
  SIGN_LANGUAGE: [
    'tegnspråktolk',
    'tegnspråktolket',
    'tegnspråktolking',
    'teiknspråktolk',
    'teiknspråktolka',
    'teiknspråktolking',
    'sign language interpretation',
  ],
  SUBTITLES: [
    'tekstet',
    'teksta',
    'undertekster',
    'undertekstar',
    'captioned',
    'open captions',
    'closed captions',
    'surtitles',
  ],
  AUDIO_DESCRIPTION: ['synstolk', 'synstolket', 'synstolka', 'audio described'],
  RELAXED: ['stille time', 'sansevennlig', 'sansevenleg', 'sensory friendly'],
  ASSISTANCE_DOG: [
    'førerhund',
    'førarhund',
    'guide dog',
    'guide dogs',
    'service dog',
    'service dogs',
    'assistance dogs welcome',
  ],
  ACCESSIBLE_TOILET: [
    'hc-toalett',
    'hctoalett',
    'hcwc',
    'tilgjengelig toalett',
    'disabled toilet',
    'wheelchair toilet',
  ],
};

const letterKey = (name: string): string => fold(name).replaceAll(/[^a-z]/g, '');

const BY_NAME: ReadonlyMap<string, Accessibility> = new Map(
  ACCESSIBILITY.flatMap((word) => {
    const names = [word, ...Object.values(FEATURES[word]), ...OTHER_NAMES[word]];
    return names.map((name) => [letterKey(name), word] as const);
  }),
);

/** Finds a feature by any of its names, in any case and spacing. */
export function accessibilityNamed(name: string): Accessibility | undefined {
  return BY_NAME.get(letterKey(name));
}
