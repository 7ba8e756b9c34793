/** J1: only the code of a store's refusal is reported, because its text repeats keys and signatures. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { openStore, StoreProblem } from '../../../jobs/kit/s3.ts';
import { startFeedServer } from '../../helpers/feed-server.ts';

const refusals = suite("a store's refusals");

const KEY_ID = 'AKIAEXAMPLE';
const SECRET_KEY = 'secret/key+of/this/calendar';
const SESSION = 'session-token-of-this-calendar';
const ACCESS = { accessKeyId: KEY_ID, secretAccessKey: SECRET_KEY, sessionToken: SESSION };

refusals('J1: should report no key, signature or token in a failure', async () => {
  const received: { authorization: string; token: unknown }[] = [];
  const server = await startFeedServer((request, response) => {
    const { authorization = '', 'x-amz-security-token': token } = request.headers;
    received.push({ authorization, token });
    const secrets = `${authorization} ${KEY_ID} ${SECRET_KEY} ${token}`;
    response.writeHead(403, `${token}`, { 'x-amz-request-id': secrets, etag: secrets });
    response.end(
      `<Error><Code>SignatureDoesNotMatch</Code><Message>${secrets}</Message><AWSAccessKeyId>${KEY_ID}</AWSAccessKeyId></Error>`,
    );
  });
  const store = openStore({
    location: new URL('s3://kalender/by/'),
    s3: { ...ACCESS, endpoint: new URL(server.url), region: 'eu-north-1' },
    signal: new AbortController().signal,
    clock: Date.now,
    totalMs: 10_000,
  });
  const content = { body: '{}', type: 'application/json', cacheControl: 'no-cache' };
  const attempts = {
    read: store.read('a'),
    put: store.put('a', content),
    list: store.list('a'),
    remove: store.remove('a'),
  };
  const outcomes = await Promise.allSettled(Object.values(attempts)).finally(server.close);
  assert.is(received.length, outcomes.length);
  for (const { authorization, token } of received) {
    assert.match(authorization, KEY_ID);
    assert.is(token, SESSION);
  }
  for (const [place, operation] of Object.keys(attempts).entries()) {
    const outcome = outcomes[place];
    const refusal: unknown = outcome?.status === 'rejected' ? outcome.reason : 'success';
    if (!(refusal instanceof StoreProblem))
      throw new Error(`${operation}: expected a refusal, found ${refusal}`);
    const { message, why, cause } = refusal;
    assert.is(why, 'status 403', operation);
    assert.match(
      message,
      /^s3:\/\/kalender\/by\/a?: expected status [\d or]+, found status 403 \(SignatureDoesNotMatch\)$/,
    );
    assert.is(cause, undefined, operation);
  }
});

refusals.run();
