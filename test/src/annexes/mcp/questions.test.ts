/**
 * I14: questions as residents ask them, each with the calls that answer it. `QUESTIONS=1` prints a table of the bytes and characters that each
 * took.
 */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { packagePath } from '../../../../src/package.ts';
import { assertAtMost } from '../../../helpers/assertions.ts';
import { type Running, startBuilt } from '../../../helpers/running.ts';

/** A Thursday. */
const NOW = Date.parse('2026-11-26T10:00:00Z') / 1_000;
const SATURDAY = { from: '2026-11-28', until: '2026-11-28' };
const IN_TRONDHEIM = { municipality: 'Trondheim' };

interface Call {
  readonly tool: string;
  readonly args: object;
}

interface Question {
  readonly asked: string;
  readonly calls: readonly Call[];
  /** Texts that the answers contain. */
  readonly answered: readonly (string | RegExp)[];
}

const QUESTIONS: readonly Question[] = [
  {
    asked: 'Hva kan jeg gjøre med en sjuåring i Trondheim på lørdag hvis det regner?',
    calls: [
      {
        tool: 'list_choices',
        args: { kind: 'categories' },
      },
      {
        tool: 'find_events',
        args: { ...SATURDAY, ...IN_TRONDHEIM, age: 7, categories: ['Barn og familie'] },
      },
      {
        tool: 'get_event',
        args: { event: 'evt-009' },
      },
    ],
    answered: ['Lørdagseventyr', 'Planetariet', 'lørdag 28. november kl. 13.00'],
  },
  {
    asked: 'What can I do with a seven-year-old in Trondheim on Saturday if it rains?',
    calls: [
      {
        tool: 'find_events',
        args: { ...SATURDAY, ...IN_TRONDHEIM, age: 7, categories: ['FAMILY'], language: 'en' },
      },
      {
        tool: 'get_event',
        args: { event: 'evt-009', language: 'en' },
      },
    ],
    answered: ['Planetarium: The night sky right now', 'Saturday 28 November, 13:00'],
  },
  {
    asked: 'Hva skjer i helga?',
    calls: [
      {
        tool: 'find_events',
        args: { period: 'WEEKEND' },
      },
    ],
    answered: [/^\d+ treff\. Her er 1–/],
  },
  {
    asked: 'Er det noe gratis i kveld?',
    calls: [
      {
        tool: 'find_events',
        args: { period: 'TODAY', free: true },
      },
    ],
    answered: ['Gratis'],
  },
  {
    asked: 'What is on tomorrow?',
    calls: [
      {
        tool: 'find_events',
        args: { period: 'TOMORROW', language: 'en' },
      },
    ],
    answered: ['Friday 27 November'],
  },
  {
    asked: 'Når er neste jazzkonsert, og hva koster den?',
    calls: [
      {
        tool: 'find_events',
        args: { categories: ['Jazz'], limit: 3 },
      },
    ],
    answered: ['søndag 29. november kl. 15.00', '200–320 kr'],
  },
  {
    asked: 'Is there a language café this month?',
    calls: [
      {
        tool: 'find_events',
        args: { text: 'language café', language: 'en' },
      },
    ],
    answered: ['Language café at the library'],
  },
  {
    asked: 'Når er julemarkedet i Trondheim, og når er det stille time der?',
    calls: [
      {
        tool: 'find_events',
        args: { text: 'julemarked', limit: 5 },
      },
      {
        tool: 'find_events',
        args: { text: 'stille time' },
      },
    ],
    answered: ['Julemarkedet på Torvet', 'Julemarkedets stille time'],
  },
  {
    asked: 'Hvilke onsdager er det babysang?',
    calls: [
      {
        tool: 'get_event',
        args: { event: 'babysang-i-var-frue-kirke' },
      },
    ],
    answered: ['onsdag 2. desember kl. 11.00', 'Med lunsj 40 kr'],
  },
  {
    asked: 'Is there anything with sign language or a hearing loop?',
    calls: [
      {
        tool: 'find_events',
        args: { accessibility: ['HEARING_LOOP'], language: 'en', limit: 5 },
      },
    ],
    answered: [/Organ meditation/],
  },
  {
    asked: 'Hva skjer på Rockheim?',
    calls: [
      {
        tool: 'find_events',
        args: { venue: 'Rockheim' },
      },
    ],
    answered: ['Lydlaben'],
  },
  {
    asked: 'Hva er nær Torvet søndag ettermiddag?',
    calls: [
      {
        tool: 'find_events',
        args: {
          from: '2026-11-29 12:00',
          until: '2026-11-29',
          near: { latitude: 63.4305, longitude: 10.3951, km: 2 },
        },
      },
    ],
    answered: ['søndag 29. november'],
  },
  {
    asked: 'Where can a 15-year-old hang out for free?',
    calls: [
      {
        tool: 'find_events',
        args: { age: 15, free: true, tag: 'ungdom', language: 'en' },
      },
    ],
    answered: ['Spillkveld for ungdom', 'ages 13–18'],
  },
  {
    asked: 'Konserter i Levanger i desember?',
    calls: [
      {
        tool: 'find_events',
        args: {
          categories: ['Konsert og musikk'],
          municipality: 'Levanger',
          from: '2026-12-01',
          until: '2026-12-31',
        },
      },
    ],
    answered: ['Ingen treff'],
  },
  {
    asked: 'Hva kan besteforeldre gjøre onsdag formiddag?',
    calls: [
      {
        tool: 'find_events',
        args: { text: 'senior' },
      },
    ],
    answered: ['Onsdagsturen'],
  },
  {
    asked: 'Which museums have something for children?',
    calls: [
      {
        tool: 'find_events',
        args: { text: 'museum', categories: ['FAMILY'], language: 'en', limit: 5 },
      },
    ],
    answered: [/^\d+ found\./],
  },
  {
    asked: 'Kan jeg se noe på nett?',
    calls: [
      {
        tool: 'find_events',
        args: { text: 'nett', limit: 5 },
      },
    ],
    answered: ['På nett'],
  },
  {
    asked: 'Any stand-up or improv before Christmas?',
    calls: [
      {
        tool: 'find_events',
        args: { categories: ['Comedy and improv'], until: '2026-12-24', language: 'en' },
      },
    ],
    answered: ['Thursday laughs'],
  },
  {
    asked: 'Hva er det på bibloteket?',
    calls: [
      {
        tool: 'list_choices',
        args: { kind: 'venues', text: 'bibliotek' },
      },
      {
        tool: 'find_events',
        args: { venue: 'trondheim-folkebibliotek' },
      },
    ],
    answered: ['trondheim-folkebibliotek', 'Språkkafé på biblioteket'],
  },
  {
    asked: 'What is there for New Year’s Eve?',
    calls: [
      {
        tool: 'find_events',
        args: { from: '2026-12-31', until: '2026-12-31', categories: ['FESTIVAL', 'SOCIAL'], language: 'en' },
      },
    ],
    answered: ['New Year', 'Thursday 31 December'],
  },
];

