/** E6, accessibility: the names of accessibility features: for people, in schema.org, and in sources. */
import { ACCESSIBILITY, type Accessibility } from '../../calendar/accessibility.ts';
import { fold } from '../../calendar/text.ts';

interface Feature {
  /** Norwegian name, for people. */
  readonly nb: string;
  readonly en: string;
  /** Its value in schema.org's `accessibilityFeature`, and its name as an `amenityFeature`. */
  readonly schemaOrg: string;
  /** Other names that sources use. */
  readonly others: string;
}

export const FEATURES = {
  WHEELCHAIR: {
    nb: 'Rullestoltilgang',
    en: 'Wheelchair access',
    schemaOrg: 'wheelchairAccess',
    others:
      'rullestol|rullestolbruker|rullestolvennlig|trinnfri|trinnfri adkomst|wheelchair accessible|step-free',
  },
  HEARING_LOOP: {
    nb: 'Teleslynge',
    en: 'Hearing loop',
    schemaOrg: 'hearingLoop',
    others: 'teleslyngeanlegg|hørselsslynge|induction loop',
  },
  SIGN_LANGUAGE: {
    nb: 'Tegnspråk',
    en: 'Sign language',
    schemaOrg: 'signLanguage',
    others: 'tegnspråktolk|tegnspråktolket|tegnspråktolking|sign language interpretation',
  },
  SUBTITLES: {
    nb: 'Teksting',
    en: 'Subtitles',
    schemaOrg: 'captions',
    others: 'tekstet|undertekster|captioned|open captions|closed captions|surtitles',
  },
  AUDIO_DESCRIPTION: {
    nb: 'Synstolking',
    en: 'Audio description',
    schemaOrg: 'audioDescription',
    others: 'synstolk|synstolket|audio described',
  },
  RELAXED: {
    nb: 'Rolig forestilling',
    en: 'Relaxed performance',
    schemaOrg: 'relaxedPerformance',
    others: 'stille time|sansevennlig|sensory friendly',
  },
  ASSISTANCE_DOG: {
    nb: 'Servicehund',
    en: 'Assistance dogs',
    schemaOrg: 'assistanceDog',
    others: 'førerhund|guide dog|guide dogs|service dog|service dogs|assistance dogs welcome',
  },
  ACCESSIBLE_TOILET: {
    nb: 'Handikaptoalett',
    en: 'Accessible toilet',
    schemaOrg: 'accessibleToilet',
    others: 'hc-toalett|hctoalett|hcwc|tilgjengelig toalett|disabled toilet|wheelchair toilet',
  },
} as const satisfies Readonly<Record<Accessibility, Feature>>;

const keyOf = (name: string): string => fold(name).replaceAll(/[^a-z]/g, '');

const BY_NAME: ReadonlyMap<string, Accessibility> = new Map(
  ACCESSIBILITY.flatMap((word) => {
    const { nb, en, schemaOrg, others } = FEATURES[word];
    return [word, nb, en, schemaOrg, ...others.split('|')].map((name) => [keyOf(name), word] as const);
  }),
);

/** Finds a feature by any of its names, in any case and spacing. */
export function accessibilityNamed(name: string): Accessibility | undefined {
  return BY_NAME.get(keyOf(name));
}
