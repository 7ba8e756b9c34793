/** H6: a replica shows on /status whether it can reach its origin, and whether it can read the snapshots there. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Status } from '../../../../src/annexes/operator/status.ts';
import { type Client, clientOf } from '../../../helpers/client.ts';
import { closedAfterEach } from '../../../helpers/closing.ts';
import { publishCalendar, temporaryFolder } from '../../../helpers/folder.ts';
import { makeNewer, publishRelease } from '../../../helpers/formats.ts';
import { type Origin, startOrigin } from '../../../helpers/origin.ts';
import {
  endPrograms,
  scriptOf,
  startProgram,
  startServerProgram,
  stopProgram,
} from '../../../helpers/program.ts';
import { eventually } from '../../../helpers/until.ts';

const reaching = suite('origin on the status page');
const opened = closedAfterEach(reaching);

reaching.after.each(endPrograms);

const settingsOf = (origin: Origin, workers = '1') => ({
  ALMANAKK_ORIGIN: origin.url.href,
  ALMANAKK_SNAPSHOTS: temporaryFolder(),
  ALMANAKK_POLL_SECONDS: '1',
  ALMANAKK_WORKERS: workers,
});

/** One of several processes answers a new connection. */
const ask = ({ send }: Client, path: string) => send(path, { headers: { Connection: 'close' } });
const statusOf = async (replica: Client): Promise<Status> => JSON.parse((await ask(replica, '/status')).text);

/** Waits until the status has just these concerns. Another process than the one that answers may still wait for its first snapshot. */
const says = (replica: Client, concerns: readonly string[]) =>
  eventually(`the status says ${concerns}`, async () => {
    const found = await statusOf(replica);
    return found.state === 'serving' && `${found.concerns.map(({ name }) => name)}` === `${concerns}`;
  });

/** Waits until the status says why the last copy failed. */
const failsBecause = (replica: Client, finding: RegExp) =>
  eventually(`the status says ${finding}`, async () => {
    const { concerns } = await statusOf(replica);
    return concerns.some(
      ({ name, details }) => name === 'build failed' && finding.test(JSON.stringify(details)),
    );
  });

const OLDER = /manifest\.json: expected format \d+, found 3: build it again/;
const NEWER = /manifest\.json: expected format \d+, found 99: this program is older/;

reaching('H6: a replica should serve what it can read, whatever other versions publish', async () => {
  const folder = temporaryFolder();
  publishRelease(folder);
  const origin = opened(await startOrigin(folder));
  const program = startProgram({ script: scriptOf('src/main'), args: ['start'], env: settingsOf(origin) });
  const line = await program.says(/listening on http/);
  const replica = clientOf(/http:\/\/[^/]+/.exec(line)?.[0] ?? '');
  await failsBecause(replica, OLDER);
  assert.is((await ask(replica, '/readyz')).status, 503, 'no snapshot that it can read');

  const { id } = await publishCalendar(folder, { name: 'Lest' });
  await says(replica, []);
  for (const { deliver, finding } of [
    { deliver: makeNewer, finding: NEWER },
    { deliver: publishRelease, finding: OLDER },
  ]) {
    const before = program.lines.length;
    deliver(folder);
    await failsBecause(replica, finding);
    assert.match(program.lines.slice(before).join('\n'), new RegExp(`warn pull failed .*${finding.source}`));
    const { status, text } = await ask(replica, '/readyz');
    assert.equal([status, JSON.parse(text).snapshot.id], [200, id]);
  }
  const next = await publishCalendar(folder, { name: 'Neste' });
  await eventually('it serves the next one', async () => (await statusOf(replica)).snapshot?.id === next.id);
  await says(replica, []);
  await stopProgram(program);
});

reaching('H6: a replica with two serving processes should say that its origin is out of reach', async () => {
  const folder = temporaryFolder();
  await publishCalendar(folder);
  const origin = opened(await startOrigin(folder));
  const replica = await startServerProgram('start', settingsOf(origin, '2'));
  await says(replica, []);
  assert.is((await statusOf(replica)).replica?.outOfReach, null);
  origin.behave((_path, response) => response.destroy() !== undefined);
  await says(replica, ['origin out of reach']);
  origin.behave(null);
  await says(replica, []);
  await origin.close();
  await says(replica, ['origin out of reach']);
  const { replica: reported } = await statusOf(replica);
  assert.match(
    reported?.outOfReach ?? '',
    /^http:\/\/127\.0\.0\.1:\d+\/.*manifest\.json: connect ECONNREFUSED/,
  );
  await stopProgram(replica);
});

reaching.run();
