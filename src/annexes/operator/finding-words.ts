/**
 * The expected and found values of frequent findings (G2), in Bokmål and Nynorsk. Findings have no codes: a snapshot holds its report in English
 * texts, also that of another version, and people read the same texts in the log. So these texts are the keys, and a text that is not here is
 * shown as it is. A test finds each of them in `jobs/`, so a text that is reworded there cannot be forgotten here.
 */
import type { Norwegian } from '../../calendar/model.ts';
import { partsOfNearest } from '../../calendar/nearest.ts';
import { type BothNorwegian, duplicatesInNorwegian, textIn } from './duplicate-words.ts';
import { expectedForm, foundForm } from './finding-forms.ts';

/** The sentence about a finding in Norwegian; null unless all of its parts are known. `found` is null if it is not disclosed. */
export function inNorwegian(expected: string, found: string | null, norwegian: Norwegian): string | null {
  return duplicatesInNorwegian(expected, found, norwegian) ?? sentenceOf(expected, found, norwegian);
}

function sentenceOf(expected: string, found: string | null, norwegian: Norwegian): string | null {
  const { expected: what, nearest } = partsOfNearest(expected);
  const wanted = optionalTextIn(EXPECTED.get(what), norwegian) ?? expectedForm(expected, norwegian);
  if (wanted === undefined) return null;
  const texts = TEXTS[norwegian];
  const hint = nearest === '' ? '' : `; ${texts.nearest} ${nearest}`;
  if (found === null) return `${texts.expected} ${wanted}${hint}.`;
  const words = optionalTextIn(FOUND.get(found), norwegian) ?? foundForm(found, norwegian);
  const present = words ?? (isValue(found) ? found : undefined);
  return present === undefined ? null : `${texts.expected} ${wanted}, ${texts.found} ${present}${hint}.`;
}

const TEXTS = {
  nb: { expected: 'Forventet', found: 'men fant', nearest: 'det nærmeste er' },
  nn: { expected: 'Forventa', found: 'men fann', nearest: 'det næraste er' },
};

const optionalTextIn = (words: BothNorwegian | undefined, norwegian: Norwegian) =>
  words && textIn(words, norwegian);

