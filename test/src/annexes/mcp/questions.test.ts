/** I14: questions as residents ask them, each with the calls that answer it. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { packagePath } from '../../../../src/package.ts';
import { called, NOW } from '../../../helpers/mcp-calls.ts';
import { type Running, startBuilt } from '../../../helpers/running.ts';

interface Question {
  readonly asked: string;
  readonly calls: readonly Call[];
  /** Texts that the answers contain. */
  readonly answered: readonly (string | RegExp)[];
  /** Events that `find_events` finds. */
  readonly found?: readonly string[];
  /** Events of the calendar that do not answer the question: each would be found if one argument had no effect. */
  readonly absent?: readonly string[];
}

type Answer = Awaited<ReturnType<typeof called>>;

interface Call {
  readonly tool: string;
  /** From the answer to the call before. */
  readonly args: (before: Answer | undefined) => object;
}

const findEvents = (args: object): Call => ({ tool: 'find_events', args: () => args });
const getEvent = (args: object): Call => ({ tool: 'get_event', args: () => args });
const listChoices = (args: object): Call => ({ tool: 'list_choices', args: () => args });

/** Asks for the event that was found with this title. */
const getFound = (title: string, args: object = {}): Call => ({
  tool: 'get_event',
  args: (before) => ({ event: namedIn(before?.found.events, 'title', title).id, ...args }),
});

/** Looks for events with the choice that has this name. */
const findWithChoice = (name: string, argsWith: (value: string) => object): Call => ({
  tool: 'find_events',
  args: (before) => argsWith(namedIn(before?.found.choices, 'name', name).value ?? ''),
});

type Entry = Readonly<Record<string, string>>;

function namedIn(entries: readonly Entry[] = [], key: string, start: string): Entry {
  const entry = entries.find((one) => one[key]?.startsWith(start));
  assert.ok(entry, `expected ${key} "${start}", found ${JSON.stringify(entries.map((one) => one[key]))}`);
  return entry as Entry;
}

const SATURDAY = { from: '2026-11-28', until: '2026-11-28' };
const IN_TRONDHEIM = { municipality: 'Trondheim' };

