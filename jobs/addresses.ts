/** How people write addresses: parts between commas, a street and its number, a postal code with its town, and the country at the end. */

/** The parts of an address, without its country. */
export function addressParts(text: string): readonly string[] {
  return withoutCountry(text).split(',', MOST_PARTS);
}

/** Parts of a text that are read; a real address has five. */
export const MOST_PARTS = 10;

/** A text without `Norge` at its end, as Google and others append it. */
export function withoutCountry(text: string): string {
  return text.replace(COUNTRY, '');
}

const COUNTRY = /(?:^|(?<![\s,;.])[\s,;.]+)(?:norge|noreg|norway|norga|nor|no|norwegen)[\s.]*$/i;

/** `Storgt.`, `Storgaten` and `Storgata` name the same street; so do `Kongens gt` and `Kongens gate`. The word is folded. */
export function streetWord(word: string): string {
  return word
    .replace(/(?:gaten|gata|gate|gt)$/, 'gate')
    .replace(/(?:veien|vegen|vei|veg|vn)$/, 'veg')
    .replace(/(?:plassen|plass|pl)$/, 'plass');
}

/** Whether a folded text ends as the name of a Norwegian street does. */
export function isNamedStreet(folded: string): boolean {
  return STREET.test(folded);
}

const STREET = /(?:gaten?|gata|gt\.?|vegen|veien|veg|vei|plass(?:en)?|torget|torg|brygga|kaia)$/;
