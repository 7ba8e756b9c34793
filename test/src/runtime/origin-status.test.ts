/** H6: a replica shows on /status whether it can reach its origin. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Status } from '../../../src/annexes/operator/status.ts';
import { closedAfterEach } from '../../helpers/closing.ts';
import { publishCalendar, temporaryFolder } from '../../helpers/folder.ts';
import { startOrigin } from '../../helpers/origin.ts';
import { endPrograms, startServerProgram, stopProgram } from '../../helpers/program.ts';
import { eventually } from '../../helpers/until.ts';

const reaching = suite('origin on the status page');
const opened = closedAfterEach(reaching);

reaching.after.each(endPrograms);

for (const workers of ['1', '2']) {
  reaching(
    `H6: a replica with ${workers} serving processes should say on /status that its origin is out of reach`,
    async () => {
      const folder = temporaryFolder();
      await publishCalendar(folder);
      const origin = opened(await startOrigin(folder));
      const replica = await startServerProgram('start', {
        ALMANAKK_ORIGIN: origin.url.href,
        ALMANAKK_SNAPSHOTS: temporaryFolder(),
        ALMANAKK_POLL_SECONDS: '1',
        ALMANAKK_WORKERS: workers,
      });
      const status = async (): Promise<Status> =>
        JSON.parse((await replica.send('/status', { headers: { Connection: 'close' } })).text);
      // One of the processes answers; another one may still wait for its first snapshot.
      const says = (concerns: readonly string[]) =>
        eventually(`the status says ${concerns}`, async () => {
          const found = await status();
          return found.state === 'serving' && `${found.concerns.map(({ name }) => name)}` === `${concerns}`;
        });

      await says([]);
      assert.is((await status()).replica?.outOfReach, null);
      origin.behave((_path, response) => response.destroy() !== undefined);
      await says(['origin out of reach']);
      origin.behave(null);
      await says([]);
      await origin.close();
      await says(['origin out of reach']);
      const { replica: reported } = await status();
      assert.match(
        reported?.outOfReach ?? '',
        /^http:\/\/127\.0\.0\.1:\d+\/.*manifest\.json: connect ECONNREFUSED/,
      );
      await stopProgram(replica);
    },
  );
}

reaching.run();
