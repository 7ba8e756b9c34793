/** H8: the token that operators send, and the replies to wrong ones. */
import { setImmediate } from 'node:timers/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createGuard } from '../../../../src/annexes/guard/token.ts';

const TOKEN = 'a-token-of-enough-length';
const guarding = suite('guard');

/** A guard whose clock and pauses are in the test's hands. */
function createFixture() {
  const lines: object[] = [];
  /** Each ends the pause of one reply. */
  const pauses: (() => void)[] = [];
  let now = 0;
  const guard = createGuard({
    tokens: [TOKEN],
    owner: 'the operator’s',
    log: { warn: (fields, event) => void lines.push({ event, ...fields }) },
    clock: () => now,
    pause: () => new Promise((resolve) => pauses.push(() => resolve(null))),
  });
  const send = (authorization?: string) =>
    guard({ path: '/status', peer: '192.0.2.7', headers: { authorization } });
  const wait = (milliseconds: number) => {
    now += milliseconds;
  };
  return { lines, pauses, send, wait };
}

const WRONG = 'Bearer wrong';
/** Replies that wait at one time. */
const MOST_DELAYED = 32;

guarding('H8: should log wrong tokens in one line a minute, with their number', () => {
  const { lines, pauses, send, wait } = createFixture();
  for (let nth = 0; nth < 3_546; nth++) void send(`Bearer wrong-${nth}`);
  assert.is(pauses.length, 3_546);
  wait(60_000);
  void send(WRONG);
  const line = { event: 'wrong token', path: '/status', peer: '192.0.2.7' };
  assert.equal(lines, [
    { ...line, times: 1 },
    { ...line, times: 3_546 },
  ]);
});

guarding('H8: should delay the reply to a wrong token', async () => {
  const { pauses, send } = createFixture();
  let isReplied = false;
  const reply = send(WRONG).then((refusal) => {
    isReplied = true;
    return refusal;
  });
  await setImmediate();
  assert.is(isReplied, false, 'replied before the end of the pause');
  for (const end of pauses) end();
  assert.is((await reply)?.status, 401);
});

guarding('H8: should not delay the right token, nor a browser that asks for the first time', async () => {
  const { pauses, send } = createFixture();
  for (let nth = 0; nth < MOST_DELAYED; nth++) void send(WRONG);
  assert.is(await send(`Bearer ${TOKEN}`), null);
  assert.is((await send())?.status, 401);
  assert.is(pauses.length, MOST_DELAYED);
});

guarding('H8: should answer 429, after a pause, to wrong tokens beyond 32 delayed replies', async () => {
  const { pauses, send } = createFixture();
  const delayed = Array.from({ length: MOST_DELAYED }, () => send(WRONG));
  const beyond = send(WRONG);
  assert.is(pauses.length, MOST_DELAYED + 1);
  for (const end of pauses) end();
  const { status, headers = [] } = (await beyond) ?? {};
  assert.is(status, 429);
  assert.is(headers[headers.indexOf('Retry-After') + 1], '1');
  const statuses = (await Promise.all(delayed)).map((reply) => reply?.status);
  assert.equal(statuses, Array(MOST_DELAYED).fill(401));
});

guarding('H8: should have room for another wrong token once the delayed replies are sent', async () => {
  const { pauses, send } = createFixture();
  const delayed = Array.from({ length: MOST_DELAYED }, () => send(WRONG));
  for (const end of pauses) end();
  await Promise.all(delayed);
  const next = send(WRONG);
  pauses.at(-1)?.();
  assert.is((await next)?.status, 401);
});

guarding.run();