const questions = suite<{ running: Running; rows: string[] }>('questions');

questions.before(async (context) => {
  context.running = await startBuilt(packagePath('data/sample'), NOW);
  context.rows = [];
});
questions.after(async ({ running, rows }) => {
  await running.close();
  if (process.env.QUESTIONS !== undefined) console.log(rows.join('\n'));
});

async function answerTo(running: Running, { tool, args }: Call) {
  const { text } = await running.send('/mcp', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: tool, arguments: args },
    }),
  });
  const { result } = JSON.parse(text);
  assert.is(result.isError, undefined, `${tool} ${JSON.stringify(args)}: ${result.content[0].text}`);
  return { words: `${result.content[0].text}`, bytes: Buffer.byteLength(JSON.stringify(result)) };
}

for (const { asked, calls, answered } of QUESTIONS) {
  questions(
    `I14: should answer “${asked}” in ${calls.length === 1 ? 'one call' : `${calls.length} calls`}`,
    async ({ running, rows }) => {
      const answers = await Promise.all(calls.map((call) => answerTo(running, call)));
      const words = answers.map((answer) => answer.words).join('\n');
      for (const part of answered) assert.match(words, part);
      for (const { bytes } of answers) assertAtMost(bytes, 8_192, 'bytes');
      const made = calls.map(({ tool, args }) => `\`${tool} ${JSON.stringify(args)}\``).join('<br>');
      const sizes = answers.map(({ bytes }) => bytes).join(' + ');
      rows.push(`| ${asked} | ${made} | ${sizes} | ${words.length} |`);
    },
  );
}

questions.run();
