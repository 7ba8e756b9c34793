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
const AROUND = (planned: string) => `# Changelog

## [Unreleased]

- **Interface**: more.

### Planned

${planned}
### Fingerprints

- Schema: x
`;

notices('K2: should read the planned changes of the interface out of a changelog, in both languages', () => {
  const { notices: found, rest } = readPlanned(AROUND(QUOTA));
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
  assert.not.match(rest, 'Planned');
  assert.match(rest, '- **Interface**: more.\n\n### Fingerprints');
});

notices(
  'K2: should read a planned change right under its heading, and one right above the next heading',
  () => {
    const { notices: found, rest } = readPlanned(
      AROUND(QUOTA).replaceAll(/(?<=### Planned\n)\n|\n(?=### F)/g, ''),
    );
    assert.equal(
      found.map(({ id }) => id),
      ['quota'],
    );
    assert.not.match(rest, 'quota');
    assert.match(rest, '### Fingerprints');
  },
);

notices('K2: should leave all other lines of the changelog where they are', () => {
  for (const item of [
    QUOTA.replace('2027-02-01', '2027-02-30'),
    QUOTA.replace('`quota`', 'quota'),
    QUOTA.replace('  - en:', '  - sv:'),
    QUOTA.replace('**Kvote', 'Kvote'),
  ]) {
    const { notices: found, rest } = readPlanned(AROUND(`${item}${QUOTA}`));
    assert.is(found.length, 1, item);
    assertIncludes(rest, item);
  }
  const text = '# Changelog\n\n## [1.0.0]\n';
  assert.equal(readPlanned(text), { notices: [], rest: text });
});

notices('K2: should have each plan of this CHANGELOG.md in the form that callers are told of', () => {
  const { rest } = readPlanned(readFileSync(packagePath('CHANGELOG.md'), 'utf8'));
  assert.not.match(rest, '### Planned');
});

notices('should order the soonest first, and those of one day by id', () => {
  const at = (from: string, id: string) => ({ ...NOTICE, from, id });
  const ofInterface = [at('2027-02-01', 'b')];
  const ofCalendar = [at('2027-02-01', 'a'), at('2026-12-31', 'c')];
  assert.equal(
    gatherNotices({ ofInterface, ofCalendar }).map(({ key }) => key),
    ['calendar:c@2026-12-31', 'calendar:a@2027-02-01', 'interface:b@2027-02-01'],
  );
});

notices.run();
