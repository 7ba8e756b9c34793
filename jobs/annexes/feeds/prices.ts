/** Reads prices as people write them, in the tables, pages and calendars of feeds. F7 is the native source's own rule. */
import { fold, slugOf } from '../../../src/calendar/text.ts';
import { oneLine } from './event-fields.ts';

export interface FeedPrice {
  readonly type: string;
  /** Digits with an optional `.` fraction (F7); null if there is no amount. */
  readonly price: string | null;
  readonly name_nb?: string;
  readonly name_en?: string;
}

export interface Tickets {
  readonly ticketsInformation: 'free' | 'ticketsInfo';
  /** Empty if everything is free. */
  readonly prices: readonly FeedPrice[];
}

interface Offer {
  /** The ticket's name, such as a column's or an offer's. */
  readonly label?: string | undefined;
  /** One of the interface's own types, if it is given. */
  readonly type?: string | undefined;
  /** Three letters; an amount in another currency than NOK becomes a label. */
  readonly currency?: string | undefined;
}

type Language = 'nb' | 'en';

/** More than any real event has. */
export const MOST_TICKETS = 50;
/** Characters of one ticket, and of a possible list of them. */
const LONGEST_TICKET = 200;
const LONGEST_TEXT = 2_000;

interface ReadPrices {
  /** Free tickets have the price `0`. */
  readonly prices: readonly FeedPrice[];
  /** Parts that are no price in NOK, and labels of tickets without one. */
  readonly unread: readonly string[];
}

/**
 * `150`, `kr 1 200,-`, `149,50`, `gratis`, `Fra 100`, `Voksen 200 / barn 100`, `Voksen/barn 200/100`. Empty for blank text. Beyond 50
 * tickets the rest is one unread part.
 */
export function readPrices(written: string, language: Language, offer: Offer = {}): ReadPrices {
  const all = ticketsOfParts(written.split(/[;|\n]/));
  const rest = all.slice(MOST_TICKETS - 1);
  const tickets =
    rest.length > 1
      ? [...all.slice(0, MOST_TICKETS - 1), wordsOf(rest.map(({ text }) => text).join(' / '))]
      : all;
  const read = tickets.map((ticket) => inCurrency(ticket, offer.currency));
  const prices = read.map(({ amount, label }) => {
    const whole = [offer.label ?? '', label].filter((text) => text !== '').join(' ');
    return priceOf({ type: offer.type, amount, label: whole }, language);
  });
  return { prices, unread: read.flatMap(({ amount, text }) => (amount === null ? [text] : [])) };
}

/** The tickets of each part. Parts beyond the limit become one ticket without an amount. */
function ticketsOfParts(written: readonly string[]): readonly Ticket[] {
  const tickets: Ticket[] = [];
  for (const [index, text] of written.entries()) {
    if (!/[\p{L}\d]/u.test(text)) continue;
    if (tickets.length > MOST_TICKETS) return [...tickets, wordsOf(written.slice(index).join(' / '))];
    const part = oneLine(text);
    // Next to a price in another currency, a number is in NOK only if it says so.
    const isWhole = part.length > LONGEST_TEXT || (FOREIGN.test(part) && !OWN.test(part));
    tickets.push(...(isWhole ? [wordsOf(part)] : ticketsIn(part)));
  }
  return tickets;
}

/** L2: a price of 0 is free. */
export function ticketsOf(prices: readonly FeedPrice[]): Tickets {
  const isFree = prices.length > 0 && prices.every(({ price }) => price !== null && Number(price) === 0);
  return isFree ? { ticketsInformation: 'free', prices: [] } : { ticketsInformation: 'ticketsInfo', prices };
}

interface Ticket {
  /** In F7's form; null for words without an amount, which are the label. */
  readonly amount: string | null;
  /** Empty for a ticket without one. */
  readonly label: string;
  readonly text: string;
}

function wordsOf(text: string): Ticket {
  return { amount: null, label: text, text };
}

