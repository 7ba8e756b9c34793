/** Pages in Nynorsk (I16). */
import * as assert from 'uvu/assert';
import { eachIn, textIn } from './html.ts';

/** Fails for a word of Bokmål in a page's own texts, or for a form of Nynorsk in place of the one that the other texts have. */
export function assertInNynorsk(html: string): void {
  const text = ownTextOf(html);
  assert.equal(text.match(BOKMÅL), null, text);
  assert.equal(text.match(OTHER_FORMS), null, text);
}

/** Words that Nynorsk does not have. */
const BOKMÅL =
  /(?<!\p{L})(?:hva|hvor|hver|hvem|ikke|fra|uten|mer|flere|noe|nå|bare|hele|arrangement(?:er|ene)|sted(?:er)?|uken|helgen|morgen|velg|valgte|siden|dager|datoer|filtre|kommende|utsolgt|utsatt|flyttet|åpne[rt]?|kilde(?:r|n|ne)?|filen|navn|forespørsler|bygget|mislyktes|mangler|venter|feiler|svarer|adressen|lenken?e?|hvis|disse|utviklere)(?!\p{L})/giu;

/** For `vart`, `også` and `ho`. */
const OTHER_FORMS = /(?<!\p{L})(?:blei|òg|henne)(?!\p{L})/giu;

/** The text of a page without what is marked as another language, and without values of the calendar. */
const ownTextOf = (html: string) => {
  const [, body = ''] = /<body[^>]*>([\s\S]*)<\/body>/.exec(html) ?? [];
  const own = body
    .replaceAll(/<script[\s\S]*?<\/script>/g, '')
    .replaceAll(/<(\w+)[^>]* lang="(?:nb|en)"[^>]*>[\s\S]*?<\/\1>/g, '');
  const attributes = eachIn(own, / (?:aria-label|placeholder|data-copied|data-nowhere)="([^"]*)"/g);
  // Findings quote values of records.
  const text = textIn(own).replaceAll(/"[^"]*"/g, '');
  return [text, ...attributes].join(' ').replaceAll(/https?:\S+/g, '');
};
