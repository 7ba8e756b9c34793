/**
 * Holds a served calendar against the second reading: random calendars, random questions, random moments. A
 * disagreement is made small before it is told: conditions and events that do not matter are taken away.
 */
import { oracle } from './answer.ts';
import { differences } from './difference.ts';
import { serveProduct } from './product.ts';
import { expectedOf, type Question } from './questions.ts';
import { type Random, randomFrom } from './random.ts';
import { type RandomCalendar, randomCalendar } from './random-calendar.ts';
import { changeMoments, randomNow, randomQuestion } from './random-questions.ts';
import { readSource } from './source.ts';

/** One question to one calendar. */
interface Case extends RandomCalendar {
  readonly question: Question;
  readonly now: number;
}

/** Calendars that are built anew to make a disagreement small. */
const MOST_REBUILDS = 60;
const MOST_LINES = 12;

/** Asks a random calendar so many questions; null when all answers agree, else what to look at. */
export async function disagreement(seed: number, questions: number): Promise<string | null> {
  const random = randomFrom(seed);
  const told = await disagreementOn(randomCalendar(random), random, questions);
  return told === null ? null : `seed ${seed}: ${told}`;
}

/** The same of a calendar that is there already. */
export async function disagreementOn(
  { source, builtAt }: RandomCalendar,
  random: Random,
  questions: number,
): Promise<string | null> {
  const calendar = readSource(source, builtAt);
  const moments = changeMoments(calendar, builtAt);
  const served = await serveProduct(source, builtAt);
  try {
    for (let count = 0; count < questions; count += 1) {
      const question = randomQuestion(random, calendar, moments);
      const now = randomNow(random, moments);
      const expected = expectedOf(question, oracle(calendar, now));
      if (differences(expected, await served.ask(question, now)).length > 0)
        return await told(await smaller({ source, builtAt, question, now }));
    }
    return null;
  } finally {
    await served.close();
  }
}

/** The lines in which the served answer differs from the second reading's. */
async function compare({ source, builtAt, question, now }: Case): Promise<readonly string[]> {
  const expected = expectedOf(question, oracle(readSource(source, builtAt), now));
  const served = await serveProduct(source, builtAt);
  try {
    return differences(expected, await served.ask(question, now));
  } finally {
    await served.close();
  }
}

/** The same disagreement with as few conditions and events as it takes. */
async function smaller(found: Case): Promise<Case> {
  let small = found;
  let rebuilds = 0;
  const tryInstead = async (other: Case): Promise<boolean> => {
    if (rebuilds++ >= MOST_REBUILDS) return false;
    // A calendar that cannot be built is another trouble than the one that is being looked for.
    const lines = await compare(other).catch(() => []);
    if (lines.length > 0) small = other;
    return lines.length > 0;
  };
  for (const name of Object.keys(filterOf(small.question))) {
    const filter = { ...filterOf(small.question), [name]: null };
    const { field, args } = small.question;
    if (field === 'events') await tryInstead({ ...small, question: { field, args: { ...args, filter } } });
  }
  for (let size = small.source.events.length >> 1; size >= 1; size >>= 1) {
    for (let at = 0; at < small.source.events.length; ) {
      const events = small.source.events.toSpliced(at, size);
      const source = { ...small.source, events };
      if (events.length === 0 || !(await tryInstead({ ...small, source }))) at += size;
    }
  }
  return small;
}

const filterOf = ({ field, args }: Question) => (field === 'events' ? (args.filter ?? {}) : {});

async function told(small: Case): Promise<string> {
  const lines = await compare(small);
  const { source, builtAt, now, question } = small;
  const instant = (seconds: number) => new Date(seconds * 1000).toISOString();
  return [
    `built ${instant(builtAt)}, asked ${instant(now)}`,
    JSON.stringify(question),
    ...lines.slice(0, MOST_LINES),
    `${lines.length} differences, with ${source.events.length} events:`,
    ...source.events.slice(0, 4).map((event) => JSON.stringify(event)),
  ].join('\n  ');
}
