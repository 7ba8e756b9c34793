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
interface Position {
  readonly latitude: number;
  readonly longitude: number;
}

/** Null for none, and for 0, 0, which programs write for an unknown position. */
export function readPosition({ pair, latitude, longitude }: WrittenPosition): Position | null {
  const texts = [pair, latitude, longitude].map(textOf);
  const both = texts.map((text) => PAIR.exec(text)).find((match) => match !== null);
  const [, first, second] = both ?? [];
  const position = {
    latitude: numberOf(first ?? textOf(latitude)),
    longitude: numberOf(second ?? textOf(longitude)),
  };
  return isOnEarth(position) ? position : null;
}

/** Texts and numbers; empty for any other value. */
function textOf(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
}

/**
 * Two numbers, separated by a semicolon, by a comma that is not a decimal comma, or by blanks. Two whole numbers with blanks between them
 * are no pair: `63 26` may be degrees and minutes.
 */
const PAIR =
  /^(?!\s*[+-]?\d+\s+[+-]?\d+\s*$)\s*([+-]?\d{1,3}(?:\.\d{1,15})?)(?:\s*(?:;|,(?=\s|[+-]?\d{1,3}\.))\s*|\s+)([+-]?\d{1,3}(?:\.\d{1,15})?)\s*$/;

/** NaN for text that is not a number. */
function numberOf(text: string): number {
  const isNumber = /^\s*[+-]?\d{1,9}(?:[.,]\d{1,15})?\s*$/.test(text);
  return isNumber ? Number(text.replace(',', '.')) : Number.NaN;
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

/** Degrees. */
export type Point = readonly [latitude: number, longitude: number];

/** Null for a record without a position. */
export function pointOf({ latitude, longitude }: JsonObject): Point | null {
  return typeof latitude === 'number' && typeof longitude === 'number' ? [latitude, longitude] : null;
}

/** Points that are this near may be positions of one place. */
const NEAR_METRES = 100;

/** F11: whether two points may be positions of one place. */
export function isNear(point: Point, other: Point): boolean {
  return metresBetween(point, other) <= NEAR_METRES;
}

/** From north to south. */
const METRES_PER_DEGREE = 111_195;

function metresBetween([latitude, longitude]: Point, [otherLatitude, otherLongitude]: Point): number {
  const north = latitude - otherLatitude;
  const east = (longitude - otherLongitude) * Math.cos((latitude * Math.PI) / 180);
  return Math.hypot(north, east) * METRES_PER_DEGREE;
}
