/** The names of editors in the list of hidden events, and caches for whole pages that fail. */
import * as assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { AVIS, check, emptyLogs, KONSERN, logLines, root } from './checks.mjs';
import { EDITOR } from './one-site.mjs';
import { addUser, inTree, logIn, rest, saveHidden } from './sites.mjs';

/** Two users, who get the same name. */
const FIRST = 'vikar';
const SECOND = 'sommervikar';
const NAME = 'Kari Vakt';

/** On konsern.example. */
export async function eraseEditors(administrator) {
  const idOf = {};
  for (const user of [FIRST, SECOND]) {
    await addUser(administrator, KONSERN, user, 'editor');
    const [found] = await rest(administrator, KONSERN, `users?context=edit&slug=${user}`);
    idOf[user] = found.id;
    await rename(administrator, found.id, NAME);
  }
  await saveHidden(await logIn(KONSERN, FIRST), KONSERN, ['en-linje']);
  await saveHidden(await logIn(KONSERN, SECOND), KONSERN, ['en-linje', 'en-linje-til']);
  await rename(administrator, idOf[FIRST], 'Kari Ny');
  await check(
    'the tools for personal data find a user of a new name, and not another user of the old one',
    () => {
      const { data } = callTool('exporters', FIRST);
      assert.deepEqual(
        data.map((item) => item.data[0].value),
        ['en-linje'],
      );
      const { items_removed, items_retained } = callTool('erasers', FIRST);
      assert.deepEqual([items_removed, items_retained], [true, false]);
      assert.deepEqual(namesInList(), { 'en-linje': ['', null], 'en-linje-til': [NAME, idOf[SECOND]] });
    },
  );
  await check('an older line without an id is that of the only user of its name', async () => {
    const withoutId =
      "unset($list['added']['en-linje-til']['user']); update_option('almanakk_hidden', $list)";
    runPhp(`$list = get_option('almanakk_hidden'); ${withoutId}; echo 'null';`);
    await rename(administrator, idOf[FIRST], NAME);
    assert.deepEqual(callTool('exporters', SECOND).data, []);
    await rename(administrator, idOf[FIRST], NAME.toUpperCase());
    assert.equal(callTool('exporters', SECOND).data.length, 1);
  });
  await check('when WordPress deletes a user, the list loses the name and the id', async () => {
    const path = `users/${idOf[SECOND]}?force=true&reassign=1&_method=DELETE`;
    assert.equal((await rest(administrator, KONSERN, path, {})).deleted, true);
    assert.deepEqual(namesInList(), { 'en-linje': ['', null], 'en-linje-til': ['', null] });
    assert.ok(!JSON.stringify(readList()).includes(NAME));
  });
  await saveHidden(administrator, KONSERN, []);
}

const rename = (administrator, id, name) => rest(administrator, KONSERN, `users/${id}`, { name });

/** What a function for `exporters` or `erasers` returns, as WordPress calls it. */
const callTool = (kind, user) =>
  runPhp(
    `echo json_encode(apply_filters('wp_privacy_personal_data_${kind}', [])['almanakk']['callback']('${user}@avis.example', 1));`,
  );

const readList = () => runPhp("echo json_encode(get_option('almanakk_hidden'));");

const namesInList = () =>
  Object.fromEntries(Object.entries(readList().added).map(([line, { by, user }]) => [line, [by, user]]));

/** In the WordPress of konsern.example. */
function runPhp(code) {
  const load = "$_SERVER['HTTP_HOST'] = 'konsern.example'; require '/srv/konsern/wp-load.php';";
  return JSON.parse(inTree('runuser', '--user', 'www-data', '--', 'php', '-r', `${load} ${code}`));
}

/** On avis.example, where surroundings.php refuses each purge of Cloudflare. */
export async function failCaches() {
  const file = join(root, 'srv/avis/wp-config.php');
  const config = readFileSync(file, 'utf8');
  const editor = await logIn(AVIS, EDITOR);
  await check(
    'the list is saved although one cache does not answer and another refuses; PHP logs both',
    async () => {
      const withFaults = config
        .replace('http://127.0.0.1:8081', 'http://127.0.0.1:8089')
        .replace("/* That's all", "define('ALMANAKK_CLOUDFLARE_ZONE', 'zone');\n/* That's all");
      writeFileSync(file, withFaults);
      const { text } = await saveHidden(editor, AVIS, ['et-arrangement']);
      assert.match(text, /Listen er lagret\. Et hurtiglager for hele sider ble ikke tømt\./);
      const [line, ...others] = logLines();
      assert.deepEqual(others, []);
      const page = `${AVIS}/arrangement/et-arrangement`;
      assert.match(
        line,
        new RegExp(`ALMANAKK_PURGE_URL: [^;]*found cURL error 7:[^;]*, for ${page} ${AVIS}/ `),
      );
      assert.match(
        line,
        /; Cloudflare: expected HTTP 200, found HTTP 403, for avis\.example\/arrangement\/et-arrangement /,
      );
    },
  );
  writeFileSync(file, config);
  await check('when the caches answer again, an editor who saves again tries at once', async () => {
    assert.doesNotMatch((await saveHidden(editor, AVIS, ['et-arrangement'])).text, /ble ikke tømt/);
  });
  await saveHidden(editor, AVIS, []);
  emptyLogs();
}
