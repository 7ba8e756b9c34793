/** Runs all checks of the plugin on the sites that wordpress.sh has prepared, and writes `test/results/wordpress-debian12.md`. */
import * as assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { packagePath } from '../../src/package.ts';
import { describeMachine } from '../../test/bench/provenance.ts';
import { markdownTable } from '../../test/bench/tables.ts';
import { newCalendar } from './calendar.mjs';
import { AVIS, BLAD, BYGD, check, KONSERN, logLines, place, release, titles } from './checks.mjs';
import { eraseEditors, failCaches } from './editors.mjs';
import { hideInGroup, hideOnSite, removeInCalendar, stopCalendar } from './hiding.mjs';
import { makeSites, NETWORK_SCREENS, separateSites } from './network.mjs';
import { install, showEvents, showLists, trySettings } from './one-site.mjs';
import { deactivatePlugin, deletePlugin, inTree, rowsOf, saveHidden, saveSettings } from './sites.mjs';

const pagesOf = (home) => `${home}/arrangement/{slug}`;
const EVENT_PAGES = {
  Trondheim: pagesOf(AVIS),
  Levanger: pagesOf(BLAD),
  Orkland: pagesOf(BYGD),
  default: pagesOf(KONSERN),
};

const startedAt = new Date();
const calendar = newCalendar(place, EVENT_PAGES);
await calendar.start();
try {
  await run();
} catch (error) {
  console.error([error.stack, ...logLines().slice(-20)].join('\n'));
  process.exitCode = 1;
} finally {
  await calendar.stop();
}
if (process.exitCode === undefined) writeRecord();

async function run() {
  const ofKonsern = await install(KONSERN);
  const ofAvis = await install(AVIS);
  await showLists(ofAvis);
  await showEvents();
  await trySettings(ofKonsern);
  await hideOnSite();
  await failCaches();
  await eraseEditors(ofKonsern);
  await hideInGroup();
  await removeInCalendar(calendar);
  await checkLogs();
  await stopCalendar(calendar, ofAvis);
  const network = await makeSites();
  await separateSites(network);
  await uninstall(ofKonsern, `${KONSERN}/wp-admin`, [['konsern']], async () => {
    await saveSettings(ofKonsern, KONSERN, { towns: ['Levanger'] });
    await saveHidden(ofKonsern, KONSERN, ['et-arrangement']);
  });
  await uninstall(ofAvis, `${AVIS}/wp-admin`, [['avis']], async () => {});
  await uninstall(network.blad, NETWORK_SCREENS, [['nett'], ['nett', 'wp_2_options']], async () => {});
  await checkLogs();
}

function checkLogs() {
  const title =
    'with WP_DEBUG, WordPress and PHP have logged nothing that they do not log without the plugin';
  return check(title, () => assert.deepEqual(logLines(), []));
}

/** `tables`: the databases and tables with options. */
async function uninstall(administrator, screens, tables, prepare) {
  await check(
    `${screens}: the deleted plugin leaves no options, transients or events of WP-Cron`,
    async () => {
      await prepare();
      for (const table of tables) assert.ok(rowsOf(...table).length > 2, `${table}`);
      await deactivatePlugin(administrator, screens);
      for (const table of tables)
        assert.ok(
          !rowsOf(...table).includes('cron'),
          `${table}: expected no event after the plugin was deactivated`,
        );
      await deletePlugin(administrator, screens);
      for (const table of tables) assert.deepEqual(rowsOf(...table), []);
    },
  );
}

function writeRecord() {
  const versionOf = (name) =>
    inTree('dpkg-query', '--show', name)
      .trim()
      .replace(/^.*\t(\d+:)?/, '');
  const facts = [
    ['command', `\`.ci/wordpress.sh ${release}\``],
    ['begun', `${startedAt.toISOString().slice(0, 16).replace('T', ' ')} UTC`],
    ['commit', process.env.COMMIT],
    ['Debian', inTree('cat', '/etc/debian_version').trim()],
    ['WordPress', versionOf('wordpress')],
    ['PHP', inTree('php', '-r', 'echo PHP_VERSION;')],
    ['MariaDB', versionOf('mariadb-server')],
    ['nginx', versionOf('nginx')],
    ['Node', process.versions.node],
    ['machine', describeMachine()],
    ['checks', `${titles.length} passed, 0 failed`],
    ['seconds', `${Math.round((Date.now() - startedAt.getTime()) / 1_000)}`],
  ];
  const table = markdownTable(['', 'this result'], facts, 2);
  const heading = `# The plugin in WordPress on Debian ${release}`;
  const list = titles.map((title) => `- ${title}`).join('\n');
  mkdirSync(packagePath('test/results'), { recursive: true });
  writeFileSync(
    packagePath(`test/results/wordpress-debian${release}.md`),
    `${heading}\n\n${table}\n\n${list}\n`,
  );
}
