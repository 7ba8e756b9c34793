/** D14: work that nobody waits for any more. */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Execute } from '../../../../src/serve/graphql/answer.ts';
import { closedAfterEach } from '../../../helpers/closing.ts';
import { eventually, until } from '../../../helpers/until.ts';
import { type Stand, startStand } from './stand.ts';

const QUERY = '{ now }';

/** Work that goes on until it is ended from outside, and how often each has paused. */
function endless() {
  const pauses: number[] = [];
  let isOver = false;
  const execute: Execute = async (_operation, { work }) => {
    const own = pauses.push(0) - 1;
    while (!isOver) {
      await work?.nextTurn();
      pauses[own] = (pauses[own] ?? 0) + 1;
      await new Promise((turn) => setImmediate(turn));
    }
    return {
      body: [Buffer.from('{"data":{"now":1}}')],
      hasData: true,
      hasErrors: false,
      dependsOnDay: false,
    };
  };
  const finish = () => {
    isOver = true;
  };
  return { pauses, execute, finish };
}

async function ask({ port }: Stand, query: string): Promise<Socket> {
  const socket = connect(port, '127.0.0.1').on('error', () => undefined);
  await once(socket, 'connect');
  const body = JSON.stringify({ query });
  socket.write(
    `POST /graphQL HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
  );
  return socket;
}

const test = suite('abandoned work');
const opened = closedAfterEach(test);

test('D14: should end work at its next pause once all clients have left, and begin anew for the next one', async () => {
  const { pauses, execute, finish } = endless();
  const stand = opened(await startStand({ execute }));
  const one = await ask(stand, QUERY);
  await until('it has begun', () => pauses.length === 1);
  const other = await ask(stand, QUERY);
  // The server reads this request after the other client's.
  assert.is((await stand.send('/healthz')).status, 200);
  one.destroy();
  await eventually('its connection has ended', async () => (await stand.connections()) <= 2);
  const [before = 0] = pauses;
  await until('it goes on for the other one', () => (pauses[0] ?? 0) > before + 3);
  other.destroy();
  await until('it has ended', () => stand.admission.state().running === 0);
  await until('both are logged', () => stand.traffic.filter(({ status }) => status === 499).length === 2);
  assert.is(stand.pins(), 0);
  const third = stand.post(QUERY);
  await until('it begins anew', () => pauses.length === 2);
  finish();
  assert.is((await third).status, 200);
  assert.is(stand.executions(), 2);
  assert.equal(stand.logged, []);
});

test('D14: should remove a request from the queue with its connection', async () => {
  const { pauses, execute, finish } = endless();
  const stand = opened(await startStand({ execute, admission: { small: { mostRunning: 1 } } }));
  const running = stand.post(QUERY);
  await until('one has begun', () => pauses.length === 1);
  const sockets = await Promise.all(['a', 'b', 'c'].map((name) => ask(stand, `{ ${name}: now }`)));
  await until('three wait', () => stand.admission.state().waiting === 3);
  for (const socket of sockets) socket.destroy();
  await until('none waits', () => stand.admission.state().waiting === 0);
  assert.is(stand.admission.state().refused, 0);
  finish();
  assert.is((await running).status, 200);
  assert.is(stand.executions(), 1);
});

test.run();
