/** Values as feeds of all kinds have them. */
import type { FeedRecord } from './last-good.ts';

/** By a tag or a name; null for any other language than Norwegian and English. */
export function languageNamed(written: string): 'nb' | 'en' | null {
  if (/^(?:nb|no|nn|nob|nor|norsk|norwegian|bokmål)(?![a-z])/i.test(written)) return 'nb';
  return /^(?:en|eng|english|engelsk)(?![a-z])/i.test(written) ? 'en' : null;
}

/** Without line breaks and repeated blanks. */
export function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}

/** One word with an at sign inside: personal addresses must not be published. */
export function isMailAddress(name: string): boolean {
  const at = name.indexOf('@', 1);
  return at !== -1 && at < name.length - 1 && !/\s/.test(name);
}

/** The fields of a record that are neither null nor undefined. */
export function withoutBlanks(fields: object): FeedRecord['value'] {
  return Object.fromEntries(
    Object.entries(fields).filter(([, value]) => value !== null && value !== undefined),
  );
}
