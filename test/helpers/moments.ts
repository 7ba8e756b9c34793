/** Moments as numbers, parsed by the JavaScript engine and not by the code under test. */

/** Seconds since 1970 of a text with an offset, such as `2026-02-14 19:00:00+01:00`. */
export const instantAt = (text: string): number => Date.parse(text.replace(' ', 'T')) / 1_000;

/** A reading of the wall clock, such as `2026-02-14 19:00`, as if it were in UTC. */
export const wallAt = (text: string): number => instantAt(`${text}Z`);
