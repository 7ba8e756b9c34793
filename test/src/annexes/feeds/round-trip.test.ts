/** I9, L4: our own feed as a source: the importer gives back the calendar that the feed was written from. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { packagePath } from '../../../../src/package.ts';
import { assertAbove } from '../../../helpers/assertions.ts';
import { NOW } from '../../../helpers/calendar.ts';
import { closedAfterEach } from '../../../helpers/closing.ts';
import { hasKind } from '../../../helpers/feed-kinds.ts';
import { builtWithFeeds } from '../../../helpers/feeds.ts';
import { temporaryFolder } from '../../../helpers/folder.ts';
import { sourceFolder } from '../../../helpers/native-source.ts';
import { IS_LONG } from '../../../helpers/run-options.ts';
import { type Running, startServer } from '../../../helpers/running.ts';
import { filesOf } from '../../../oracle/product.ts';
import { randomFrom } from '../../../oracle/random.ts';
import { randomCalendar } from '../../../oracle/random-calendar.ts';
import { type Node, nodesOf, occurrencesIn, titleOf } from './asked.ts';

const test = suite('round trip of feeds');
const opened = closedAfterEach(test);

/** The occurrences of a calendar, a line each, in any order. */
async function linesOf(url: string): Promise<readonly string[]> {
  const nodes: Node[] = [];
  const pageSize = 1_000;
  let isLastPage = false;
  for (let page = 0; !isLastPage; page++) {
    const found = await nodesOf(url, { page, pageSize });
    nodes.push(...found);
    isLastPage = found.length < pageSize;
  }
  return occurrencesIn(nodes)
    .map((one) => {
      const { venue, node } = one;
      const place = venue === null ? '' : [venue.name, venue.address ?? ''].join(', ');
      const where = place
        .split(/[,\s]+/)
        .filter(Boolean)
        .join(' ');
      const times = `${one.startDate} ${one.endDate}${one.allDay ? ' all day' : ''}`;
      // iCalendar's texts have neither blanks at their ends nor two in a row where ours have.
      const title = titleOf(node).replace(/\s+/g, ' ').trim();
      return [times, title, where, one.eventCancelled ? 'cancelled' : ''].join(' | ');
    })
    .sort();
}

async function served(source: string, now: number): Promise<Running> {
  const snapshots = temporaryFolder();
  // A month of it is as good as many.
  await builtWithFeeds(source, snapshots, { now, force: true, horizonMonths: 1 });
  return startServer({ snapshots, clock: () => now * 1_000 });
}

const FILES = { ical: 'events.ics', jsonld: 'events.jsonld' } as const;
/** I9: a subscription leaves out dates that are far away unless all are asked for; linked data never does. */
const ALL_DATES = { ical: '&repetitions=all', jsonld: '' } as const;
type Kind = keyof typeof FILES;
const KINDS: readonly Kind[] = ['ical', 'jsonld'];

/** A calendar, and others at the same moment with nothing but a feed of it. Gives the number of occurrences. */
async function agreement(source: string, now: number, kinds: readonly Kind[] = ['ical']): Promise<number> {
  const original = opened(await served(source, now));
  const expected = await linesOf(original.url);
  for (const kind of kinds) {
    const file = FILES[kind];
    const text = (await original.send(`/${file}?pageSize=1000${ALL_DATES[kind]}`)).text;
    const feed = { id: 'f', kind, file, mayBeEmpty: true };
    const copy = opened(await served(sourceFolder({ [file]: text, 'sources.json': [feed] }), now));
    assert.equal(await linesOf(copy.url), expected, `occurrences of ${file}`);
  }
  return expected.length;
}

test('I9, L2, L4: should read the sample back from its own feeds', async () => {
  const count = await agreement(packagePath('data/sample'), NOW, KINDS.filter(hasKind));
  assertAbove(count, 100, 'occurrences');
});

const SEEDS = IS_LONG ? 40 : 1;

for (let seed = 1; seed <= SEEDS; seed++) {
  test(`I9, L4: should read random calendar ${seed} back from its own feed`, async () => {
    const { source, builtAt } = randomCalendar(randomFrom(seed));
    assertAbove(await agreement(sourceFolder(filesOf(source)), builtAt), 10, 'occurrences');
  });
}

test.run();
