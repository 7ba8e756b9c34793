/** Random characters and URLs, as those of fast-check. */
import fc from 'fast-check';

const SURROGATES = 0xd800;
const AFTER_SURROGATES = 0xe000;
const ALL = 0x110000 - (AFTER_SURROGATES - SURROGATES);

const characterAt = (position: number) =>
  String.fromCodePoint(position < SURROGATES ? position : position + AFTER_SURROGATES - SURROGATES);

function positionOf(character: unknown): number {
  const code = typeof character === 'string' ? (character.codePointAt(0) ?? -1) : -1;
  const position = code < SURROGATES ? code : code - (AFTER_SURROGATES - SURROGATES);
  if (position < 0 || characterAt(position) !== character)
    throw new Error(`expected one character, found ${String(character)}`);
  return position;
}

/**
 * Any character of Unicode, the same ones as fast-check's own `unit: 'binary'`. That makes a table of all of them, in each process: 0.8 s of
 * CPU, and 1.1 million strings that each collection of garbage visits.
 */
export const anyCharacter = fc.integer({ min: 0, max: ALL - 1 }).map(characterAt, positionOf);

const LETTERS = 'abcdefghijklmnopqrstuvwxyz';
const IN_SEGMENTS = [...LETTERS, ...LETTERS.toUpperCase(), ..."0123456789-._~!$&'()*+,;=:@"];
const segment = fc.string({
  unit: fc.oneof(
    { weight: 10, arbitrary: fc.constantFrom(...IN_SEGMENTS) },
    { weight: 1, arbitrary: anyCharacter.map(encodeURIComponent) },
  ),
});

/** URLs such as those of `fc.webUrl`, which makes the same table. */
export const anyWebUrl = fc
  .tuple(fc.constantFrom('http', 'https'), fc.webAuthority(), fc.array(segment, { maxLength: 5 }))
  .map(([scheme, authority, segments]) => `${scheme}://${[authority, ...segments].join('/')}`);
