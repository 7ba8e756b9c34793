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
}

interface Call {
  readonly tool: string;
  readonly args: object;
}

const findEvents = (args: object): Call => ({ tool: 'find_events', args });
const getEvent = (args: object): Call => ({ tool: 'get_event', args });
const listChoices = (args: object): Call => ({ tool: 'list_choices', args });

const SATURDAY = { from: '2026-11-28', until: '2026-11-28' };
const IN_TRONDHEIM = { municipality: 'Trondheim' };

const QUESTIONS: readonly Question[] = [
  {
    asked: 'Hva kan jeg gjøre med en sjuåring i Trondheim på lørdag hvis det regner?',
    calls: [
      listChoices({ kind: 'categories' }),
      findEvents({ ...SATURDAY, ...IN_TRONDHEIM, age: 7, categories: ['Barn og familie'] }),
      getEvent({ event: 'evt-009' }),
    ],
    answered: ['Lørdagseventyr', 'Planetariet', 'lørdag 28. november kl. 13.00'],
  },
  {
    asked: 'What can I do with a seven-year-old in Trondheim on Saturday if it rains?',
    calls: [
      findEvents({ ...SATURDAY, ...IN_TRONDHEIM, age: 7, categories: ['FAMILY'], language: 'en' }),
      getEvent({ event: 'evt-009', language: 'en' }),
    ],
    answered: ['Planetarium: The night sky right now', 'Saturday 28 November, 13:00'],
  },
  {
    asked: 'Hva skjer i helga?',
    calls: [findEvents({ period: 'WEEKEND' })],
    answered: [/^\d+ treff\. Her er 1–/],
  },
  {
    asked: 'Er det noe gratis i kveld?',
    calls: [findEvents({ period: 'TODAY', free: true })],
    answered: ['Gratis'],
  },
  {
    asked: 'What is on tomorrow?',
    calls: [findEvents({ period: 'TOMORROW', language: 'en' })],
    answered: ['Friday 27 November'],
  },
  {
    asked: 'Når er neste jazzkonsert, og hva koster den?',
    calls: [findEvents({ categories: ['Jazz'], limit: 3 })],
    answered: ['søndag 29. november kl. 15.00', '200–320 kr'],
  },
  {
    asked: 'Is there a language café this month?',
    calls: [findEvents({ text: 'language café', language: 'en' })],
    answered: ['Language café at the library'],
  },
  {
    asked: 'Når er julemarkedet i Trondheim, og når er det stille time der?',
    calls: [findEvents({ text: 'julemarked', limit: 5 }), findEvents({ text: 'stille time' })],
    answered: ['Julemarkedet på Torvet', 'Julemarkedets stille time'],
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
  },
  {
    asked: 'Hva skjer på Rockheim?',
    calls: [findEvents({ venue: 'Rockheim' })],
    answered: ['Lydlaben'],
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
  },
  {
    asked: 'Where can a 15-year-old hang out for free?',
    calls: [findEvents({ age: 15, free: true, tag: 'ungdom', language: 'en' })],
    answered: ['Spillkveld for ungdom', 'ages 13–18'],
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
  },
  {
    asked: 'Which museums have something for children?',
    calls: [findEvents({ text: 'museum', categories: ['FAMILY'], language: 'en', limit: 5 })],
    answered: [/^\d+ found\./],
  },
  {
    asked: 'Kan jeg se noe på nett?',
    calls: [findEvents({ text: 'nett', limit: 5 })],
    answered: ['På nett'],
  },
  {
    asked: 'Any stand-up or improv before Christmas?',
    calls: [findEvents({ categories: ['Comedy and improv'], until: '2026-12-24', language: 'en' })],
    answered: ['Thursday laughs'],
  },
  {
    asked: 'Hva er det på bibloteket?',
    calls: [
      listChoices({ kind: 'venues', text: 'bibliotek' }),
      findEvents({ venue: 'trondheim-folkebibliotek' }),
    ],
    answered: ['trondheim-folkebibliotek', 'Språkkafé på biblioteket'],
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
  },
];

const questions = suite<{ running: Running }>('questions');

questions.before(async (context) => {
  context.running = await startBuilt(packagePath('data/sample'), NOW);
});
questions.after(({ running }) => running.close());

for (const { asked, calls, answered } of QUESTIONS) {
  const count = calls.length === 1 ? 'one call' : `${calls.length} calls`;
  questions(`I14: should answer “${asked}” in ${count}`, async ({ running }) => {
    const answers = await Promise.all(calls.map(({ tool, args }) => called(running, tool, args)));
    for (const [at, { isError, words }] of answers.entries())
      assert.is(isError, false, `${JSON.stringify(calls[at])}: ${words}`);
    const words = answers.map((answer) => answer.words).join('\n');
    for (const part of answered) assert.match(words, part);
  });
}

questions.run();
