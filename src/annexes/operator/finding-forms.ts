/** Expected and found values of findings (G2) that hold a name or a number, in Bokmål and Nynorsk. */
import type { Norwegian } from '../../calendar/model.ts';
import { type BothNorwegian, textIn } from './duplicate-words.ts';

/** Undefined for a text of another form. */
export function expectedForm(text: string, norwegian: Norwegian): string | undefined {
  return inForm(text, EXPECTED, norwegian) ?? contrast(text, norwegian);
}

/** Undefined for a text of another form. */
export function foundForm(text: string, norwegian: Norwegian): string | undefined {
  return inForm(text, FOUND, norwegian);
}

/** A form with the names in it, and its Norwegian words. */
type Form = readonly [english: RegExp, norwegian: BothNorwegian];

function inForm(text: string, forms: readonly Form[], norwegian: Norwegian): string | undefined {
  for (const [english, words] of forms) {
    const names = english.exec(text);
    if (names !== null)
      return textIn(words, norwegian).replace(/\$(\d)/g, (_, at: string) => listed(names[Number(at)] ?? ''));
  }
  return undefined;
}

function listed(names: string): string {
  return names.replaceAll(' or ', ' eller ').replaceAll('" and "', '" og "').replace(' in feed ', ' i feed ');
}

const EXPECTED: readonly Form[] = [
  [/^at most (\d+) characters$/, ['høyst $1 tegn', 'høgst $1 teikn']],
  [/^at most (\d+) organizers$/, ['høyst $1 arrangører', 'høgst $1 arrangørar']],
  [/^at most (\d+) categories$/, ['høyst $1 kategorier', 'høgst $1 kategoriar']],
  [
    /^the ids or addresses of at most (\d+) events, with semicolons between them$/,
    [
      'id-ene eller adressene til høyst $1 arrangementer, med semikolon mellom',
      'id-ane eller adressene til høgst $1 arrangement, med semikolon mellom',
    ],
  ],
  // G4: what has replaced a category.
  [/^("[^"]+"(?: and "[^"]+")*) in its place$/, ['$1 i stedet', '$1 i staden']],
  // F15: why a cell of a correction sheet is not used.
  [
    /^nothing, because (.{1,200}) hides what the row selects$/,
    ['ingenting, fordi $1 skjuler det raden gjelder', 'ingenting, fordi $1 gøymer det rada gjeld'],
  ],
  [
    /^nothing, because (.{1,200}) selects dates, and this is the same for all of them$/,
    [
      'ingenting, fordi $1 bare gjelder enkelte datoer, og dette er felles for alle',
      'ingenting, fordi $1 berre gjeld einskilde datoar, og dette er felles for alle',
    ],
  ],
  [
    /^nothing, because (.{1,200}) has no id of an event$/,
    [
      'ingenting, fordi $1 ikke har id-en til et arrangement',
      'ingenting, fordi $1 ikkje har id-en til eit arrangement',
    ],
  ],
  [/^at most (\d+) tags$/, ['høyst $1 emneord', 'høgst $1 emneord']],
  [
    /^nothing, because (.{1,200}) gives the same text$/,
    ['ingenting, fordi $1 gir den samme teksten', 'ingenting, fordi $1 gir den same teksten'],
  ],
  [
    /^nothing, because (.{1,200}) keeps these events apart$/,
    [
      'ingenting, fordi $1 holder arrangementene fra hverandre',
      'ingenting, fordi $1 held arrangementa frå kvarandre',
    ],
  ],
  [
    /^nothing, because (.{1,200}) joins these events$/,
    ['ingenting, fordi $1 slår arrangementene sammen', 'ingenting, fordi $1 slår saman arrangementa'],
  ],
  // F13, F15: the event, venue or organizer that a row names.
  [/^an event of ([a-z0-9_-]+(?: or [a-z0-9_-]+)*)$/, ['et arrangement fra $1', 'eit arrangement frå $1']],
  [
    /^a municipality of this list \((.+)\)$/s,
    ['en kommune som listen gjelder ($1)', 'ein kommune som lista gjeld ($1)'],
  ],
  [/^at most (\d+) feeds in all lists$/, ['høyst $1 kilder i alle lister', 'høgst $1 kjelder i alle lister']],
  [/^an event in (.+)$/s, ['et arrangement i $1', 'eit arrangement i $1']],
  [/^a place in (.+)$/s, ['et sted i $1', 'ein stad i $1']],
  [
    /^an id, or the address of an event's page, such as (https?:.+)$/s,
    [
      'en id, eller adressen til siden om et arrangement, som $1',
      'ein id, eller adressa til sida om eit arrangement, som $1',
    ],
  ],
  [
    /^the id of an event, because several have this address \((.+)\)$/s,
    [
      'id-en til et arrangement, fordi flere har denne adressen ($1)',
      'id-en til eit arrangement, fordi fleire har denne adressa ($1)',
    ],
  ],
  [
    /^the id of a venue, because several have this name \((.+)\)$/s,
    [
      'id-en til et sted, fordi flere har dette navnet ($1)',
      'id-en til ein stad, fordi fleire har dette namnet ($1)',
    ],
  ],
  [
    /^the id of an organizer, because several have this name \((.+)\)$/s,
    [
      'id-en til en arrangør, fordi flere har dette navnet ($1)',
      'id-en til ein arrangør, fordi fleire har dette namnet ($1)',
    ],
  ],
];

const FOUND: readonly Form[] = [
  [/^one of ([a-z0-9_.-]+)$/, ['et fra $1', 'eit frå $1']],
  [/^one in (.+)$/s, ['et i $1', 'eit i $1']],
  [/^one that is also in (.+)$/s, ['et som også er i $1', 'eit som også er i $1']],
  // I15: a colour with its contrast.
  [/^("#\w+") with (\d+)$/, ['$1 med $2', '$1 med $2']],
  [/^("#\w+") with (\d+)\.(\d+)$/, ['$1 med $2,$3', '$1 med $2,$3']],
];

/** I15: the finding about the contrast of a colour. */
function contrast(text: string, norwegian: Norwegian): string | undefined {
  const [, least, grounds, readable] = CONTRAST.exec(text) ?? [];
  const contrastIn = textIn(['en kontrast', 'ein kontrast'], norwegian);
  return least && `${contrastIn} på minst ${least.replace('.', ',')} mot ${grounds}, slik ${readable} har`;
}

const CONTRAST = /^a contrast of at least ([\d.]+) to (#[#\w, ]+), as (#\w+) has$/;
