/** Reads prices as people write them, in the tables, pages and calendars of feeds. F7 is the native source's own rule. */
import { beginningOf, onOneLine } from '../../../src/calendar/display-text.ts';
import { slugOf } from '../../../src/calendar/text.ts';
import { type Amount, amountOfText, amountsIn, namesForeignCurrency, namesKroner } from './price-amounts.ts';
import { isKnownType, typeNamed } from './ticket-types.ts';

export interface FeedPrice {
  readonly type: string;
  /** Not rounded (F7 rounds it); null if there is no amount. */
  readonly price: number | null;
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

interface ReadPrices {
  /** Free tickets have the price `0`. */
  readonly prices: readonly FeedPrice[];
  /** Parts that are no price in NOK, and labels of tickets without one. */
  readonly unread: readonly string[];
}

/** The `expected` of a finding about words without an amount, which become a ticket's name. */
export const A_PRICE = 'a price such as 150 or 149,50, or gratis (the text is kept)';

/** More than any real event has. */
export const MOST_TICKETS = 50;
/** Characters of one ticket, and of a possible list of them. */
const LONGEST_TICKET = 200;
const LONGEST_LIST = 2_000;

/**
 * `150`, `kr 1 200,-`, `149,50`, `gratis`, `Fra 100`, `Voksen 200 / barn 100`, `Voksen/barn 200/100`. Empty for blank text. Beyond 50
 * tickets the rest is one unread part. A number, unlike a text, has no thousands separator: it is the amount.
 */
export function readPrices(written: string | number, language: Language, offer: Offer = {}): ReadPrices {
  const tickets =
    typeof written === 'number'
      ? [ticketOfNumber(written)]
      : withinLimit(ticketsOfLines(written.split(/[;|\n]/)));
  const read = tickets.map((ticket) => inCurrency(ticket, offer.currency));
  const prices = read.map(({ amount, label }) => {
    const wholeLabel = [offer.label ?? '', label].filter((text) => text !== '').join(' ');
    return priceOf({ type: offer.type, amount, label: wholeLabel }, language);
  });
  const unread = read.filter(({ amount }) => amount === null).map(({ text }) => text);
  return { prices, unread };
}

/** L2: a price of 0 is free. */
export function ticketsOf(prices: readonly FeedPrice[]): Tickets {
  const isFree = prices.length > 0 && prices.every(({ price }) => price === 0);
  return isFree ? { ticketsInformation: 'free', prices: [] } : { ticketsInformation: 'ticketsInfo', prices };
}

interface Ticket {
  /** Null if there are only words, which are then the label. */
  readonly amount: number | null;
  /** Empty for a ticket without one. */
  readonly label: string;
  readonly text: string;
}

function ticketOfWords(text: string): Ticket {
  return { amount: null, label: text, text };
}

function ticketOfNumber(number: number): Ticket {
  const text = String(number);
  return number < 0 ? ticketOfWords(text) : { amount: number, label: '', text };
}

/** The tickets beyond the limit become one without an amount. */
function withinLimit(tickets: readonly Ticket[]): readonly Ticket[] {
  if (tickets.length <= MOST_TICKETS) return tickets;
  const rest = tickets.slice(MOST_TICKETS - 1).map(({ text }) => text);
  return [...tickets.slice(0, MOST_TICKETS - 1), ticketOfWords(rest.join(' / '))];
}

/** The tickets of each line. Once there are more than can be used, the further lines become one. */
function ticketsOfLines(lines: readonly string[]): readonly Ticket[] {
  const tickets: Ticket[] = [];
  for (const [index, text] of lines.entries()) {
    if (!/[\p{L}\d]/u.test(text)) continue;
    if (tickets.length > MOST_TICKETS) return [...tickets, ticketOfWords(lines.slice(index).join(' / '))];
    const line = onOneLine(text);
    // Next to a price in another currency, a number is in NOK only if it says so.
    const isForeign = namesForeignCurrency(line) && !namesKroner(line);
    if (line.length > LONGEST_LIST || isForeign) tickets.push(ticketOfWords(line));
    else tickets.push(...ticketsIn(line));
  }
  return tickets;
}

function inCurrency(ticket: Ticket, currency = 'NOK'): Ticket {
  const isOwn = currency.toUpperCase() === 'NOK' || ticket.amount === null || ticket.amount === 0;
  return isOwn ? ticket : ticketOfWords(`${ticket.text} ${currency}`);
}

function ticketsIn(line: string): readonly Ticket[] {
  return pairedIn(line) ?? ticketTexts(line).map(ticketOf);
}

/** `Voksen/barn 200/100` and `200/100 (voksen/barn)`: as many names as amounts. Null for any other text. */
function pairedIn(line: string): readonly Ticket[] | null {
  const amounts = amountsIn(line);
  const first = amounts[0];
  const last = amounts.at(-1);
  if (first === undefined || last === undefined || amounts.length < 2) return null;
  const textsBesideAmounts = [line.slice(0, first.from), line.slice(last.to)]
    .map(trimmed)
    .filter((text) => text !== '');
  const names = textsBesideAmounts[0]?.split('/').map(trimmed) ?? [];
  const isPaired = textsBesideAmounts.length === 1 && names.length === amounts.length;
  if (!isPaired || !areSlashesBetween(amounts, line)) return null;
  const tickets = amounts.map(({ digits }, index) => {
    const label = names[index] ?? '';
    return { amount: amountOfText(digits), label, text: `${label} ${digits}` };
  });
  return tickets.every(({ amount }) => amount !== null) ? tickets : null;
}

function areSlashesBetween(amounts: readonly Amount[], line: string): boolean {
  return amounts.slice(1).every(({ from }, index) => line.slice(amounts[index]?.to, from).trim() === '/');
}

const SEPARATOR =
  /( ?\/ ?|, |\. (?=\p{Lu})| (?:og|and|eller|or|samt|men|but) |(?<=,[-–]) (?=\p{L})| ?(?=\())/u;

/**
 * The texts of the tickets in a line. Words without an amount belong to the amount before them, or else to the next one; after a slash they are a
 * ticket of their own.
 */
function ticketTexts(line: string): readonly string[] {
  // The expression has a group, so separators stand between the words.
  const [first = '', ...more] = line.split(SEPARATOR);
  const parts: string[] = [first];
  for (let at = 0; at < more.length; at += 2) {
    const [separator = '', words = ''] = more.slice(at, at + 2);
    const before = parts.pop() ?? '';
    const isApart = hasAmount(words) || separator.includes('/');
    if (hasAmount(before) && isApart) parts.push(before, words);
    else parts.push(before + separator + words);
  }
  return parts;
}

function hasAmount(text: string): boolean {
  return amountsIn(text).length > 0;
}

/** One ticket. Words with several amounts, such as a range, have no price. */
function ticketOf(part: string): Ticket {
  const text = trimmed(part);
  const [found, another] = amountsIn(text);
  const isTooLong = text.length > LONGEST_TICKET;
  if (found === undefined || another !== undefined || isTooLong || namesForeignCurrency(text))
    return ticketOfWords(text);
  const amount = amountOfText(found.digits);
  const before = trimmed(text.slice(0, found.from));
  const after = trimmed(text.slice(found.to));
  const isPrice = found.isMarked || arePriceWords(before, after);
  if (amount === null || !isPrice) return ticketOfWords(text);
  return { amount, label: trimmed(`${before} ${after}`.trim().replace(/^for /i, '')), text };
}

/** Words: longer labels contain more than a ticket's name. */
const MOST_WORDS = 3;

/** Whether words make the number between them a price: not `plass til 40 barn` and `2 kopper`. */
function arePriceWords(before: string, after: string): boolean {
  const isName = before.split(' ').length <= MOST_WORDS || typeNamed(before) !== undefined;
  // Without letters, it is a mark or an age, such as `18+`.
  const isOfPrice = !/\p{L}/u.test(after) || /^(?:for|pr|per|inkl|incl)(?!\p{L})/iu.test(after);
  return isName && (isOfPrice || typeNamed(after) !== undefined);
}

/** Without separators at its ends. Brackets are dropped unless they are one pair around a part of it. */
function trimmed(text: string): string {
  const plain = text.replace(/^[\s:,.!–-]+|(?<![\s:,!–-])[\s:,!–-]+$/g, '');
  const brackets = plain.replace(/[^()]/g, '');
  const isLoose = brackets !== '' && (brackets !== '()' || /^\(.*\)$/.test(plain));
  return isLoose ? plain.replace(/[()]/g, '').trim() : plain;
}

/** Labels with numbers, and words such as `inkl. mat`. */
const NO_NAME = /\d|^in[kc]l/i;

/** The label also gives one of the interface's own types; short labels of other words become types themselves. */
function priceOf(
  { type: stated, amount, label }: Omit<Ticket, 'text'> & Offer,
  language: Language,
): FeedPrice {
  const words = beginningOf(label, LONGEST_LIST);
  const newType = slugOf(words).toUpperCase().replaceAll('-', '_');
  const isShort = words.split(' ').length <= MOST_WORDS;
  const isName = amount !== null && newType !== '' && isShort && !NO_NAME.test(words);
  const knownType = isKnownType(stated) ? stated : typeNamed(words);
  const type = knownType ?? (isName ? newType : 'REGULAR');
  const price: FeedPrice = { type, price: amount };
  return label === '' ? price : { ...price, [`name_${language}`]: label };
}
