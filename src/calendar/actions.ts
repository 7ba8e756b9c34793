/** G2: the actions of a build on an entry that it does not take as it is. */

/**
 * How much each action takes from the calendar, in the order of a report. The report lists every entry that was dropped or is missing. Of
 * other actions that are alike it gives the number and a few examples.
 */
export const SEVERITY = {
  'dropped record': 'dropped',
  // An unreadable rule: all of its dates are missing.
  'dropped series': 'dropped',
  'dropped date': 'dropped',
  'dropped reference': 'dropped',
  // Entries that their owner marked private, and those that a later version replaces.
  'left out': 'missing',
  // K2: an id was retired without a notice that announced it.
  'retired unannounced': 'changed',
  'cut rule': 'changed',
  // One value of an accepted record.
  'dropped value': 'changed',
  'changed value': 'changed',
  // G12: the end of a long text is missing.
  'cut text': 'changed',
  // G8: something unsafe was removed from a value.
  'made safe': 'changed',
  'migrated category': 'changed',
  // G9: several records that are or may be one event.
  merged: 'noted',
  'likely same': 'noted',
  // L4: entries of a feed that say the same as another one.
  'identical copies': 'noted',
  // A category's name that matches none.
  'kept as tag': 'noted',
  'no category': 'noted',
  // All dates of an event that no snapshot has had are past.
  over: 'noted',
  // Markup of programs that no reader misses, such as `<span>`: the report gives only its number.
  tidied: 'noted',
} as const satisfies Readonly<Record<string, 'dropped' | 'missing' | 'changed' | 'noted'>>;

export type Action = keyof typeof SEVERITY;

export const ACTIONS = Object.keys(SEVERITY) as readonly Action[];

/** The actions that leave an entry, or a part of it, out of the snapshot. */
export const DROPPED: readonly Action[] = ACTIONS.filter((action) => SEVERITY[action] === 'dropped');

/** G2: whether a finding, perhaps one of another version, is about something that is missing. */
export function isDropping({ action }: { readonly action?: unknown }): boolean {
  return DROPPED.some((dropped) => dropped === action);
}
