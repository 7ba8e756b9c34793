/** How people write streets and countries in an address. */

/** `Storgt.`, `Storgaten` and `Storgata` name the same street; so do `Kongens gt` and `Kongens gate`. */
export function streetWord(word: string): string {
  return word
    .replace(/(?:gaten|gata|gate|gt)$/, 'gate')
    .replace(/(?:veien|vegen|vei|veg|vn)$/, 'veg')
    .replace(/(?:plassen|plass|pl)$/, 'plass');
}

/** At the end of a folded address, as Google and others append it. */
export const COUNTRY = /(?:^|(?<![\s,;.])[\s,;.]+)(?:norge|noreg|norway|norga|nor|no|norwegen)[\s.]*$/i;

/** Ends the name of a street. */
export const STREET = /(?:gaten?|gata|gt\.?|vegen|veien|veg|vei|plass(?:en)?|torget|torg|brygga|kaia)$/;
