/** L4: signs that an entry was not written for a public calendar. It stays, because its CLASS decides, and the report names it. */
import { fold } from '../../../../src/calendar/text.ts';

/** The `expected` of a finding about a title that says only that its owner is busy. */
export const AN_EVENT = 'the title of an event (the calendar may share only when its owner is busy)';
/** The `expected` of a finding about a description with a passcode, which the report must not repeat. */
export const FOR_ALL = 'a text for everybody (the passcode of a meeting is published with it)';

/** Whether a title is one that Outlook or Google writes in place of the event's own. */
export function isAvailability(title: string): boolean {
  return AVAILABILITY.has(fold(title).trim());
}

const AVAILABILITY = new Set(
  ['Busy', 'Opptatt', 'Opptatt tid', 'Oppteken', 'Out of office', 'Ikke på kontoret', 'Tentative'].map(fold),
);

/** Whether a description has the link to an online meeting, and its passcode. */
export function hasPasscode(text: string): boolean {
  return MEETING.test(text) && PASSCODE.test(text);
}

const MEETING = /\b(?:zoom\.us|teams\.microsoft\.com|teams\.live\.com|meet\.google\.com|webex\.com)\//i;
/** `Passcode: 123`, `Passord: abc`, `?pwd=abc`; `Passord for nettet` is none. */
const PASSCODE = /(?:passcode|passord|password|tilgangskode|adgangskode|\bPIN)\s?:\s?\S|[?&](?:amp;)?pwd=\w/i;
