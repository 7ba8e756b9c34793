/** G9: why events are likely the same, or stay apart: the texts in reports of builds, by which `/status` knows the reason. */

/** How their titles are alike; the strongest first. */
export const TITLES_ALIKE = {
  words: 'the same words',
  part: 'one title within the other',
  typing: 'typing errors',
} as const;

/** How they agree on a place; the most first. */
export const PLACES_ALIKE = {
  same: 'the same place',
  part: 'one place is a part of the other',
  missing: 'one has no place',
} as const;

export const SAME_OTHERWISE = {
  listedTwice: 'listed twice in one source',
  /** By a person, of these two events. */
  said: 'said to be the same',
  /** By a person, of another event of the group. */
  declared: 'declared to be the same as one of them',
} as const;

export const WHY_APART = {
  undecided:
    'decide in a correction sheet or in duplicates.json, or set "duplicates": "merge" in licence.json',
  undecidedOfFolder:
    'decide in a correction sheet or in duplicates.json; nothing else merges records of the folder itself',
  otherEnds: 'they are from one source, and end at different times',
  severalOthers: 'each may be the same event as several others',
} as const;
