import type { Feed } from './config.ts';

/** The event with the feed's defaults where it says nothing itself: no value, or an empty list. */
export function withDefaults(
  event: Readonly<Record<string, unknown>>,
  defaults: Feed['defaults'],
): Readonly<Record<string, unknown>> {
  const missing = Object.entries(defaults).filter(([field]) => isEmpty(event[field]));
  return { ...event, ...Object.fromEntries(missing) };
}

function isEmpty(value: unknown): boolean {
  return value === undefined || value === null || (Array.isArray(value) && value.length === 0);
}