/** Values of records are quoted as JSON, and the same in each language; a long one is cut. */
const isValue = (found: string): boolean => /^(?:".*["…]|-?\d[\d.]*|true|false|null|[[{].*)$/s.test(found);

export const FOUND: ReadonlyMap<string, BothNorwegian> = new Map([
  ['nothing', ['ingenting', 'ingenting']],
  ['none', ['ingen', 'ingen']],
  ['neither', ['ingen av delene', 'ingen av delane']],
  ['one that is left out', ['et som er utelatt', 'eit som er utelate']],
  ["one of the folder's own records", ['et fra kalenderens egen mappe', 'eit frå kalenderen si eiga mappe']],
  ['one without a municipality', ['et uten kommune', 'eit utan kommune']],
  [
    'one that is also in a place without a municipality',
    ['et som også er på et sted uten kommune', 'eit som også er på ein stad utan kommune'],
  ],
  ['events of others', ['arrangementer fra andre', 'arrangement frå andre']],
  ['none in the last 400 days', ['ingen de siste 400 dagene', 'ingen dei siste 400 dagane']],
]);

export const EXPECTED: ReadonlyMap<string, BothNorwegian> = new Map([
  ['a title', ['en tittel', 'ein tittel']],
  [
    'a title in Norwegian or English',
    ['en tittel på norsk eller engelsk', 'ein tittel på norsk eller engelsk'],
  ],
  ['a unique id', ['en id som ingen andre har', 'ein id som ingen andre har']],
  ['a string', ['en tekst', 'ein tekst']],
  ['a string that is not blank', ['en tekst', 'ein tekst']],
  ['true or false', ['true eller false', 'true eller false']],
  ['ja or nei', ['ja eller nei', 'ja eller nei']],
  [
    'ja, nei or a word such as Normal or Privat',
    ['ja, nei eller et ord som Normal eller Privat', 'ja, nei eller eit ord som Normal eller Privat'],
  ],
  [
    'ja, nei, a date or a word such as Publisert, Synlig, Utkast or Skjult',
    [
      'ja, nei, en dato eller et ord som Publisert, Synlig, Utkast eller Skjult',
      'ja, nei, ein dato eller eit ord som Publisert, Synleg, Utkast eller Gøymt',
    ],
  ],
  ['a row that is public', ['en rad som er publisert', 'ei rad som er publisert']],
  ['a whole number', ['et helt tall', 'eit heilt tal']],
  ['a whole number, 0 or more', ['et helt tall, 0 eller mer', 'eit heilt tal, 0 eller meir']],
  [
    'an http or https URL',
    [
      'en nettadresse som begynner med https:// eller http://',
      'ei nettadresse som byrjar med https:// eller http://',
    ],
  ],
  [
    'an absolute http or https URL',
    [
      'en fullstendig nettadresse som begynner med https:// eller http://',
      'ei fullstendig nettadresse som byrjar med https:// eller http://',
    ],
  ],
  ['the http or https URL of an image', ['nettadressen til et bilde', 'nettadressa til eit bilete']],
  [
    'the http or https URL of an image, or ingen',
    ['nettadressen til et bilde, eller ordet ingen', 'nettadressa til eit bilete, eller ordet ingen'],
  ],
  [
    'a number, or digits with an optional "." fraction (but not thousands such as "1.200"), from 0 to 2147483647 (without one: null)',
    [
      'et tall, eller sifre med punktum foran desimalene (men ikke tusener som "1.200"), fra 0 til 2147483647 (uten tall: null)',
      'eit tal, eller siffer med punktum framfor desimalane (men ikkje tusen som "1.200"), frå 0 til 2147483647 (utan tal: null)',
    ],
  ],
  [
    'a price such as 150 or 149,50, or gratis',
    ['en pris som 150 eller 149,50, eller gratis', 'ein pris som 150 eller 149,50, eller gratis'],
  ],
  [
    'a price such as 150 or 149,50, or gratis (the text is kept)',
    [
      'en pris som 150 eller 149,50, eller gratis (teksten vises som den er)',
      'ein pris som 150 eller 149,50, eller gratis (teksten blir vist som han er)',
    ],
  ],
  ['a name, not an email address', ['et navn, ikke en e-postadresse', 'eit namn, ikkje ei e-postadresse']],
  ['a future date', ['en dato frem i tid', 'ein dato fram i tid']],
  [
    'a date such as 14.02.2027 kl. 19.00',
    ['en dato som 14.02.2027 kl. 19.00', 'ein dato som 14.02.2027 kl. 19.00'],
  ],
  [
    'a date or time such as 20260517 or 20260517T193000',
    [
      'en dato eller et tidspunkt som 20260517 eller 20260517T193000',
      'ein dato eller eit tidspunkt som 20260517 eller 20260517T193000',
    ],
  ],
  [
    'a datetime such as "2026-05-17 19:30" or a date such as "2026-05-17"',
    [
      'et tidspunkt som "2026-05-17 19:30" eller en dato som "2026-05-17"',
      'eit tidspunkt som "2026-05-17 19:30" eller ein dato som "2026-05-17"',
    ],
  ],
  ['an end after the start', ['et sluttidspunkt etter starten', 'eit sluttidspunkt etter starten']],
  ['a duration such as PT1H30M', ['en varighet som PT1H30M', 'ei lengd som PT1H30M']],
  [
    'minutes, or hours and minutes such as 1:30',
    ['minutter, eller timer og minutter som 1:30', 'minutt, eller timar og minutt som 1:30'],
  ],
  [
    'a date that no earlier row of the event has',
    [
      'en dato som ingen tidligere rad for arrangementet har',
      'ein dato som inga tidlegare rad for arrangementet har',
    ],
  ],
  [
    'an event that is kept (this row is one of its dates)',
    [
      'at arrangementet er med (denne raden er en av datoene)',
      'at arrangementet er med (denne rada er ein av datoane)',
    ],
  ],
  [
    'at least one date that is not excluded',
    ['minst én dato som ikke er unntatt', 'minst éin dato som ikkje er unnateken'],
  ],
  ['the id of a venue', ['id-en til et sted', 'id-en til ein stad']],
  [
    'the id or the name of a venue',
    ['id-en til et sted, eller navnet på det', 'id-en til ein stad, eller namnet på staden'],
  ],
  [
    'the id or the name of an organizer',
    ['id-en til en arrangør, eller navnet på den', 'id-en til ein arrangør, eller namnet på arrangøren'],
  ],
  [
    'the name or number of a municipality that postal-codes.tsv lists',
    [
      'navnet på eller nummeret til en kommune i postal-codes.tsv',
      'namnet på eller nummeret til ein kommune i postal-codes.tsv',
    ],
  ],
  ['an event with a place', ['et arrangement med et sted', 'eit arrangement med ein stad']],
  [
    'a place where only feeds of this sheet have events',
    [
      'et sted der bare kildene til dette arket har arrangementer',
      'ein stad der berre kjeldene til dette arket har arrangement',
    ],
  ],
  [
    'an event with no records outside the limit of the sheet',
    [
      'et arrangement som ikke også har oppføringer utenfor arkets grense',
      'eit arrangement som ikkje også har oppføringar utanfor grensa til arket',
    ],
  ],
  [
    'the id of an event of this build',
    ['id-en til et arrangement i kalenderen', 'id-en til eit arrangement i kalenderen'],
  ],
  [
    'the row for the event as it is now, which the report and /status list',
    [
      'raden for arrangementet slik det er nå, som står på /status',
      'rada for arrangementet slik det er no, som står på /status',
    ],
  ],
  ['an event that is approved', ['et arrangement som er godkjent', 'eit arrangement som er godkjent']],
  [
    'a decision on an event of a feed with "needsApproval"',
    [
      'en avgjørelse om et arrangement fra en kilde med «needsApproval»',
      'ei avgjerd om eit arrangement frå ei kjelde med «needsApproval»',
    ],
  ],
  [
    "the id of an event, or the address of the event's page",
    [
      'id-en til et arrangement, eller adressen til siden om arrangementet',
      'id-en til eit arrangement, eller adressa til sida om arrangementet',
    ],
  ],
  [
    'the address of a page that an earlier snapshot has',
    [
      'adressen til en side som kalenderen hadde før denne oppdateringen',
      'adressa til ei side som kalenderen hadde før denne oppdateringa',
    ],
  ],
  ['the name of a place', ['navnet på et sted', 'namnet på ein stad']],
  [
    'a place that neither venues.json nor an earlier row has',
    [
      'et sted som verken står i venues.json eller i en tidligere rad',
      'ein stad som verken står i venues.json eller i ei tidlegare rad',
    ],
  ],
  // F18: rows of a list of feeds.
  ['the name of a feed', ['navnet på en kilde', 'namnet på ei kjelde']],
  [
    'a name or an id that no earlier row has',
    ['et navn eller en id som ingen tidligere rad har', 'eit namn eller ein id som inga tidlegare rad har'],
  ],
  [
    'kalender, regneark or nettside',
    ['kalender, regneark eller nettside', 'kalender, rekneark eller nettside'],
  ],
  [
    'the beginning of a path, such as /arrangement/, for a nettside',
    [
      'begynnelsen på en sti, som /arrangement/, for en nettside',
      'byrjinga på ein sti, som /arrangement/, for ei nettside',
    ],
  ],
  ['a whole number from 1 to 366', ['et helt tall fra 1 til 366', 'eit heilt tal frå 1 til 366']],
  [
    'an event other than that of the row',
    ['et annet arrangement enn det raden gjelder', 'eit anna arrangement enn det rada gjeld'],
  ],
  [
    'a row that also says what to change',
    ['en rad som også sier hva som skal endres', 'ei rad som også seier kva som skal endrast'],
  ],
  [
    'a date such as 14.02.2031 or 14.02.2031 kl. 19.00, or several with commas between them',
    [
      'en dato som 14.02.2031 eller 14.02.2031 kl. 19.00, eller flere med komma mellom',
      'ein dato som 14.02.2031 eller 14.02.2031 kl. 19.00, eller fleire med komma mellom',
    ],
  ],
  [
    'a time of day such as 19.30, or with a date such as 14.02.2031 kl. 19.30',
    [
      'et klokkeslett som 19.30, eller med dato, som 14.02.2031 kl. 19.30',
      'eit klokkeslett som 19.30, eller med dato, som 14.02.2031 kl. 19.30',
    ],
  ],
  [
    'avlyst, utsatt, utsolgt, ikke utsolgt or som planlagt',
    [
      'avlyst, utsatt, utsolgt, ikke utsolgt eller som planlagt',
      'avlyst, utsett, utselt, ikkje utselt eller som planlagt',
    ],
  ],
  ['the id of an organizer', ['id-en til en arrangør', 'id-en til ein arrangør']],
  ['each organizer once', ['hver arrangør én gang', 'kvar arrangør éin gong']],
  ['a category of the licence', ['en kategori i kalenderen', 'ein kategori i kalenderen']],
  [
    'at least one category of the licence',
    ['minst én kategori i kalenderen', 'minst éin kategori i kalenderen'],
  ],
  [
    'a name or an address beside it',
    ['et navn eller en adresse i tillegg', 'eit namn eller ei adresse i tillegg'],
  ],
  [
    'a latitude and a longitude such as 63.83 and 10.05',
    ['breddegrad og lengdegrad, som 63,83 og 10,05', 'breiddegrad og lengdegrad, som 63,83 og 10,05'],
  ],
  [
    'the address of the calendar’s site, or ALMANAKK_PUBLIC_URL for the pages of this server',
    [
      'adressen til kalenderens nettsted, eller ALMANAKK_PUBLIC_URL for sidene på denne serveren',
      'adressa til nettstaden til kalenderen, eller ALMANAKK_PUBLIC_URL for sidene på denne serveren',
    ],
  ],
  ['markup that only formats text', ['bare formatering av tekst', 'berre formatering av tekst']],
]);
