/** K2: planned changes of the interface, which the changelog announces, and of the calendar. */
import { readFileSync } from 'node:fs';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { gatherNotices, readPlanned } from '../../../../src/annexes/common/notices.ts';
import { packagePath } from '../../../../src/package.ts';
import { assertIncludes } from '../../../helpers/assertions.ts';
import { NOTICE } from '../../../helpers/notices.ts';

const notices = suite('notices');

const QUOTA = `- 2027-02-01 \`quota\`
  - nb: **Kvote for kall uten nøkkel.** Fra den dagen
    svares det 60 ganger i minuttet.
  - en: **A quota for calls without a key.** From that day on there are 60 answers a minute.
`;
const changelogWith = (planned: string) => `# Changelog

## [Unreleased]

- **Interface**: more.

### Planned

${planned}
### Fingerprints

- Schema: x
`;

notices('K2: should read a planned change from a changelog, in both languages', () => {
  const { notices: found } = readPlanned(changelogWith(QUOTA));
  assert.equal(found, [
    {
      id: 'quota',
      from: '2027-02-01',
      title_nb: 'Kvote for kall uten nøkkel',
      title_en: 'A quota for calls without a key',
      text_nb: 'Fra den dagen svares det 60 ganger i minuttet.',
      text_en: 'From that day on there are 60 answers a minute.',
      categories: [],
    },
  ]);
});

notices('K2: should cut planned changes out of the changelog', () => {
  const { rest } = readPlanned(changelogWith(QUOTA));
  assert.not.match(rest, 'Planned');
  assert.match(rest, '- **Interface**: more.\n\n### Fingerprints');
});

notices('K2: should read a planned change without blank lines around it', () => {
  const { notices: found, rest } = readPlanned(
    changelogWith(QUOTA).replaceAll(/(?<=### Planned\n)\n|\n(?=### F)/g, ''),
  );
  assert.equal(
    found.map(({ id }) => id),
    ['quota'],
  );
  assert.not.match(rest, 'quota');
  assert.match(rest, '### Fingerprints');
});

/** Items that are no planned change, by their fault. */
const OTHERS: Readonly<Record<string, string>> = {
  'a day that does not exist': QUOTA.replace('2027-02-01', '2027-02-30'),
  'no id': QUOTA.replace('`quota`', 'quota'),
  'another language': QUOTA.replace('  - en:', '  - sv:'),
  'no title': QUOTA.replace('**Kvote', 'Kvote'),
};

for (const [fault, item] of Object.entries(OTHERS)) {
  notices(`K2: should leave an item with ${fault} in the changelog`, () => {
    const { notices: found, rest } = readPlanned(changelogWith(`${item}${QUOTA}`));
    assert.is(found.length, 1);
    assertIncludes(rest, item);
  });
}

notices('K2: should leave a changelog without planned changes as it is', () => {
  const text = '# Changelog\n\n## [1.0.0]\n';
  assert.equal(readPlanned(text), { notices: [], rest: text });
});

notices('K2: should read every planned change of CHANGELOG.md', () => {
  const { rest } = readPlanned(readFileSync(packagePath('CHANGELOG.md'), 'utf8'));
  assert.not.match(rest, '### Planned');
});

notices('K2: should order the soonest first, and those of one day by id', () => {
  const at = (from: string, id: string) => ({ ...NOTICE, from, id });
  const ofInterface = [at('2027-02-01', 'b')];
  const ofCalendar = [at('2027-02-01', 'a'), at('2026-12-31', 'c')];
  assert.equal(
    gatherNotices({ ofInterface, ofCalendar }).map(({ key }) => key),
    ['calendar:c@2026-12-31', 'calendar:a@2027-02-01', 'interface:b@2027-02-01'],
  );
});

notices.run();
