/** D8, H9: /status, /metrics and the log of a running server. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { clientOf } from '../../helpers/client.ts';
import { publishCalendar, temporaryFolder } from '../../helpers/folder.ts';
import { endPrograms, startServerProgram, stopProgram } from '../../helpers/program.ts';
import { withPart } from '../../helpers/when.ts';

const views = suite<{ snapshots: string }>('views of the operator');

const TOKEN = 'a-token-of-enough-length';

views.before(async (context) => {
  context.snapshots = temporaryFolder();
  await publishCalendar(context.snapshots);
});

views.after.each(endPrograms);

const serve = ({ snapshots }: { snapshots: string }, env: Readonly<Record<string, string>>) =>
  startServerProgram('serve', { ALMANAKK_SNAPSHOTS: snapshots, ...env });

const SECRET = '{ events(filter: {searchTerm: "hemmelig"}) { totalCount } }';
const KEY = { 'X-Api-Key': 'alk_nokkel' };

withPart('src/annexes/operator', views)(
  'D8: should show status and metrics of all processes, and link to it',
  async (context) => {
    const { send, post } = await serve(context, { ALMANAKK_WORKERS: '2' });
    // A connection of its own each time, so that the processes take turns.
    const headers = { Connection: 'close' };
    for (let turn = 0; turn < 6; turn++) await post('{ events { totalCount } }', {}, headers);
    for (let turn = 0; turn < 2; turn++) {
      const { text } = await send('/metrics', { headers });
      const counted =
        /almanakk_request_duration_seconds_count\{route="\/graphQL",operation="events",.*\} (\d)/.exec(text);
      assert.is(counted?.[1], '6');
      assert.is((await send('/status', { headers })).status, 200);
    }
    assert.match((await send('/')).text, '<a href="status">');
  },
);

withPart('src/annexes/operator', views)(
  'D8: should move status and metrics to a port of their own, with a token',
  async (context) => {
    const program = await serve(context, {
      ALMANAKK_ADMIN_PORT: '0',
      ALMANAKK_ADMIN_TOKEN: TOKEN,
      ALMANAKK_STATUS_URL: 'https://drift.example/status',
    });
    const { url: origin } = program;
    const [apart = ''] = /http:\/\/[^/]+/.exec(await program.says(/status and metrics on http/)) ?? [];
    for (const path of ['/status', '/metrics']) {
      assert.is((await fetch(`${origin}${path}`)).status, 404, path);
      assert.is((await fetch(`${apart}${path}`)).status, 401, path);
      assert.is(
        (await fetch(`${apart}${path}`, { headers: { authorization: `Bearer ${TOKEN}` } })).status,
        200,
      );
    }
    const proxied = { host: 'drift.example', authorization: `Bearer ${TOKEN}` };
    assert.is((await clientOf(apart).send('/status', { headers: proxied })).status, 200);
    assert.is((await fetch(`${apart}/graphQL`)).status, 404);
    assert.not.match(await (await fetch(`${origin}/`)).text(), 'href="status"');
    await stopProgram(program);
  },
);

views('H8: should write no keys or texts of queries to the log, at any level', async (context) => {
  const program = await serve(context, { ALMANAKK_LOG_LEVEL: 'trace' });
  await program.post(SECRET, {}, KEY);
  await program.send('/graphQL?key=alk_nokkel&query={hemmelig}');
  await program.says(/debug request .*route=\/graphQL status=400/);
  const log = program.lines.join('\n');
  assert.match(log, /debug request method=POST route=\/graphQL status=200 .*rootField=events/);
  assert.not.match(log, /hemmelig|alk_nokkel/);
});

withPart('src/annexes/query-log', views)(
  'H3: should log queries without their keys if the settings ask for it',
  async (context) => {
    const program = await serve(context, { ALMANAKK_LOG_QUERIES: 'true', ALMANAKK_LOG_FORMAT: 'json' });
    await program.post(SECRET, {}, KEY);
    const line = JSON.parse(await program.says(/"msg":"query"/));
    assert.match(line.query, 'hemmelig');
    assert.not.match(program.lines.join('\n'), 'alk_nokkel');
  },
);

views.run();
