/** G2: the report of many feeds with the troubles of real towns, as an editor reads it. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { fullReport } from '../../../jobs/report/report.ts';
import { reportText } from '../../../jobs/report/text.ts';
import { builtWithFeeds } from '../../helpers/feeds.ts';
import { temporaryFolder } from '../../helpers/folder.ts';
import { sourceFolder } from '../../helpers/native-source.ts';
import { recordingReport } from '../../helpers/report.ts';
import { townFiles } from '../../helpers/towns.ts';

const test = suite('G2: the report of towns');

const FEEDS = 41;
const ENTRIES = 20;

async function report() {
  const { report, findings } = recordingReport();
  const { result } = await builtWithFeeds(sourceFolder(townFiles(FEEDS, ENTRIES)), temporaryFolder(), {
    report,
  });
  return { report, findings, text: reportText(report, { counts: result.counts, isChecked: false }), result };
}

/** Lines that are no part of a section. */
const headings = (text: string) => text.split('\n').filter((line) => /^[A-Z"].*:/.test(line));

test('G2: should begin with three sentences, then list the findings in the order of urgency', async () => {
  const { text, report: all, findings, result } = await report();
  const { events, occurrences } = result.counts;
  const [first = ''] = text.split('\n');
  const published = `${events} events with ${occurrences.toLocaleString('en')} dates were published.`;
  assert.is(
    first,
    `${published} 2 of 41 feeds failed: feed-10 and feed-20. 4 records were dropped; 4 were left out.`,
  );
  assert.equal(
    headings(text).map((line) => line.replace(/[:,].*/, '')),
    [
      'Feeds that failed',
      'Dropped or left out',
      'The same entry several times',
      'Likely duplicates',
      'Feeds',
      'Suggestions',
      'Ordinary noise',
    ],
  );
  const has = (line: string | RegExp) => assert.match(text, line);
  has(
    /\n {2}feed feed-10: no records, failing since [^\n]*HTML or XML\n {2}feed feed-20: no records, failing since [^\n]*not there/,
  );
  has(
    /\n {2}4 times dropped record, expected a start such as [^\n]*, found nothing: feed feed-3:[^\n]*; feed feed-33:/,
  );
  has(/\n {2}4 times left out, expected PUBLIC, found "PRIVATE": feed feed-2:/);
  assert.is(text.match(/\n {2}feed feed-\d+: 299 identical copies, of "x@/g)?.length, 4);
  has('Likely duplicates, 4 groups of upcoming events:');
  has(
    '    "Julebord hos 5", 2026-04-02 20:00, Salen 5: "feed-5:s@5.example", "feed-6:s@6.example" Stort julebord hos 5 (one title within the other, the same place, 1 start in common)',
  );
  has('\n  31 other feeds: ');
  has('could give these words a category: "');
  has(/corrections\.json could give events a category by a word in the title: [a-z]+ \(\d+\)/);
  has('feed feed-4: 12 events called "Baren er åpen" at Puben 4 could be one, with "series": "title"');
  has(/Ordinary noise, tidied without loss: .*<span> \d+/);
  assert.not.match(text, /tidied, expected|<span>, |EXDATE.*expected/);
  const full = fullReport(all) as { findings: unknown[]; findingsLeftOut: number; duplicates: unknown[] };
  assert.equal([full.findings.length, full.findingsLeftOut], [findings.length, 0]);
  assert.is(full.duplicates.length, 4);
});

test.run();