const QUESTIONS: readonly Question[] = [
  {
    asked: 'Hva kan jeg gjøre med en sjuåring i Trondheim på lørdag hvis det regner?',
    calls: [
      listChoices({ kind: 'categories' }),
      findWithChoice('Barn og familie', (category) => ({
        ...SATURDAY,
        ...IN_TRONDHEIM,
        age: 7,
        categories: [category],
      })),
      getFound('Planetariet'),
    ],
    answered: ['Lørdagseventyr', 'Planetariet', 'lørdag 28. november kl. 13.00'],
    found: ['evt-007', 'evt-009'],
    absent: ['evt-132'],
  },
  {
    asked: 'What can I do with a seven-year-old in Trondheim on Saturday if it rains?',
    calls: [
      findEvents({ ...SATURDAY, ...IN_TRONDHEIM, age: 7, categories: ['FAMILY'], language: 'en' }),
      getFound('Planetarium', { language: 'en' }),
    ],
    answered: ['Planetarium: The night sky right now', 'Saturday 28 November, 13:00'],
    found: ['evt-007', 'evt-009'],
    absent: ['evt-132'],
  },
  {
    asked: 'Hva skjer i helga?',
    calls: [findEvents({ period: 'WEEKEND' })],
    answered: [/^\d+ treff\. Her er 1–/],
    found: ['evt-140', 'evt-012'],
    absent: ['evt-031'],
  },
  {
    asked: 'Er det noe gratis i kveld?',
    calls: [findEvents({ period: 'TODAY', free: true })],
    answered: ['Gratis'],
    found: ['evt-026', 'evt-014'],
    absent: ['evt-031', 'evt-012'],
  },
  {
    asked: 'What is on tomorrow?',
    calls: [findEvents({ period: 'TOMORROW', language: 'en' })],
    answered: ['Friday 27 November'],
    found: ['evt-021', 'evt-140'],
    absent: ['evt-031', 'evt-012'],
  },
  {
    asked: 'Når er neste jazzkonsert, og hva koster den?',
    calls: [findEvents({ categories: ['Jazz'], limit: 3 })],
    answered: ['søndag 29. november kl. 15.00', '200–320 kr'],
    found: ['evt-005'],
    absent: ['evt-046'],
  },
  {
    asked: 'Is there a language café this month?',
    calls: [findEvents({ text: 'language café', language: 'en' })],
    answered: ['Language café at the library'],
    found: ['evt-001'],
    absent: ['evt-026'],
  },
  {
    asked: 'Når er julemarkedet i Trondheim, og når er det stille time der?',
    calls: [findEvents({ text: 'julemarked', limit: 5 }), findEvents({ text: 'stille time' })],
    answered: ['Julemarkedet på Torvet', 'Julemarkedets stille time'],
    found: ['evt-185', 'evt-195'],
    absent: ['evt-031'],
  },
  {
    asked: 'Hvilke onsdager er det babysang?',
    calls: [getEvent({ event: 'babysang-i-var-frue-kirke' })],
    answered: ['onsdag 2. desember kl. 11.00', 'Med lunsj 40 kr'],
  },
  {
    asked: 'Is there anything with sign language or a hearing loop?',
    calls: [findEvents({ accessibility: ['HEARING_LOOP'], language: 'en', limit: 5 })],
    answered: [/Organ meditation/],
    found: ['evt-002', 'evt-046'],
    absent: ['evt-026'],
  },
  {
    asked: 'Hva skjer på Rockheim?',
    calls: [findEvents({ venue: 'Rockheim' })],
    answered: ['Lydlaben'],
    found: ['evt-010', 'evt-066'],
    absent: ['evt-031'],
  },
  {
    asked: 'Hva er nær Torvet søndag ettermiddag?',
    calls: [
      findEvents({
        from: '2026-11-29 12:00',
        until: '2026-11-29',
        near: { latitude: 63.4305, longitude: 10.3951, km: 2 },
      }),
    ],
    answered: ['søndag 29. november'],
    found: ['evt-009', 'evt-010'],
    absent: ['evt-020', 'evt-058'],
  },
  {
    asked: 'Where can a 15-year-old hang out for free?',
    calls: [findEvents({ age: 15, free: true, language: 'en' })],
    answered: ['Spillkveld for ungdom', 'ages 13–18'],
    found: ['evt-026'],
    absent: ['evt-007', 'evt-136'],
  },
  {
    asked: 'Konserter i Levanger i desember?',
    calls: [
      findEvents({
        categories: ['Konsert og musikk'],
        municipality: 'Levanger',
        from: '2026-12-01',
        until: '2026-12-31',
      }),
    ],
    answered: ['Ingen treff'],
  },
  {
    asked: 'Hva kan besteforeldre gjøre onsdag formiddag?',
    calls: [findEvents({ text: 'senior' })],
    answered: ['Onsdagsturen'],
    found: ['evt-019', 'evt-077'],
    absent: ['evt-031'],
  },
  {
    asked: 'Which museums have something for children?',
    calls: [findEvents({ text: 'museum', categories: ['FAMILY'], language: 'en', limit: 5 })],
    answered: [/^\d+ found\./],
    found: ['evt-025', 'evt-159'],
    absent: ['evt-066'],
  },
  {
    asked: 'Kan jeg se noe på nett?',
    calls: [findEvents({ text: 'nett', limit: 5 })],
    answered: ['På nett'],
    found: ['evt-014', 'evt-013'],
    absent: ['evt-026'],
  },
  {
    asked: 'Any stand-up or improv before Christmas?',
    calls: [findEvents({ categories: ['Comedy and improv'], until: '2026-12-24', language: 'en' })],
    answered: ['Thursday laughs'],
    found: ['evt-044', 'evt-043'],
    absent: ['evt-023', 'evt-031'],
  },
  {
    asked: 'Hva er det på bibloteket?',
    calls: [
      listChoices({ kind: 'venues', text: 'bibliotek' }),
      findWithChoice('Trondheim folkebibliotek', (venue) => ({ venue })),
    ],
    answered: ['trondheim-folkebibliotek', 'Språkkafé på biblioteket'],
    found: ['evt-001', 'evt-007'],
    absent: ['evt-031'],
  },
  {
    asked: 'What is there for New Year’s Eve?',
    calls: [
      findEvents({
        from: '2026-12-31',
        until: '2026-12-31',
        categories: ['FESTIVAL', 'SOCIAL'],
        language: 'en',
      }),
    ],
    answered: ['New Year', 'Thursday 31 December'],
    found: ['evt-161'],
    absent: ['evt-132'],
  },
];

const questions = suite<{ running: Running }>('questions');

questions.before(async (context) => {
  context.running = await startBuilt(packagePath('data/sample'), NOW);
});
questions.after(({ running }) => running.close());

for (const { asked, calls, answered, found = [], absent = [] } of QUESTIONS) {
  const count = calls.length === 1 ? 'one call' : `${calls.length} calls`;
  questions(`I14: should answer “${asked}” in ${count}`, async ({ running }) => {
    const answers: Answer[] = [];
    for (const { tool, args } of calls) {
      const given = args(answers.at(-1));
      const answer = await called(running, tool, given);
      assert.is(answer.isError, false, `${tool} ${JSON.stringify(given)}: ${answer.words}`);
      answers.push(answer);
    }
    const words = answers.map((answer) => answer.words).join('\n');
    for (const part of answered) assert.match(words, part);
    const ids: string[] = answers.flatMap((answer) => (answer.found.events ?? []).map(({ id }: Entry) => id));
    for (const id of found) assert.ok(ids.includes(id), `expected ${id}, found ${ids}`);
    for (const id of absent) assert.not.ok(ids.includes(id), `expected no ${id}, found ${ids}`);
  });
}

questions.run();
