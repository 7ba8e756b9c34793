/** Small helpers for the fields of an event, which the readers of all kinds of feeds share. */
import { onOneLine } from '../../../src/calendar/display-text.ts';
import type { FeedRecord } from './last-good.ts';

/** The language with this tag or name; null for any other language than Norwegian and English. */
export function languageNamed(written: string): 'nb' | 'en' | null {
  if (/^(?:nb|no|nn|nob|nor|nno|norsk|norwegian|bokmål|nynorsk)(?![a-z])/i.test(written)) return 'nb';
  return /^(?:en|eng|english|engelsk)(?![a-z])/i.test(written) ? 'en' : null;
}

/** I16: whether a tag or a name is that of Nynorsk. Many programs write the tag of Bokmål unasked, so that it says nothing. */
export function isNynorsk(written: string): boolean {
  return /^(?:nn|nno|(?:norwegian |norsk )?nynorsk)(?![a-z])/i.test(written);
}

/** The text on one line; empty for strokes and dots, which fill a field that programs do not leave empty. */
export function withoutFiller(text: string | null | undefined): string {
  const line = onOneLine(text ?? '');
  return /^[-–—_./ ]*$/.test(line) ? '' : line;
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
