/** Which of the encodings that files come in a text is in: UTF-16, or Windows-1252 and its part Latin-1. UTF-8 needs no guess. */

/** `latin1`: text whose characters are the bytes of Windows-1252. */
export function fromWindows1252(latin1: string): string {
  return latin1.replace(C1, (letter) => FROM_0X80[letter.charCodeAt(0) - 0x80] ?? letter);
}

/** Characters of 0x80 to 0x9F, in which Windows-1252 differs from Latin-1. Node 20's own decoder confuses the two. */
const FROM_0X80 = '€\x81‚ƒ„…†‡ˆ‰Š‹Œ\x8dŽ\x8f\x90‘’“”•–—˜™š›œ\x9džŸ';
const C1 = /[\x80-\x9f]/g;

/**
 * A text that is certainly Latin-1 or Windows-1252, else null: it has only these sets' Western letters, and signs in plausible places.
 * Norwegian in the sets of old Macintoshes and of DOS has others, as has damaged UTF-8.
 */
export function windowsTextOf(bytes: Buffer): string | null {
  const latin1 = bytes.toString('latin1');
  return UNLIKELY.test(latin1) ? null : fromWindows1252(latin1);
}

/** Other signs, a character in UTF-8, an opening quote within a word, a closing one before it. */
const UNLIKELY =
  /[^\0-\x7f\x80\x85\x91-\x97\x99\xa0\xa3\xa7\xab\xad\xb0\xb4\xb7\xbb\xc0-\xd6\xd8-\xf6\xf8-\xff]|\xc3[\x80-\xbf]|\xe2\x80|[a-z\xc0-\xff][\x91\x93]|\x94[a-z\xc0-\xff]/i;

/** Null unless a byte order mark, or two letters or brackets at the beginning, show that a text is UTF-16. */
export function utf16Of(bytes: Buffer): 'utf-16le' | 'utf-16be' | null {
  const [first = 0, second = 0, third = 0, fourth = 0] = bytes;
  if (first === 0xff && second === 0xfe) return 'utf-16le';
  if (first === 0xfe && second === 0xff) return 'utf-16be';
  if (first > 0 && third > 0 && second + fourth === 0) return 'utf-16le';
  if (second > 0 && fourth > 0 && first + third === 0) return 'utf-16be';
  return null;
}
