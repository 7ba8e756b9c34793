/**
 * The problems that an operator should look into, each with its remedy. `/status`, its page, the gauge and mails show the same (H12).
 */
import type { InEach } from '../page/reader.ts';
import { OF_CALENDAR } from './concerns/calendar.ts';
import type { Concern, Concerns, Found } from './concerns/concern.ts';
import { OF_COPIES } from './concerns/copies.ts';
import { OF_FEEDS } from './concerns/feeds.ts';
import { OF_MACHINE } from './concerns/machine.ts';
import { OF_DROPPED_RECORDS, OF_WAITING_EVENTS } from './concerns/records.ts';
import type { Health } from './health.ts';
import { untranslated } from './words.ts';

/** The present concerns; those that do most harm come first. */
export function concernsIn(health: Health): readonly Concern[] {
  return Object.entries(CONCERNS).flatMap(([name, { find }]) => {
    const found = find(health);
    return found ? [concernOf(name, found)] : [];
  });
}

/** An unlisted concern, such as one of another version, has only its name as text. */
export function concernOf(name: string, { since = null, details = [], parts = [] }: Found = {}): Concern {
  const { what, advice } = CONCERNS[name] ?? { what: untranslated(name), advice: untranslated('') };
  return { name, what, since, details, advice, parts };
}

/** H15: the concern with advice that an editor can follow. */
export function forEditors<Shown extends Omit<Concern, 'parts'>>(concern: Shown): Shown {
  return { ...concern, advice: CONCERNS[concern.name]?.editorAdvice ?? TELL_OPERATOR };
}

/** H15: the concern for an editor of some feeds. A message about the whole calendar, such as that of a build, can name other feeds. */
export function forEditorsOfFeeds<Shown extends Omit<Concern, 'parts'>>(concern: Shown): Shown {
  if (CONCERNS[concern.name]?.isOfFeeds === true) return forEditors(concern);
  return { ...concern, details: [], advice: TELL_OPERATOR };
}

/** What a mail says of the parts of a concern that are over; undefined for a concern about one thing. */
export function overTextOf(name: string): InEach<string> | undefined {
  return CONCERNS[name]?.partsOver;
}

/** H12: whether only the desks of its feeds get mail about it, and only when it begins. */
export function isOfDesks(name: string): boolean {
  return CONCERNS[name]?.isOfDesks === true;
}

const TELL_OPERATOR = {
  nb: 'Gi beskjed til driftsansvarlig.',
  en: 'Tell the operator.',
  nn: 'Sei frå til driftsansvarleg.',
};

/** Those that do most harm first. */
const CONCERNS: Concerns = {
  ...OF_CALENDAR,
  ...OF_DROPPED_RECORDS,
  ...OF_FEEDS,
  ...OF_COPIES,
  ...OF_MACHINE,
  ...OF_WAITING_EVENTS,
};

export const CONCERN_NAMES: readonly string[] = Object.keys(CONCERNS);