/** The interface has one currency. */
const FOREIGN = /[$€£]|(?<!\p{L})(?:eur|euros?|usd|gbp|sek|dkk)(?!\p{L})/iu;

const OWN = /(?<!\p{L})(?:kr|kroner|nok)(?!\p{L})|\d ?,-/iu;

function inCurrency(ticket: Ticket, currency = 'NOK'): Ticket {
  const isOwn = currency.toUpperCase() === 'NOK' || ticket.amount === null || Number(ticket.amount) === 0;
  return isOwn ? ticket : wordsOf(`${ticket.text} ${currency}`);
}

const SEPARATOR = /( ?\/ ?|, |\. (?=\p{Lu})| (?:og|and|eller|or|samt|men|but) | ?(?=\())/u;

/** Words without an amount belong to the amount before them, or else to the next one; after a slash they are a ticket of their own. */
function ticketsIn(text: string): readonly Ticket[] {
  const paired = pairedIn(text);
  if (paired !== null) return paired;
  const [first = '', ...more] = text.split(SEPARATOR);
  const parts = [{ words: first, hasAmount: amountsIn(first).length > 0 }];
  for (let at = 0; at < more.length; at += 2) {
    const [separator = '', words = ''] = more.slice(at, at + 2);
    const hasAmount = amountsIn(words).length > 0;
    const before = parts.at(-1);
    if (before === undefined || (before.hasAmount && (hasAmount || separator.includes('/'))))
      parts.push({ words, hasAmount });
    else {
      before.words += separator + words;
      before.hasAmount ||= hasAmount;
    }
  }
  return parts.map(({ words }) => ticketOf(words));
}

/** `Voksen/barn 200/100` and `200/100 (voksen/barn)`: as many names as amounts. Null for any other text. */
function pairedIn(text: string): readonly Ticket[] | null {
  const tokens = amountsIn(text);
  const [first, last] = [tokens[0], tokens.at(-1)];
  if (first === undefined || last === undefined || tokens.length < 2) return null;
  const isRow = tokens.every(
    ({ to }, index) => index === tokens.length - 1 || text.slice(to, tokens[index + 1]?.from).trim() === '/',
  );
  const sides = [text.slice(0, first.from), text.slice(last.to)].map(trimmed).filter((side) => side !== '');
  const names = sides[0]?.split('/').map(trimmed) ?? [];
  if (!isRow || sides.length !== 1 || names.length !== tokens.length) return null;
  return tokens.map(({ amount }, index) => {
    const label = names[index] ?? '';
    return { amount: amountOf(amount), label, text: `${label} ${amount}` };
  });
}

/** Amounts and words for none, with their places; `isSure`: marked as an amount, as `kr` and `,-` do. */
function amountsIn(text: string) {
  const masked = text.replace(NO_AMOUNTS, (found) => found.replace(/\d/g, '_'));
  return [...masked.matchAll(TOKEN)].map(({ 0: found, index, groups }) => {
    const { kr, number = '0', tail, kroner, free } = groups ?? {};
    const isSure = [kr, tail, kroner, free].some((sign) => sign !== undefined);
    return { from: index, to: index + found.length, amount: number, isSure };
  });
}

/** Ages, hours, days and percentages: digits that are not amounts. */
const NO_AMOUNTS = new RegExp(
  [
    '(?<!\\p{L})(?:kl|klokka|klokken)\\.? ?\\d{1,2}(?:[.:]\\d\\d)?(?: ?[-–] ?\\d{1,2}(?:[.:]\\d\\d)?)?',
    '(?<!\\d)(?:\\d{1,3} ?(?:[-–]|til|to) ?)?\\d{1,3} ?(?:år|åring(?:er)?|years?|yrs?|%|prosent|percent|timer?|hours?|min|minutter|minutes|stk|pers|personer|persons|people|plasser|dager|days|uker|weeks|ganger|kvelder|retters?|th)(?!\\p{L})',
    '(?<!\\p{L})(?:under|over|below|above|fylt|ages?|alder) \\d{1,2}(?:[-–]\\d{1,2})?(?!\\d|[.,:]\\d|,[-–]| ?(?:kr|nok))',
    '(?<!\\p{L})(?:plass(?:er)? til|room for|maks|max|inntil|minst|up to) \\d{1,4}(?!\\d|[.,:]\\d|,[-–]| ?(?:kr|nok))',
    '(?<!\\d)\\d{1,2} (?:billett(?:er)?|tickets?)(?!\\p{L})',
    '(?<!\\d)\\d{1,2}\\+',
    '(?<!\\d)\\d{1,2}:\\d\\d(?!\\d)',
    '(?<!\\d)\\d{1,2}\\.(?:0?[1-9]|1[0-2])\\.(?:\\d{4}|\\d{2})?(?!\\d)',
    '(?<!\\d)\\d{1,2}\\. ?(?:jan|feb|mar|apr|mai|jun|jul|aug|sep|okt|nov|des)',
    '(?:tlf|tel|telefon|phone|vipps|sms)[.:]? ?(?:til )?#?(?:\\d{5,}|\\d{2,3}(?: \\d{2,3}){2,3})',
  ].join('|'),
  'giu',
);

const NUMBER =
  "\\d{1,3}(?:[ .,']\\d{3})+(?!\\d)(?:[.,]\\d{1,2}(?!\\d))?|\\d{1,12}(?:[.,]\\d{1,2}(?!\\d)|\\.\\d{4,9}(?!\\d))?";
const CURRENCY = '(?:kroner|kr|nok)(?!\\p{L})\\.?';
/** Free coffee and parking do not count. */
const FREE =
  '(?:gratis|free|kostnadsfritt?|vederlagsfritt?|fri(?:tt)? (?:entr[eé]|inngang|adgang)|no charge)(?!\\p{L}|[- ](?:parkering|parking|kaffe|coffee|mat|food|drikke|drinks?|servering|pizza))(?: (?:entr[eé]|inngang|adgang|entry|admission|entrance))?';
const TOKEN = new RegExp(
  `(?<![\\p{L}\\d_.,]|\\d-)(?<kr>(?:kr\\.?|nok)[ :]*)?(?<number>${NUMBER})(?![\\d_])(?<tail> ?(?:[,.:] ?[-–=]|-(?! ?[\\d_])))?(?<kroner> ?${CURRENCY})?|(?<![\\p{L}-]|ikke |not )(?<free>${FREE})`,
  'giu',
);
/** One ticket. Words with several amounts, such as a range, have no price. */
function ticketOf(words: string): Ticket {
  const text = trimmed(words);
  const [token, another] = amountsIn(text);
  if (token === undefined || another !== undefined || text.length > LONGEST_TICKET || FOREIGN.test(text))
    return wordsOf(text);
  const amount = amountOf(token.amount);
  const before = trimmed(text.slice(0, token.from));
  const after = trimmed(text.slice(token.to));
  if (amount === null || !(token.isSure || isBeside(before, after))) return wordsOf(text);
  return { amount, label: trimmed(`${before} ${after}`.trim().replace(/^for /i, '')), text };
}

/** Whether words make the number next to them a price: not `plass til 40 barn` and `2 kopper`. */
function isBeside(before: string, after: string): boolean {
  const isName = before.split(' ').length <= MOST_WORDS || typeIn(before) !== undefined;
  return (
    isName &&
    (after === '' || /^(?:for|pr|per|inkl|incl)(?!\p{L})/iu.test(after) || typeIn(after) !== undefined)
  );
}

/** Without separators at its ends. */
function trimmed(text: string): string {
  const plain = text.replace(/^[\s:,.!–-]+|(?<![\s:,!–-])[\s:,!–-]+$/g, '');
  const brackets = plain.replace(/[^()]/g, '');
  const isLoose = brackets !== '' && (brackets !== '()' || /^\(.*\)$/.test(plain));
  return isLoose ? plain.replace(/[()]/g, '').trim() : plain;
}

/** `1 200`, `1.200`, `1,200.50`, `149,50` and `149.5` in F7's form; null for any other text. */
function amountOf(written: string): string | null {
  const plain = written.replace(/[ '](?=\d{3}(?!\d))/g, '');
  const thousands = /^\d{1,3}(?:([.,])\d{3})(?:\1\d{3})*(?!\d)/.exec(plain)?.[1];
  const whole = thousands === undefined ? plain : plain.replaceAll(thousands, '');
  return /^\d{1,12}(?:[.,]\d{1,9})?$/.test(whole) ? whole.replace(',', '.') : null;
}

/** Labels with numbers, and words such as `inkl. mat`. */
const NO_NAME = /\d|^in[kc]l/i;

/** The label also gives one of the interface's own types; short labels of other words become types themselves. */
function priceOf(
  { type: stated, amount, label }: Omit<Ticket, 'text'> & Offer,
  language: Language,
): FeedPrice {
  const words = label.slice(0, LONGEST_TEXT);
  const newType = slugOf(words).toUpperCase().replaceAll('-', '_');
  const isShort = words.split(' ').length <= MOST_WORDS;
  const isName = amount !== null && newType !== '' && isShort && !NO_NAME.test(words);
  const knownType = OWN_TYPES.has(stated ?? '') ? stated : typeIn(words);
  const type = knownType ?? (isName ? newType : 'REGULAR');
  return { type, price: amount, ...(label === '' ? {} : { [`name_${language}`]: label }) };
}

/** Words: longer labels contain more than a ticket's name. */
const MOST_WORDS = 3;

/** One of the interface's own types, if the words name one; the regular one for words that exclude a group. */
function typeIn(label: string): string | undefined {
  const words = fold(label)
    .replace(/(?<![a-z])(ikke|non|not)(?=medlem|member|student)/g, '$1 ')
    .split(/[^a-z]+/)
    .filter((word) => word !== '');
  const isNegated = words.some(
    (word, index) => NEGATIONS.has(words[index - 1] ?? '') && TYPES.has(stem(word)),
  );
  if (isNegated || words.every((word) => GENERAL.has(word))) return 'REGULAR';
  return words.map((word) => TYPES.get(stem(word))).find((type) => type !== undefined);
}

/** `barnebillett`, `medlemspris` */
function stem(word: string): string {
  return word.replace(/(?<=...)(?:e|s)?(?:billett(?:er)?|pris|rabatt)$/, '');
}

const NEGATIONS = new Set(['ikke', 'non', 'not', 'uten', 'unntatt', 'except']);
const GENERAL = new Set(
  'fra from ca kun only pris price priser prices billett billetter billettpris ticket tickets inngang entre entry admission cc per pr person pers stk each andre others ovrige ellers otherwise alle all pluss inkl incl avgift gebyr fee fees'.split(
    ' ',
  ),
);
const WORDS: Readonly<Record<string, string>> = {
  REGULAR:
    'voksen voksne vaksen vaksne ord ordinaer ordinaert ordinary regular standard adult adults general',
  CHILD: 'barn born ungdom child children kid kids',
  STUDENT: 'student studenter students stud',
  SENIOR: 'honnor senior seniorer pensjonist pensjonister seniors',
  FAMILY: 'familie familier family',
  MEMBERS: 'medlem medlemmer medlems member members',
  REDUCED: 'redusert rabattert reduced concession concessions',
  ASSISTANT: 'ledsager ledsagere assistant companion',
};
const OWN_TYPES = new Set(Object.keys(WORDS));
const TYPES: ReadonlyMap<string, string> = new Map(
  Object.entries(WORDS).flatMap(([type, words]) => words.split(' ').map((word) => [word, type] as const)),
);
