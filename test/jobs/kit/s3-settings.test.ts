/** H3, H8, J1: settings of object stores. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { temporaryFolder } from '../../helpers/folder.ts';
import { readFrom, refusalFrom } from '../../helpers/settings.ts';

const HERE = temporaryFolder();
const KEYS = { AWS_ACCESS_KEY_ID: 'id', AWS_SECRET_ACCESS_KEY: 'secret' };
const SECRETS = [...Object.keys(KEYS), 'AWS_SESSION_TOKEN'];

const settings = suite('settings of object stores');
const read = readFrom(HERE);
const refusalOf = refusalFrom(HERE);

settings('J1: should take a place in an object store, and what Amazon’s programs take of who asks', () => {
  const { publish, s3 } = read({ ...KEYS, ALMANAKK_PUBLISH: 's3://kalender.by/trondheim' });
  assert.is(publish?.href, 's3://kalender.by/trondheim/');
  const defaults = { region: 'us-east-1', accessKeyId: 'id', secretAccessKey: 'secret', sessionToken: null };
  assert.equal(s3, { endpoint: null, ...defaults });
  const store = { ALMANAKK_ORIGIN: 's3://kalender', ALMANAKK_S3_ENDPOINT: 'http://127.0.0.1:8080' };
  const more = { AWS_DEFAULT_REGION: 'eu-north-1', AWS_SESSION_TOKEN: 'token' };
  const { origin, s3: other } = read({ ...KEYS, ...store, ...more });
  assert.is(origin?.href, 's3://kalender/');
  assert.is(other?.endpoint?.href, 'http://127.0.0.1:8080/');
  assert.equal([other?.region, other?.sessionToken], ['eu-north-1', 'token']);
  assert.is(read({ ...KEYS, ...more, AWS_REGION: 'eu-west-3', ...store }).s3?.region, 'eu-west-3');
});

/** Lines that are refused because of the first one, with the words of the message. */
const BAD: Readonly<Record<string, string>> = {
  'AWS_REGION=a/b\nALMANAKK_PUBLISH=s3://kalender': 'a region such as eu-north-1, found "a/b"',
  'ALMANAKK_S3_ENDPOINT=http://me:secret@a.example\nALMANAKK_PUBLISH=s3://kalender':
    'an http or https URL without a user name, found "http://…@a.example"',
  'AWS_SESSION_TOKEN=nøkkel\nALMANAKK_ORIGIN=s3://kalender':
    'printable ASCII without spaces, found 6 characters, 1 of them a space or not printable ASCII',
  'AWS_ACCESS_KEY_ID="i d"\nALMANAKK_ORIGIN=s3://kalender':
    'printable ASCII without spaces, found 3 characters, 1 of them a space or not printable ASCII',
};

for (const [written, expected] of Object.entries(BAD)) {
  settings(`H3: should refuse ${written}`, () => {
    const refusal = refusalOf({ ...KEYS, ...parseEnv(written) });
    assert.is(refusal, `${written.split('=')[0]}: expected ${expected}`);
  });
}

settings('J1: should refuse an object store without a key', () => {
  const expected = 'AWS_ACCESS_KEY_ID: expected a value, which s3:// needs, found none';
  assert.is(refusalOf({ ALMANAKK_ORIGIN: 's3://kalender' }), expected);
});

settings('H8, J1: should read the keys of an object store from files', () => {
  const folder = temporaryFolder();
  const environment: Record<string, string> = { ALMANAKK_PUBLISH: 's3://kalender' };
  for (const name of SECRETS) {
    writeFileSync(join(folder, name), name.toLowerCase());
    environment[`${name}_FILE`] = join(folder, name);
  }
  const { s3 } = read(environment, folder);
  const found = [s3?.accessKeyId, s3?.secretAccessKey, s3?.sessionToken];
  assert.equal(found, ['aws_access_key_id', 'aws_secret_access_key', 'aws_session_token']);
});

for (const name of SECRETS) {
  settings(`H8: should refuse ${name} that is set and blank`, () => {
    const expected = `${name}: expected a value, found it set and blank: set a value, or remove it`;
    for (const blank of ['', '  \t'])
      assert.is(refusalOf({ [name]: blank }), expected, JSON.stringify(blank));
  });
}

settings.run();
