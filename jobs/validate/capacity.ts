import type { EventRecord } from '../records.ts';
import { complainOfIssues, type Subject } from './complaints.ts';
import { oneLine } from './entry.ts';
import { capacitySchema, type RawCapacity } from './schemas.ts';

export type Capacity = Pick<
  EventRecord,
  | 'registrationEnabled'
  | 'availableTickets'
  | 'activeTickets'
  | 'maxBookingDate'
  | 'maxBookingTime'
  | 'paymentMethod'
>;

/** An event's fields for registration; null, after a complaint, when they are wrong. */
export type ReadCapacity = (value: unknown, subject: Subject) => Capacity | null;

/** F9: without registration nobody looks at what the records say here. */
export function capacityReader(registration: boolean): ReadCapacity {
  if (!registration) return () => NO_CAPACITY;
  return (value, subject) => {
    const parsed = capacitySchema.safeParse(value);
    if (parsed.success) return capacityOf(parsed.data, subject);
    complainOfIssues(subject, 'dropped record', { value, at: [], error: parsed.error });
    return null;
  };
}

function capacityOf(raw: RawCapacity, subject: Subject): Capacity {
  return {
    registrationEnabled: raw.registrationEnabled ?? false,
    availableTickets: raw.availableTickets ?? null,
    activeTickets: raw.activeTickets ?? null,
    maxBookingDate: oneLine(raw.maxBookingDate, ['maxBookingDate'], subject),
    maxBookingTime: oneLine(raw.maxBookingTime, ['maxBookingTime'], subject),
    paymentMethod: oneLine(raw.paymentMethod, ['paymentMethod'], subject),
  };
}

const NO_CAPACITY: Capacity = {
  registrationEnabled: false,
  availableTickets: null,
  activeTickets: null,
  maxBookingDate: null,
  maxBookingTime: null,
  paymentMethod: null,
};
