import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { withoutFolders } from '../../../../src/serve/http/health.ts';

const health = suite('health');

/** Reasons, with what clients see of them. */
const REASONS: Readonly<Record<string, string>> = {
  "ENOENT: no such file, open '/srv/data/x.sqlite'": "ENOENT: no such file, open 'x.sqlite'",
  "open '/srv/my data/x.sqlite'": "open 'x.sqlite'",
  '/srv/my data/2026/x.sqlite: expected version 7': 'x.sqlite: expected version 7',
  "/srv/Kari's data/a:b/x.sqlite": 'x.sqlite',
  'copied /srv/a/x.csv to /srv/b/y.csv, not to /z': 'copied x.csv to y.csv, not to /z',
  'expected /srv/a.csv, found feeds/b.csv': 'expected a.csv, found feeds/b.csv',
  'feeds/2026/kor.csv: expected a title': 'feeds/2026/kor.csv: expected a title',
  '../feeds/å/kor.csv': '../feeds/å/kor.csv',
  'file:///srv/data/x.sqlite': 'file://x.sqlite',
  'https://by.example/a/b.json and s3://bucket/a/b': 'https://by.example/a/b.json and s3://bucket/a/b',
};

for (const [reason, shown] of Object.entries(REASONS)) {
  health(`D8: should hide only the machine's folders: ${reason}`, () => {
    assert.is(withoutFolders(reason), shown);
  });
}

health.run();
