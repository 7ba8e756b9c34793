/** Positions on the map: read as people and programs write them, and compared. */
import type { JsonObject } from '../../../src/calendar/json.ts';

export interface WrittenPosition {
  /** A number, or text with a decimal point or comma; either may hold both as `63.43, 10.40`. */
  readonly latitude?: unknown;
  readonly longitude?: unknown;
  /** Both in one text, such as iCalendar's GEO. */
  readonly pair?: string | null | undefined;
}

/** Degrees. */
export interface Position {
  readonly latitude: number;
  readonly longitude: number;
}

/** Null for none, and for 0, 0, which programs write for an unknown position. */
export function readPosition({ pair, latitude, longitude }: WrittenPosition): Position | null {
  const both = [pair, latitude, longitude].map(readPair).find((found) => found !== null);
  const position = both ?? { latitude: readDegrees(latitude), longitude: readDegrees(longitude) };
  return isOnEarth(position) ? position : null;
}

const DEGREES = String.raw`[+-]?\d{1,3}(?:\.\d+)?`;
/** A semicolon, a comma that is not a decimal comma, or blanks. */
const SEPARATOR = String.raw`\s*(?:;|,(?=\s|[+-]?\d{1,3}\.))\s*|\s+`;
const PAIR = new RegExp(`^(?<latitude>${DEGREES})(?:${SEPARATOR})(?<longitude>${DEGREES})$`);
/** `63 26` may be degrees and minutes. */
const WHOLE_NUMBERS = /^[+-]?\d+\s+[+-]?\d+$/;

/** Two numbers in one text; null for any other value. */
function readPair(value: unknown): Position | null {
  const text = typeof value === 'string' ? value.trim() : '';
  if (WHOLE_NUMBERS.test(text)) return null;
  const written = PAIR.exec(text)?.groups;
  if (written === undefined) return null;
  return { latitude: Number(written.latitude), longitude: Number(written.longitude) };
}

/** A number, with a decimal point or comma, and perhaps the exponent that programs write near zero. */
const NUMBER = /^[+-]?\d+(?:[.,]\d+)?(?:e[+-]?\d+)?$/i;

/** NaN for text that is not a number, and for any other value. */
function readDegrees(value: unknown): number {
  if (typeof value === 'number') return value;
  const text = typeof value === 'string' ? value.trim() : '';
  return NUMBER.test(text) ? Number(text.replace(',', '.')) : Number.NaN;
}

function isOnEarth({ latitude, longitude }: Position): boolean {
  const isGiven = latitude !== 0 || longitude !== 0;
  return isGiven && Math.abs(latitude) <= 90 && Math.abs(longitude) <= 180;
}

/** The values that are given, for a finding; empty for none. */
export function positionText({ pair, latitude, longitude }: WrittenPosition): string {
  return [pair, latitude, longitude]
    .filter((value) => value !== null && value !== undefined && value !== '')
    .join(', ');
}

/** Null for a record without a position. */
export function positionOf({ latitude, longitude }: JsonObject): Position | null {
  return typeof latitude === 'number' && typeof longitude === 'number' ? { latitude, longitude } : null;
}

/** Positions that are this near may be of one place. */
const NEAR_METRES = 100;

/** F11: whether both may be positions of one place. */
export function isNear(position: Position, other: Position): boolean {
  return metresBetween(position, other) <= NEAR_METRES;
}

/** From north to south. */
const METRES_PER_DEGREE = 111_195;

function metresBetween(position: Position, other: Position): number {
  const north = position.latitude - other.latitude;
  const east = (position.longitude - other.longitude) * Math.cos((position.latitude * Math.PI) / 180);
  return Math.hypot(north, east) * METRES_PER_DEGREE;
}
