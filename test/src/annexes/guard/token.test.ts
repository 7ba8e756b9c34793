import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createGuard } from '../../../../src/annexes/guard/token.ts';

const TOKEN = 'a-token-of-enough-length';
const guarding = suite('guard');

function scene() {
  const lines: object[] = [];
  const pauses: (() => void)[] = [];
  let now = 0;
  const guard = createGuard({
    token: TOKEN,
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

guarding('H8: should log wrong tokens in one line a minute, with their number', async () => {
  const { lines, pauses, send, wait } = scene();
  for (let nth = 0; nth < 3_546; nth++) void send(`Bearer wrong-${nth}`);
  assert.is(pauses.length, 3_546);
  wait(60_000);
  void send('Bearer wrong');
  const line = { event: 'wrong token', path: '/status', peer: '192.0.2.7' };
  assert.equal(lines, [
    { ...line, times: 1 },
    { ...line, times: 3_546 },
  ]);
});

guarding('H8: should delay the replies to wrong tokens, and no others', async () => {
  const { lines, pauses, send } = scene();
  const wrong = Array.from({ length: 32 }, () => send('Bearer wrong'));
  // Neither the right one nor a browser that asks for the first time waits.
  assert.is(await send(`Bearer ${TOKEN}`), null);
  assert.is((await send())?.status, 401);
  const waiting = send('Bearer wrong');
  assert.is(pauses.length, 33, 'one too many waits as well');
  for (const end of pauses) end();
  const more = await waiting;
  assert.is(more?.status, 429);
  assert.is(more?.headers[more.headers.indexOf('Retry-After') + 1], '1');
  const replies = await Promise.all(wrong);
  assert.equal([...new Set(replies.map((reply) => reply?.status))], [401]);
  assert.is(lines.length, 1);
  // Then there is room again.
  void send('Bearer wrong');
  assert.is(pauses.length, 34);
});

guarding.run();
