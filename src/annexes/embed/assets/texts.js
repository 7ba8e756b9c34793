/** The element's texts. Of each, three: in Bokmål, English and Nynorsk. */

export const LANGUAGES = ['nb', 'en', 'nn'];

const WORDS = {
  /** Browsers need no data of Nynorsk: its dates and numbers are those of Bokmål, but for some weekdays. */
  locale: ['nb-NO', 'en-GB', 'nb-NO'],
  events: ['Arrangementer', 'Events', 'Arrangement'],
  loading: ['Henter arrangementer …', 'Loading events …', 'Hentar arrangement …'],
  none: ['Ingen kommende arrangementer.', 'No upcoming events.', 'Ingen kommande arrangement.'],
  failed: [
    'Kalenderen svarer ikke akkurat nå.',
    'The calendar is not responding.',
    'Kalenderen svarar ikkje akkurat no.',
  ],
  stale: [
    'Listen kunne ikke oppdateres. Sist oppdatert kl.',
    'The list could not be updated. Last updated at',
    'Lista kunne ikkje oppdaterast. Sist oppdatert kl.',
  ],
  again: ['Prøv igjen', 'Try again', 'Prøv igjen'],
  cancelled: ['Avlyst', 'Cancelled', 'Avlyst'],
  postponed: ['Utsatt', 'Postponed', 'Utsett'],
  moved: ['Flyttet', 'Moved', 'Flytta'],
  movedFrom: ['Flyttet fra', 'Moved from', 'Flytta frå'],
  clock: ['kl. ', '', 'kl. '],
  soldOut: ['Utsolgt', 'Sold out', 'Utselt'],
  online: ['På nett', 'Online', 'På nett'],
  until: ['Til og med', 'Until', 'Til og med'],
  also: ['også', 'also', 'også'],
  free: ['Gratis', 'Free', 'Gratis'],
  near: ['Nær meg', 'Near me', 'Nær meg'],
  rounded: [
    'Posisjonen din avrundes til nærmeste kilometer.',
    'Your location is rounded to the nearest kilometre.',
    'Posisjonen din blir avrunda til næraste kilometer.',
  ],
  nowhere: [
    'Vi fikk ikke posisjonen din. Tillat posisjon i nettleseren.',
    'We could not get your location. Allow it in your browser.',
    'Vi fekk ikkje posisjonen din. Tillat posisjon i nettlesaren.',
  ],
};

const ACCESSIBILITY = {
  WHEELCHAIR: ['Rullestoltilgang', 'Wheelchair access', 'Rullestoltilgang'],
  HEARING_LOOP: ['Teleslynge', 'Hearing loop', 'Teleslyngje'],
  SIGN_LANGUAGE: ['Tegnspråk', 'Sign language', 'Teiknspråk'],
  SUBTITLES: ['Teksting', 'Subtitles', 'Teksting'],
  AUDIO_DESCRIPTION: ['Synstolking', 'Audio description', 'Synstolking'],
  RELAXED: ['Rolig forestilling', 'Relaxed', 'Roleg framsyning'],
  ASSISTANCE_DOG: ['Servicehund', 'Assistance dogs', 'Servicehund'],
  ACCESSIBLE_TOILET: ['Tilgjengelig toalett', 'Accessible toilet', 'Tilgjengeleg toalett'],
};

/** Each of WORDS in one language. */
export function wordsIn(language) {
  return inLanguage(WORDS, language);
}

/** The name of each accessibility feature. */
export function featuresIn(language) {
  return inLanguage(ACCESSIBILITY, language);
}

function inLanguage(table, language) {
  const at = LANGUAGES.indexOf(language);
  return Object.fromEntries(Object.entries(table).map(([name, texts]) => [name, texts[at]]));
}
