/** E12: whether a date takes place as it was announced. */

/** In the interface's order. */
export const EVENT_STATUS = ['SCHEDULED', 'CANCELLED', 'POSTPONED', 'RESCHEDULED'] as const;

export type EventStatus = (typeof EVENT_STATUS)[number];

const WORDS: ReadonlySet<unknown> = new Set(EVENT_STATUS);

export const isEventStatus = (word: unknown): word is EventStatus => WORDS.has(word);

/** Whether it does not take place at its time: `eventCancelled`, so that no client of old shows it as taking place. */
export const isOff = (status: EventStatus): boolean => status === 'CANCELLED' || status === 'POSTPONED';
