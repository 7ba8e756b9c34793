/** What is done with the blocks of README.md under "Point it at your own calendar", in its order. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import * as assert from 'uvu/assert';
import { readSettings } from '../../src/settings.ts';
import { asks, isAnswer, isOutput, type Rule, saves } from './checks.ts';
import { ADDRESS, runShell } from './shell.ts';
import type { World } from './world.ts';

const inOwn = (world: World) => world.own();

/** In the clone with a calendar of one's own, whose `.env` holds from the moment that README.md writes it. */
const builds: Rule = async ({ text }, { own, found }) => {
  const { code, stdout, stderr } = await runShell(text, { folder: own() });
  assert.is(code, 0, stdout + stderr);
  found.set('output', stdout);
};

export const CALENDAR_RULES: Readonly<Record<string, Rule>> = {
  'A folder › json 1': saves(inOwn),
  'A folder › json 2': saves(inOwn),
  'A folder › json 3': saves(inOwn),
  'A folder › json 4': saves(inOwn),
  'A folder › sh 1': builds,
  'A folder › text 1': isOutput,
  'A folder › ini 1': (block, world) => {
    const folder = world.own();
    saves(inOwn)(block, world);
    const { settings, warnings } = readSettings({}, folder);
    assert.equal(warnings, []);
    assert.is(settings.source, join(folder, 'my-calendar'));
    assert.ok(existsSync(join(settings.snapshots, 'manifest.json')), 'where the build published');
  },
  'A folder › graphql 1': asks(({ ownAtNoon }) => ownAtNoon()),
  'A folder › json 5': isAnswer,

  'An iCalendar feed › ics 1': saves(inOwn),
  'An iCalendar feed › json 1': saves(inOwn),
  'An iCalendar feed › sh 1': builds,
  'An iCalendar feed › text 1': isOutput,

  'A mirror › json 1': saves(inOwn),
  'A mirror › json 2': async (block, world) => {
    const { url } = await world.ownServer();
    return saves(inOwn)({ ...block, text: block.text.replace(ADDRESS, url) }, world);
  },
  'A mirror › sh 1': builds,
  'A mirror › text 1': isOutput,
};
