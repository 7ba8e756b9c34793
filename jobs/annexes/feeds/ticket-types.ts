/** The interface's own types of tickets, by the words that people use for them. */
import { fold } from '../../../src/calendar/text.ts';

/** Whether it is one of the interface's own types, such as `CHILD`. */
export function isKnownType(type: string | undefined): boolean {
  return Object.hasOwn(WORDS_BY_TYPE, type ?? '');
}

/** The type that a label names; the regular one for words that exclude a group, and for general words. Undefined for none. */
export function typeNamed(label: string): string | undefined {
  const words = fold(label)
    .replace(/(?<![a-z])(ikke|ikkje|non|not)(?=medlem|member|student)/g, '$1 ')
    .split(/[^a-z]+/)
    .filter((word) => word !== '');
  const excludesGroup = words.some((word, index) => {
    const wordBefore = words[index - 1] ?? '';
    return NEGATIONS.has(wordBefore) && typeOfWord(word) !== undefined;
  });
  const isGeneral = words.length > 0 && words.every((word) => GENERAL_WORDS.has(word));
  if (excludesGroup || isGeneral) return 'REGULAR';
  return words.map(typeOfWord).find((type) => type !== undefined);
}

function typeOfWord(word: string): string | undefined {
  return TYPES.get(word.replace(TICKET_ENDING, ''));
}

/** `barnebillett`, `medlemspris` */
const TICKET_ENDING = /(?<=...)(?:e|s)?(?:billett(?:[ea]r)?|pris|rabatt)$/;

const NEGATIONS = new Set(['ikke', 'ikkje', 'non', 'not', 'uten', 'utan', 'unntatt', 'unnateke', 'except']);

/** Folded words that are no name of a ticket. */
const GENERAL_WORDS = new Set(
  'fra from ca kun berre only pris price priser prisar prices billett billetter billettar billettpris ticket tickets inngang entre entry admission cc per pr person pers stk kvar each andre others ovrige ellers elles otherwise alle all pluss inkl incl avgift gebyr fee fees'.split(
    ' ',
  ),
);

/** Folded. */
const WORDS_BY_TYPE: Readonly<Record<string, string>> = {
  REGULAR:
    'voksen voksne vaksen vaksne ord ordinaer ordinaert ordinary regular standard adult adults general',
  CHILD: 'barn born ungdom child children kid kids',
  STUDENT: 'student studenter studentar students stud',
  SENIOR: 'honnor senior seniorer seniorar pensjonist pensjonister pensjonistar seniors',
  FAMILY: 'familie familier familiar family',
  MEMBERS: 'medlem medlemmer medlemer medlemmar medlems member members',
  REDUCED: 'redusert rabattert reduced concession concessions',
  ASSISTANT: 'ledsager ledsagere ledsagar ledsagarar assistant companion',
};

const TYPES: ReadonlyMap<string, string> = new Map(
  Object.entries(WORDS_BY_TYPE).flatMap(([type, words]) =>
    words.split(' ').map((word) => [word, type] as const),
  ),
);
