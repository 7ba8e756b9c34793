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

type Call = readonly [tool: string, args: object];
/** `answered`: texts that the answers contain. */
type Question = readonly [asked: string, calls: readonly Call[], answered: readonly (string | RegExp)[]];

const QUESTIONS: readonly Question[] = [
  [
    'Hva kan jeg gjøre med en sjuåring i Trondheim på lørdag hvis det regner?',
    [
      ['list_choices', { kind: 'categories' }],
      ['find_events', { ...SATURDAY, ...IN_TRONDHEIM, age: 7, categories: ['Barn og familie'] }],
      ['get_event', { event: 'evt-009' }],
    ],
    ['Lørdagseventyr', 'Planetariet', 'lørdag 28. november kl. 13.00'],
  ],
  [
    'What can I do with a seven-year-old in Trondheim on Saturday if it rains?',
    [
      ['find_events', { ...SATURDAY, ...IN_TRONDHEIM, age: 7, categories: ['FAMILY'], language: 'en' }],
      ['get_event', { event: 'evt-009', language: 'en' }],
    ],
    ['Planetarium: The night sky right now', 'Saturday 28 November, 13:00'],
  ],
  ['Hva skjer i helga?', [['find_events', { period: 'WEEKEND' }]], [/^\d+ treff\. Her er 1–/]],
  ['Er det noe gratis i kveld?', [['find_events', { period: 'TODAY', free: true }]], ['Gratis']],
  ['What is on tomorrow?', [['find_events', { period: 'TOMORROW', language: 'en' }]], ['Friday 27 November']],
  [
    'Når er neste jazzkonsert, og hva koster den?',
    [['find_events', { categories: ['Jazz'], limit: 3 }]],
    ['søndag 29. november kl. 15.00', '200–320 kr'],
  ],
  [
    'Is there a language café this month?',
    [['find_events', { text: 'language café', language: 'en' }]],
    ['Language café at the library'],
  ],
  [
    'Når er julemarkedet i Trondheim, og når er det stille time der?',
    [
      ['find_events', { text: 'julemarked', limit: 5 }],
      ['find_events', { text: 'stille time' }],
    ],
    ['Julemarkedet på Torvet', 'Julemarkedets stille time'],
  ],
  [
    'Hvilke onsdager er det babysang?',
    [['get_event', { event: 'babysang-i-var-frue-kirke' }]],
    ['onsdag 2. desember kl. 11.00', 'Med lunsj 40 kr'],
  ],
  [
    'Is there anything with sign language or a hearing loop?',
    [['find_events', { accessibility: ['HEARING_LOOP'], language: 'en', limit: 5 }]],
    [/Organ meditation/],
  ],
  ['Hva skjer på Rockheim?', [['find_events', { venue: 'Rockheim' }]], ['Lydlaben']],
  [
    'Hva er nær Torvet søndag ettermiddag?',
    [
      [
        'find_events',
        {
          from: '2026-11-29 12:00',
          until: '2026-11-29',
          near: { latitude: 63.4305, longitude: 10.3951, km: 2 },
        },
      ],
    ],
    ['søndag 29. november'],
  ],
  [
    'Where can a 15-year-old hang out for free?',
    [['find_events', { age: 15, free: true, tag: 'ungdom', language: 'en' }]],
    ['Spillkveld for ungdom', 'ages 13–18'],
  ],
  [
    'Konserter i Levanger i desember?',
    [
      [
        'find_events',
        {
          categories: ['Konsert og musikk'],
          municipality: 'Levanger',
          from: '2026-12-01',
          until: '2026-12-31',
        },
      ],
    ],
    ['Ingen treff'],
  ],
  ['Hva kan besteforeldre gjøre onsdag formiddag?', [['find_events', { text: 'senior' }]], ['Onsdagsturen']],
  [
    'Which museums have something for children?',
    [['find_events', { text: 'museum', categories: ['FAMILY'], language: 'en', limit: 5 }]],
    [/^\d+ found\./],
  ],
  ['Kan jeg se noe på nett?', [['find_events', { text: 'nett', limit: 5 }]], ['På nett']],
  [
    'Any stand-up or improv before Christmas?',
    [['find_events', { categories: ['Comedy and improv'], until: '2026-12-24', language: 'en' }]],
    ['Thursday laughs'],
  ],
  [
    'Hva er det på bibloteket?',
    [
      ['list_choices', { kind: 'venues', text: 'bibliotek' }],
      ['find_events', { venue: 'trondheim-folkebibliotek' }],
    ],
    ['trondheim-folkebibliotek', 'Språkkafé på biblioteket'],
  ],
  [
    'What is there for New Year’s Eve?',
    [
      [
        'find_events',
        { from: '2026-12-31', until: '2026-12-31', categories: ['FESTIVAL', 'SOCIAL'], language: 'en' },
      ],
    ],
    ['New Year', 'Thursday 31 December'],
  ],
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

async function answerTo(running: Running, [name, args]: Call) {
  const { text } = await running.send('/mcp', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args } }),
  });
  const { result } = JSON.parse(text);
  assert.is(result.isError, undefined, `${name} ${JSON.stringify(args)}: ${result.content[0].text}`);
  return { words: `${result.content[0].text}`, bytes: Buffer.byteLength(JSON.stringify(result)) };
}

for (const [asked, calls, answered] of QUESTIONS) {
  questions(
    `I14: should answer “${asked}” in ${calls.length === 1 ? 'one call' : `${calls.length} calls`}`,
    async ({ running, rows }) => {
      const answers = await Promise.all(calls.map((call) => answerTo(running, call)));
      const words = answers.map((answer) => answer.words).join('\n');
      for (const part of answered) assert.match(words, part);
      for (const { bytes } of answers) assertAtMost(bytes, 8_192, 'bytes');
      const made = calls.map(([name, args]) => `\`${name} ${JSON.stringify(args)}\``).join('<br>');
      const sizes = answers.map(({ bytes }) => bytes).join(' + ');
      rows.push(`| ${asked} | ${made} | ${sizes} | ${words.length} |`);
    },
  );
}

questions.run();
