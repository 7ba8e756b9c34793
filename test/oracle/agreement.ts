/**
 * Holds a served calendar against the second reading: random calendars, random questions, random moments. A
 * disagreement is made small before it is told: conditions and events that do not matter are taken away.
 */
import { oracle } from './answer.ts';
import { differences } from './difference.ts';
import { expectedOf, type Question } from './questions.ts';
import { type Random, randomFrom } from './random.ts';
import { type RandomCalendar, randomCalendar } from './random-calendar.ts';
import { changeMoments, randomNow, randomQuestion } from './random-questions.ts';
import type { Json, Source } from './records.ts';
import { readSource } from './source.ts';

/** A calendar being served; `ask` gives what `answerOf` makes of the response to the question at `now`. */
export interface Served {
  ask(question: Question, now: number): Promise<Json>;
  close(): Promise<void>;
}

/** Builds a source at an instant (in seconds) and serves it. */
export type Serve = (source: Source, builtAt: number) => Promise<Served>;

/** One question to one calendar. */
interface Case {
  readonly source: Source;
  readonly builtAt: number;
  readonly question: Question;
  readonly now: number;
}

/** Calendars that are built anew to make a disagreement small. */
const MOST_REBUILDS = 60;
const MOST_LINES = 12;

/** Asks a random calendar so many questions; null when all answers agree, else what to look at. */
export async function disagreement(seed: number, questions: number, serve: Serve): Promise<string | null> {
  const random = randomFrom(seed);
  const calendar = randomCalendar(random);
  const told = await disagreementOn(calendar, { random, questions }, serve);
  return told === null ? null : `seed ${seed}: ${told}`;
}

/** The same of a calendar that is there already. */
export async function disagreementOn(
  { source, builtAt }: RandomCalendar,
  { random, questions }: { readonly random: Random; readonly questions: number },
  serve: Serve,
): Promise<string | null> {
  const calendar = readSource(source, builtAt);
  const moments = changeMoments(calendar, builtAt);
  const served = await serve(source, builtAt);
  try {
    for (let count = 0; count < questions; count += 1) {
      const question = randomQuestion(random, calendar, moments);
      const now = randomNow(random, moments);
      const expected = expectedOf(question, oracle(calendar, now));
      if (differences(expected, await served.ask(question, now)).length === 0) continue;
      const small = await smaller({ source, builtAt, question, now }, serve);
      return await told(small, serve);
    }
    return null;
  } finally {
    await served.close();
  }
}

/** The lines in which the served answer differs from the second reading's. */
async function compare({ source, builtAt, question, now }: Case, serve: Serve): Promise<readonly string[]> {
  const expected = expectedOf(question, oracle(readSource(source, builtAt), now));
  const served = await serve(source, builtAt);
  try {
    return differences(expected, await served.ask(question, now));
  } finally {
    await served.close();
  }
}

/** The same disagreement with as few conditions and events as it takes. */
async function smaller(found: Case, serve: Serve): Promise<Case> {
  let small = found;
  let rebuilds = 0;
  const tryInstead = async (other: Case): Promise<boolean> => {
    if (rebuilds >= MOST_REBUILDS) return false;
    rebuilds += 1;
    // A calendar that cannot be built is another trouble than the one that is being looked for.
    const differs = await compare(other, serve).then(
      (lines) => lines.length > 0,
      () => false,
    );
    if (differs) small = other;
    return differs;
  };
  if (small.question.field === 'events') {
    for (const [name] of Object.entries(small.question.args.filter ?? {})) {
      const { field, args } = small.question as Extract<Question, { readonly field: 'events' }>;
      const filter = { ...args.filter, [name]: null };
      await tryInstead({ ...small, question: { field, args: { ...args, filter } } });
    }
  }
  for (
    let size = Math.ceil(small.source.events.length / 2);
    size >= 1;
    size = size === 1 ? 0 : Math.ceil(size / 2)
  ) {
    for (let at = 0; at < small.source.events.length; ) {
      const events = small.source.events.toSpliced(at, size);
      const smallerSource = { ...small.source, events };
      if (events.length === 0 || !(await tryInstead({ ...small, source: smallerSource }))) at += size;
    }
  }
  return small;
}

async function told(small: Case, serve: Serve): Promise<string> {
  const lines = await compare(small, serve);
  const { source, builtAt, now, question } = small;
  const instant = (seconds: number) => new Date(seconds * 1000).toISOString();
  const shownEvents = source.events.slice(0, 4).map((event) => JSON.stringify(event));
  return [
    `built ${instant(builtAt)}, asked ${instant(now)}`,
    JSON.stringify(question),
    ...lines.slice(0, MOST_LINES),
    ...(lines.length > MOST_LINES ? [`and ${lines.length - MOST_LINES} more differences`] : []),
    `with ${source.events.length} events: ${shownEvents.join('\n')}`,
  ].join('\n  ');
}
