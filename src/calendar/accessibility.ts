/** E6: accessibility features of events and venues. */

/** In the interface's order. */
export const ACCESSIBILITY = [
  'WHEELCHAIR',
  'HEARING_LOOP',
  'SIGN_LANGUAGE',
  'SUBTITLES',
  'AUDIO_DESCRIPTION',
  'RELAXED',
  'ASSISTANCE_DOG',
  'ACCESSIBLE_TOILET',
] as const;

export type Accessibility = (typeof ACCESSIBILITY)[number];

const WORDS: ReadonlySet<unknown> = new Set(ACCESSIBILITY);

export const isAccessibility = (word: unknown): word is Accessibility => WORDS.has(word);

/** One bit for each feature. */
export function maskOf(words: readonly Accessibility[]): number {
  return words.reduce((mask, word) => mask | bitOf(word), 0);
}

export const bitOf = (word: Accessibility): number => 1 << ACCESSIBILITY.indexOf(word);

/** In the interface's order, each once. */
export function wordsIn(mask: number): readonly Accessibility[] {
  return ACCESSIBILITY.filter((word) => (mask & bitOf(word)) !== 0);
}
