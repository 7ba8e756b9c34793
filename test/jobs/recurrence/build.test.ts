/** The cost of all rules of a build is bounded, wherever its events come from. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { FREE_STEPS, MOST_STEPS, SHARED_STEPS } from '../../../jobs/recurrence/allowance.ts';
import { vcalendar, vevent } from '../../helpers/feed-files.ts';
import { builtWithFeeds } from '../../helpers/feeds.ts';
import { temporaryFolder } from '../../helpers/folder.ts';
import { sourceFolder } from '../../helpers/native-source.ts';

const test = suite('recurrence of a build');

/** Never met where the start is a full minute: it costs an event all that it may have. */
const GREEDY = 'FREQ=SECONDLY;INTERVAL=60;BYSECOND=1';
/** So many such events use up the common allowance of a build of three sources, and the share of the first source. */
const ENOUGH = Math.floor((SHARED_STEPS * (1 / 2 + 1 / 6)) / (MOST_STEPS - FREE_STEPS));
/** So many events of the other sources have their shares. */
const OF_SHARE = Math.floor(SHARED_STEPS / 6 / (MOST_STEPS - FREE_STEPS));

test('G11: should bound the rules of all sources of a build together, and leave each a share', async () => {
  const many = Array.from({ length: ENOUGH + 2 }, (_, at) => at);
  const entries = many.map((at) =>
    vevent(`e${at}`, `RRULE:${GREEDY}\r\n`).replace(
      'DTSTART:20260401T100000Z',
      'DTSTART;TZID=America/New_York:20260401T100000',
    ),
  );
  const source = sourceFolder({
    'events.json': many.map((at) => ({
      id: `own${at}`,
      title_nb: 'Egen',
      dates: [{ start: '2026-02-01 19:00' }],
      repeats: [{ rule: GREEDY, start: '2026-01-01 19:00' }],
    })),
    'hall.ics': vcalendar(...entries),
    'more.ics': vcalendar(...entries),
    'sources.json': ['hall', 'more'].map((id) => ({ id, kind: 'ical', file: `${id}.ics` })),
  });
  const { report } = await builtWithFeeds(source, temporaryFolder());
  const cut = report.findings.filter(({ action }) => action === 'cut rule');
  assert.is(cut.length, 3 * many.length);
  const whole = cut.filter((finding) => JSON.stringify(finding).includes(`at most ${MOST_STEPS} `));
  const inSource = (file: string) => whole.filter(({ origin }) => origin.file === file).length;
  assert.equal(['events.json', 'feed hall', 'feed more'].map(inSource), [ENOUGH, OF_SHARE, OF_SHARE]);
});

test.run();
