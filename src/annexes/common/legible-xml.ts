/** XML 1.0 has no way to write some characters. The build drops control characters from texts, but not all of these. */
import { evenLines } from './lines.ts';

/** The text without characters that XML 1.0 cannot express. */
export function legibleXml(text: string): string {
  return evenLines(text).replace(ILLEGIBLE, '');
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for.
const ILLEGIBLE = /[\0-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ufffe\uffff]|\p{Surrogate}/gu;
