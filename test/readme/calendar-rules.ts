/** What is done with the blocks of the pages about a calendar of one's own, in their order. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as assert from 'uvu/assert';
import { packagePath } from '../../src/package.ts';
import { readSettings } from '../../src/settings.ts';
import { asks, isAnswer, isOutput, type Rule, type Rules, saves } from './checks.ts';
import { ADDRESS, runShell } from './shell.ts';
import type { World } from './world.ts';

const inOwn = (world: World) => world.own();

/** In the clone with a calendar of one's own, whose `.env` holds from the moment that README.md writes it. */
const builds: Rule = async ({ text }, { own, found }) => {
  const { code, stdout, stderr } = await runShell(text, { folder: own() });
  assert.is(code, 0, stdout + stderr);
  found.set('output', stdout);
};

/** In README.md. */
export const OWN_CALENDAR_RULES: Rules = {
  'Your own calendar › json 1': saves(inOwn),
  'Your own calendar › json 2': saves(inOwn),
  'Your own calendar › sh 1': builds,
  'Your own calendar › text 1': isOutput,
  'Your own calendar › ini 1': (block, world) => {
    const folder = world.own();
    saves(inOwn)(block, world);
    const { settings, warnings } = readSettings({}, folder);
    assert.equal(warnings, []);
    assert.is(settings.source, join(folder, 'my-calendar'));
    assert.ok(existsSync(join(settings.snapshots, 'manifest.json')), 'where the build published');
  },
};

export const SOURCE_FORMAT_RULES: Rules = {
  'A whole calendar › json 1': saves(inOwn),
  'A whole calendar › json 2': saves(inOwn),
  'A whole calendar › json 3': saves(inOwn),
  'A whole calendar › json 4': saves(inOwn),
  'A whole calendar › sh 1': builds,
  'A whole calendar › text 1': isOutput,
  'A whole calendar › graphql 1': asks(({ ownAtNoon }) => ownAtNoon()),
  'A whole calendar › json 5': isAnswer,

  'In an editor › json 1': ({ text, file }) => {
    assert.is(text, readFileSync(packagePath(file ?? ''), 'utf8'));
  },
  'Notices › json 1': saves(inOwn),
};

export const FEEDS_RULES: Rules = {
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
