/** A mirror of a running calendar answers as the original does. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { parseSourceDatetime } from '../../../../../src/calendar/input-datetime.ts';
import { isObject } from '../../../../../src/calendar/json.ts';
import { builtWithFeeds } from '../../../../helpers/feeds.ts';
import { temporaryFolder } from '../../../../helpers/folder.ts';
import { sourceFolder } from '../../../../helpers/native-source.ts';
import { IS_LONG } from '../../../../helpers/run-options.ts';
import { type Running, startServer } from '../../../../helpers/running.ts';
import { differences } from '../../../../oracle/difference.ts';
import { readSample } from '../../../../oracle/product.ts';
import { answerOf, type Question, requestOf } from '../../../../oracle/questions.ts';
import { randomFrom } from '../../../../oracle/random.ts';
import { randomCalendar } from '../../../../oracle/random-calendar.ts';
import { changeMoments, randomNow, randomQuestion } from '../../../../oracle/random-questions.ts';
import type { Json, Source } from '../../../../oracle/records.ts';
import { readSource } from '../../../../oracle/source.ts';

const CALENDARS = IS_LONG ? 60 : 1;
const QUESTIONS = IS_LONG ? 400 : 20;

const test = suite('mirror');

for (let seed = 1; seed <= CALENDARS; seed++) {
  test(`L3: should answer random queries as the original does (calendar ${seed})`, async () => {
    const random = randomFrom(seed);
    const { source, builtAt } = randomCalendar(random);
    await compare(published(source, builtAt), { builtAt, seed, questions: QUESTIONS });
  });
}

test('L3: should answer random queries as the original does (the sample)', async () => {
  const builtAt = Date.parse('2026-11-20T09:00:00Z') / 1000;
  await compare(published(readSample(), builtAt), {
    builtAt,
    seed: 7,
    questions: 2 * QUESTIONS,
  });
});

test.run();

interface Comparison {
  readonly builtAt: number;
  readonly seed: number;
  readonly questions: number;
}

async function compare(source: Source, { builtAt, seed, questions }: Comparison): Promise<void> {
  let clock = builtAt * 1000;
  const original = await serve(filesOf(source), { builtAt, clock: () => clock });
  try {
    const files = {
      ...filesOf(source),
      'events.json': undefined,
      'venues.json': undefined,
      'organizers.json': undefined,
    };
    const feed = {
      id: 'original',
      kind: 'graphql',
      url: `${original.url}/graphQL`,
      keepIds: true,
      categories: 'import',
    };
    const licence = { ...source.licence, categories: [] };
    const mirrored = { ...files, 'licence.json': licence, 'sources.json': [feed] };
    const mirror = await serve(mirrored, { builtAt, clock: () => clock });
    try {
      const random = randomFrom(seed);
      const calendar = readSource(source, builtAt);
      const moments = changeMoments(calendar, builtAt);
      for (let count = 0; count < questions; count++) {
        const question = randomQuestion(random, calendar, moments);
        const now = randomNow(random, moments);
        clock = now * 1000;
        const [mirrored, expected] = await Promise.all([ask(mirror, question), ask(original, question)]);
        const where = `${JSON.stringify(question)} at ${new Date(clock).toISOString()}`;
        assert.equal(differences(expected, mirrored), [], where);
      }
    } finally {
      await mirror.close();
    }
  } finally {
    await original.close();
  }
}

async function serve(
  files: Readonly<Record<string, unknown>>,
  { builtAt, clock }: { readonly builtAt: number; readonly clock: () => number },
) {
  const snapshots = temporaryFolder();
  const { report } = await builtWithFeeds(sourceFolder(files), snapshots, { now: builtAt, force: true });
  assert.equal(
    report.feeds.map(({ state, why }) => ({ state, why })).filter(({ state }) => state !== 'ok'),
    [],
  );
  return startServer({ snapshots, clock });
}

function filesOf({ licence, venues, organizers, events, postalCodes }: Source) {
  const lines = postalCodes.map(({ code, place, number, municipality }) =>
    [code, place, number, municipality, 'B'].join('\t'),
  );
  return {
    'licence.json': licence,
    'venues.json': venues,
    'organizers.json': organizers,
    'events.json': events,
    'postal-codes.tsv': lines.join('\n'),
  };
}

const OLDER_FIELDS =
  / mapImageURL| email telephoneNumber| urlOriginal originalSize largeSize smallSize| type author_id .* videosURL|(?<=name_en \}) mode streamingURL/g;

/** Leaves out events that are not public yet: a mirror cannot have them. */
function published(source: Source, builtAt: number): Source {
  const isPublic = (event: unknown) => {
    const date = isObject(event) && typeof event.publishingDate === 'string' ? event.publishingDate : '';
    return (parseSourceDatetime(date)?.instant ?? 0) <= builtAt;
  };
  // A municipality's number alone is part of no answer.
  const venues = source.venues.map(({ municipality = '', ...venue }) =>
    /^(?:\d{4})?$/.test(municipality) ? venue : { municipality, ...venue },
  );
  // E6: which of an event's words are its venue's, too, is not.
  const words = (list: unknown) =>
    Array.isArray(list) ? list.map((word) => String(word).toUpperCase()) : [];
  const ofVenues = new Set(source.venues.flatMap(({ accessibility }) => words(accessibility)));
  const withOwn = (event: unknown) =>
    isObject(event) && 'accessibility' in event
      ? { ...event, accessibility: words(event.accessibility).filter((word) => !ofVenues.has(word)) }
      : event;
  return { ...source, venues, events: source.events.filter(isPublic).map(withOwn) };
}

async function ask({ send }: Running, question: Question): Promise<Json> {
  // Fields that only older clients ask for are not mirrored.
  const body = JSON.stringify(requestOf(question)).replaceAll(OLDER_FIELDS, '');
  const headers = { 'content-type': 'application/json' };
  const answer = await send('/graphQL', { method: 'POST', headers, body });
  // A16: a mirror is not told of dates that are over, so it cannot count them.
  const text = answer.text.replaceAll(/(@\d{8}T\d{6}Z)-\d+"/g, '$1"');
  return answerOf(JSON.parse(text));
}
